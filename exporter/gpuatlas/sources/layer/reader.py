"""Reads the sharing layers' own objects, and what their webhooks serve, once in a while.

Controllers come first: where there are none nothing else is asked. They name the Leases and
ConfigMaps; webhooks and Services name the EndpointSlices. Whatever cannot be read is told in
`LayerObjects.unread` and in the status of its source, and costs nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Final

from gpuatlas.model.layer import CertificateProbe, LayerObjects, Licence
from gpuatlas.model.status import SourceStatus
from gpuatlas.sources.kubernetes.pages import Lists
from gpuatlas.sources.layer.asks import (
    ASKS,
    CONFIG_MAPS,
    DAEMON_SETS,
    DEPLOYMENTS,
    ENDPOINT_SLICES,
    LEASES,
    SERVICE_NAME,
    SERVICES,
    WEBHOOKS,
    Ask,
    one_of,
)
from gpuatlas.sources.layer.bookkeeping import SourceBook
from gpuatlas.sources.layer.bounds import SYSTEM, in_turn
from gpuatlas.sources.layer.leases import lease_places
from gpuatlas.sources.layer.licences import read_licence, unread_licence
from gpuatlas.sources.layer.parse import (
    config_places,
    parse_layer,
    read_controllers,
    service_names,
    webhook_namespaces,
)
from gpuatlas.sources.layer.probing import probe_targets
from gpuatlas.sources.layer.reading import Memory, Raw, Round
from gpuatlas.sources.layer.settings import LayerSettings
from gpuatlas.sources.layer.tls import probe_all

CERTIFICATE: Final = "certificate"
# Any tenant can label a Deployment of theirs as a scheduler: what it names is not read without end.
MAX_NAMED: Final = 32
_NOT_PROBED: Final = (
    "the certificates that webhooks serve were not looked at: add --probe-webhook where the "
    "endpoints of their Services can be reached"
)


class LayerReader:
    """Reads rounds; `read` is for one thread at a time.

    Args:
        connection: the API server.
        settings: what is read beside it, and for how long an old answer is believed.
    """

    def __init__(self, connection: Lists, settings: LayerSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._memory = Memory()
        self._book = SourceBook()

    def read(self, now: float) -> tuple[LayerObjects, tuple[SourceStatus, ...]]:
        """What there is at `now`, in Unix seconds, and how each source fared.

        A part that fails raises nothing: `unread` says why, and the other parts are there.
        """
        asked = Round(self._connection, self._memory, now=now, outage_s=self._settings.outage_s)
        unread: dict[str, str] = {}
        objects = self._read_objects(asked, unread)
        licences = tuple(self._licences(asked))
        asked.finish()
        started = time.monotonic()
        probes = self._probes(objects, now, unread)
        seconds = time.monotonic() - started
        unread |= {ask.qualified: o.unread for ask, o in asked.outcomes.items() if o.unread}
        self._book.note_rejections(objects.rejections)
        statuses = (
            *(self._book.status(ask.source, asked.outcomes.get(ask), now) for ask in ASKS),
            self._book.probe_status(probes, seconds, now),
        )
        read = replace(objects, read_at=now, probes=probes, licences=licences, unread=unread)
        return read, statuses

    def _read_objects(self, asked: Round, unread: dict[str, str]) -> LayerObjects:
        first = (asked.read_list(DAEMON_SETS), asked.read_list(DEPLOYMENTS))
        raw = [item for outcome in first for item in outcome.objects]
        # A layer that may not be seen can still have a webhook, which the checks have to know.
        if not raw and not any(outcome.unread for outcome in first):
            return LayerObjects()
        raw += asked.read_list(WEBHOOKS).objects
        raw += asked.read_list(SERVICES).objects
        names = service_names(raw)
        if names:
            raw += asked.read_list(ENDPOINT_SLICES, (one_of(SERVICE_NAME, names),)).objects
        records = read_controllers(raw)
        homes = webhook_namespaces(raw)
        leases = lease_places(record.controller for record in records)
        raw += _named(asked, LEASES, leases, homes, unread)
        raw += _named(asked, CONFIG_MAPS, config_places(records), homes, unread)
        slices = asked.outcomes.get(ENDPOINT_SLICES)
        return parse_layer(raw, every_slice=slices is not None and not slices.unread)

    def _licences(self, asked: Round) -> Iterator[Licence]:
        for source in self._settings.licences:
            found = asked.read_named(CONFIG_MAPS, source.namespace, source.config_map)
            if found.error:
                yield unread_licence(source, found.error)
            else:
                yield read_licence(source, found.raw)

    def _probes(
        self, objects: LayerObjects, now: float, unread: dict[str, str]
    ) -> tuple[CertificateProbe, ...]:
        if not self._settings.probe:
            if objects.webhooks:
                unread[CERTIFICATE] = _NOT_PROBED
            return ()
        targets = probe_targets(objects, self._settings.probed_endpoints)
        return probe_all(targets, now, self._settings.probe_timeout_s)


def _named(
    asked: Round,
    ask: Ask,
    places: Iterable[tuple[str, str]],
    homes: Collection[str],
    unread: dict[str, str],
) -> Iterator[Raw]:
    """The objects of these names; one that does not exist is told in `unread`.

    Where `homes`, to which webhooks lead, are known, those there and the system's are told alone:
    anybody can name an object of another namespace.
    """
    own = {*homes, SYSTEM}
    for namespace, name in in_turn(places, lambda place: place[0], homes)[:MAX_NAMED]:
        found = asked.read_named(ask, namespace, name)
        if found.raw is not None:
            yield found.raw
        elif not found.error and (not homes or namespace in own):
            unread.setdefault(ask.qualified, f"{ask.kind} {namespace}/{name} does not exist")
