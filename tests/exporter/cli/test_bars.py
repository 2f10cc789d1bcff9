from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.cli.screens.bars import Level, Scale, draw, scale_for
from gpuatlas.cli.screens.glyphs import ASCII, UNICODE


def bar(limit: int | None, promised: int | None, used: int | None, scale: Scale) -> str:
    level = Level(limit=limit, promised=promised, used=used)
    return draw(level, scale, ASCII, "green").plain


@pytest.mark.parametrize(
    ("limit", "promised", "used", "drawn"),
    [
        pytest.param(100, 0, 0, "          |    ", id="nothing"),
        pytest.param(100, 100, 0, "==========|    ", id="promised whole, unused"),
        pytest.param(100, 50, 30, "###==     |    ", id="partly used"),
        pytest.param(100, 140, 80, "########==|====", id="past the limit"),
        pytest.param(100, 101, 80, "########==|=   ", id="just past the limit is seen"),
        pytest.param(100, 99, 99, "##########|    ", id="just below the limit does not cross it"),
        pytest.param(100, 1, 0, "=         |    ", id="a small promise is seen"),
        pytest.param(100, 0, 3, "          |    ", id="a driver's own memory is not"),
        pytest.param(100, 300, 0, "==========|===>", id="far past the limit is cut with a mark"),
        pytest.param(100, 20, 60, "######    |    ", id="used beyond the promise"),
        pytest.param(100, 100, 120, "##########|##  ", id="used beyond the limit"),
        pytest.param(100, 130, 120, "##########|##= ", id="both beyond the limit"),
        pytest.param(100, 50, None, "/////     |    ", id="use unknown"),
        pytest.param(100, None, 50, "#####     |    ", id="promise unknown"),
        pytest.param(None, 50, 50, "//////////     ", id="limit unknown"),
    ],
)
def test_drawing(limit: int | None, promised: int | None, used: int | None, drawn: str) -> None:
    assert bar(limit, promised, used, Scale(10, 4)) == drawn


@pytest.mark.parametrize(
    ("ratios", "scale"),
    [
        ([], Scale(19, 0)),
        ([0.2, 1.0], Scale(19, 0)),
        ([1.01], Scale(18, 1)),
        ([29_000 / 23_028], Scale(15, 4)),
        ([5.0], Scale(9, 10)),
    ],
)
def test_room_beyond_the_limit_is_made_for_the_longest(ratios: list[float], scale: Scale) -> None:
    assert scale_for(ratios, 20) == scale


@settings(deadline=None, max_examples=200)
@given(
    limit=st.none() | st.integers(0, 2**42),
    promised=st.none() | st.integers(0, 2**42),
    used=st.none() | st.integers(0, 2**42),
    cells=st.integers(6, 60),
    longest=st.floats(0, 10),
)
def test_every_bar_of_a_column_is_equally_long_and_has_its_limit_in_one_place(
    limit: int | None, promised: int | None, used: int | None, cells: int, longest: float
) -> None:
    scale = scale_for([longest], cells)
    level = Level(limit=limit, promised=promised, used=used)

    drawn = draw(level, scale, UNICODE, "green").plain
    assert len(drawn) == cells
    if limit:
        assert drawn.index("│") == scale.inside
        crossed = bool(drawn[scale.inside + 1 :].strip())
        assert crossed == (max(promised or 0, used or 0) > limit and scale.beyond > 0)
