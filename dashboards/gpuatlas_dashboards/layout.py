"""Where panels stand: nobody types coordinates.

Panels flow from left to right and wrap at the edge, as words do. `Beside` puts columns of panels
next to each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gpuatlas_dashboards.panels import grafana
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.tokens import WIDTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """Panels below each other; narrower ones share a line."""

    width: int
    panels: Sequence[Panel]


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Columns next to each other; together at most 24 wide."""

    columns: Sequence[Column]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Panels below a bar with a title, no bar without a title. A closed one is collapsed."""

    content: Sequence[Panel | Beside]
    title: str = ""
    closed: bool = False


def place(sections: Sequence[Section]) -> list[Any]:
    """Widgets and rows of grafanalib with their places."""
    widgets: list[Any] = []
    bottom = 0
    for section in sections:
        top = bottom + 1 if section.title else bottom
        placed, below = _fill(section.content, top)
        if section.title:
            inside = placed if section.closed else []
            widgets.append(
                grafana.row(section.title, y=bottom, collapsed=section.closed, panels=inside)
            )
        if not section.closed:
            widgets.extend(placed)
        # A collapsed row takes only its own line.
        bottom = top if section.closed else below
    return widgets


def _fill(content: Sequence[Panel | Beside], top: int) -> tuple[list[Any], int]:
    """The widgets from `top` on, and the first free line below them."""
    widgets: list[Any] = []
    for group in _groups(content):
        if isinstance(group, Beside):
            left, bottom = 0, top
            for column in group.columns:
                placed, below = _flow(column.panels, left=left, top=top, width=column.width)
                widgets.extend(placed)
                left += column.width
                bottom = max(bottom, below)
            if left > WIDTH:
                message = f"columns are {left} wide together, a board is {WIDTH}"
                raise ValueError(message)
            top = bottom
        else:
            placed, top = _flow(group, left=0, top=top, width=WIDTH)
            widgets.extend(placed)
    return widgets, top


def _groups(content: Sequence[Panel | Beside]) -> Iterator[list[Panel] | Beside]:
    """Neighbouring panels together, so that they share lines."""
    line: list[Panel] = []
    for item in content:
        if isinstance(item, Panel):
            line.append(item)
            continue
        if line:
            yield line
            line = []
        yield item
    if line:
        yield line


def _flow(panels: Sequence[Panel], *, left: int, top: int, width: int) -> tuple[list[Any], int]:
    widgets = []
    x, y, line_height = 0, top, 0
    for panel in panels:
        if panel.width > width:
            message = f"{panel.widget.title!r} is {panel.width} wide, its column {width}"
            raise ValueError(message)
        if x + panel.width > width:
            x, y, line_height = 0, y + line_height, 0
        widgets.append(panel.at(left + x, y))
        x += panel.width
        line_height = max(line_height, panel.height)
    return widgets, y + line_height
