from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.kubernetes.quantity import MAX_QUANTITY, read_quantity


@pytest.mark.parametrize(
    ("written", "number"),
    [
        pytest.param("0", 0, id="zero"),
        pytest.param("8", 8, id="plain"),
        pytest.param("+8", 8, id="signed"),
        pytest.param("5k", 5000, id="decimal suffix"),
        pytest.param("2M", 2_000_000, id="mega"),
        pytest.param("1Ki", 1024, id="binary suffix"),
        pytest.param("1.5Gi", 1_610_612_736, id="fraction of a binary suffix"),
        pytest.param("2e3", 2000, id="decimal exponent"),
        pytest.param("1E2", 100, id="large exponent sign"),
        pytest.param("12E-1", 2, id="negative exponent, rounded up"),
        pytest.param("1500m", 2, id="thousandths are rounded up"),
        pytest.param("1n", 1, id="a billionth is rounded up"),
        pytest.param("0.0", 0, id="zero with a fraction"),
        pytest.param(".5", 1, id="no digit before the point"),
        pytest.param("5.", 5, id="no digit after the point"),
        pytest.param(3, 3, id="a JSON number"),
        pytest.param(2.5, 3, id="a JSON fraction"),
        pytest.param("1P", MAX_QUANTITY, id="the largest"),
    ],
)
def test_the_kubernetes_grammar_is_read(written: object, number: int) -> None:
    assert read_quantity(written) == number


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        pytest.param("", "bad-quantity", id="empty"),
        pytest.param("ten", "bad-quantity", id="word"),
        pytest.param("1 Ki", "bad-quantity", id="space"),
        pytest.param("1ki", "bad-quantity", id="no such suffix"),
        pytest.param("0x10", "bad-quantity", id="hexadecimal"),
        pytest.param("1_000", "bad-quantity", id="underscore"),
        pytest.param("٣", "bad-quantity", id="digits of another script"),
        pytest.param("NaN", "bad-quantity", id="not a number"),
        pytest.param("1" * 65, "bad-quantity", id="too long"),
        pytest.param(None, "bad-quantity", id="null"),
        pytest.param(True, "bad-quantity", id="boolean"),
        pytest.param([1], "bad-quantity", id="list"),
        pytest.param("-1", "out-of-range", id="negative"),
        pytest.param("-1m", "out-of-range", id="a little below zero"),
        pytest.param("1E", "out-of-range", id="exa"),
        pytest.param("1e999", "out-of-range", id="huge exponent"),
        pytest.param("1000000000000001", "out-of-range", id="one too many"),
        pytest.param(float("inf"), "out-of-range", id="infinite"),
        pytest.param(float("nan"), "out-of-range", id="a NaN of JSON"),
        pytest.param(-5, "out-of-range", id="a negative JSON number"),
    ],
)
def test_anything_else_is_refused_with_a_reason(written: object, reason: str) -> None:
    with pytest.raises(MalformedError) as caught:
        read_quantity(written)
    assert caught.value.reason == reason
    assert len(str(caught.value)) <= 200


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(max_size=80), st.integers(), st.floats(), st.from_regex(r"[+-]?\d+\S?")))
def test_the_result_is_never_negative_or_unbounded(written: object) -> None:
    try:
        number = read_quantity(written)
    except MalformedError:
        return
    assert isinstance(number, int)
    assert 0 <= number <= MAX_QUANTITY


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 10**9), st.sampled_from(["", "k", "Ki", "m", "e2"]))
def test_a_number_with_a_suffix_is_that_many_units(count: int, suffix: str) -> None:
    units = {"": "1", "k": "1000", "Ki": "1024", "m": "0.001", "e2": "100"}
    exact = count * Decimal(units[suffix])
    assert read_quantity(f"{count}{suffix}") - exact < 1
    assert read_quantity(f"{count}{suffix}") >= exact
