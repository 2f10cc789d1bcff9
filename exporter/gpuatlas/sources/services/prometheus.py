"""Reads the inference servers' metrics out of a Prometheus that scrapes them already.

A pod is told by the labels `namespace` and `pod` that its target has. `exported_namespace` and
`exported_pod` are what a page says of itself: a tenant could write another's name there. They count
only where they stay in the namespace that the target is in (a gateway beside the servers), and for
pods without series of their own.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from gpuatlas.model.pages import Sample
from gpuatlas.model.services import ServicePage
from gpuatlas.sources.errors import SourceError
from gpuatlas.sources.promapi.client import METRIC_NAME, PrometheusClient, Series
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas.sources.services.parse import read_service_page
from gpuatlas.sources.services.round import DOWN, UP, ServiceRound, service_status
from gpuatlas.sources.services.tables import NAMES
from gpuatlas.sources.services.targets import ServiceTarget, ServiceTargets

logger = logging.getLogger(__name__)

PodKey = tuple[str, str]

# Labels of the target and of whoever scraped it; they tell two scrapes of one pod apart.
_SCRAPE: Final = ("cluster", "prometheus", "prometheus_replica", "replica", "job", "instance")
_OF_TARGET: Final = frozenset(
    {*_SCRAPE, "namespace", "pod", "container", "node", "endpoint", "service"}
)


class _Origin(NamedTuple):
    """Which scrape of which pod; `own`: by the target's labels."""

    pod: PodKey
    own: bool
    scrape: tuple[str, ...]


class PrometheusServices:
    """Reads rounds. `read` is for one thread at a time."""

    def __init__(self, settings: PrometheusSettings) -> None:
        self._settings = settings
        self._client = PrometheusClient(settings)
        self._rejected: Counter[str] = Counter()
        self._last_success_at: float | None = None
        self._error = ""

    def read(self, targets: ServiceTargets) -> ServiceRound:
        """One query for all servers; those that are not targets are left out."""
        if not targets.targets:
            return ServiceRound(
                status=service_status(up=None, targets={}, rejected=dict(self._rejected))
            )
        started = time.monotonic()
        try:
            series = self._client.select(sorted(NAMES), window=self._settings.page_max_age).series
        except SourceError as error:
            return self._failed(str(error), targets)
        if self._error:
            logger.info("service signals can be read again")
        self._error = ""
        pages = list(pages_of(series, targets.targets))
        for page in pages:
            for rejection in page.rejections:
                self._rejected[rejection.reason] += rejection.count
        readings = tuple(reading for page in pages for reading in page.readings)
        if readings:
            self._last_success_at = max(reading.at for reading in readings)
        up = len(readings)
        status = service_status(
            up=True if up else None,
            targets={UP: up, DOWN: len(targets.targets) - up},
            rejected=dict(self._rejected),
            last_success_at=self._last_success_at,
            read_seconds=time.monotonic() - started,
        )
        return ServiceRound(readings=readings, status=status)

    def close(self) -> None:
        """There is nothing to end."""

    def _failed(self, error: str, targets: ServiceTargets) -> ServiceRound:
        if not self._error:
            logger.warning("no service signals: %s", error)
        self._error = error
        status = service_status(
            up=False,
            targets={UP: 0, DOWN: len(targets.targets)},
            rejected=dict(self._rejected),
            last_success_at=self._last_success_at,
            error=error,
        )
        return ServiceRound(status=status)


def pages_of(series: Iterable[Series], targets: Iterable[ServiceTarget]) -> Iterator[ServicePage]:
    """One page for each target that has series: those of its fullest scrape, of one instant."""
    runtimes = {target.pod: target.runtime for target in targets}
    scrapes: dict[_Origin, list[Series]] = {}
    for one in series:
        origin = _origin(one.labels, runtimes)
        if origin is not None:
            scrapes.setdefault(origin, []).append(one)
    for origin, found in _best(scrapes).items():
        at = max(one.newest_at for one in found)
        yield read_service_page(
            list(_samples(found, at)),
            runtime=runtimes[origin.pod],
            namespace=origin.pod[0],
            pod=origin.pod[1],
            at=at,
            target="/".join(origin.pod),
        )


def _origin(labels: Mapping[str, str], known: Collection[PodKey]) -> _Origin | None:
    namespace, pod = labels.get("namespace", ""), labels.get("pod", "")
    scrape = tuple(labels.get(name, "") for name in _SCRAPE)
    if (namespace, pod) in known:
        return _Origin((namespace, pod), own=True, scrape=scrape)
    said = (labels.get("exported_namespace", namespace), labels.get("exported_pod", ""))
    if said[0] == namespace and said in known:
        return _Origin(said, own=False, scrape=scrape)
    return None


def _best(scrapes: Mapping[_Origin, list[Series]]) -> dict[_Origin, list[Series]]:
    """The scrape of each pod: by its own labels if there is one, then the fuller, the newer."""
    chosen: dict[PodKey, _Origin] = {}
    for origin, found in scrapes.items():
        known = chosen.get(origin.pod)
        if known is None or _rank(origin, found) > _rank(known, scrapes[known]):
            chosen[origin.pod] = origin
    return {origin: scrapes[origin] for origin in chosen.values()}


def _rank(origin: _Origin, found: list[Series]) -> tuple[bool, int, float]:
    return (origin.own, len(found), max(one.newest_at for one in found))


def _samples(found: Iterable[Series], at: float) -> Iterator[Sample]:
    """Of one instant only: two scrapes are never mixed."""
    for one in found:
        text = one.points.get(at)
        if text is None:
            continue
        labels = {k: v for k, v in one.labels.items() if k != METRIC_NAME and k not in _OF_TARGET}
        try:
            value = float(text)
        except ValueError:
            continue
        yield Sample(one.labels[METRIC_NAME], labels, value)
