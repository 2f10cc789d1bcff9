"""Where the kinds of workloads keep their containers, and what a change of one does: one row each.

Only kinds whose objects hold resources themselves are here. Facts: facts/k8s.md 2.2 and 7, and the
API definitions of the systems (KServe v1beta1 and v1alpha1, KubeRay v1, Kubeflow v1 and Trainer
v1alpha1, JobSet v1alpha2, LeaderWorkerSet v1, Argo v1alpha1, Volcano v1alpha1, Grove v1alpha1).
Pure: a table. A new kind is a new row of the `patch_paths_*.py` of its family.
"""

from __future__ import annotations

from typing import Final

from gpuatlas.model.workload_kinds import kind_name
from gpuatlas.sizing import (
    patch_paths_built_in,
    patch_paths_groups,
    patch_paths_kubeflow,
    patch_paths_ray,
    patch_paths_serving,
)
from gpuatlas.sizing.patch_kind import PatchKind

_ROWS: Final[tuple[PatchKind, ...]] = (
    *patch_paths_built_in.ROWS,
    *patch_paths_serving.ROWS,
    *patch_paths_ray.ROWS,
    *patch_paths_kubeflow.ROWS,
    *patch_paths_groups.ROWS,
)
PATCH_KINDS: Final = {kind_name(row.group, row.kind): row for row in _ROWS}
"""By the kind as series and screens write it."""
