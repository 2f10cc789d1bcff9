"""Takes a capture of a running cluster: trimmed objects, raw pages, the time.

Only objects that the readers keep are taken, cut to the fields that they read; of owners only those
that stand above something that was taken.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.targets import Target
from gpuatlas.sources.capture.contents import Capture, RawObject, RawPage, Silence
from gpuatlas.sources.capture.layer import find_layer, identity, uses_layer
from gpuatlas.sources.capture.layer_collector import collect_layer
from gpuatlas.sources.capture.trimming import Kept, connected, keeping, trim_object
from gpuatlas.sources.kubernetes.discovery import find_targets
from gpuatlas.sources.kubernetes.kinds import KINDS, NODES, PODS
from gpuatlas.sources.kubernetes.listing import read_once
from gpuatlas.sources.kubernetes.pages import Lists
from gpuatlas.sources.scrape.scraper import Scraper
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas.sources.scrape.transport import Transport


def collect_objects(
    connection: Lists,
    progress: Callable[[str, int], None],
    *,
    namespaces: frozenset[str] = frozenset(),
    page_size: int = 500,
) -> tuple[Capture, tuple[Target, ...], tuple[str, ...]]:
    """The objects of a cluster; with them the endpoints to read, and warnings for a person.

    The sharing layers' own objects are among them; what of these cannot be read is a warning.

    `namespaces` are those whose pods may be exporters, empty for any.

    Raises:
        SourceError: nodes or pods cannot be read.
    """
    kinds = [replace(kind, project=keeping(kind)) for kind in KINDS]
    listing = read_once(connection, kinds, progress, page_size=page_size)
    kept: dict[str, dict[str, Kept]] = {
        name: {key: value for key, value in values.items() if isinstance(value, Kept)}
        for name, values in listing.objects.items()
    }
    objects = tuple(
        RawObject(
            body={**item.trimmed, "apiVersion": listing.versions[kind.id]},
            where=f"{kind.kind} {key}",
        )
        for kind in KINDS
        for key, item in kept.get(kind.id, {}).items()
    )
    pods = [item.value for item in kept[PODS.id].values() if isinstance(item.value, Pod)]
    nodes = {
        key: item.value for key, item in kept[NODES.id].items() if isinstance(item.value, Node)
    }
    targets = find_targets(pods, nodes, namespaces=namespaces or None)
    layer = collect_layer(connection)
    part = find_layer(layer.objects)
    own = tuple(t for raw in part.members if (t := trim_object(raw, of_layer=True)) is not None)
    taken = (*_without(connected(objects), own), *own)
    if not (own or uses_layer(nodes.values(), pods)):
        return Capture(objects=taken), targets, tuple(listing.warnings)
    capture = Capture(objects=taken, absent=layer.listed - part.kinds)
    return capture, targets, (*listing.warnings, *_warnings(layer.unread))


def _without(objects: Iterable[RawObject], others: Iterable[RawObject]) -> Iterator[RawObject]:
    """Those that are not among the others: a Deployment can be an owner and a layer's."""
    there = {identity(raw) for raw in others}
    return (raw for raw in objects if identity(raw) not in there)


def _warnings(unread: Mapping[str, str]) -> Iterator[str]:
    """One for each reason."""
    kinds: dict[str, list[str]] = {}
    for kind, reason in unread.items():
        kinds.setdefault(reason, []).append(kind)
    for reason, named in kinds.items():
        yield f"without {', '.join(named)}: {reason}"


class RecordingTransport:
    """Passes pages on and remembers them."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._lock = threading.Lock()
        self.bodies: dict[Target, bytes] = {}

    def fetch(self, target: Target, *, limit_bytes: int, timeout_s: float) -> bytes:
        """As `Transport.fetch`."""
        body = self._transport.fetch(target, limit_bytes=limit_bytes, timeout_s=timeout_s)
        with self._lock:
            self.bodies[target] = body
        return body


def collect_pages(
    targets: Iterable[Target],
    transport: Transport,
    settings: ScrapeSettings,
    clock: Callable[[], float],
) -> tuple[tuple[RawPage, ...], tuple[Silence, ...]]:
    """The pages of all endpoints, read as the exporter reads them, and why some gave none."""
    listed = tuple(targets)
    recorder = RecordingTransport(transport)
    scraper = Scraper(recorder, settings, clock)
    try:
        scraped = scraper.read(listed)
    finally:
        scraper.close()
    pages: list[RawPage] = []
    silences: list[Silence] = []
    names = _FileNames()
    for target in listed:
        name = names.of(target)
        body = recorder.bodies.get(target)
        if body is not None:
            pages.append(RawPage(source=target.source, name=name, body=body))
        else:
            reason = scraped.silent.get((target.source, target.node), "no answer")
            silences.append(Silence(source=target.source, name=name, reason=reason))
    return tuple(pages), tuple(silences)


class _FileNames:
    """One file for each endpoint: by node, by node and pod for a second one of it."""

    def __init__(self) -> None:
        self._taken: set[tuple[str, str]] = set()

    def of(self, target: Target) -> str:
        """The name of the endpoint's page, without its ending."""
        name = target.node or f"{target.namespace}_{target.pod}"
        if (target.source, name) in self._taken:
            name = f"{target.node}_{target.pod}"
        self._taken.add((target.source, name))
        return name
