"""Which pods must be placed together, and how many at least (facts/k8s.md 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from gpuatlas.join.placement_index import NATIVE, PlacementIndex
from gpuatlas.model.objects import Pod
from gpuatlas.model.placement import PodGroup, QueuedWorkload
from gpuatlas.model.pod_spec import Gang

# One pod alone is no gang.
_LEAST: Final = 2


def gang_of(
    pod: Pod,
    queued: QueuedWorkload | None,
    groups: Sequence[PodGroup],
    index: PlacementIndex,
) -> Gang | None:
    """The gang of a pod: by a group object, by its own word, by the Workload that admits it.

    A group alone proves nothing: only a minimum above 1 makes a gang. What cannot be read (a group
    that is named, but not there) is no gang.
    """
    for group in groups:
        if gang := _gang(group.system, group.name, group.minimum):
            return gang
    return _native_template(pod, index) or _declared(pod) or _queued(queued)


def queued_gang(workload: QueuedWorkload) -> Gang | None:
    """A Workload is admitted as a whole, or from the minimums that its pod sets allow."""
    least = sum(s.count if s.minimum is None else s.minimum for s in workload.pod_sets)
    return _gang("kueue", workload.name, least)


def largest(gangs: Iterable[Gang]) -> Gang | None:
    """The gang with the largest minimum, the first by name of several."""
    return min(gangs, key=lambda gang: (-gang.minimum, gang.name, gang.system), default=None)


def _gang(system: str, name: str, minimum: int | None) -> Gang | None:
    if minimum is None or minimum < _LEAST:
        return None
    return Gang(system=system, name=name, minimum=minimum)


def _native_template(pod: Pod, index: PlacementIndex) -> Gang | None:
    """Kubernetes 1.35: the policy is in a Workload that the pod names."""
    found = index.templates.get((pod.namespace, pod.scheduling.native_workload))
    if found is None:
        return None
    template = pod.scheduling.native_template
    return _gang(NATIVE, f"{found.name}/{template}", found.minimums.get(template))


def _declared(pod: Pod) -> Gang | None:
    return pod.scheduling.gangs[0] if pod.scheduling.gangs else None


def _queued(queued: QueuedWorkload | None) -> Gang | None:
    return queued_gang(queued) if queued is not None else None
