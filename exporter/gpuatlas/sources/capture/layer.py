"""The sharing layers' own objects of a capture: which they are, and what they say. Pure.

They go through the parser of a living cluster. A capture may hold a part of the objects only: a
kind of which it holds none counts as not read, unless the capture says that there was none to hold
(`contents.Capture.absent`). It never holds a TLS handshake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.targets import HAMI_MONITOR, HAMI_SCHEDULER
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.kubernetes.components import component_of
from gpuatlas.sources.kubernetes.metadata import label_text
from gpuatlas.sources.kubernetes.shape import fields
from gpuatlas.sources.layer.asks import (
    ASKS,
    CONFIG_MAPS,
    ENDPOINT_SLICES,
    LEASES,
    SERVICE_NAME,
    SERVICES,
    WEBHOOKS,
    Ask,
)
from gpuatlas.sources.layer.leases import lease_places
from gpuatlas.sources.layer.parse import config_places, parse_layer, read_controllers

LAYER_KINDS: Final[Mapping[tuple[str, str], Ask]] = {(a.api_group, a.kind): a for a in ASKS}

_LAYER_SOURCES: Final = frozenset({HAMI_MONITOR, HAMI_SCHEDULER})
_NONE: Final = "the capture holds none"
_CERTIFICATE: Final = "certificate"
_NO_HANDSHAKE: Final = "a capture holds no TLS handshake with a webhook"

# Kind, namespace and name.
_Identity = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerPart:
    """The layers' part of a capture: its raw objects in order, and what they say."""

    members: tuple[RawObject, ...]
    said: LayerObjects

    @property
    def ids(self) -> frozenset[int]:
        """The `id` of each of these very objects."""
        return frozenset(map(id, self.members))

    @property
    def kinds(self) -> frozenset[str]:
        """What of `LAYER_KINDS` it holds, as `Ask.qualified` names them."""
        return frozenset(LAYER_KINDS[raw.api_group, raw.kind].qualified for raw in self.members)


def find_layer(objects: Sequence[RawObject]) -> LayerPart:
    """The layers' objects among others. One that cannot be read, or comes again, is none."""
    raws = [raw for raw in objects if (raw.api_group, raw.kind) in LAYER_KINDS]
    said = parse_layer((_placed(raw) for raw in raws), every_slice=True)
    wanted = set(_identities(said))
    members: dict[_Identity, RawObject] = {}
    for raw in raws:
        if _belongs_to(raw) in wanted:
            members.setdefault(_identity(raw), raw)
    return LayerPart(members=tuple(members.values()), said=said)


def read_layer(
    capture: Capture,
    part: LayerPart,
    nodes: Mapping[str, Node],
    pods: Mapping[str, Pod],
    *,
    at: float,
) -> LayerObjects:
    """What the capture says of the layers at the instant `at`, and what of it is not known.

    Of a cluster in which nothing speaks of a layer there is nothing to know.
    """
    looked_at = part.kinds | capture.absent
    said = part.said
    if ENDPOINT_SLICES.qualified not in looked_at:
        said = parse_layer(map(_placed, part.members))
    used = bool(part.members) or uses_layer(nodes.values(), pods.values())
    return replace(said, read_at=at, unread=_unread(part, looked_at) if used else {})


def _unread(part: LayerPart, looked_at: frozenset[str]) -> dict[str, str]:
    needless = set(_needless(part))
    reasons = {
        ask.qualified: _NONE
        for ask in ASKS
        if ask.qualified not in looked_at and ask not in needless
    }
    return {**reasons, _CERTIFICATE: _NO_HANDSHAKE}


def _needless(part: LayerPart) -> Iterator[Ask]:
    """What a living cluster is asked for by name, where the controllers name none."""
    controllers = part.said.controllers
    if controllers and not any(True for _ in lease_places(controllers)):
        yield LEASES
    if controllers and not config_places(read_controllers(map(_placed, part.members))):
        yield CONFIG_MAPS


def uses_layer(nodes: Iterable[Node], pods: Iterable[Pod]) -> bool:
    """Whether the nodes or pods speak of a sharing layer."""
    return any(node.registrations for node in nodes) or any(
        pod.promises
        or ((component := component_of(pod.labels)) and component.source in _LAYER_SOURCES)
        for pod in pods
    )


def _identities(said: LayerObjects) -> Iterator[_Identity]:
    """The objects that something was read of; of the EndpointSlices their Services."""
    yield from ((c.kind, c.namespace, c.name) for c in said.controllers)
    yield from ((WEBHOOKS.kind, "", hook.configuration) for hook in said.webhooks)
    yield from ((SERVICES.kind, e.namespace, e.service) for e in said.endpoints)
    yield from ((LEASES.kind, lease.namespace, lease.name) for lease in said.leases)
    yield from ((CONFIG_MAPS.kind, config.namespace, config.name) for config in said.configs)


def _belongs_to(raw: RawObject) -> _Identity:
    """The object itself, or the Service of an EndpointSlice."""
    if raw.kind != ENDPOINT_SLICES.kind:
        return _identity(raw)
    metadata = fields(_placed(raw).get("metadata"))
    service = label_text(fields(metadata.get("labels")).get(SERVICE_NAME))
    return (SERVICES.kind, label_text(metadata.get("namespace")), service)


def identity(raw: RawObject) -> tuple[str, str, str, str]:
    """API group, kind, namespace and name."""
    return (raw.api_group, *_identity(raw))


def _identity(raw: RawObject) -> _Identity:
    metadata = fields(_placed(raw).get("metadata"))
    return (raw.kind, label_text(metadata.get("namespace")), label_text(metadata.get("name")))


def _placed(raw: RawObject) -> Mapping[str, Any]:
    """The object in its namespace."""
    return raw.body if raw.kind == WEBHOOKS.kind else raw.placed
