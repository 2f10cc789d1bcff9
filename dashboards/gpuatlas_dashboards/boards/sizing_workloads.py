"""Each workload: what was measured against what it reserves, and what the analysis says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpuatlas_dashboards.boards import sizing_queries as queries
from gpuatlas_dashboards.links import BoardId, Link, board_url
from gpuatlas_dashboards.panels.fields import Cell, Field, step, texts_of_values
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, highest, join_rows, sort_by
from gpuatlas_dashboards.signals import sizing, workload
from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.texts.shapes.sizing import SizingTexts
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import CHECK_STATE_COLOURS, CheckState, Colour, Unit
from gpuatlas_dashboards.workload_variables import KEY, key_column

_NAMES: Final = ("workload", "namespace", "workload_kind", "cluster")
_MEMORY: Final = {
    "total": workload.MEMORY_RESERVED,
    "shares": sizing.CONTAINERS,
    "reserved": sizing.MEMORY_RESERVED,
    "peak": sizing.MEMORY_PEAK,
    "share": sizing.MEMORY_PEAK_SHARE,
    "unused": sizing.MEMORY_UNUSED,
    "days": sizing.DAYS,
    "proposed": sizing.MEMORY_PROPOSED,
    "saving": sizing.MEMORY_SAVING,
    "cards": sizing.CARDS_PROPOSED,
}
# The answer first: at the right a narrow screen has to be scrolled.
_ORDER: Final = (
    "workload",
    "namespace",
    *(f"Value #{ref} (max)" for ref in ("reserved", "peak", "share", "proposed", "saving")),
    "verdict",
    "reason",
    *(f"Value #{ref} (max)" for ref in ("unused", "days", "shares", "cards")),
    "workload_kind",
    "cluster",
    KEY,
)
_COMPUTE: Final = {
    "reserved": sizing.COMPUTE_RESERVED,
    "used": sizing.COMPUTE_P95,
    "proposed": sizing.COMPUTE_PROPOSED,
}


def memory_table(texts: SizingTexts, language: Language, *, height: int) -> Panel:
    """Those that leave most unused first."""
    return table(
        texts.memory,
        [*_queries(_MEMORY), Query(expr=queries.verdicts("memory"), ref="verdict", table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=[
                *_rows("total", [*_MEMORY, "verdict"]),
                sort_by(_value("unused"), descending=True),
                *columns(list(_ORDER)),
            ],
            fields=[
                *_name_fields(texts, language),
                *(_number(ref, signal, language) for ref, signal in _MEMORY.items()),
                _gauge(_value("share"), Colour.USED, language.of(sizing.MEMORY_PEAK_SHARE).label),
                *_verdict_fields(texts),
            ],
        ),
        width=24,
        height=height,
    )


def compute_table(texts: SizingTexts, language: Language, *, width: int, height: int) -> Panel:
    """Only workloads with a promise of compute."""
    return table(
        texts.compute,
        [*_queries(_COMPUTE), Query(expr=queries.verdicts("compute"), ref="verdict", table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=[
                *_rows("reserved", [*_COMPUTE, "verdict"]),
                sort_by(_value("reserved"), descending=True),
                *columns([*_NAMES[:2], *map(_value, _COMPUTE), "verdict", "reason", KEY]),
            ],
            fields=[
                *_name_fields(texts, language),
                *(_number(ref, signal, language) for ref, signal in _COMPUTE.items()),
                _gauge(_value("used"), Colour.COMPUTE, language.of(sizing.COMPUTE_P95).label),
                *_verdict_fields(texts),
            ],
        ),
        width=width,
        height=height,
    )


def _queries(signals: Mapping[str, Signal]) -> list[Query]:
    return [
        Query(expr=queries.listed(signal), ref=ref, table=True) for ref, signal in signals.items()
    ]


def _value(ref: str) -> str:
    return f"Value #{ref} (max)"


def _rows(base: str, refs: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each workload; a query without an answer gives no column."""
    labels = {base: [*_NAMES, KEY], "verdict": [KEY, "verdict", "reason"]}
    grouped = [highest(labels.get(ref, [KEY]), f"Value #{ref}", ref=ref) for ref in refs]
    return [*grouped, join_rows(KEY)]


def _name_fields(texts: SizingTexts, language: Language) -> list[Field]:
    shared = language.shared.columns
    url = board_url(BoardId.WORKLOADS, language.suffix, workload=key_column())
    return [
        Field(
            name="workload",
            title=shared["workload"],
            width=160,
            links=[Link(title=texts.show_workload, url=url)],
            filterable=True,
        ),
        Field(name="namespace", title=shared["namespace"], width=116, filterable=True),
        Field(name="workload_kind", title=shared["workload_kind"], width=140, filterable=True),
        Field(name="cluster", title=language.shared.variables["cluster"], width=100),
        Field(name=KEY, hidden=True),
    ]


def _number(ref: str, signal: Signal, language: Language) -> Field:
    return Field(
        name=_value(ref),
        title=language.of(signal).label,
        unit=signal.unit,
        decimals=1 if signal.unit is Unit.BYTES else 0,
        width=92,
    )


def _gauge(name: str, colour: str, title: str, width: int = 124) -> Field:
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


def _verdict_fields(texts: SizingTexts) -> list[Field]:
    unknown = CHECK_STATE_COLOURS[CheckState.UNKNOWN]
    colours = {"smaller": Colour.USED, "larger": Colour.OFFLOADED, "cannot": unknown}
    return [
        Field(
            name="verdict",
            title=texts.verdict,
            width=112,
            cell=Cell.COLOURED_TEXT,
            mappings=[
                texts_of_values(
                    {
                        verdict: (word, colours.get(verdict, ""))
                        for verdict, word in texts.verdicts.items()
                    }
                )
            ],
        ),
        Field(
            name="reason",
            title=texts.why,
            width=220,
            mappings=[texts_of_values({word: (text, "") for word, text in texts.reasons.items()})],
        ),
    ]
