"""A stretch of the simulated past as samples: what Prometheus would have scraped, step by step.

Made by worker processes: everything here is a function of the order that it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

from gpuatlas.cli.demonstration.past_cluster import PastCluster
from gpuatlas.cli.demonstration.past_contention import COUNTED, Moments, PastMoments
from gpuatlas.cli.demonstration.past_exporter import PastExporter
from gpuatlas.cli.demonstration.scrape_targets import EXPORTER, ScrapeTarget, endpoint_targets
from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.tallies import Tallies
from gpuatlas.demo.wire.licence import KEY as LICENCE_KEY
from gpuatlas.demo.world import build_world
from gpuatlas.runtime.backfill.series import (
    NAME,
    Block,
    Column,
    SeriesKey,
    blank,
    series_key,
)
from gpuatlas.sources.exposition import parse_text
from gpuatlas.sources.layer.settings import LicenceSource

_UP: Final = "up"
_COMMENT: Final = b"#"
_UNKNOWN: Final = blank(0)
_STANDING_BEFORE_A_LOOK: Final = 2
# What it counts over time is added up behind all stretches (`past_contention`).
_EXPORTER: Final = replace(EXPORTER, left_out=COUNTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A fault from `fault.since` on, until it ended, in Unix seconds; None: it goes on."""

    fault: FaultSpec
    until: float | None = None

    def is_on(self, at: float) -> bool:
        """Whether it is there at an instant."""
        begun = self.fault.since is None or self.fault.since <= at
        return begun and (self.until is None or at < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class StretchOrder:
    """What to write. `began` is when the exporter of this past was started, in Unix seconds.

    With `every` more than 1 the cluster is looked at only at each such instant, and of the metrics
    those of `names` are written, without the counters of services.
    """

    scenario: Scenario
    seed: int
    instants: tuple[float, ...]
    episodes: tuple[Episode, ...]
    began: float
    every: int = 1
    names: frozenset[str] = frozenset()

    @property
    def is_sparse(self) -> bool:
        """Whether it leaves instants out."""
        return self.every > 1

    @property
    def written(self) -> tuple[tuple[float, bool], ...]:
        """The instants that are written, and whether the cluster is looked at.

        Of a sparse one these are the looks, and before each the last two instants of the time in
        which what the look before had seen still stood: rules look back over ten minutes.
        """
        before = self.every - _STANDING_BEFORE_A_LOOK
        return tuple(
            (instant, index % self.every == 0)
            for index, instant in enumerate(self.instants)
            if index % self.every == 0 or index % self.every >= before
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A stretch that is written. `moments` are of the shared cards, one look for each instant.

    A sparse one has none.
    """

    block: Block
    moments: tuple[Moments, ...] = ()


def write_stretch(order: StretchOrder) -> Stretch:
    """All samples of the exporter and of what it and Prometheus read."""
    written = order.written
    columns = _Columns(len(written), order.names if order.is_sparse else None)
    tallies = None if order.is_sparse else _TALLIES.of(order.scenario)
    moments: list[Moments] = []
    with (
        closing(PastCluster(licences(order.scenario), tallies)) as cluster,
        closing(PastMoments(cluster.pages, cluster.now)) as looks,
    ):
        exporter = PastExporter(cluster, began=order.began)
        for index, (instant, is_look) in enumerate(written):
            if not is_look:
                columns.hold(index)
                continue
            world = _world(order, instant)
            cluster.show(world)
            columns.scrape(index, _EXPORTER, exporter.page(world))
            for key, target in endpoint_targets(world).items():
                columns.scrape(index, target, cluster.pages.bodies()[key])
            if not order.is_sparse:
                moments.append(looks.look(*exporter.seen))
    block = Block(instants=tuple(instant for instant, _ in written), columns=columns.written)
    return Stretch(block=block, moments=tuple(moments))


def _world(order: StretchOrder, instant: float) -> World:
    """The cluster with its faults, those that are over, too: counters have lost by them."""
    begun = [e for e in order.episodes if e.fault.since is None or e.fault.since <= instant]
    faults = [replace(episode.fault, until=episode.until) for episode in begun]
    return build_world(order.scenario, seed=order.seed, at=instant, faults=faults)


class _OfOneScenario:
    """What a worker process has added up of services; orders follow each other."""

    def __init__(self) -> None:
        self._scenario: Scenario | None = None
        self._tallies = Tallies(buckets=False)

    def of(self, scenario: Scenario) -> Tallies:
        """The same again for the same scenario."""
        if self._scenario != scenario:
            # Prometheus is told to keep no buckets.
            self._scenario, self._tallies = scenario, Tallies(buckets=False)
        return self._tallies


_TALLIES: Final = _OfOneScenario()


def licences(scenario: Scenario) -> tuple[LicenceSource, ...]:
    """Where the simulated cluster says when its licence ends, as for `serve --licence`."""
    licence = scenario.licence
    if licence is None:
        return ()
    return (LicenceSource(namespace=licence.namespace, config_map=licence.name, key=LICENCE_KEY),)


class _Columns:
    """Collects scrapes; with `names` of these metrics only."""

    def __init__(self, length: int, names: frozenset[str] | None) -> None:
        self._length = length
        self._names = None if names is None else frozenset(name.encode() for name in names)
        self.written: dict[SeriesKey, Column] = {}
        # Target → text of a line before its value → the column, None for a line that nobody wants:
        # most lines come again each time.
        self._known: dict[ScrapeTarget, dict[bytes, Column | None]] = {}

    def scrape(self, index: int, target: ScrapeTarget, body: bytes) -> None:
        """The page of a target at an instant; an empty one is a failed scrape."""
        self._column({NAME: _UP, **target.labels})[index] = 1.0 if body else 0.0
        known = self._known.setdefault(target, {})
        for line in body.splitlines():
            if line.startswith(_COMMENT):
                continue
            series, _, value = line.rpartition(b" ")
            column = known.get(series, _UNKNOWN)
            if column is _UNKNOWN:
                wanted = self._is_wanted(series, target)
                column = self._column(_labels(target, line)) if wanted else None
                known[series] = column
            if column is not None:
                column[index] = float(value)

    def hold(self, index: int) -> None:
        """The instant is as the one before it."""
        for column in self.written.values():
            column[index] = column[index - 1]

    def _is_wanted(self, series: bytes, target: ScrapeTarget) -> bool:
        name = series.partition(b"{")[0]
        if target.leaves_out(name.decode()):
            return False
        return self._names is None or name in self._names

    def _column(self, labels: Mapping[str, str]) -> Column:
        return self.written.setdefault(series_key(labels), blank(self._length))


def _labels(target: ScrapeTarget, line: bytes) -> dict[str, str]:
    """The labels of a line as Prometheus stores them.

    Raises:
        ValueError: the simulator wrote a line that is none.
    """
    samples, refused = parse_text(line, wanted=None, source=target.job, where=target.instance)
    if refused or len(samples) != 1:
        message = f"{target.instance}: cannot be read: {line!r}"
        raise ValueError(message)
    (sample,) = samples
    if target.honours:
        return {**target.labels, **sample.labels, NAME: sample.name}
    renamed = {
        f"exported_{name}" if name in target.labels else name: value
        for name, value in sample.labels.items()
    }
    return {**renamed, **target.labels, NAME: sample.name}
