from __future__ import annotations

import pytest

from gpuatlas.cli.screens.glyphs import ASCII
from gpuatlas.cli.screens.wording import (
    count,
    duration,
    instant,
    listed,
    mebibytes,
    natural,
    percent,
    tallied,
)

MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("value", "said"), [(0, "0"), (29_000 * MIB, "29,000"), (MIB // 2 + 1, "1"), (MIB // 3, "0")]
)
def test_mebibytes(value: int, said: str) -> None:
    assert mebibytes(value) == said


@pytest.mark.parametrize(
    ("ratio", "said"),
    [(0.0, "0%"), (0.004, "<1%"), (0.01, "1%"), (0.834, "83%"), (1.2, "120%")],
)
def test_percent(ratio: float, said: str) -> None:
    assert percent(ratio) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0s"), (59, "59s"), (60, "1m"), (4530, "1h15m"), (90_061, "1d1h"), (86_400, "1d")],
)
def test_duration(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_instant() -> None:
    assert instant(1_787_307_072.9) == "2026-08-21 10:11:12 UTC"


def test_count() -> None:
    assert (count(1, "card"), count(0, "card"), count(1200, "card")) == (
        "1 card",
        "0 cards",
        "1,200 cards",
    )


@pytest.mark.parametrize(
    ("names", "room", "said"),
    [
        ([], 5, ""),
        (["aa", "bb", "cc"], 10, "aa, bb, cc"),
        (["aa", "bb", "cc"], 9, "aa, bb +1"),
        (["aa", "bb", "cc"], 8, "aa +2"),
        (["aa", "bb", "cc"], 5, "aa +2"),
        (["abcdefgh", "b", "c"], 8, "abcd~ +2"),
        (["abcdefgh"], 8, "abcdefgh"),
        (["abcdefgh"], 7, "abcdef~"),
        (["abcdefgh"], 0, "a~"),
    ],
)
def test_names_that_do_not_fit_are_counted(names: list[str], room: int, said: str) -> None:
    assert listed(names, room, "~") == said


def test_natural_order() -> None:
    assert sorted(["gpu-10", "gpu-2", "a", "gpu-2b"], key=natural) == [
        "a",
        "gpu-2",
        "gpu-2b",
        "gpu-10",
    ]


def test_equal_names_are_counted_in_order_of_appearance() -> None:
    assert tallied(["T4", "A10G", "T4"], ASCII) == "T4 x2, A10G"
