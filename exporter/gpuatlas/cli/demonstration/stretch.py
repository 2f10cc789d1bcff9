"""A stretch of the simulated past as samples: what Prometheus would have scraped, step by step.

Made by worker processes: everything here is a function of the order that it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from gpuatlas.cli.demonstration.past_cluster import PastCluster
from gpuatlas.cli.demonstration.past_exporter import PastExporter
from gpuatlas.cli.demonstration.scrape_targets import EXPORTER, ScrapeTarget, endpoint_targets
from gpuatlas.demo.scenario import FaultSpec, Scenario
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
    """What to write. `began` is when the exporter of this past was started, in Unix seconds."""

    scenario: Scenario
    seed: int
    instants: tuple[float, ...]
    episodes: tuple[Episode, ...]
    began: float


def write_stretch(order: StretchOrder) -> Block:
    """All samples of the exporter and of the exporters that it reads."""
    columns = _Columns(len(order.instants))
    with closing(PastCluster(licences(order.scenario))) as cluster:
        exporter = PastExporter(cluster, began=order.began)
        for index, instant in enumerate(order.instants):
            world = build_world(
                order.scenario,
                seed=order.seed,
                at=instant,
                faults=[episode.fault for episode in order.episodes if episode.is_on(instant)],
            )
            cluster.show(world)
            columns.scrape(index, EXPORTER, exporter.page(world))
            targets = endpoint_targets(world)
            for key, body in cluster.pages.bodies().items():
                columns.scrape(index, targets[key], body)
    return Block(instants=order.instants, columns=columns.written)


def licences(scenario: Scenario) -> tuple[LicenceSource, ...]:
    """Where the simulated cluster says when its licence ends, as for `serve --licence`."""
    licence = scenario.licence
    if licence is None:
        return ()
    return (LicenceSource(namespace=licence.namespace, config_map=licence.name, key=LICENCE_KEY),)


class _Columns:
    """Collects scrapes."""

    def __init__(self, length: int) -> None:
        self._length = length
        self.written: dict[SeriesKey, Column] = {}
        # Target → text of a line before its value → the column: most lines come again each time.
        self._known: dict[ScrapeTarget, dict[bytes, Column]] = {}

    def scrape(self, index: int, target: ScrapeTarget, body: bytes) -> None:
        """The page of a target at an instant; an empty one is a failed scrape."""
        self._column({NAME: _UP, **target.labels})[index] = 1.0 if body else 0.0
        known = self._known.setdefault(target, {})
        for line in body.splitlines():
            if line.startswith(_COMMENT):
                continue
            series, _, value = line.rpartition(b" ")
            column = known.get(series)
            if column is None:
                column = known[series] = self._column(_labels(target, line))
            column[index] = float(value)

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
