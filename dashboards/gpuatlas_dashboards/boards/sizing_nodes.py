"""How far each node is promised and could be, what that rests on, and what would still fit."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.boards import sizing_queries as queries
from gpuatlas_dashboards.boards.sizing_workloads import show_workload
from gpuatlas_dashboards.links import BoardId, Link, board_url, column
from gpuatlas_dashboards.panels.fields import Cell, Field, step, without_domain
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, highest, join_rows, sort_by
from gpuatlas_dashboards.signals import sizing
from gpuatlas_dashboards.texts.shapes.sizing import SizingTexts
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import Colour, Unit
from gpuatlas_dashboards.workload_variables import KEY

# The answer first, then its inputs.
_OF_NODE: Final = {
    "present": sizing.PRESENT_RATIO,
    "safe": sizing.SAFE_RATIO,
    "room": sizing.ROOM,
    "more": sizing.ROOM_ALLOCATIONS,
    "allocated": sizing.ALLOCATED,
    "demand": sizing.DEMAND,
    "physical": sizing.PHYSICAL,
    "host": sizing.HOST_AVAILABLE,
    "days": sizing.NODE_DAYS,
}


def _value(ref: str) -> str:
    return f"Value #{ref} (max)"


def nodes(texts: SizingTexts, language: Language, *, width: int, height: int) -> Panel:
    """Those that are promised furthest first."""
    row = [queries.ROW]
    url = board_url(BoardId.CARDS, language.suffix, node=column("node"))
    return table(
        texts.nodes,
        [
            Query(expr=queries.furthest_promised(signal), ref=ref, table=True)
            for ref, signal in _OF_NODE.items()
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[
                *(
                    highest([*row, "node"] if ref == "present" else row, f"Value #{ref}", ref=ref)
                    for ref in _OF_NODE
                ),
                join_rows(queries.ROW),
                sort_by(_value("present"), descending=True),
                *columns(["node", *map(_value, _OF_NODE)]),
            ],
            fields=[
                Field(
                    name="node",
                    title=language.shared.columns["node"],
                    width=130,
                    mappings=[without_domain()],
                    links=[Link(title=texts.open_node, url=url)],
                ),
                *(
                    Field(
                        name=_value(ref),
                        title=language.of(signal).label,
                        unit=signal.unit,
                        decimals=1 if ref == "days" or signal.unit is Unit.BYTES else 0,
                    )
                    for ref, signal in _OF_NODE.items()
                ),
                Field(
                    name=_value("present"),
                    thresholds=[step(Colour.NEUTRAL), step(Colour.OVERCOMMITTED, 1.0001)],
                    cell=Cell.COLOURED_TEXT,
                ),
            ],
        ),
        width=width,
        height=height,
    )


def fits(texts: SizingTexts, language: Language, *, width: int, height: int) -> Panel:
    """How many more promises like those of each workload fit on each node."""
    shared = language.shared.columns
    names = {"workload": shared["workload"], "namespace": shared["namespace"]}
    names |= {"node": shared["node"], "Value": texts.fit}
    return table(
        texts.fits,
        [Query(expr=queries.FITS, table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=columns([*names, KEY], names),
            fields=[
                Field(name=shared["workload"], links=[show_workload(texts, language)]),
                Field(name=shared["namespace"], width=100),
                Field(name=shared["node"], width=110, mappings=[without_domain()]),
                Field(name=texts.fit, unit=Unit.CARDS, width=60),
                Field(name=KEY, hidden=True),
            ],
        ),
        width=width,
        height=height,
        sort=texts.fit,
        descending=True,
    )
