"""Which pod templates the pods of a workload were made from. Pure.

Controllers write it on the pods that they make (facts/k8s.md 2.2). A tenant can write the same
labels: that changes what is told of that tenant's own workload, and nothing else. Jobs, JobSets,
training jobs and RayClusters say nothing, and nothing is made up for them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

from gpuatlas.model.objects import Pod
from gpuatlas.model.snapshot import WorkloadId
from gpuatlas.model.units import clean_text

# A rollout has two at a time, a service of several parts one for each.
MOST_REVISIONS: Final = 4
# The longest value that a label may have.
_LONGEST: Final = 63
# The most telling first: LeaderWorkerSet and Grove make their pods through controllers that write
# a hash of their own, and that one also changes when a group is only resized. Argo Rollouts leaves
# pod-template-hash to Deployments. StatefulSets and DaemonSets have the last one.
_LABELS: Final = (
    "leaderworkerset.sigs.k8s.io/template-revision-hash",
    "grove.io/pod-template-hash",
    "rollouts-pod-template-hash",
    "pod-template-hash",
    "controller-revision-hash",
)
_RAY_SERVICE: Final = ("ray.io", "RayService")
_RAY_CLUSTER: Final = ("ray.io", "RayCluster")


def revisions_of(workload: WorkloadId, pods: Iterable[Pod]) -> tuple[str, ...]:
    """The revisions of these pods, by name, as far as something says them.

    Of more than `MOST_REVISIONS` the last one told stands for all others and changes with them:
    what is left out must not hide that a template changed.
    """
    found = sorted({revision for pod in pods if (revision := _revision(workload, pod))})
    if len(found) <= MOST_REVISIONS:
        return tuple(found)
    kept, others = found[: MOST_REVISIONS - 1], found[MOST_REVISIONS - 1 :]
    mark = hashlib.blake2b("\n".join(others).encode(errors="replace"), digest_size=4).hexdigest()
    return (*kept, f"{len(others)} others {mark}")


def _revision(workload: WorkloadId, pod: Pod) -> str:
    above = pod.controller
    if above is not None and (workload.api_group, workload.kind) == _RAY_SERVICE:
        # KubeRay makes a new RayCluster for each template of a RayService.
        made = (above.api_group, above.kind) == _RAY_CLUSTER
        return _without(above.name, workload.name) if made else ""
    written = next((pod.labels[key] for key in _LABELS if pod.labels.get(key)), "")
    # A StatefulSet's revisions are objects, and named after it.
    return _without(written, above.name if above is not None else "")


def _without(name: str, owner: str) -> str:
    return clean_text(name.removeprefix(f"{owner}-") if owner else name, limit=_LONGEST)
