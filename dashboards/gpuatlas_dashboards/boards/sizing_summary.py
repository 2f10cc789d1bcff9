"""The line on top: what is held and never used, and what the analysis would give back."""

from __future__ import annotations

from gpuatlas_dashboards.boards import sizing_queries as queries
from gpuatlas_dashboards.panels.fields import Field, step, unknown_if_absent
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query, query_of
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.stat import Paint, Say, stat
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.timeseries import time_series
from gpuatlas_dashboards.panels.transformations import columns
from gpuatlas_dashboards.scopes import CLUSTER, NAMESPACE
from gpuatlas_dashboards.signals import cluster, sizing, workload
from gpuatlas_dashboards.texts.shapes.sizing import SizingTexts
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import CHECK_STATE_COLOURS, CheckState, Colour, State, Unit

_HEIGHT = 3
_ENOUGH = 7  # days, DESIGN 7


def summary(texts: SizingTexts, language: Language) -> list[Panel]:
    return [_held(texts, language), _verdicts(texts), _outcome(texts)]


def _held(texts: SizingTexts, language: Language) -> Panel:
    """What is reserved, used and never used, and of how many that is known."""
    reserved = workload.MEMORY_RESERVED.within(NAMESPACE)
    days = sizing.DAYS.within(NAMESPACE)
    sums = {
        texts.reserved: f"sum({reserved})",
        texts.used: f"sum({workload.MEMORY_USED.within(NAMESPACE)})",
        texts.unused: f"sum({sizing.MEMORY_UNUSED.within(NAMESPACE)})",
        texts.covered: f"sum({days} >= bool {_ENOUGH}) / count({reserved})",
    }
    wasted = [step(Colour.NEUTRAL), step(Colour.WASTED, 1)]
    return stat(
        texts.held,
        [
            Query(expr=f"{expr} or vector(NaN)", legend=name, instant=True)
            for name, expr in sums.items()
        ],
        Look(
            unit=Unit.BYTES,
            decimals=1,
            mappings=[unknown_if_absent(language.shared.states[State.UNKNOWN])],
            fields=[
                Field(name=texts.unused, thresholds=wasted),
                Field(name=texts.covered, unit=Unit.RATIO, decimals=0),
            ],
        ),
        width=8,
        height=_HEIGHT,
        paint=Paint.VALUE,
        say=Say.BOTH,
    )


def _verdicts(texts: SizingTexts) -> Panel:
    """How many answers of each kind the tables have."""
    words = {"smaller": texts.smaller, "larger": texts.larger, "fits": texts.fitting}
    words["cannot"] = texts.cannot
    return stat(
        texts.proposals,
        [
            Query(expr=queries.answers(verdict), ref=verdict, legend=word, instant=True)
            for verdict, word in words.items()
        ],
        Look(
            unit=Unit.COUNT,
            fields=[Field(name=texts.cannot, colour=CHECK_STATE_COLOURS[CheckState.UNKNOWN])],
        ),
        width=7,
        height=_HEIGHT,
        say=Say.BOTH,
    )


def _outcome(texts: SizingTexts) -> Panel:
    """What comes of the proposals."""
    saving, cards = sizing.MEMORY_SAVING.within(NAMESPACE), sizing.CARDS_SAVING.within(NAMESPACE)
    more = sizing.ROOM_ALLOCATIONS
    sums = {
        texts.given_back: f"sum(clamp_min({saving}, 0))",
        texts.asked_for: f"sum(clamp_min(-{saving}, 0))",
        texts.cards_given_back: f"sum(clamp_min({cards}, 0))",
        texts.more: f"sum({more.within(CLUSTER)})",
    }
    return stat(
        texts.outcome,
        [Query(expr=expr, legend=name, instant=True) for name, expr in sums.items()],
        Look(
            unit=Unit.COUNT,
            fields=[
                Field(name=name, unit=Unit.BYTES, decimals=1)
                for name in (texts.given_back, texts.asked_for)
            ],
        ),
        width=9,
        height=_HEIGHT,
        say=Say.BOTH,
    )


def missing(texts: SizingTexts, *, width: int, height: int) -> Panel:
    """What the analysis could not read, and what to do about it."""
    names = {"input": texts.missing_input, "reason": texts.why, "cluster": texts.in_cluster}
    return table(
        texts.missing,
        [Query(expr=queries.MISSING, table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=columns(list(names), names),
            fields=[
                Field(name=texts.missing_input, width=300, wrap=True),
                Field(name=texts.why, wrap=True),
                Field(name=texts.in_cluster, width=90),
            ],
        ),
        width=width,
        height=height,
    )


def course(texts: SizingTexts, *, width: int, height: int) -> Panel:
    """Physical, promised and used memory of the clusters."""
    lines = {
        texts.physical: cluster.MEMORY_PHYSICAL,
        texts.reserved: cluster.MEMORY_ALLOCATED,
        texts.used: cluster.MEMORY_USED,
    }
    return time_series(
        texts.course,
        [query_of(signal, CLUSTER, legend=name) for name, signal in lines.items()],
        Look(
            unit=Unit.BYTES,
            low=0,
            fields=[Field(name=name, colour=signal.colour) for name, signal in lines.items()],
        ),
        width=width,
        height=height,
    )
