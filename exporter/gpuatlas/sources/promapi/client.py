"""Queries of the Prometheus HTTP API. Returns series with the instants of their scrapes.

Series of exporters are asked for as `name[window]` at `/api/v1/query`. A plain `name` would be
answered with the time of the query, and with series that ended minutes ago; the samples of a window
carry the instant of their scrape, which is what `scrapes` needs to put one scrape together. What
rules make is asked for by its plain name: such series end at once when a rule does not give them.
What was recorded over days is asked for at instants a step apart, at `/api/v1/query_range`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson
import requests
import urllib3

from gpuatlas.model.units import clean_text
from gpuatlas.sources.errors import BadAnswerError
from gpuatlas.sources.promapi.credentials import authorization
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas.sources.scrape.exchange import Limits, exchange, ok_body, shown

METRIC_NAME: Final = "__name__"
"""The label that holds a series' metric name."""

_QUERY: Final = "/api/v1/query"
_RANGE: Final = "/api/v1/query_range"
_ALERTS: Final = "/api/v1/alerts"
_NONE: Final[Mapping[str, str]] = {}
# Prometheus itself refuses more than 11,000 a series; a year of days is all that we ever need.
MAX_RANGE_POINTS: Final = 400


class Series(NamedTuple):
    """One series. `points` maps Unix seconds to the text of the value, oldest first, at least one.

    The values stay text because only one of each series' is used, and there are very many.
    """

    labels: dict[str, str]
    points: dict[float, str]

    @property
    def newest_at(self) -> float:
        """The instant of the newest point."""
        return next(reversed(self.points))


class Point(NamedTuple):
    """One element of an instant vector; `at` is the instant of the query in Unix seconds."""

    labels: Mapping[str, str]
    value: float
    at: float


class ActiveAlert(NamedTuple):
    """One alert as the server lists it: its labels, and its annotations filled in."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The answer to one query.

    `unreadable` counts entries in a shape that we do not know. `warnings` are the server's: with
    Thanos a store that did not answer is one.
    """

    series: list[Series]
    unreadable: int = 0
    warnings: tuple[str, ...] = ()


class PrometheusClient:
    """Thread-safe; keeps no connection."""

    def __init__(self, settings: PrometheusSettings) -> None:
        self._settings = settings
        self._base = settings.url.rstrip("/")
        self.address = shown(settings.url)
        self._limits = Limits(body_bytes=settings.limit_bytes, seconds=settings.timeout)
        self._verify: bool | str = not settings.insecure
        if settings.insecure:
            # The user was told by the setting; once for each query is no news.
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        elif settings.ca_file is not None:
            self._verify = str(settings.ca_file)

    def select(self, names: Sequence[str], *, window: float) -> Selection:
        """The samples of the last `window` seconds of all series with one of the names.

        Raises:
            SourceError: of the kind that fits; the message has the address and the server's reason.
        """
        query = f"{selector(names, self._settings)}[{math.ceil(window)}s]"
        return _selection(self._ask(query), self.address)

    def instant(
        self,
        names: Sequence[str],
        *,
        patterns: Mapping[str, str] = _NONE,
        within: float | None = None,
    ) -> tuple[list[Point], tuple[str, ...]]:
        """The present series with one of the names, and the server's warnings.

        Entries in a shape that we do not know are left out.

        Args:
            names: of the metrics.
            patterns: label → regular expression that its value must match.
            within: also series that ended in the last so many seconds, with their last value.

        Raises:
            SourceError: as `select`.
        """
        query = _newest(selector(names, self._settings, patterns=patterns), within)
        answer, entries = _results(self._ask(query), "vector", self.address)
        points = [point for entry in entries if (point := _point(entry)) is not None]
        return points, _warnings(answer)

    def range(
        self,
        names: Sequence[str],
        *,
        start: float,
        end: float,
        step: float,
        within: float | None = None,
        patterns: Mapping[str, str] = _NONE,
    ) -> Selection:
        """The series with one of the names at instants `step` seconds apart.

        A series has no point at an instant at which it was not there. Some servers (Thanos' query
        frontend) move all instants to whole multiples of the step: go by those of the answer.

        Args:
            names: of the metrics.
            start: the first instant, in Unix seconds.
            end: the last one, if the steps meet it.
            step: between two instants, in seconds.
            within: how old the newest sample of an instant may be; None leaves it to the server.
            patterns: label → regular expression that its value must match.

        Raises:
            SourceError: as `select`.
            ValueError: these are no instants, or more than `MAX_RANGE_POINTS`.
        """
        if not (step > 0 and 0 <= end - start < step * MAX_RANGE_POINTS):
            message = f"{start!r} to {end!r} in steps of {step!r} s: 1 to {MAX_RANGE_POINTS} points"
            raise ValueError(message)
        query = _newest(selector(names, self._settings, patterns=patterns), within)
        instants = {"start": f"{start:.3f}", "end": f"{end:.3f}", "step": f"{step:.3f}"}
        return _selection(self._ask(query, _RANGE, instants), self.address)

    def active_alerts(self) -> list[ActiveAlert]:
        """All alerts that the server itself evaluates, of whichever labels.

        Raises:
            SourceError: also where the server has the query API only.
        """
        request = requests.Request("GET", self._base + _ALERTS, headers=self._headers())
        body = self._exchange(request)
        try:
            entries = list(orjson.loads(body)["data"]["alerts"])
        except (ValueError, KeyError, TypeError) as error:
            raise BadAnswerError(_NO_API.format(self.address)) from error
        return [alert for entry in entries if (alert := _alert(entry)) is not None]

    def _ask(self, query: str, path: str = _QUERY, fields: Mapping[str, str] = _NONE) -> bytes:
        limit = f"{math.ceil(self._settings.timeout)}s"
        request = requests.Request(
            "POST",
            self._base + path,
            data={"query": query, **fields, "timeout": limit},
            headers=self._headers(),
        )
        return self._exchange(request)

    def _exchange(self, request: requests.Request) -> bytes:
        answer = exchange(request, limits=self._limits, verify=self._verify)
        return ok_body(answer, self.address)

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "application/json", **self._settings.headers}
        if known := authorization(self._settings):
            headers["Authorization"] = known
        return headers


def selector(
    names: Sequence[str],
    settings: PrometheusSettings,
    *,
    patterns: Mapping[str, str] = _NONE,
) -> str:
    """PromQL that selects the series with one of the names, the settings' labels and patterns."""
    matchers = [f"{label}={_quoted(value)}" for label, value in sorted(settings.matchers.items())]
    matchers += [f"{label}=~{_quoted(pattern)}" for label, pattern in sorted(patterns.items())]
    if len(names) == 1:
        return f"{names[0]}{{{','.join(matchers)}}}"
    matchers.insert(0, f"{METRIC_NAME}=~{_quoted('|'.join(names))}")
    return f"{{{','.join(matchers)}}}"


def _newest(selected: str, within: float | None) -> str:
    """PromQL for the newest sample of the last `within` seconds, with the metric's name.

    A plain name means the last five minutes, or whatever the server is set to.
    """
    return selected if within is None else f"last_over_time({selected}[{math.ceil(within)}s])"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


_NO_API: Final = "{} gives no answer of the Prometheus HTTP API; check the URL"


def _results(body: bytes, kind: str, address: str) -> tuple[dict[str, Any], list[Any]]:
    """The answer to a query, and its entries, which are of the one kind that was asked for."""
    try:
        answer = orjson.loads(body)
        entries = list(answer["data"]["result"])
        found = answer["data"]["resultType"]
    except (ValueError, KeyError, TypeError) as error:
        raise BadAnswerError(_NO_API.format(address)) from error
    if found != kind:
        message = f"{address} answers with another type than {kind}"
        raise BadAnswerError(message)
    return answer, entries


def _warnings(answer: Mapping[str, Any]) -> tuple[str, ...]:
    warnings = answer.get("warnings")
    if not isinstance(warnings, list):
        return ()
    return tuple(clean_text(str(warning)) for warning in warnings)


def _selection(body: bytes, address: str) -> Selection:
    answer, entries = _results(body, "matrix", address)
    series = [one for entry in entries if (one := _series(entry)) is not None]
    return Selection(
        series=series, unreadable=len(entries) - len(series), warnings=_warnings(answer)
    )


def _point(entry: Any) -> Point | None:
    """One element of a vector, None for one in another shape, such as a native histogram."""
    try:
        at, value = entry["value"]
        return Point(_texts(entry["metric"]), float(value), float(at))
    except (KeyError, TypeError, ValueError):
        return None


def _alert(entry: Any) -> ActiveAlert | None:
    try:
        return ActiveAlert(_texts(entry["labels"]), _texts(entry.get("annotations") or {}))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _texts(labels: Any) -> dict[str, str]:
    """A mapping of text to text. Raises `TypeError` for anything else."""
    texts = dict(labels)
    "".join([*texts, *texts.values()])
    return texts


def _series(entry: Any) -> Series | None:
    """One element of a matrix, None for one in another shape, such as a native histogram."""
    try:
        labels, points = entry["metric"], dict(entry["values"])
        # Cheap ways to make sure of the types: there are hundreds of thousands of series.
        sum(points)
        "".join(points.values())
        "".join(labels.values())
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    return Series(labels, points) if points and METRIC_NAME in labels else None
