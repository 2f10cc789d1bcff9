"""Stacked bars against a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gpuatlas_dashboards.panels import grafana
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look, settings
from gpuatlas_dashboards.texts.shapes.words import Words


def stacked_bars(
    words: Words,
    queries: Sequence[Query],
    look: Look,
    *,
    width: int,
    height: int,
    limit_line: bool = False,
    legend: bool = True,
) -> Panel:
    """A horizontal bar for each row, a part of it for each numeric column.

    `limit_line`: Draw the thresholds as lines across the bars.
    """
    custom = {
        "fillOpacity": 85,
        "lineWidth": 1,
        "gradientMode": "none",
        "axisGridShow": False,
        "thresholdsStyle": {"mode": "dashed" if limit_line else "off"},
        **look.custom,
    }
    options = {
        "orientation": "horizontal",
        "stacking": "normal",
        "barWidth": 0.9,
        "groupWidth": 0.8,
        "barRadius": 0,
        "showValue": "never",
        "fullHighlight": False,
        "xTickLabelRotation": 0,
        "xTickLabelSpacing": 0,
        "tooltip": {"mode": "multi", "sort": "none"},
        "legend": {
            "showLegend": legend,
            "displayMode": "list",
            "placement": "bottom",
            "calcs": [],
        },
    }
    widget = grafana.bar_chart(
        **settings(words, queries, replace(look, custom=custom), options=options)
    )
    return Panel(widget=widget, width=width, height=height)
