"""Series at instants a step apart, and series that ended a while ago."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Protocol

import pytest

from gpuatlas.sources.errors import BadAnswerError, ForbiddenError, SourceError, TooLargeError
from gpuatlas.sources.promapi.client import (
    MAX_RANGE_POINTS,
    Point,
    PrometheusClient,
    Selection,
    Series,
)
from gpuatlas.sources.promapi.settings import PrometheusSettings

DAY = 86_400.0
END = 1_800_000_000.5


class Fake(Protocol):
    url: str
    asked: list[dict[str, str]]
    paths: set[str]
    present: list[tuple[dict[str, str], float]]
    broken: Callable[[str], tuple[int, bytes] | None]


def client(prometheus: Fake, **settings: object) -> PrometheusClient:
    return PrometheusClient(
        PrometheusSettings(url=prometheus.url, **settings)  # type: ignore[arg-type]
    )


def answering(result: object, kind: str = "matrix", **more: object) -> Callable[..., object]:
    body = json.dumps({"data": {"resultType": kind, "result": result}, **more}).encode()
    return lambda _query: (200, body)


def ask(asking: PrometheusClient, **changes: float) -> Selection:
    fields = {"start": END - 13 * DAY, "end": END, "step": DAY} | changes
    start, end, step = fields["start"], fields["end"], fields["step"]
    return asking.range(["a:b:max1d"], start=start, end=end, step=step)


def test_what_is_asked(prometheus: Fake) -> None:
    prometheus.broken = answering([])  # type: ignore[assignment]
    asking = client(prometheus, timeout=7.5, matchers={"cluster": "prod"})
    ask(asking)
    asking.range(
        ["a", "b"], start=END, end=END, step=60, within=599.5, patterns={"workload_kind": "Job"}
    )
    assert prometheus.paths == {"/api/v1/query_range"}
    assert prometheus.asked == [
        {
            "query": 'a:b:max1d{cluster="prod"}',
            "start": "1798876800.500",
            "end": "1800000000.500",
            "step": "86400.000",
            "timeout": "8s",
        },
        {
            "query": 'last_over_time({__name__=~"a|b",cluster="prod",workload_kind=~"Job"}[600s])',
            "start": "1800000000.500",
            "end": "1800000000.500",
            "step": "60.000",
            "timeout": "8s",
        },
    ]


def test_what_is_answered(prometheus: Fake) -> None:
    points = [[END - DAY, "5"], [END, "NaN"]]
    good = {"metric": {"__name__": "a:b:max1d", "node": "x"}, "values": points}
    prometheus.broken = answering([good, 5], warnings=["a store is away"])  # type: ignore[assignment]
    assert ask(client(prometheus)) == Selection(
        series=[Series({"__name__": "a:b:max1d", "node": "x"}, {END - DAY: "5", END: "NaN"})],
        unreadable=1,
        warnings=("a store is away",),
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"step": 0.0},
        {"step": -1.0},
        {"step": float("nan")},
        {"end": END - 14 * DAY},
        {"start": float("nan")},
        {"start": END - MAX_RANGE_POINTS * DAY},
        {"end": float("inf")},
    ],
)
def test_instants_without_an_end_are_not_asked_for(
    prometheus: Fake, changes: dict[str, float]
) -> None:
    with pytest.raises(ValueError, match="1 to 400 points"):
        ask(client(prometheus), **changes)
    assert prometheus.asked == []


def test_as_many_points_as_may_be(prometheus: Fake) -> None:
    prometheus.broken = answering([])  # type: ignore[assignment]
    assert ask(client(prometheus), start=END - (MAX_RANGE_POINTS - 1) * DAY).series == []


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (403, b"no", ForbiddenError),
        (422, b"too many samples", BadAnswerError),
        (200, b"<html>", BadAnswerError),
        (200, b'{"data":{"resultType":"vector","result":[]}}', BadAnswerError),
        (200, b'{"data":{"resultType":"matrix","result":' + b" " * 2000 + b"[]}}", TooLargeError),
    ],
)
def test_errors_are_those_of_the_other_queries(
    prometheus: Fake, status: int, body: bytes, error: type[SourceError]
) -> None:
    prometheus.broken = lambda _query: (status, body)
    with pytest.raises(error, match=prometheus.url):
        ask(client(prometheus, limit_bytes=1000))


def test_the_last_value_of_what_has_ended(prometheus: Fake) -> None:
    found = {"metric": {"__name__": "a"}, "value": [END, "3"]}
    prometheus.broken = answering([found], "vector")  # type: ignore[assignment]
    points, warnings = client(prometheus).instant(["a"], within=600)
    assert (points, warnings) == ([Point({"__name__": "a"}, 3.0, END)], ())
    assert [form["query"] for form in prometheus.asked] == ["last_over_time(a{}[600s])"]
    assert prometheus.paths == {"/api/v1/query"}
