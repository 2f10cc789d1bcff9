from __future__ import annotations

import math
from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.runtime.backfill.series import blank, held, series_key, series_labels

NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,20}", fullmatch=True)
VALUES = st.text(st.characters(codec="utf-8"), max_size=200)


def test_labels_are_sorted_and_an_empty_one_is_none() -> None:
    assert series_key({"b": "2", "a": "1", "c": ""}) == series_key({"a": "1", "b": "2"})
    # Label{name, value} in field 1 of TimeSeries, as remote write has them.
    assert (
        series_key({"b": "2", "a": "1"}) == b"\x0a\x06\x0a\x01a\x12\x011\x0a\x06\x0a\x01b\x12\x012"
    )


@given(labels=st.dictionaries(NAMES, VALUES, max_size=6))
@settings(deadline=None, max_examples=200)
def test_a_key_holds_its_labels(labels: dict[str, str]) -> None:
    assert series_labels(series_key(labels)) == {n: v for n, v in labels.items() if v}


def test_a_blank_column_has_no_sample() -> None:
    column = blank(3)

    assert len(column) == 3
    assert all(map(math.isnan, column))


def test_a_value_stands_until_the_next() -> None:
    column = array("d", [1.0, 2.0])
    assert list(held(column, 3, 5)) == [1.0, 1.0, 1.0, 2.0, 2.0]
    assert held(column, 1, 2) is column
    ended = held(array("d", [1.0, math.nan]), 2, 4)
    assert [math.isnan(value) for value in ended] == [False, False, True, True]
