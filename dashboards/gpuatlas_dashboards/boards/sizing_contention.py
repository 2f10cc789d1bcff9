"""What sharing costs: how fast services are alone and beside others, and which priorities help."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.boards import sizing_queries as queries
from gpuatlas_dashboards.boards.sizing_workloads import gauge, show_workload
from gpuatlas_dashboards.panels.fields import Field, text_of_pattern
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

_SPEED: Final = {
    "ratio": sizing.SPEED_RATIO,
    "alone": sizing.SPEED_ALONE,
    "shared": sizing.SPEED_SHARED,
    "alone_for": sizing.TIME_ALONE,
    "shared_for": sizing.TIME_SHARED,
}


def _value(ref: str) -> str:
    return f"Value #{ref} (max)"


def speed(texts: SizingTexts, language: Language, *, width: int, height: int) -> Panel:
    """Those that sharing slows most first."""
    return table(
        texts.speed,
        [Query(expr=queries.speed(signal), ref=ref, table=True) for ref, signal in _SPEED.items()],
        Look(
            unit=Unit.TEXT,
            transformations=[
                *(highest([KEY], f"Value #{ref}", ref=ref) for ref in _SPEED),
                join_rows(KEY),
                sort_by(_value("ratio")),
                *columns([KEY, *map(_value, _SPEED)]),
            ],
            fields=[
                _workload(texts, language),
                *(
                    Field(
                        name=_value(ref),
                        title=language.of(signal).label,
                        unit=signal.unit,
                        decimals=0 if signal.unit is Unit.SECONDS else 1,
                        width=96 if signal.unit is Unit.SECONDS else 72,
                    )
                    for ref, signal in _SPEED.items()
                ),
                gauge(_value("ratio"), Colour.COMPUTE, language.of(sizing.SPEED_RATIO).label, 110),
            ],
        ),
        width=width,
        height=height,
    )


def priorities(texts: SizingTexts, language: Language, *, width: int, height: int) -> Panel:
    """Contended time as victim and as suspect beside the priority now and the one proposed."""
    asked = {
        "victim": (queries.contended("victim"), texts.as_victim, Unit.SECONDS),
        "suspect": (queries.contended("suspect"), texts.as_suspect, Unit.SECONDS),
        "now": (queries.PRIORITY_NOW, texts.priority_now, Unit.CARDS),
        "proposed": (queries.PRIORITY_PROPOSED, texts.priority_proposed, Unit.CARDS),
    }
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
                _workload(texts, language),
                *(
                    Field(name=_value(ref), title=title, unit=unit)
                    for ref, (_, title, unit) in asked.items()
                ),
            ],
        ),
        width=width,
        height=height,
    )


def _workload(texts: SizingTexts, language: Language) -> Field:
    """Rows of several queries have one name in common, the key."""
    return Field(
        name=KEY,
        title=language.shared.columns["workload"],
        width=180,
        mappings=[text_of_pattern("/^[^/]*\\/([^/]*)\\/[^/]*\\/(.*)$/", "$1 / $2")],
        links=[show_workload(texts, language)],
    )
