"""What a good line says."""

from __future__ import annotations

import math

import pytest

from gpuatlas.model.pages import Sample
from gpuatlas.sources.exposition import parse_text


def read(text: str, wanted: frozenset[str] | None = None) -> list[Sample]:
    samples, refused = parse_text(text.encode(), wanted=wanted, source="dcgm", where="page of a")
    assert refused == []
    return samples


@pytest.mark.parametrize(
    ("line", "sample"),
    [
        pytest.param("up 1", Sample("up", {}, 1.0), id="no labels"),
        pytest.param("up{} 1", Sample("up", {}, 1.0), id="empty labels"),
        pytest.param('up{a="b"} 1', Sample("up", {"a": "b"}, 1.0), id="one label"),
        pytest.param('up{a="b",} 1', Sample("up", {"a": "b"}, 1.0), id="comma at the end"),
        pytest.param('up{a=""} 1', Sample("up", {"a": ""}, 1.0), id="empty value"),
        pytest.param(
            ' up { a = "b" , c = "d" } 1 ', Sample("up", {"a": "b", "c": "d"}, 1.0), id="blanks"
        ),
        pytest.param("up 1 1700000000000", Sample("up", {}, 1.0), id="timestamp"),
        pytest.param('up{a="b"} 1 -3.5', Sample("up", {"a": "b"}, 1.0), id="float timestamp"),
        pytest.param(
            'up{a="b"} 5 # {trace_id="x}y"} 1.0 1700000000.1',
            Sample("up", {"a": "b"}, 5.0),
            id="exemplar",
        ),
        pytest.param("up 5 # {} 1.0", Sample("up", {}, 5.0), id="exemplar without labels"),
        pytest.param("up\t1\r", Sample("up", {}, 1.0), id="tab and carriage return"),
        pytest.param(r'up{a="x\\y\"z\nw"} 1', Sample("up", {"a": 'x\\y"z\nw'}, 1.0), id="escapes"),
        pytest.param(r'up{a="\t"} 1', Sample("up", {"a": r"\t"}, 1.0), id="unknown escape is kept"),
        pytest.param(
            'up{a="} 2",b="{,=#"} 1', Sample("up", {"a": "} 2", "b": "{,=#"}, 1.0), id="braces"
        ),
        pytest.param('up{a="Größe 大"} 1', Sample("up", {"a": "Größe 大"}, 1.0), id="any script"),
        pytest.param("a:b_C9 1", Sample("a:b_C9", {}, 1.0), id="name with colon"),
        pytest.param("up 8.589934592e+10", Sample("up", {}, 85899345920.0), id="exponent"),
        pytest.param("up -.5", Sample("up", {}, -0.5), id="no digit before the point"),
        pytest.param("up +Inf", Sample("up", {}, math.inf), id="infinity"),
        pytest.param("up -Inf", Sample("up", {}, -math.inf), id="negative infinity"),
    ],
)
def test_a_line_gives_its_sample(line: str, sample: Sample) -> None:
    assert read(f"{line}\n") == [sample]


def test_nan_is_a_value() -> None:
    (sample,) = read("up NaN\n")
    assert math.isnan(sample.value)


def test_the_last_line_needs_no_end() -> None:
    assert read("up 1\ndown 2") == [Sample("up", {}, 1.0), Sample("down", {}, 2.0)]


def test_comments_and_empty_lines_are_skipped() -> None:
    page = "# HELP up text\n  # TYPE up gauge\n\n   \nup 1\n# EOF\n"
    assert read(page) == [Sample("up", {}, 1.0)]


def test_an_empty_page_has_no_samples() -> None:
    assert read("") == []


def test_only_wanted_names_are_read() -> None:
    page = 'up{a="b"} 1\ndown{a="b"} 2\nupper 3\nup 4\n'
    assert read(page, frozenset({"up"})) == [Sample("up", {"a": "b"}, 1.0), Sample("up", {}, 4.0)]


def test_series_of_one_label_set_share_the_mapping() -> None:
    first, second = read('up{a="b"} 1\ndown{a="b"} 2\n')
    assert first.labels is second.labels
