"""Courses over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpuatlas_dashboards.panels import grafana
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look, settings
from gpuatlas_dashboards.texts.shapes.words import Words

# A gap longer than this is drawn as a gap: nobody measured.
_SPAN_NULLS_MS = 5 * 60 * 1000


def time_series(
    words: Words,
    queries: Sequence[Query],
    look: Look,
    *,
    width: int,
    height: int = 8,
    fill: int = 8,
    stacked: bool = False,
    steps: bool = False,
    legend: bool = True,
    calcs: Sequence[str] = (),
) -> Panel:
    """Lines, or with `stacked` areas that add up.

    `fill`: Opacity of the area below a line, 0 to 100.
    `steps`: A value holds until the next one, as promises do.
    `calcs`: Beside the names in the legend, as in ("max", "lastNotNull").
    """
    custom: dict[str, Any] = {
        "drawStyle": "line",
        "lineWidth": 1,
        "fillOpacity": fill,
        "lineInterpolation": "stepAfter" if steps else "linear",
        "showPoints": "never",
        "spanNulls": _SPAN_NULLS_MS,
        "stacking": {"mode": "normal" if stacked else "none", "group": "A"},
        "axisSoftMin": 0,
        **look.custom,
    }
    options = {
        "legend": {
            "showLegend": legend,
            "displayMode": "table" if calcs else "list",
            "placement": "bottom",
            "calcs": list(calcs),
        },
        "tooltip": {"mode": "multi", "sort": "desc", "hideZeros": False},
    }
    widget = grafana.time_series(
        **settings(words, queries, replace(look, custom=custom), options=options)
    )
    return Panel(widget=widget, width=width, height=height)
