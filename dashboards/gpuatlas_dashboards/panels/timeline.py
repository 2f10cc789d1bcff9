"""States over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gpuatlas_dashboards.panels import grafana
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look, settings
from gpuatlas_dashboards.texts.shapes.words import Words


def state_timeline(
    words: Words,
    queries: Sequence[Query],
    look: Look,
    *,
    width: int,
    height: int,
    legend: bool = False,
) -> Panel:
    """A band for each series, in the colours and texts of the mappings of `look`."""
    # With thresholds as colours, Grafana would show their bounds instead of the mapped words.
    custom = {"fillOpacity": 85, "lineWidth": 0, **look.custom}
    options = {
        "mergeValues": True,
        "showValue": "auto",
        "alignValue": "left",
        "rowHeight": 0.85,
        "legend": {
            "showLegend": legend,
            "displayMode": "list",
            "placement": "bottom",
            "calcs": [],
        },
        "tooltip": {"mode": "single", "sort": "none"},
    }
    widget = grafana.state_timeline(
        **settings(
            words, queries, replace(look, custom=custom, palette=not look.colour), options=options
        )
    )
    return Panel(widget=widget, width=width, height=height)
