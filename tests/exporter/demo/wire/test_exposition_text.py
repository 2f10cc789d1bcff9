from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.demo.wire.exposition import Page, go_float


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (100, "100"),
        (999999, "999999"),
        (1e6, "1e+06"),
        (1234567, "1.234567e+06"),
        (8589934592, "8.589934592e+09"),
        (0.125, "0.125"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (-1.5, "-1.5"),
        (-2e9, "-2e+09"),
        (math.nan, "NaN"),
        (math.inf, "+Inf"),
        (-math.inf, "-Inf"),
    ],
)
def test_numbers_are_written_as_go_writes_them(value: float, text: str) -> None:
    assert go_float(value) == text


@settings(deadline=None, max_examples=200)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_exactly(value: float) -> None:
    assert float(go_float(value)) == value


def test_label_values_are_escaped() -> None:
    page = Page()
    value = 'a "quoted" \\ and\na new line'
    page.family("m", "gauge", "Help.", [([("label", value)], "1")])
    (family,) = text_string_to_metric_families(page.text)
    assert family.samples[0].labels == {"label": value}
    assert page.text.count("\n") == 3


def test_a_family_without_samples_leaves_no_trace() -> None:
    page = Page()
    page.family("m", "gauge", "Help.", [])
    assert page.text == ""


def test_families_keep_their_order_or_are_sorted() -> None:
    texts = []
    for by_name in (False, True):
        page = Page(by_name=by_name)
        for name in ("b", "a"):
            page.family(name, "gauge", "Help.", [([("l", "v")], "1")])
        texts.append([line for line in page.text.splitlines() if line[0] != "#"])
    assert texts == [['b{l="v"} 1', 'a{l="v"} 1'], ['a{l="v"} 1', 'b{l="v"} 1']]
