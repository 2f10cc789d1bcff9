"""Queries of the Prometheus HTTP API. Returns series with the instants of their scrapes.

Series are asked for as `name[window]` at `/api/v1/query`. A plain `name` would be answered with the
time of the query, and with series that ended minutes ago; the samples of a window carry the instant
of their scrape, which is what `scrapes` needs to put one scrape together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson
import requests
import urllib3

from gpuatlas.model.units import clean_text
from gpuatlas.sources.errors import BadAnswerError, UnauthorizedError
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas.sources.scrape.exchange import Limits, exchange, ok_body, shown

METRIC_NAME: Final = "__name__"
"""The label that holds a series' metric name."""

_PATH: Final = "/api/v1/query"


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
        self._url = settings.url.rstrip("/") + _PATH
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
        request = requests.Request(
            "POST",
            self._url,
            data={"query": query, "timeout": f"{math.ceil(self._settings.timeout)}s"},
            headers=self._headers(),
        )
        answer = exchange(request, limits=self._limits, verify=self._verify)
        return _selection(ok_body(answer, self.address), self.address)

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "application/json", **self._settings.headers}
        path = self._settings.bearer_token_file
        if path is not None:
            try:
                headers["Authorization"] = f"Bearer {path.read_text(encoding='utf-8').strip()}"
            except (OSError, UnicodeDecodeError) as error:
                message = f"cannot read the bearer token file {path}: {error}"
                raise UnauthorizedError(message) from error
        return headers


def selector(names: Sequence[str], settings: PrometheusSettings) -> str:
    """PromQL that selects the series with one of the names and the settings' labels."""
    matchers = [f"{label}={_quoted(value)}" for label, value in sorted(settings.matchers.items())]
    if len(names) == 1:
        return f"{names[0]}{{{','.join(matchers)}}}"
    matchers.insert(0, f"{METRIC_NAME}=~{_quoted('|'.join(names))}")
    return f"{{{','.join(matchers)}}}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _selection(body: bytes, address: str) -> Selection:
    try:
        answer = orjson.loads(body)
        entries = list(answer["data"]["result"])
        is_matrix = answer["data"]["resultType"] == "matrix"
    except (ValueError, KeyError, TypeError) as error:
        message = f"{address} gives no answer of the Prometheus HTTP API; check the URL"
        raise BadAnswerError(message) from error
    if not is_matrix:
        message = f"{address} answers a range selector with another type than matrix"
        raise BadAnswerError(message)
    series = [one for entry in entries if (one := _series(entry)) is not None]
    warnings = answer.get("warnings")
    return Selection(
        series=series,
        unreadable=len(entries) - len(series),
        warnings=tuple(clean_text(str(warning)) for warning in warnings)
        if isinstance(warnings, list)
        else (),
    )


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
