"""Asks a Prometheus for an expression over a stretch of time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson
import requests

from gpuatlas.runtime.backfill.series import Column, blank

_TIMEOUT_SECONDS: Final = 120.0


class RangeQueryError(Exception):
    """Prometheus did not answer a query; the message has the expression and its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Evenly spaced instants: the first and the last in Unix seconds, and the step between."""

    first: float
    last: float
    step: float

    @property
    def instants(self) -> tuple[float, ...]:
        """All of them."""
        count = round((self.last - self.first) / self.step) + 1
        return tuple(self.first + index * self.step for index in range(count))

    def each(self, number: int) -> Grid:
        """Its first instant and each `number`-th behind it."""
        step = self.step * number
        return Grid(
            first=self.first, last=self.first + (self.last - self.first) // step * step, step=step
        )

    def every(self, seconds: float) -> Grid | None:
        """Of its instants those that a clock of this interval strikes, None where there is none.

        An interval that is no multiple of the step counts as the next one that is.
        """
        step = -(-seconds // self.step) * self.step
        first = -(-self.first // step) * step
        last = self.last // step * step
        return Grid(first=first, last=last, step=step) if first <= last else None


class RangeQuery:
    """Asks one Prometheus."""

    def __init__(self, url: str, session: requests.Session) -> None:
        self._url = f"{url}/api/v1/query_range"
        self._session = session

    def ask(self, expression: str, grid: Grid) -> list[tuple[dict[str, str], Column]]:
        """The series of the answer: labels, and a value for each instant of the grid.

        Raises:
            RangeQueryError: there is none.
        """
        form = {
            "query": expression,
            "start": str(grid.first),
            "end": str(grid.last),
            "step": str(grid.step),
        }
        try:
            answer = self._session.post(self._url, data=form, timeout=_TIMEOUT_SECONDS)
            content = orjson.loads(answer.content)
        except (requests.RequestException, orjson.JSONDecodeError) as error:
            message = f"{self._url}: {error}: {expression}"
            raise RangeQueryError(message) from error
        if content.get("status") != "success":
            message = f"{self._url}: {content.get('error')}: {expression}"
            raise RangeQueryError(message)
        return list(_read(content["data"]["result"], grid))


def _read(result: list[Mapping[str, Any]], grid: Grid) -> Iterator[tuple[dict[str, str], Column]]:
    length, first, step = len(grid.instants), grid.first, grid.step
    for series in result:
        column = blank(length)
        for instant, value in series["values"]:
            column[round((instant - first) / step)] = float(value)
        yield dict(series["metric"]), column
