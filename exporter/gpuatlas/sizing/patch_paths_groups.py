"""Kinds whose pods make a group: JobSet, LeaderWorkerSet, Volcano, Grove. Pure: a table."""

from __future__ import annotations

from typing import Final

from gpuatlas.sizing.patch_kind import EACH, PatchKind, Place, keeps_template, pod_template

ROWS: Final[tuple[PatchKind, ...]] = (
    PatchKind(
        group="leaderworkerset.x-k8s.io",
        kind="LeaderWorkerSet",
        plural="leaderworkersets",
        versions=("v1",),
        places=(
            pod_template("spec", "leaderWorkerTemplate", "leaderTemplate"),
            pod_template("spec", "leaderWorkerTemplate", "workerTemplate"),
        ),
        effect="its groups are replaced one by one",
    ),
    PatchKind(
        group="jobset.x-k8s.io",
        kind="JobSet",
        plural="jobsets",
        versions=("v1alpha2",),
        places=(pod_template("spec", "replicatedJobs", EACH, "template", "spec", "template"),),
        fixed=keeps_template("JobSet"),
    ),
    PatchKind(
        group="batch.volcano.sh",
        kind="Job",
        plural="jobs",
        versions=("v1alpha1",),
        places=(pod_template("spec", "tasks", EACH, "template"),),
        fixed=keeps_template("Volcano Job"),
    ),
    PatchKind(
        group="grove.io",
        kind="PodCliqueSet",
        plural="podcliquesets",
        versions=("v1alpha1",),
        places=(Place(path=("spec", "template", "cliques", EACH, "spec", "podSpec")),),
        effect="Grove replaces the pods of the clique",
    ),
)
