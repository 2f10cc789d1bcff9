"""Puts back together what each endpoint said in its last scrape. Pure.

A page that went into a Prometheus was torn apart into series, which queries of different moments
answer; so the samples of exactly one scrape are picked, and never two scrapes mixed. It may have
been scraped twice; one endpoint gives one page.

Prometheus commits `up` together with the scrape. It is asked for first, so that whatever scrape it
shows is complete when the other series are asked for.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gpuatlas.model.pages import Sample
from gpuatlas.sources.promapi.client import METRIC_NAME, Series
from gpuatlas.sources.promapi.targets import (
    Key,
    ScrapedTarget,
    TargetDirectory,
    original_labels,
)


@dataclass(slots=True, kw_only=True)
class Scrape:
    """One scrape of one endpoint. `target` is None where the server has no `up` of it."""

    instance: str
    at: float
    samples: list[Sample]
    target: ScrapedTarget | None

    @property
    def node(self) -> str:
        """The node that the scrape configuration attached to the endpoint, "" for none."""
        if self.target is not None:
            return self.target.labels.get("node", "")
        nodes = {sample.labels.get("node", "") for sample in self.samples}
        return nodes.pop() if len(nodes) == 1 else ""


@dataclass(slots=True)
class _Collected:
    """Of one target: the samples of its last good scrape, or all where that is not known.

    `told`: there is a metric that only this source has.
    """

    told: bool = False
    exact: list[Sample] = field(default_factory=list)
    unsure: list[tuple[Mapping[str, str], Series]] = field(default_factory=list)


class ScrapeAssembly:
    """Takes the series of one source as they come and gives its scrapes.

    Only what is used is kept: of a thousand nodes a window of all fields would be gigabytes.

    Args:
        targets: of the server, by `up`.
        max_age: seconds after which a scrape is not used.
        shared: metrics that other sources have too, such as a build's version. They alone make no
            target one of this source's.
    """

    def __init__(
        self,
        targets: Mapping[Key, ScrapedTarget],
        *,
        max_age: float,
        shared: Container[str] = frozenset(),
    ) -> None:
        self._targets = targets
        self._max_age = max_age
        self._shared = shared
        # The present of the server. Instants of `up` are its own; those of samples may be the
        # endpoint's, so they count only where there is no `up`.
        self._newest = max((target.tried_at for target in targets.values()), default=0.0)
        self._collected: dict[Key, _Collected] = {}
        # The families of a source repeat the same label sets; one copy of each is kept.
        self._label_sets: dict[frozenset[tuple[str, str]], tuple[Key, Mapping[str, str]]] = {}
        self._mixed: list[tuple[Mapping[str, str], Series]] = []
        self._directory = TargetDirectory(targets)

    def add(self, family: Iterable[Series]) -> None:
        """Take the series of one family."""
        for series in family:
            self._add(series)

    def _add(self, series: Series) -> None:
        key, original = self._looked_at(series.labels)
        target = self._targets.get(key)
        if not self._targets:
            self._newest = max(self._newest, series.newest_at)
        if not series.labels.get("instance"):
            self._mixed.append((original, series))
            return
        collected = self._collected.setdefault(key, _Collected())
        collected.told = collected.told or series.labels[METRIC_NAME] not in self._shared
        if target is None:
            collected.unsure.append((original, series))
        elif target.scraped_at is not None:
            collected.exact += _samples_at(target.scraped_at, [(original, series)])

    def _looked_at(self, labels: dict[str, str]) -> tuple[Key, Mapping[str, str]]:
        """The target's key and the endpoint's labels, the same mapping for the same labels."""
        items = frozenset(labels.items()) - {(METRIC_NAME, labels[METRIC_NAME])}
        known = self._label_sets.get(items)
        if known is None:
            key, target = self._directory.find(labels)
            known = key, original_labels(labels, target.labels if target else {})
            self._label_sets[items] = known
        return known

    def scrapes(self) -> dict[str, Scrape]:
        """`instance` → its newest scrape; of two scrapers' of one instant the fuller.

        Scrapes that are `max_age` older than the newest of the server are left out.
        """
        newest: dict[str, Scrape] = {}
        for key in self.keys():
            scrape = self._scrape(key, self._collected[key])
            if scrape is None or self._too_old(scrape.at):
                continue
            other = newest.get(scrape.instance)
            if other is None or _rank(scrape) > _rank(other):
                newest[scrape.instance] = scrape
        return newest

    def _scrape(self, key: Key, collected: _Collected) -> Scrape | None:
        target = self._targets.get(key)
        if target is None:
            at, samples = _fullest(collected, self._max_age)
        elif target.scraped_at is None:
            return None
        else:
            at, samples = target.scraped_at, collected.exact
        return Scrape(instance=key[-1], at=at, samples=samples, target=target)

    def mixed(self) -> list[Sample]:
        """Of series without the label `instance`: each one's newest sample."""
        return [
            sample
            for original, series in self._mixed
            if not self._too_old(series.newest_at)
            for sample in _samples_at(series.newest_at, [(original, series)])
        ]

    @property
    def newest(self) -> float:
        """The newest instant of the server."""
        return self._newest

    def _too_old(self, at: float) -> bool:
        return at < self._newest - self._max_age

    @property
    def clusters(self) -> set[str]:
        """The values of the label `cluster` that the targets have."""
        targets = (self._targets.get(key) for key in self.keys())
        return {target.labels.get("cluster", "") for target in targets if target} - {""}

    def keys(self) -> list[Key]:
        """The targets that serve this source."""
        return [key for key, collected in self._collected.items() if collected.told]


def _rank(scrape: Scrape) -> tuple[bool, float, int]:
    return (scrape.target is not None, scrape.at, len(scrape.samples))


def _samples_at(at: float, found: Iterable[tuple[Mapping[str, str], Series]]) -> Iterator[Sample]:
    """The samples of one instant, with the endpoint's labels."""
    for original, series in found:
        text = series.points.get(at)
        if text is not None and (value := _value(text)) is not None:
            yield Sample(series.labels[METRIC_NAME], original, value)


def _value(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _fullest(collected: _Collected, max_age: float) -> tuple[float, list[Sample]]:
    """Without `up`: the scrape that has samples of most metrics, and the newest of such.

    A scrape that was stored between two of our queries lacks the metrics of the first.
    """
    names: dict[float, set[str]] = {}
    for _, series in collected.unsure:
        for instant in series.points:
            names.setdefault(instant, set()).add(series.labels[METRIC_NAME])
    newest = max(names)
    young = [instant for instant in names if instant >= newest - max_age]
    at = max(young, key=lambda instant: (len(names[instant]), instant))
    return at, list(_samples_at(at, collected.unsure))
