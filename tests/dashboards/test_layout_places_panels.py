from __future__ import annotations

from typing import Any

import pytest

from gpuatlas_dashboards.layout import Beside, Column, Section, place
from gpuatlas_dashboards.panels import grafana
from gpuatlas_dashboards.panels.grafana import Panel


def a_panel(title: str, *, width: int = 12, height: int = 4) -> Panel:
    return Panel(widget=grafana.text(title=title), width=width, height=height)


def places(sections: list[Section]) -> dict[str, tuple[int, int, int, int]]:
    """Title → x, y, width and height."""
    return {widget.title: _place(widget) for widget in place(sections)}


def _place(widget: Any) -> tuple[int, int, int, int]:
    position = widget.gridPos
    return position.x, position.y, position.w, position.h


def test_panels_flow_and_wrap_at_the_edge_below_the_tallest_of_their_line() -> None:
    content = [a_panel("a"), a_panel("b", height=6), a_panel("c", width=24), a_panel("d")]

    assert places([Section(content=content)]) == {
        "a": (0, 0, 12, 4),
        "b": (12, 0, 12, 6),
        "c": (0, 6, 24, 4),
        "d": (0, 10, 12, 4),
    }


def test_columns_stand_beside_each_other_and_what_follows_below_the_longer_one() -> None:
    left = Column(width=16, panels=[a_panel("a", width=16), a_panel("b", width=16)])
    right = Column(width=8, panels=[a_panel("c", width=4), a_panel("d", width=4, height=11)])
    content: list[Panel | Beside] = [Beside(columns=[left, right]), a_panel("e")]

    assert places([Section(content=content)]) == {
        "a": (0, 0, 16, 4),
        "b": (0, 4, 16, 4),
        "c": (16, 0, 4, 4),
        "d": (20, 0, 4, 11),
        "e": (0, 11, 12, 4),
    }


def test_a_section_with_a_title_begins_below_its_bar() -> None:
    sections = [Section(content=[a_panel("a")]), Section(title="bar", content=[a_panel("b")])]

    assert places(sections) == {
        "a": (0, 0, 12, 4),
        "bar": (0, 4, 24, 1),
        "b": (0, 5, 12, 4),
    }


def test_a_closed_section_takes_one_line_and_holds_its_panels() -> None:
    closed = Section(title="closed", content=[a_panel("a")], closed=True)
    widgets = place([closed, Section(title="next", content=[a_panel("b")])])

    assert [widget.title for widget in widgets] == ["closed", "next", "b"]
    assert [inner.title for inner in widgets[0].panels] == ["a"]
    assert widgets[0].collapsed is True
    assert [_place(widget)[1] for widget in widgets] == [0, 1, 2]


def test_a_panel_wider_than_its_column_is_refused() -> None:
    column = Column(width=8, panels=[a_panel("wide", width=9)])

    with pytest.raises(ValueError, match="'wide' is 9 wide, its column 8"):
        place([Section(content=[Beside(columns=[column])])])


def test_columns_wider_than_a_board_are_refused() -> None:
    columns = [Column(width=13, panels=[]), Column(width=12, panels=[])]

    with pytest.raises(ValueError, match="25 wide together"):
        place([Section(content=[Beside(columns=columns)])])
