"""The simulated cluster as an exporter would have seen it at an instant of the past.

The documents and pages of the simulator go through the ordinary readers and parsers; only HTTP and
threads are left out, and an object that did not change since the last look is not read again.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Final

from gpuatlas.cli.demonstration.past_api import PastLists, PastObjects
from gpuatlas.cli.demonstration.past_handshakes import handshakes
from gpuatlas.demo.api.answers import Answer
from gpuatlas.demo.api.exporter_front import exporter_answer
from gpuatlas.demo.pages import page_text
from gpuatlas.demo.state import EndpointState, World
from gpuatlas.demo.tallies import Tallies
from gpuatlas.demo.wire.addresses import default_addresses
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.wire.page_pods import PagePod, page_pods
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.observations import Observations
from gpuatlas.model.status import SourceStatus
from gpuatlas.model.targets import Target
from gpuatlas.runtime.layers import merged
from gpuatlas.runtime.observe import Observed
from gpuatlas.sources.errors import BadAnswerError, UnreachableError
from gpuatlas.sources.kubernetes.discovery import find_targets
from gpuatlas.sources.kubernetes.parts import put_together
from gpuatlas.sources.layer.bookkeeping import SourceBook
from gpuatlas.sources.layer.reader import CERTIFICATE, LayerReader
from gpuatlas.sources.layer.settings import LayerSettings, LicenceSource
from gpuatlas.sources.scrape.scraper import Scraper
from gpuatlas.sources.scrape.settings import ScrapeSettings

_SILENT: Final = frozenset({"gone", "refuses", "hangs"})
_PATH: Final = "/metrics"


class PastPages:
    """What the exporters answer at one instant, each page written once however often it is read."""

    def __init__(self, tallies: Tallies | None) -> None:
        self._tallies = tallies
        self._answers: dict[tuple[str, str], Answer | None] = {}
        self._pods: Mapping[tuple[str, str], PagePod] = {}

    def show(self, world: World) -> None:
        """Go to an instant."""
        self._answers = {
            endpoint.key: _answer(world, endpoint, self._tallies) for endpoint in world.endpoints
        }
        self._pods = page_pods(world, default_addresses(world))

    def bodies(self) -> Mapping[tuple[str, str], bytes]:
        """The page of each endpoint (kind, subject); b"" where a scrape of it fails."""
        return {
            key: answer.body if answer and answer.status == HTTPStatus.OK else b""
            for key, answer in self._answers.items()
        }

    def fetch(self, target: Target, *, limit_bytes: int, timeout_s: float) -> bytes:
        """As `sources.scrape.transport.Transport`."""
        pod = self._pods.get((target.namespace, target.pod))
        answer = self._answers.get(pod.endpoint) if pod else None
        if answer is None:
            message = f"{target.url} does not answer: connection refused"
            raise UnreachableError(message)
        if answer.status != HTTPStatus.OK:
            words = answer.body.decode().strip()
            message = f"HTTP {int(answer.status)} from {target.url}: {words}"
            raise BadAnswerError(message)
        return answer.body


def _answer(world: World, endpoint: EndpointState, tallies: Tallies | None) -> Answer | None:
    if endpoint.behaviour in _SILENT:
        return None
    return exporter_answer(_PATH, endpoint.behaviour, lambda: page_text(world, endpoint, tallies))


class PastCluster:
    """An observer (`runtime.observe.Observer`) that is moved from instant to instant.

    `tallies` are the counters of services; without them their pages have none.
    """

    def __init__(
        self, licences: tuple[LicenceSource, ...] = (), tallies: Tallies | None = None
    ) -> None:
        self.changed = threading.Event()
        self.pages = PastPages(tallies)
        self._lists = PastLists()
        self._objects = PastObjects()
        self._layer = LayerReader(self._lists, LayerSettings(probe=False, licences=licences))
        self._book = SourceBook()
        self._world: World | None = None
        # One page after the other: they are at hand, and Python reads one at a time anyway.
        self._scraper = Scraper(self.pages, ScrapeSettings(workers=1), self.now)

    def show(self, world: World) -> None:
        """Go to an instant."""
        self._world = world
        self._lists.documents = documents(world)
        self.pages.show(world)

    def start(self) -> None:
        """Nothing runs in the background."""

    def close(self) -> None:
        """End the reader's thread."""
        self._scraper.close()

    def observe(self, now: float) -> Observed:
        """All that is to be seen at the instant that is shown."""
        found = put_together(self._objects.read(self._lists.documents))
        layer, layer_statuses = self._read_layer(now)
        scraped = self._scraper.read(find_targets(found.pods.values(), found.nodes))
        observations = Observations(
            now=now,
            nodes=found.nodes,
            pods=found.pods,
            owners=found.owners,
            dcgm=scraped.dcgm,
            monitors=scraped.monitors,
            schedulers=scraped.schedulers,
            slices=found.slices,
            claims=found.claims,
            placement=found.placement,
            layer=layer,
            silent=scraped.silent,
        )
        statuses = (*self._objects.statuses(now), *layer_statuses, *scraped.statuses)
        return Observed(
            observations=observations,
            statuses=tuple(replace(status, read_seconds=None) for status in merged(statuses)),
        )

    def _read_layer(self, now: float) -> tuple[LayerObjects, tuple[SourceStatus, ...]]:
        layer, statuses = self._layer.read(now)
        if self._world is None:
            return layer, statuses
        probes = tuple(handshakes(self._world, layer))
        unread = {name: why for name, why in layer.unread.items() if name != CERTIFICATE}
        # The reader, which did not probe, says nothing of the probing in its last status.
        probed = self._book.probe_status(probes, 0.0, now)
        return replace(layer, probes=probes, unread=unread), (*statuses[:-1], probed)

    def now(self) -> float:
        """The instant that is shown, 0 before the first."""
        return 0.0 if self._world is None else self._world.at
