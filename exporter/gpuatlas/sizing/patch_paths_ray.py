"""KubeRay's kinds. Pure: a table."""

from __future__ import annotations

from typing import Final

from gpuatlas.sizing.patch_kind import EACH, PatchKind, Place, keeps_pods, pod_template


def _ray(*path: str) -> tuple[Place, ...]:
    """A RayCluster's spec at a path."""
    return (
        pod_template(*path, "headGroupSpec", "template"),
        pod_template(*path, "workerGroupSpecs", EACH, "template"),
    )


ROWS: Final[tuple[PatchKind, ...]] = (
    PatchKind(
        group="ray.io",
        kind="RayCluster",
        plural="rayclusters",
        versions=("v1", "v1alpha1"),
        places=_ray("spec"),
        effect="KubeRay keeps the pods that exist: delete those of the group, and it makes others",
    ),
    PatchKind(
        group="ray.io",
        kind="RayService",
        plural="rayservices",
        versions=("v1", "v1alpha1"),
        places=_ray("spec", "rayClusterConfig"),
        effect="KubeRay brings up a second cluster beside the first, and needs room for both",
    ),
    PatchKind(
        group="ray.io",
        kind="RayJob",
        plural="rayjobs",
        versions=("v1", "v1alpha1"),
        places=_ray("spec", "rayClusterSpec"),
        fixed=keeps_pods("RayJob"),
    ),
    PatchKind(
        group="ray.io",
        kind="RayCronJob",
        plural="raycronjobs",
        versions=("v1",),
        places=_ray("spec", "jobTemplate", "rayClusterSpec"),
        effect="from the next run on",
    ),
)
