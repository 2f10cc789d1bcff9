"""The only door to grafanalib: its widgets untyped, our Panel typed.

grafanalib emits what Grafana 5 wanted; `normalise.py` brings it to the form of today.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import attr
import grafanalib.core as g
from grafanalib._gen import DashboardEncoder

from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.variables import DATASOURCE

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A widget of grafanalib and how large it is, in columns of 24 and rows of 30 pixels."""

    widget: Any
    width: int
    height: int

    def at(self, x: int, y: int, *, width: int | None = None) -> Any:
        """The widget with its place on the board."""
        position = g.GridPos(h=self.height, w=width or self.width, x=x, y=y)
        return attr.evolve(self.widget, gridPos=position)


def targets(queries: Sequence[Query]) -> list[Any]:
    """With the letters A, B, … for queries without a name of their own."""
    return [
        g.Target(
            expr=query.expr,
            refId=query.ref or chr(ord("A") + place),
            legendFormat=query.legend,
            format="table" if query.table else "time_series",
            instant=query.instant or query.table,
            interval=query.interval,
            datasource=DATASOURCE,
        )
        for place, query in enumerate(queries)
    ]


def row(title: str, *, y: int, collapsed: bool, panels: Sequence[Any] = ()) -> Any:
    """The bar above a section; a collapsed one holds its panels."""
    position = g.GridPos(h=1, w=24, x=0, y=y)
    return g.RowPanel(title=title, collapsed=collapsed, panels=list(panels), gridPos=position)


def dashboard(
    settings: Mapping[str, Any], *, variables: Sequence[Any], panels: Sequence[Any]
) -> Json:
    """The board as grafanalib encodes it, panels numbered in order."""
    board = g.Dashboard(
        **settings, templating=g.Templating(list=list(variables)), panels=list(panels)
    ).auto_panel_ids()
    encoded: Json = json.loads(json.dumps(board.to_json_data(), cls=DashboardEncoder))
    return encoded


def time_from(start: str) -> Any:
    return g.Time(start, "now")


def stat(**settings: Any) -> Any:
    return g.Stat(**settings)


def time_series(**settings: Any) -> Any:
    return g.TimeSeries(**settings)


def table(**settings: Any) -> Any:
    return g.Table(**settings)


def bar_chart(**settings: Any) -> Any:
    return g.BarChart(**settings)


def bar_gauge(**settings: Any) -> Any:
    return g.BarGauge(**settings)


def state_timeline(**settings: Any) -> Any:
    return g.StateTimeline(**settings)


def text(**settings: Any) -> Any:
    return g.Text(**settings)


def dashboard_link(**settings: Any) -> Any:
    return g.DashboardLink(**settings)
