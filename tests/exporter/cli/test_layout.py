from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from gpuatlas.cli.screens.footnotes import Footnotes
from gpuatlas.cli.screens.glyphs import ASCII
from gpuatlas.cli.screens.layout import Column, Fitted, Line, Paragraph, Row, Sheet, flowed
from gpuatlas.model.readings import Known, Unknown

COLUMNS = (
    Column(title="#", right=True),
    Column(title="name", flexible=True, least=4),
    Column(title="used", group="memory"),
    Column(title="free", group="memory", right=True, rank=2),
    Column(title="note", rank=1),
)


def sheet(*rows: tuple[str, ...]) -> Sheet:
    body: list[Row | Line | Paragraph] = [Row([Text(c) for c in cells]) for cells in rows]
    return Sheet(COLUMNS, "~", body)


def drawn(of: Sheet, width: int) -> list[str]:
    return [line.plain for line in of.render(width)]


def test_columns_are_as_wide_as_they_need_and_groups_stand_above_them() -> None:
    assert drawn(sheet(("1", "alpha", "7", "10", "x")), 80) == [
        "          memory",
        "#  name   used  free  note",
        "1  alpha  7       10  x",
    ]


def test_the_highest_rank_is_given_up_first() -> None:
    wide = sheet(("1", "alpha", "7", "10", "x"))

    # The name is shortened only when no column is left to give up.
    assert drawn(wide, 25)[1] == "#  name  used  free  note"
    assert drawn(wide, 24)[1] == "#  name   used  note"
    assert drawn(wide, 18)[1:] == ["#  name   used", "1  alpha  7"]
    assert drawn(wide, 13)[1:] == ["#  name  used", "1  alp~  7"]
    assert wide.shown == {0, 1, 2}


def test_a_fitted_cell_says_less_its_own_way() -> None:
    cell = Fitted(20, lambda room: Text(f"room for {room}"[:room]))
    body: list[Row | Line | Paragraph] = [Row([Text("1"), cell, Text("7"), Text("10"), Text("x")])]

    assert drawn(Sheet(COLUMNS, "~", body), 13)[2] == "1  room  7"


def test_lines_and_paragraphs_stand_below_a_column() -> None:
    table = sheet(("1", "alpha", "7", "10", "x"))
    table.body += [Line(Text("left"), 1), Paragraph("words " * 6, "", 1)]

    assert drawn(table, 30)[3:] == [
        "   left",
        "   words words words words",
        "   words words",
    ]


def test_without_rows_there_is_no_heading() -> None:
    empty = Sheet(COLUMNS, "~", [Line(Text()), Line(Text("gpu-a")), Paragraph("nothing", "", 1)])

    assert drawn(empty, 80) == ["gpu-a", "  nothing"]


@settings(deadline=None, max_examples=100)
@given(
    rows=st.lists(st.tuples(*[st.text("abc é界", max_size=30)] * 5), min_size=1, max_size=4),
    width=st.integers(20, 120),
)
def test_no_line_is_wider_than_asked(rows: list[tuple[str, ...]], width: int) -> None:
    table = sheet(*(("1", r[1], r[2][:3], r[3], r[4]) for r in rows))
    table.body.append(Line(Text("long " * 60)))
    table.body.append(Paragraph("words " * 40))

    assert max(line.cell_len for line in table.render(width)) <= width


def test_parts_flow_onto_as_many_lines_as_they_need() -> None:
    lines = flowed([Text("12345"), Text("123"), Text("1234")], width=10)

    assert [line.plain for line in lines] == ["12345  123", "1234"]


def test_footnotes_tell_each_reason_once_with_what_and_where() -> None:
    notes = Footnotes()
    for node in ("a", "b", "c", "d"):
        notes.note("physical", Unknown("no driver"), node, 1)
        notes.note("resident", Unknown("no driver"), node, 2)
    notes.note("counted", Unknown("hidden column"), "a", 3)
    notes.note("allocated", Known(1, 0.0, ""), "a", 1)
    notes.say("card of a tenant", "nobody says", "b")

    assert [line.plain for line in notes.lines({1, 2}, ASCII, 80)] == [
        "? unknown, because:",
        "  physical, resident - a, b, c and 1 more: no driver",
        "  card of a tenant - b: nobody says",
    ]


def test_very_many_reasons_are_cut_off() -> None:
    notes = Footnotes()
    for number in range(20):
        notes.note("resident", Unknown(f"reason {number}"), "a", 1)

    lines = [line.plain for line in notes.lines({1}, ASCII, 80)]
    assert lines[-1] == "  and 12 more reasons: see --output json"
    assert len(lines) == 10


def test_nothing_unknown_needs_no_footnote() -> None:
    assert list(Footnotes().lines({1}, ASCII, 80)) == []
