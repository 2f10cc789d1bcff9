"""The line on top: what is held and never used, and what the analysis would give back."""

from __future__ import annotations

from gpuatlas_dashboards.panels.fields import Field, step
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query, query_of
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.stat import Paint, Say, stat
from gpuatlas_dashboards.panels.timeseries import time_series
from gpuatlas_dashboards.scopes import CLUSTER, NAMESPACE
from gpuatlas_dashboards.signals import cluster, sizing, workload
from gpuatlas_dashboards.texts.shapes.sizing import SizingTexts
from gpuatlas_dashboards.texts.shapes.words import Language, Words
from gpuatlas_dashboards.tokens import CHECK_STATE_COLOURS, CheckState, Colour, Unit

_HEIGHT = 4
_ENOUGH = 7  # days, DESIGN 7


def summary(texts: SizingTexts, language: Language) -> list[Panel]:
    reserved = workload.MEMORY_RESERVED.within(NAMESPACE)
    covered = f"count({sizing.DAYS.within(NAMESPACE)} >= {_ENOUGH})"
    return [
        stat(
            texts.held,
            [
                Query(expr=f"sum({reserved})", legend=texts.reserved, instant=True),
                Query(
                    expr=f"sum({workload.MEMORY_USED.within(NAMESPACE)})",
                    legend=texts.used,
                    instant=True,
                ),
            ],
            Look(unit=Unit.BYTES, decimals=1),
            width=6,
            height=_HEIGHT,
            say=Say.BOTH,
        ),
        _number(
            texts.unused,
            f"sum({sizing.MEMORY_UNUSED.within(NAMESPACE)})",
            Look(
                unit=Unit.BYTES,
                decimals=1,
                thresholds=[step(Colour.NEUTRAL), step(Colour.WASTED, 1)],
            ),
        ),
        _number(
            texts.covered,
            f"({covered} or 0 * count({reserved})) / count({reserved})",
            Look(unit=Unit.RATIO, decimals=0),
        ),
        _proposals(texts, language),
    ]


def _number(words: Words, expr: str, look: Look, *, width: int = 4) -> Panel:
    return stat(
        words,
        [Query(expr=expr, instant=True)],
        look,
        width=width,
        height=_HEIGHT,
        paint=Paint.VALUE,
    )


def _proposals(texts: SizingTexts, language: Language) -> Panel:
    """How many, and what comes of them."""
    verdicts = {"smaller": texts.smaller, "larger": texts.larger, "cannot": texts.cannot}
    saving, more = sizing.MEMORY_SAVING, sizing.ROOM_ALLOCATIONS
    given_back = texts.given_back
    counts = [
        Query(
            expr=f'count(gpuatlas_sizing_verdict_info{{{NAMESPACE}, verdict="{verdict}"}})',
            legend=name,
            instant=True,
        )
        for verdict, name in verdicts.items()
    ]
    return stat(
        texts.proposals,
        [
            *counts,
            Query(expr=f"sum({saving.within(NAMESPACE)} > 0)", legend=given_back, instant=True),
            Query(
                expr=f"sum({more.within(CLUSTER)})",
                legend=language.of(more).label,
                instant=True,
            ),
        ],
        Look(
            unit=Unit.COUNT,
            fields=[
                Field(name=texts.cannot, colour=CHECK_STATE_COLOURS[CheckState.UNKNOWN]),
                Field(name=given_back, unit=Unit.BYTES, decimals=1),
            ],
        ),
        width=10,
        height=_HEIGHT,
        say=Say.BOTH,
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
