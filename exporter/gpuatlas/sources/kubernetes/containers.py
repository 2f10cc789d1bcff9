"""Containers of a pod spec, and what the kubelet says of their devices. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpuatlas.model.objects import Container, DeviceStatus
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.units import clean_text
from gpuatlas.sources.kubernetes.claims import read_container_claims
from gpuatlas.sources.kubernetes.kept import KEPT_ENV
from gpuatlas.sources.kubernetes.resources import SOURCE, merged, read_resources
from gpuatlas.sources.kubernetes.shape import EMPTY, fields, items, shared, text

# A pod with more containers or devices is no workload (a node takes 110 pods and 16 cards).
MAX_CONTAINERS: Final = 256
MAX_DEVICES: Final = 1024
# Longest value of a kept variable; NVIDIA_VISIBLE_DEVICES with 16 UUIDs has 656 characters.
MAX_ENV_VALUE: Final = 1024
# As many as sources.runtimes looks at.
MAX_VARIABLES: Final = 1024
_MAX_PORTS: Final = 64
# The API's restartCount is an int32.
_MOST_RESTARTS: Final = 2**31 - 1
_LAST_PORT: Final = 65_535
STATUS_LISTS: Final = (
    "initContainerStatuses",
    "containerStatuses",
    "ephemeralContainerStatuses",
)


def read_containers(
    spec: Mapping[str, object], where: str
) -> tuple[tuple[Container, ...], list[Rejection]]:
    """The containers in spec order, init containers first, and the refused quantities."""
    found: list[Container] = []
    refused: list[Rejection] = []
    for kind, raw in _containers(spec):
        if len(found) == MAX_CONTAINERS:
            break
        container, problems = _read_container(kind, raw, where)
        found.append(container)
        refused += problems
    return tuple(found), refused


def _containers(spec: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    for item in items(spec.get("initContainers")):
        raw = fields(item)
        # A restartable init container runs beside the others for the pod's whole life.
        yield ("sidecar" if raw.get("restartPolicy") == "Always" else "init"), raw
    for item in items(spec.get("containers")):
        yield "main", fields(item)


def _read_container(
    kind: str, raw: Mapping[str, object], where: str
) -> tuple[Container, list[Rejection]]:
    name = text(raw.get("name"))
    resources = fields(raw.get("resources"))
    at = f"{where} container {name}"
    limits, refused = read_resources(resources.get("limits"), at)
    requests, _ = read_resources(resources.get("requests"), at)
    container = Container(
        name=shared(name),
        kind=kind,
        image=shared(text(raw.get("image"))),
        limits=merged(requests, limits),
        env=_read_env(raw.get("env")) or EMPTY,
        ports=tuple(_read_ports(raw.get("ports"))),
        claims=read_container_claims(resources),
    )
    return container, refused


def _read_env(value: object) -> dict[str, str]:
    kept: dict[str, str] = {}
    for item in items(value)[:MAX_VARIABLES]:
        variable = fields(item)
        name = text(variable.get("name"))
        literal = variable.get("value")
        if name in KEPT_ENV and isinstance(literal, str) and len(literal) <= MAX_ENV_VALUE:
            kept[name] = shared(literal)
    return kept


def _read_ports(value: object) -> Iterator[tuple[str, int]]:
    for item in items(value)[:_MAX_PORTS]:
        port = fields(item)
        number = port.get("containerPort")
        if isinstance(number, int) and not isinstance(number, bool) and 0 < number <= _LAST_PORT:
            yield shared(text(port.get("name"))), number


def read_devices(status: Mapping[str, object]) -> tuple[DeviceStatus, ...]:
    """Devices and their health from the container statuses (KEP-4680, facts/k8s.md 1.6 b)."""
    found: list[DeviceStatus] = []
    for raw in _statuses(status):
        found += _read_container_devices(raw)
    return tuple(found[:MAX_DEVICES])


def _read_container_devices(status: Mapping[str, object]) -> Iterator[DeviceStatus]:
    for item in items(status.get("allocatedResourcesStatus")):
        allocated = fields(item)
        for entry in items(allocated.get("resources")):
            device = fields(entry)
            if identity := text(device.get("resourceID")):
                yield DeviceStatus(
                    container=shared(text(status.get("name"))),
                    resource=shared(text(allocated.get("name"))),
                    device=identity,
                    health=shared(text(device.get("health"))),
                )


def read_restarts(
    status: Mapping[str, object], where: str
) -> tuple[tuple[tuple[str, int], ...], list[Rejection]]:
    """(container, restartCount) of the containers that were started again, and what was refused.

    Containers that never were are left out: that is nearly all of them.
    """
    found: list[tuple[str, int]] = []
    refused: list[Rejection] = []
    for raw in _statuses(status):
        name, count = text(raw.get("name")), raw.get("restartCount")
        if not isinstance(count, int) or isinstance(count, bool) or not count:
            continue
        if 0 < count <= _MOST_RESTARTS:
            found.append((shared(name), count))
        else:
            at = clean_text(f"{where} container {name} restartCount")
            refused.append(Rejection(SOURCE, "bad-count", at, "is no int32 above 0"))
    return tuple(found[:MAX_CONTAINERS]), refused[:MAX_CONTAINERS]


def _statuses(status: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for name in STATUS_LISTS:
        yield from map(fields, items(status.get(name)))
