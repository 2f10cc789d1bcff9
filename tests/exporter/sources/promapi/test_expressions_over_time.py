from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.errors import BadAnswerError
from gpuatlas.sources.promapi.expressions import MAX_POINTS, ExpressionReader, read_matrix
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.serving import serving


def body(*result: Any, kind: str = "matrix", **more: Any) -> bytes:
    data = {"resultType": kind, "result": list(result)}
    return json.dumps({"status": "success", "data": data, **more}).encode()


GOOD = {"metric": {"node": "a"}, "values": [[60, "1"], [120.5, "2.5"]]}


def test_series_with_their_points() -> None:
    found, warnings = read_matrix(body(GOOD, warnings=["a store is away"]), "prom")
    assert found == [({"node": "a"}, {60.0: 1.0, 120.5: 2.5})]
    assert warnings == ("a store is away",)


def test_what_is_not_finite_is_no_point() -> None:
    odd = {"metric": {}, "values": [[60, "NaN"], [120, "+Inf"], [180, "3"]]}
    assert read_matrix(body(odd), "prom") == ([({}, {180.0: 3.0})], ())


@pytest.mark.parametrize(
    "entry",
    [{}, {"metric": {}}, {"metric": [], "values": []}, {"metric": {}, "values": [["x"]]}, None, 3],
)
def test_a_series_in_another_shape_costs_itself_only(entry: Any) -> None:
    found, _ = read_matrix(body(entry, GOOD), "prom")
    assert len(found) == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"<html>", "gives no answer of the Prometheus HTTP API"),
        (b"{}", "gives no answer of the Prometheus HTTP API"),
        (b'{"data": 3}', "gives no answer of the Prometheus HTTP API"),
        (body(kind="vector"), "answers with another type than matrix"),
    ],
)
def test_no_answer_to_a_query_over_time(answer: bytes, said: str) -> None:
    with pytest.raises(BadAnswerError, match=said):
        read_matrix(answer, "prom")


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["metric", "values", "x"]), inner, max_size=3)
        ),
        max_leaves=10,
    )
)
def test_any_entry_gives_finite_points(entry: Any) -> None:
    try:
        text = body(entry)
    except ValueError:
        return
    try:
        found, _ = read_matrix(text, "prom")
    except BadAnswerError:
        return  # NaN is not JSON
    for series in found:
        assert all(abs(value) < float("inf") for value in series.points.values())


@pytest.fixture
def prometheus() -> Iterator[tuple[str, list[dict[str, list[str]]]]]:
    """One that answers everything alike, and what it was asked."""
    asked: list[dict[str, list[str]]] = []

    def answer(path: str, content: str) -> tuple[int, bytes]:
        asked.append(parse_qs(content) | {"path": [path]})
        return 200, body(GOOD)

    with serving(answer, method="POST") as address:
        yield f"http://{address}", asked


def test_the_expression_is_asked_for_as_it_is(
    prometheus: tuple[str, list[dict[str, list[str]]]],
) -> None:
    url, asked = prometheus
    settings_ = PrometheusSettings(url=url, matchers={"cluster": "prod"})
    reader = ExpressionReader(settings_)
    found, _ = reader.evaluate("sum(up)", start=60.0, end=600.0, step=60.0)
    assert len(found) == 1
    assert asked == [
        {
            "path": ["/api/v1/query_range"],
            "query": ["sum(up)"],
            "start": ["60.000"],
            "end": ["600.000"],
            "step": ["60.000"],
            "timeout": ["20s"],
        }
    ]


@pytest.mark.parametrize(
    ("start", "end", "step"), [(0, 60, 0), (60, 0, 60), (0, 60, -1), (0, MAX_POINTS, 1)]
)
def test_instants_that_cannot_be_asked_for(start: float, end: float, step: float) -> None:
    reader = ExpressionReader(PrometheusSettings(url="http://127.0.0.1:1"))
    with pytest.raises(ValueError, match="1 to 11000 points"):
        reader.evaluate("up", start=start, end=end, step=step)
