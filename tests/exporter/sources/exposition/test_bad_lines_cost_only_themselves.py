"""What a bad line costs: itself, and one more in the count of its reason."""

from __future__ import annotations

import pytest

from gpuatlas.model.pages import Sample
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.exposition import REASONS, parse_text

GOOD = Sample("up", {}, 1.0)


def refusals(
    line: bytes, wanted: frozenset[str] | None = None
) -> tuple[list[Sample], list[Rejection]]:
    return parse_text(b"up 1\n" + line + b"\n", wanted=wanted, source="dcgm", where="page of a")


@pytest.mark.parametrize(
    ("line", "reason", "said"),
    [
        pytest.param(b"x", "bad-line", "no metric name", id="name alone"),
        pytest.param(b"x ", "bad-line", "no value", id="no value"),
        pytest.param(b'x{a="b"}', "bad-line", "no value", id="labels and no value"),
        pytest.param(b"<html>", "bad-line", "no metric name", id="markup"),
        pytest.param(b"9x 1", "bad-line", "no metric name", id="name starts with a digit"),
        pytest.param(b'{a="b"} 1', "bad-line", "no metric name", id="labels and no name"),
        pytest.param(b'x{a="b" 1', "bad-line", "broken labels", id="brace never closed"),
        pytest.param(b'x{a="b} 1', "bad-line", "broken labels", id="quote never closed"),
        pytest.param(b'x{a="say "hi""} 1', "bad-line", "broken labels", id="quotes inside"),
        pytest.param(b"x{a=b} 1", "bad-line", "broken labels", id="no quotes"),
        pytest.param(b'x{a="b"c="d"} 1', "bad-line", "broken labels", id="no comma"),
        pytest.param(b'x{,a="b"} 1', "bad-line", "broken labels", id="comma at the start"),
        pytest.param(b'x{9a="b"} 1', "bad-line", "broken labels", id="label starts with a digit"),
        pytest.param(b'x{a="b\\"} 1', "bad-line", "broken labels", id="escaped last quote"),
        pytest.param(b'x{a="b",a="b"} 1', "bad-line", "a label twice", id="label twice"),
        pytest.param(b'x{a="\\\\",a="b"} 1', "bad-line", "a label twice", id="twice, escaped"),
        pytest.param(b"x 1 2 3", "bad-line", "text after the value", id="three numbers"),
        pytest.param(b"x 1 soon", "bad-line", "text after the value", id="text as timestamp"),
        pytest.param(b"x driver", "bad-value", "'driver' is not a number", id="text value"),
        pytest.param(b"x 1_000", "bad-value", "'1_000' is not a number", id="underscore"),
        pytest.param(b"x 0x10", "bad-value", "'0x10' is not a number", id="hexadecimal"),
        pytest.param("x ٣".encode(), "bad-value", "'٣' is not a number", id="foreign digits"),
        pytest.param(b"x " + b"1" * 400, "bad-value", "is not a number", id="endless number"),
        pytest.param(b'x{a="\xff"} 1', "not-utf8", "a byte that is not UTF-8", id="raw byte"),
        pytest.param(b"up 2", "duplicate-series", "that the page has already", id="series twice"),
    ],
)
def test_a_bad_line_is_counted_and_the_others_stay(line: bytes, reason: str, said: str) -> None:
    samples, (refused,) = refusals(line)
    assert samples == [GOOD]
    assert (refused.source, refused.reason, refused.where) == ("dcgm", reason, "page of a")
    assert refused.count == 1
    assert refused.message.startswith("line 2, ")
    assert said in refused.message
    assert reason in REASONS


def test_of_two_series_with_the_same_labels_in_any_order_the_first_counts() -> None:
    page = b'x{a="1",b="2"} 1\nx{b="2",a="1"} 2\nx{b="2", a="1"} 3\n'
    samples, (refused,) = parse_text(page, wanted=None, source="dcgm", where="p")
    assert samples == [Sample("x", {"a": "1", "b": "2"}, 1.0)]
    assert (refused.reason, refused.count) == ("duplicate-series", 2)


def test_a_page_of_bad_lines_gives_one_rejection_for_each_reason() -> None:
    page = b"x one\n" * 3000 + b"<p>\n" * 500 + b"x 1\n"
    samples, refused = parse_text(page, wanted=None, source="dcgm", where="p")
    assert samples == [Sample("x", {}, 1.0)]
    assert {one.reason: one.count for one in refused} == {"bad-value": 3000, "bad-line": 500}
    assert refused[0].message == "3000 times, first: line 1, 'one' is not a number: x one"


def test_messages_are_short_and_in_one_line() -> None:
    _, (refused,) = refusals(b'x{a="' + b"\x1b[31m" + b"y" * 5000 + b'"} z')
    assert len(refused.message) <= 200
    assert refused.message.isprintable()


def test_what_is_wrong_with_unwanted_lines_is_not_looked_at() -> None:
    samples, refused = refusals(b'x{broken \xff" text', wanted=frozenset({"up"}))
    assert (samples, refused) == ([GOOD], [])


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"a" * 1_000_000, id="one long name"),
        pytest.param(b"a{" + b"a" * 1_000_000 + b"} 1", id="one long label name"),
        pytest.param(b"a{" + b'a="' * 300_000 + b"} 1", id="quotes"),
        pytest.param(b'a{x="' + b"\\" * 1_000_001 + b'"} 1', id="backslashes"),
        pytest.param(b'a{a="' + b"}" * 1_000_000 + b" 1", id="braces"),
        pytest.param(b"a " + b"1" * 1_000_000, id="digits"),
        pytest.param(b"a" + b" " * 1_000_000 + b"x", id="blanks"),
    ],
)
def test_a_megabyte_line_is_one_refusal(line: bytes) -> None:
    samples, (refused,) = refusals(line)
    assert samples == [GOOD]
    assert refused.count == 1
