"""How far each node is promised and could be, and which priorities would help."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.boards import sizing_queries as queries
from gpuatlas_dashboards.links import BoardId, Link, board_url, column
from gpuatlas_dashboards.panels.fields import Field, step
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, highest, join_rows, sort_by
from gpuatlas_dashboards.signals import sizing
from gpuatlas_dashboards.texts.shapes.sizing import SizingTexts
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import Colour, Unit
from gpuatlas_dashboards.workload_variables import KEY, key_column

_OF_NODE: Final = {
    "cards": sizing.NODE_CARDS,
    "present": sizing.PRESENT_RATIO,
    "safe": sizing.SAFE_RATIO,
    "room": sizing.ROOM,
    "more": sizing.ROOM_ALLOCATIONS,
}


def _value(ref: str) -> str:
    return f"Value #{ref} (max)"


def nodes(texts: SizingTexts, language: Language, *, width: int, height: int) -> Panel:
    """Those that are promised furthest first."""
    labels = ["row", "node"]
    url = board_url(BoardId.CARDS, language.suffix, node=column("node"))
    return table(
        texts.nodes,
        [
            Query(expr=queries.furthest_promised(signal, sizing.PRESENT_RATIO), ref=ref, table=True)
            for ref, signal in _OF_NODE.items()
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[
                *(
                    highest(labels if ref == "present" else ["row"], f"Value #{ref}", ref=ref)
                    for ref in _OF_NODE
                ),
                join_rows("row"),
                sort_by(_value("present"), descending=True),
                *columns(["node", *map(_value, _OF_NODE)]),
            ],
            fields=[
                Field(
                    name="node",
                    title=language.shared.columns["node"],
                    width=150,
                    links=[Link(title=texts.open_node, url=url)],
                ),
                *(
                    Field(
                        name=_value(ref),
                        title=language.of(signal).label,
                        unit=signal.unit,
                        decimals=1 if signal.unit is Unit.BYTES else 0,
                    )
                    for ref, signal in _OF_NODE.items()
                ),
                Field(
                    name=_value("present"),
                    thresholds=[step(Colour.NEUTRAL), step(Colour.OVERCOMMITTED, 1.0001)],
                    custom={"cellOptions": {"type": "color-text"}},
                ),
            ],
        ),
        width=width,
        height=height,
    )


def priorities(texts: SizingTexts, language: Language, *, width: int, height: int) -> Panel:
    """Contended time as victim and as suspect beside the priority now and the one proposed."""
    shared = language.shared.columns
    asked = {
        "victim": (queries.contended("victim"), texts.as_victim, Unit.SECONDS),
        "suspect": (queries.contended("suspect"), texts.as_suspect, Unit.SECONDS),
        "now": (queries.PRIORITY_NOW, texts.priority_now, Unit.CARDS),
        "proposed": (queries.PRIORITY_PROPOSED, texts.priority_proposed, Unit.CARDS),
    }
    url = board_url(BoardId.WORKLOADS, language.suffix, workload=key_column())
    return table(
        texts.priority,
        [Query(expr=expr, ref=ref, table=True) for ref, (expr, _, _) in asked.items()],
        Look(
            unit=Unit.TEXT,
            transformations=[
                *(highest([KEY], f"Value #{ref}", ref=ref) for ref in asked),
                join_rows(KEY),
                sort_by(_value("victim"), descending=True),
                *columns([KEY, *map(_value, asked)]),
            ],
            fields=[
                Field(
                    name=KEY,
                    title=shared["workload"],
                    width=260,
                    links=[Link(title=texts.show_workload, url=url)],
                ),
                *(
                    Field(name=_value(ref), title=title, unit=unit)
                    for ref, (_, title, unit) in asked.items()
                ),
            ],
        ),
        width=width,
        height=height,
    )
