"""How a pod could reach cards that it does not ask for: device files, privileges, variables. Pure.

Facts: facts/hami.md 6.3, I5 and I7. Trimmed and whole specs read the same.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from gpuatlas.model.objects import Container
from gpuatlas.model.pod_spec import NO_ACCESS, PodAccess
from gpuatlas.model.units import clean_text
from gpuatlas.sources.kubernetes.metadata import label_text
from gpuatlas.sources.kubernetes.shape import fields, items, shared, text

# Variables by which the container runtimes of NVIDIA and Huawei hand cards to a container that asks
# for none, and their values that hand out nothing.
VISIBLE_DEVICES: Final = ("NVIDIA_VISIBLE_DEVICES", "ASCEND_VISIBLE_DEVICES")
NO_DEVICES: Final = frozenset({"", "none", "void"})
# A runtime class of this name makes NVIDIA's runtime the container's.
NVIDIA_RUNTIME: Final = "nvidia"

_DEVICES: Final = "/dev"
_DEVICE_FILES: Final = ("/dev/nvidia", "/dev/davinci", "/dev/dri")
_ROOT: Final = "/"
# A node takes 16 cards, each with a device file of its own and a few for control.
_MAX_DEVICES: Final = 64
_MAX_VOLUMES: Final = 256
_MAX_CONTAINERS: Final = 256
_FINISHED: Final = frozenset({"Succeeded", "Failed"})


def read_access(spec: Mapping[str, object]) -> PodAccess:
    """What of the node the pod was given beside its resources.

    `host_devices` are paths as Kubernetes resolves them ("/dev/nvidia0" of "/dev//nvidia0/"), each
    once, of volumes that a container mounts. The node's root directory counts only where a
    privileged container mounts it: in any other, the kernel opens no device file below it, and
    every node's log and metrics agents mount it. Equal values are the same object.
    """
    return _shared_access(
        privileged=tuple(shared(text(raw.get("name"))) for raw in _privileged(spec)),
        host_devices=tuple(dict.fromkeys(path for _, path in _device_volumes(spec))),
        host_pid=spec.get("hostPID") is True,
        runtime_class=label_text(spec.get("runtimeClassName")),
    )


@lru_cache(maxsize=4096)
def _shared_access(
    *,
    privileged: tuple[str, ...],
    host_devices: tuple[str, ...],
    host_pid: bool,
    runtime_class: str,
) -> PodAccess:
    """One object for all pods that were given the same: most were given nothing."""
    if not (privileged or host_devices or host_pid or runtime_class):
        return NO_ACCESS
    return PodAccess(
        privileged=privileged,
        host_devices=host_devices,
        host_pid=host_pid,
        runtime_class=runtime_class,
    )


def could_reach_cards(access: PodAccess, containers: Sequence[Container], phase: str) -> bool:
    """Whether a pod that asks for no card can use some all the same, or will when it starts."""
    if phase in _FINISHED:
        return False
    return (
        bool(access.host_devices)
        or (bool(access.privileged) and NVIDIA_RUNTIME in access.runtime_class)
        or any(map(_is_shown_devices, containers))
    )


def _is_shown_devices(container: Container) -> bool:
    return any(container.env.get(name, "") not in NO_DEVICES for name in VISIBLE_DEVICES)


def trim_access(spec: Mapping[str, object]) -> dict[str, object]:
    """The pod's own fields that `read_access` reads; those of its containers: `trim_container`."""
    return {
        "hostPID": spec.get("hostPID") is True,
        "runtimeClassName": label_text(spec.get("runtimeClassName")),
        "volumes": [
            {"name": name, "hostPath": {"path": path}} for name, path in _device_volumes(spec)
        ],
    }


def mounted_devices(spec: Mapping[str, object]) -> frozenset[str]:
    """The names of the volumes that `trim_access` keeps."""
    return frozenset(name for name, _ in _device_volumes(spec))


def trim_container(container: Mapping[str, object], kept: frozenset[str]) -> dict[str, object]:
    """The fields of a container that `read_access` reads, with its mounts of the volumes `kept`."""
    mounts = dict.fromkeys(name for name in _mounts(container) if name in kept)
    return {
        "securityContext": {"privileged": True} if _is_privileged(container) else {},
        "volumeMounts": [{"name": name} for name in mounts],
    }


def _containers(spec: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Init containers first, as many as `containers` reads."""
    every = (*items(spec.get("initContainers")), *items(spec.get("containers")))
    return [fields(item) for item in every[:_MAX_CONTAINERS]]


def _privileged(spec: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    return filter(_is_privileged, _containers(spec))


def _is_privileged(container: Mapping[str, object]) -> bool:
    return fields(container.get("securityContext")).get("privileged") is True


def _device_volumes(spec: Mapping[str, object]) -> Sequence[tuple[str, str]]:
    """(name, path) of the volumes that show device files to a container, in spec order."""
    found = [
        (text(volume.get("name")), path)
        for volume in map(fields, items(spec.get("volumes"))[:_MAX_VOLUMES])
        if (path := _device_path(text(fields(volume.get("hostPath")).get("path"))))
    ]
    if not found:
        return ()
    mounted = _mounted(_containers(spec))
    privileged = _mounted(_privileged(spec))
    return [
        (name, path) for name, path in found if name in (privileged if path == _ROOT else mounted)
    ][:_MAX_DEVICES]


def _mounted(containers: Iterable[Mapping[str, object]]) -> set[str]:
    return {name for container in containers for name in _mounts(container)}


def _mounts(container: Mapping[str, object]) -> Iterator[str]:
    for mount in map(fields, items(container.get("volumeMounts"))[:_MAX_VOLUMES]):
        yield text(mount.get("name"))


def _device_path(path: str) -> str:
    """The path without detours, fit for a label; "" for one that shows no device file."""
    if not path.startswith("/"):
        return ""
    resolved = "/" + posixpath.normpath(path).lstrip("/")
    if resolved in {_ROOT, _DEVICES} or resolved.startswith(_DEVICE_FILES):
        return shared(clean_text(resolved))
    return ""
