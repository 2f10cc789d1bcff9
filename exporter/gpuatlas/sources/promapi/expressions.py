"""Evaluates PromQL over a stretch of time. `PrometheusClient` selects series by their names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import orjson

from gpuatlas.sources.errors import BadAnswerError
from gpuatlas.sources.promapi.client import PrometheusClient

_RANGE: Final = "/api/v1/query_range"
# Prometheus refuses more points of a series.
MAX_POINTS: Final = 11_000


class Evaluated(NamedTuple):
    """One series of a result: its labels, and Unix seconds → value. Every value is finite."""

    labels: Mapping[str, str]
    points: Mapping[float, float]


class ExpressionReader(PrometheusClient):
    """Thread-safe, as the client. Adds nothing to an expression: the settings' matchers are not."""

    def evaluate(
        self, expression: str, *, start: float, end: float, step: float
    ) -> tuple[list[Evaluated], tuple[str, ...]]:
        """The result at instants `step` seconds apart, and the server's warnings.

        Args:
            expression: PromQL.
            start: the first instant, in Unix seconds.
            end: the last one, if the steps meet it.
            step: between two instants, in seconds.

        Raises:
            SourceError: of the kind that fits; `BadAnswerError` where the server refuses it.
            ValueError: these are no instants, or more than `MAX_POINTS`.
        """
        if not (step > 0 and 0 <= end - start < step * MAX_POINTS):
            message = f"{start!r} to {end!r} in steps of {step!r} s: 1 to {MAX_POINTS} points"
            raise ValueError(message)
        instants = {"start": f"{start:.3f}", "end": f"{end:.3f}", "step": f"{step:.3f}"}
        return read_matrix(self._ask(expression, _RANGE, instants), self.address)


def read_matrix(body: bytes, address: str) -> tuple[list[Evaluated], tuple[str, ...]]:
    """The series of an answer, and its warnings; a series in another shape is left out.

    Raises:
        BadAnswerError: it is no answer to a query over time.
    """
    try:
        answer = orjson.loads(body)
        data = answer["data"]
        entries, kind = list(data["result"]), data["resultType"]
    except (ValueError, KeyError, TypeError) as error:
        message = f"{address} gives no answer of the Prometheus HTTP API; check the URL"
        raise BadAnswerError(message) from error
    if kind != "matrix":
        message = f"{address} answers with another type than matrix"
        raise BadAnswerError(message)
    found = [one for entry in entries if (one := _series(entry)) is not None]
    warnings = answer.get("warnings")
    return found, tuple(map(str, warnings)) if isinstance(warnings, list) else ()


def _series(entry: Any) -> Evaluated | None:
    try:
        labels = {str(name): str(value) for name, value in entry["metric"].items()}
        points = {float(at): float(value) for at, value in entry["values"]}
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    finite = {at: value for at, value in points.items() if math.isfinite(at + value)}
    return Evaluated(labels, finite)
