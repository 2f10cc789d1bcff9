"""Kubernetes' own kinds (facts/k8s.md 2.2). Pure: a table."""

from __future__ import annotations

from typing import Final

from gpuatlas.sizing.patch_kind import PatchKind, keeps_template, pod_template

_ROLLOUT: Final = (
    "its pods are replaced one by one; where more may run than asked for (maxSurge) the new one "
    "needs room beside the old one"
)
_REPLACED: Final = "its pods are replaced one by one"


def _built_in(group: str, kind: str, plural: str, *path: str, **words: str) -> PatchKind:
    return PatchKind(
        group=group,
        kind=kind,
        plural=plural,
        versions=("v1",),
        places=(pod_template(*path),),
        built_in=True,
        **words,
    )


ROWS: Final[tuple[PatchKind, ...]] = (
    _built_in("apps", "Deployment", "deployments", "spec", "template", effect=_ROLLOUT),
    _built_in("apps", "StatefulSet", "statefulsets", "spec", "template", effect=_REPLACED),
    _built_in("apps", "DaemonSet", "daemonsets", "spec", "template", effect=_REPLACED),
    _built_in(
        "apps",
        "ReplicaSet",
        "replicasets",
        "spec",
        "template",
        effect="only pods made later differ",
    ),
    _built_in(
        "",
        "ReplicationController",
        "replicationcontrollers",
        *("spec", "template"),
        effect="only pods made later differ",
    ),
    _built_in(
        "batch",
        "CronJob",
        "cronjobs",
        *("spec", "jobTemplate", "spec", "template"),
        effect="from the next run on",
    ),
    _built_in("batch", "Job", "jobs", "spec", "template", fixed=keeps_template("Job")),
    _built_in(
        "",
        "Pod",
        "pods",
        fixed="the devices of a pod that exists cannot be changed: put this into its manifest, and "
        "make the pod anew",
    ),
)
