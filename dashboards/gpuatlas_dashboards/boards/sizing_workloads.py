"""Each container: what was measured against what it reserves, and what the analysis says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from gpuatlas_dashboards.boards import sizing_queries as queries
from gpuatlas_dashboards.links import BoardId, Link, board_url
from gpuatlas_dashboards.panels.fields import Cell, Field, step, texts_of_values
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, highest, join_rows, sort_by
from gpuatlas_dashboards.signals import sizing
from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.texts.shapes.sizing import SizingTexts
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import CHECK_STATE_COLOURS, CheckState, Colour, Unit
from gpuatlas_dashboards.workload_variables import KEY, key_column

_NAMES: Final = ("workload", "namespace", "container")
_MEMORY: Final = {
    "reserved": sizing.MEMORY_RESERVED,
    "peak": sizing.MEMORY_PEAK,
    "share": sizing.MEMORY_PEAK_SHARE,
    "proposed": sizing.MEMORY_PROPOSED,
    "saving": sizing.MEMORY_SAVING,
    "days": sizing.WINDOW,
    "coverage": sizing.COVERAGE,
    "shares": sizing.CONTAINERS,
}
_COMPUTE: Final = {
    "reserved": sizing.COMPUTE_RESERVED,
    "used": sizing.COMPUTE_P95,
    "proposed": sizing.COMPUTE_PROPOSED,
}
_CARDS: Final = {"proposed": sizing.CARDS_PROPOSED, "saving": sizing.CARDS_SAVING}
_WIDE: Final = {"days": 64, "coverage": 84, "shares": 76}
_NUMBER_WIDTH: Final = 84


def memory_table(texts: SizingTexts, language: Language, *, height: int) -> Panel:
    """What saves or asks for most first."""
    measured, proposed, basis = (
        ("reserved", "peak", "share"), ("proposed", "saving"), ("days", "coverage", "shares"),
    )  # fmt: skip
    # The answer first: at the right a narrow screen has to be scrolled.
    order = [
        *_NAMES, *map(_value, measured), "verdict", *map(_value, proposed), "reason",
        *map(_value, basis), "workload_kind", "cluster", KEY,
    ]  # fmt: skip
    return table(
        texts.memory,
        [
            *_queries(_MEMORY, "memory"),
            Query(expr=queries.MEMORY_CHANGE, ref="change", table=True),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[
                *_rows("reserved", [*_MEMORY, "change"]),
                sort_by(_value("reserved"), descending=True),
                sort_by(_value("change"), descending=True),
                *columns(order),
            ],
            fields=[
                *_name_fields(texts, language),
                *(_number(ref, signal, language) for ref, signal in _MEMORY.items()),
                gauge(_value("share"), Colour.USED, language.of(sizing.MEMORY_PEAK_SHARE).label),
                *_verdict_fields(texts, width=230),
            ],
        ),
        width=24,
        height=height,
        frozen=1,
    )


def compute_table(texts: SizingTexts, language: Language, *, width: int, height: int) -> Panel:
    """Only containers with a promise of compute."""
    order = [
        *_NAMES, *map(_value, ("reserved", "used")), "verdict", _value("proposed"), "reason", KEY,
    ]  # fmt: skip
    return table(
        texts.compute,
        _queries(_COMPUTE, "compute"),
        Look(
            unit=Unit.TEXT,
            transformations=[
                *_rows("reserved", _COMPUTE),
                sort_by(_value("reserved"), descending=True),
                sort_by(_value("proposed"), descending=True),
                *columns(order),
            ],
            fields=[
                *_name_fields(texts, language),
                *(_number(ref, signal, language) for ref, signal in _COMPUTE.items()),
                gauge(_value("used"), Colour.COMPUTE, language.of(sizing.COMPUTE_P95).label),
                *_verdict_fields(texts),
            ],
        ),
        width=width,
        height=height,
    )


def cards_table(texts: SizingTexts, language: Language, *, width: int, height: int) -> Panel:
    """Only containers that hold whole cards or instances."""
    order = [
        *_NAMES, "verdict", _value("proposed"), "resource", _value("saving"), "reason", KEY,
    ]  # fmt: skip
    labels = {"verdict": [*_NAMES, KEY, queries.ROW], "proposed": [queries.ROW, "resource"]}
    return table(
        texts.cards,
        [
            *(
                Query(expr=queries.of_cards(signal), ref=ref, table=True)
                for ref, signal in _CARDS.items()
            ),
            Query(expr=queries.verdicts("cards"), ref="verdict", table=True),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[
                *_grouped([*_CARDS, "verdict"], labels),
                sort_by(_value("saving"), descending=True),
                *columns(order),
            ],
            fields=[
                *_name_fields(texts, language),
                *(_number(ref, signal, language) for ref, signal in _CARDS.items()),
                Field(
                    name="resource",
                    title=texts.asked_as,
                    width=200,
                    mappings=[texts_of_values({"": (texts.same_resource, "")})],
                ),
                *_verdict_fields(texts),
            ],
        ),
        width=width,
        height=height,
    )


def _queries(signals: Mapping[str, Signal], resource: str) -> list[Query]:
    promise = queries.PROMISES[resource]
    return [
        *(Query(expr=queries.sized(s, promise), ref=ref, table=True) for ref, s in signals.items()),
        Query(expr=queries.verdicts(resource), ref="verdict", table=True),
    ]


def _value(ref: str) -> str:
    return f"Value #{ref} (max)"


def _rows(base: str, refs: Iterable[str]) -> list[dict[str, Any]]:
    """A row for each container of `base`; a query without an answer gives no column."""
    named = [*_NAMES, "workload_kind", "cluster", KEY, queries.ROW]
    return _grouped([*refs, "verdict"], {base: named})


def _grouped(refs: Sequence[str], labels: Mapping[str, list[str]]) -> list[dict[str, Any]]:
    of_verdict = [*labels.get("verdict", [queries.ROW]), "verdict", "reason"]
    kept = {**labels, "verdict": of_verdict}
    grouped = [highest(kept.get(ref, [queries.ROW]), f"Value #{ref}", ref=ref) for ref in refs]
    return [*grouped, join_rows(queries.ROW)]


def show_workload(texts: SizingTexts, language: Language) -> Link:
    """From a row with the column `KEY` to its workload."""
    url = board_url(BoardId.WORKLOADS, language.suffix, workload=key_column())
    return Link(title=texts.show_workload, url=url)


def _name_fields(texts: SizingTexts, language: Language) -> list[Field]:
    shared = language.shared.columns
    return [
        Field(
            name="workload",
            title=shared["workload"],
            width=150,
            links=[show_workload(texts, language)],
            filterable=True,
        ),
        Field(name="namespace", title=shared["namespace"], width=116, filterable=True),
        Field(name="container", title=shared["container"], width=100, filterable=True),
        Field(name="workload_kind", title=shared["workload_kind"], width=140, filterable=True),
        Field(name="cluster", title=language.shared.variables["cluster"], width=100),
        Field(name=KEY, hidden=True),
    ]


def _number(ref: str, signal: Signal, language: Language) -> Field:
    return Field(
        name=_value(ref),
        title=language.of(signal).label,
        unit=signal.unit,
        decimals=1 if signal.unit in (Unit.BYTES, Unit.COUNT) else 0,
        width=_WIDE.get(ref, _NUMBER_WIDTH),
    )


def gauge(name: str, colour: str, title: str, width: int = 124) -> Field:
    """A bar that is full at 100 %, red beyond."""
    return Field(
        name=name,
        title=title,
        unit=Unit.RATIO,
        decimals=0,
        low=0,
        high=1,
        width=width,
        cell=Cell.GAUGE,
        cell_options={"mode": "basic", "valueDisplayMode": "text"},
        thresholds=[step(colour), step(Colour.OVERCOMMITTED, 1.0001)],
    )


def _verdict_fields(texts: SizingTexts, *, width: int | None = None) -> list[Field]:
    unknown = CHECK_STATE_COLOURS[CheckState.UNKNOWN]
    colours = {"smaller": Colour.USED, "larger": Colour.OFFLOADED, "cannot": unknown}
    verdicts = {
        verdict: (word, colours.get(verdict, "")) for verdict, word in texts.verdicts.items()
    }
    reasons = {**texts.reasons, queries.AT_LIMIT: texts.at_limit}
    return [
        Field(
            name="verdict",
            title=texts.verdict,
            width=104,
            cell=Cell.COLOURED_TEXT,
            mappings=[texts_of_values(verdicts)],
            filterable=True,
        ),
        Field(
            name="reason",
            title=texts.why,
            width=width,
            mappings=[texts_of_values({word: (text, "") for word, text in reasons.items()})],
        ),
    ]
