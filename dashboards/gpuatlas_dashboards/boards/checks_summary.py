"""The line on top: checks by state, findings by severity, and whom they hit."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.boards.checks_findings_queries import named_pods
from gpuatlas_dashboards.boards.checks_queries import findings_of, of_known_checks
from gpuatlas_dashboards.boards.checks_words import ChecksWords
from gpuatlas_dashboards.panels.check_mappings import check_state_text
from gpuatlas_dashboards.panels.fields import Field, Match, step
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.stat import Paint, Say, stat
from gpuatlas_dashboards.scopes import CLUSTER
from gpuatlas_dashboards.signals import check
from gpuatlas_dashboards.tokens import (
    CHECK_STATE_CODES,
    CHECK_STATE_COLOURS,
    SEVERITY_COLOURS,
    CheckState,
    Colour,
    Severity,
    Unit,
)

_HEIGHT: Final = 3


def summary(words: ChecksWords) -> list[Panel]:
    return [_states(words), _severities(words), _hit(words)]


def _states(words: ChecksWords) -> Panel:
    code = check.STATE.within(CLUSTER)
    return stat(
        words.board.states,
        [
            Query(
                expr=of_known_checks(f"count({code} == {CHECK_STATE_CODES[state]})"),
                ref=state.value,
                legend=check_state_text(state, words.shared.check_states),
                instant=True,
            )
            for state in CheckState
        ],
        Look(
            unit=Unit.COUNT,
            fields=[_painted(state.value, CHECK_STATE_COLOURS[state]) for state in CheckState],
        ),
        width=10,
        height=_HEIGHT,
        paint=Paint.BACKGROUND,
        say=Say.BOTH,
    )


def _severities(words: ChecksWords) -> Panel:
    return stat(
        words.board.findings_by_severity,
        [
            Query(
                expr=findings_of(severity),
                ref=severity.value,
                legend=words.shared.severities[severity],
                instant=True,
            )
            for severity in Severity
        ],
        Look(
            unit=Unit.COUNT,
            fields=[_painted(s.value, SEVERITY_COLOURS[s]) for s in Severity],
        ),
        width=7,
        height=_HEIGHT,
        paint=Paint.BACKGROUND,
        say=Say.BOTH,
    )


def _painted(ref: str, colour: str) -> Field:
    return Field(name=ref, match=Match.REF, thresholds=[step(Colour.PLAIN), step(colour, 1)])


def _hit(words: ChecksWords) -> Panel:
    of = words.language.of
    counts = {
        of(signal).label: signal.within(CLUSTER) for signal in (check.CARDS_HIT, check.NODES_HIT)
    }
    counts[words.board.pods_hit] = f"count(group by (owner) ({named_pods()}))"
    return stat(
        words.board.hit,
        [
            Query(expr=of_known_checks(count), legend=name, instant=True)
            for name, count in counts.items()
        ],
        Look(unit=Unit.COUNT),
        width=7,
        height=_HEIGHT,
        say=Say.BOTH,
    )
