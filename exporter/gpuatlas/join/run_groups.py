"""What runs with generated names have in common, so that their needs can be looked at as one.

Pure. Only kinds that come to an end have a group, and only where the name of the run is no name
that somebody chose: two Jobs that people called "train-7b" and "train-70b" are two. Tenants can
write everything that is read here: it moves their own runs from one group of theirs to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpuatlas.join.generated_names import stem_of
from gpuatlas.model.objects import OwnerLink, Pod
from gpuatlas.model.snapshot import WorkloadId
from gpuatlas.model.units import clean_text

# Kinds that come to an end (facts/k8s.md 2.2). What stands above them and goes on (a CronJob, a
# ScheduledWorkflow, a Katib Experiment) is the workload itself wherever it can be read.
_RUNS: Final = frozenset(
    {
        ("", "Pod"),
        ("batch", "Job"),
        ("batch.volcano.sh", "Job"),
        ("jobset.x-k8s.io", "JobSet"),
        ("ray.io", "RayJob"),
        ("trainer.kubeflow.org", "TrainJob"),
        *(("kubeflow.org", f"{kind}Job") for kind in ("PyTorch", "TF", "MPI", "XGBoost", "Paddle")),
        ("kubeflow.org", "JAXJob"),
        ("kubeflow.org", "Trial"),
        ("argoproj.io", "Workflow"),
        ("sparkoperator.k8s.io", "SparkApplication"),
        ("tekton.dev", "PipelineRun"),
        ("tekton.dev", "TaskRun"),
        ("run.ai", "RunaiJob"),
        ("workload.codeflare.dev", "AppWrapper"),
    }
)
_NODE: Final = ("", "Node")

_NAME: Final = "app.kubernetes.io/name"
_INSTANCE: Final = "app.kubernetes.io/instance"
# KubeRay calls all its pods so, unless a template names them.
_OPERATORS_OWN: Final = frozenset({"kuberay"})
# Labels by which other systems say what a run was made from; of a row all or none. Tekton gives a
# pipeline that is written into its run the name of the run.
_MADE_FROM: Final = (
    ("workflows.argoproj.io/workflow-template",),
    ("workflows.argoproj.io/cluster-workflow-template",),
    ("tekton.dev/pipeline",),
    ("tekton.dev/task",),
    ("katib.kubeflow.org/experiment",),
    ("dag_id", "task_id"),
)
_LONGEST: Final = 200


def run_group_of(workload: WorkloadId, owner: OwnerLink | None, pods: Sequence[Pod]) -> str:
    """The group of a run, "" for what goes on, for chosen names and where nothing tells it.

    `owner` is the workload's own object where it was read. The pods' application label comes first,
    then what a system says that it made the run from, then the beginning of the name. A label
    counts where all pods have the same: the steps of one run may be labelled differently.
    """
    if (workload.api_group, workload.kind) not in _RUNS or not pods or _is_static(pods[0]):
        return ""
    made_from = (owner.template if owner is not None else "") or _told(workload, pods)
    beginning = _beginning(workload, owner)
    if beginning is None and not made_from:
        return ""
    return clean_text(_application(pods) or made_from or beginning or "", limit=_LONGEST)


def _is_static(pod: Pod) -> bool:
    """Whether it is a file on a node: such pods are named after it, and go on."""
    above = pod.controller
    return above is not None and (above.api_group, above.kind) == _NODE


def _beginning(workload: WorkloadId, owner: OwnerLink | None) -> str | None:
    """The name without what was made up; None for a chosen name, "" where nothing is left."""
    written = owner.generate_name if owner is not None else ""
    if written and workload.name.startswith(written):
        stem = written.rstrip("-.")
        return stem_of(stem) or stem
    return stem_of(workload.name)


def _told(workload: WorkloadId, pods: Sequence[Pod]) -> str:
    for keys in _MADE_FROM:
        values = [_agreed(pods, key) for key in keys]
        if all(values) and workload.name not in values:
            return "/".join(values)
    return ""


def _application(pods: Sequence[Pod]) -> str:
    """The application that the pods belong to, and which installation of it."""
    name = _agreed(pods, _NAME)
    if not name or name in _OPERATORS_OWN:
        return ""
    instance = _agreed(pods, _INSTANCE)
    stem = stem_of(instance)
    instance = instance if stem is None else stem
    return f"{name}/{instance}" if instance not in {"", name} else name


def _agreed(pods: Sequence[Pod], key: str) -> str:
    """The label's value, "" where not all pods have the same."""
    first = pods[0].labels.get(key, "")
    return first if first and all(pod.labels.get(key) == first for pod in pods) else ""
