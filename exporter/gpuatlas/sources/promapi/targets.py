"""The targets of a Prometheus as the series `up` shows them, and the labels that are theirs. Pure.

`up` has exactly the target's labels. So it tells which labels of a stored series came from the
target, what the endpoint itself had written, and to which endpoint a series belongs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.sources.promapi.client import METRIC_NAME, Series

_EXPORTED: Final = "exported_"
_UP: Final = "1"
# What tells two scrapes apart: the target, and who scraped it (Prometheus Operator, Thanos).
_SCRAPER: Final = ("cluster", "prometheus", "prometheus_replica", "replica")
_IDENTITY: Final = (*_SCRAPER, "job", "instance")
_POD: Final = ("namespace", "pod", "container")

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrapedTarget:
    """A target of the Prometheus.

    `tried_at` is its last scrape, `scraped_at` the last good one, None for none of late.
    """

    labels: Mapping[str, str]
    up: bool
    tried_at: float
    scraped_at: float | None


def key_of(labels: Mapping[str, str]) -> Key:
    """What tells a target from all others."""
    return tuple(labels.get(name, "") for name in _IDENTITY)


def targets_of(up: Iterable[Series]) -> dict[Key, ScrapedTarget]:
    """The targets by the series `up`."""
    targets = {}
    for series in up:
        good = [instant for instant, value in series.points.items() if value == _UP]
        targets[key_of(series.labels)] = ScrapedTarget(
            labels={name: value for name, value in series.labels.items() if name != METRIC_NAME},
            up=series.points[series.newest_at] == _UP,
            tried_at=series.newest_at,
            scraped_at=max(good, default=None),
        )
    return targets


class TargetDirectory:
    """Finds the target of a series.

    Only labels that the target has count: a tenant may have given its pod one named `cluster`, and
    the exporter may have written it (facts/dcgm.md 2.2, `enable-pod-labels`).
    """

    def __init__(self, targets: Mapping[Key, ScrapedTarget]) -> None:
        self._targets: dict[Key, list[tuple[Key, ScrapedTarget]]] = {}
        for key, target in targets.items():
            self._targets.setdefault(key[len(_SCRAPER) :], []).append((key, target))

    def find(self, labels: Mapping[str, str]) -> tuple[Key, ScrapedTarget | None]:
        """The target of a series with its key; a key and None where the server has no `up`."""
        key = key_of(labels)
        for known, target in self._targets.get(key[len(_SCRAPER) :], ()):
            scraper = [name for name in _SCRAPER if name in target.labels]
            if all(labels.get(name) == target.labels[name] for name in scraper):
                return known, target
        return key, None


def original_labels(labels: Mapping[str, str], target: Mapping[str, str]) -> dict[str, str]:
    """The labels as the endpoint wrote them, as far as that can be told.

    With `honorLabels: false` a label that the target has too was renamed to `exported_…`. Either
    way the target's own pod stands where the endpoint named none. Other labels of the target do no
    harm and stay.
    """
    original = {name: value for name, value in labels.items() if name != METRIC_NAME}
    for name in target:
        renamed = _EXPORTED + name
        if renamed not in original or name.startswith(_EXPORTED):
            continue
        # The page may have had a label `exported_…` of its own; the one renamed goes deepest.
        while _EXPORTED + renamed in original:
            renamed = _EXPORTED + renamed
        original[name] = original.pop(renamed)
    return _without_own_pod(original, labels, target)


def _without_own_pod(
    original: dict[str, str], labels: Mapping[str, str], target: Mapping[str, str]
) -> dict[str, str]:
    """Drop the names of the endpoint's own pod, unless the endpoint named it itself."""

    def laid_over(name: str) -> bool:
        return (
            name in target and labels.get(name) == target[name] and _EXPORTED + name not in labels
        )

    if laid_over("pod") and laid_over("namespace"):
        for name in _POD:
            if laid_over(name):
                del original[name]
    elif laid_over("container"):
        # A tenant's pod without a container, completed by the target's.
        del original["container"]
    return original
