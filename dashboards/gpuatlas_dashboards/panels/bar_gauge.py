"""A bar for each value, all of one length scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gpuatlas_dashboards.panels import grafana
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look, settings
from gpuatlas_dashboards.texts.shapes.words import Words


def bar_gauge(
    words: Words, queries: Sequence[Query], look: Look, *, width: int, height: int
) -> Panel:
    """Bars below each other, the name above each; the longest fills the width."""
    options = {
        "displayMode": "basic",
        "orientation": "horizontal",
        "valueMode": "text",
        "namePlacement": "top",
        "showUnfilled": True,
        "sizing": "auto",
        "minVizWidth": 8,
        "minVizHeight": 16,
        "maxVizHeight": 300,
        "legend": {
            "showLegend": False,
            "displayMode": "list",
            "placement": "bottom",
            "calcs": [],
        },
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
    }
    widget = grafana.bar_gauge(**settings(words, queries, replace(look, low=0), options=options))
    return Panel(widget=widget, width=width, height=height)
