"""Which kinds stand above which, and which labels of a pod name them: one row a kind.

Facts: facts/k8s.md 2.2; for Grove, Dynamo, Seldon, DevWorkspace and Tekton the labels that their
operators put on pods. Pure: a table. A new kind is a new row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

Kind = tuple[str, str]  # API group, kind: kinds of one name exist in several groups

POD: Final[Kind] = ("", "Pod")
JOB: Final[Kind] = ("batch", "Job")
REPLICA_SET: Final[Kind] = ("apps", "ReplicaSet")
CRON_JOB: Final[Kind] = ("batch", "CronJob")
DEPLOYMENT: Final[Kind] = ("apps", "Deployment")
_STATEFUL_SET: Final[Kind] = ("apps", "StatefulSet")
_JOB_SET: Final[Kind] = ("jobset.x-k8s.io", "JobSet")
_LWS: Final[Kind] = ("leaderworkerset.x-k8s.io", "LeaderWorkerSet")
_RAY_CLUSTER: Final[Kind] = ("ray.io", "RayCluster")
_SPARK: Final[Kind] = ("sparkoperator.k8s.io", "SparkApplication")
_WORKFLOW: Final[Kind] = ("argoproj.io", "Workflow")
_TASK_RUN: Final[Kind] = ("tekton.dev", "TaskRun")
_DEPLOYED: Final = (REPLICA_SET, DEPLOYMENT)
_KNATIVE: Final = (
    ("serving.knative.dev", "Revision"),
    ("serving.knative.dev", "Configuration"),
)
_KNATIVE_SERVICE: Final[Kind] = ("serving.knative.dev", "Service")
_GROVE: Final = (("grove.io", "PodClique"), ("grove.io", "PodCliqueScalingGroup"))
_GROVE_SET: Final[Kind] = ("grove.io", "PodCliqueSet")

_MPI_OPERATORS: Final = frozenset({"mpi-operator", "mpijob-controller"})
# KubeRay names clusters "<service>-<5>", in older releases "<service>-raycluster-<5>", with the
# letters and digits of Kubernetes' random strings. Older ones cut the beginning of names longer
# than 50 characters (facts/k8s.md 2.2; utils.CheckName).
_RAY_SUFFIX: Final = re.compile(r"(?:-raycluster)?-[bcdfghjklmnpqrstvwxz2456789]{5}$")
_RAY_LONGEST: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerRow:
    """One kind that can own pods through others.

    `below` are the kinds from which this one can be reached by going up, directly or not. `labels`
    are the pod's labels that hold its name, first one first; none where no label does. `where`
    tells from the pod whether those labels are about this kind at all. `name` makes the object's
    name of the label's value, "" where that cannot be done.
    """

    kind: Kind
    below: tuple[Kind, ...]
    labels: tuple[str, ...] = ()
    where: Callable[[Mapping[str, str]], bool] = field(default=lambda _labels: True)
    name: Callable[[str], str] = field(default=str)


def _has(key: str, *values: str) -> Callable[[Mapping[str, str]], bool]:
    """Whether the label is there, with one of these values if any are given."""
    return lambda labels: labels.get(key, "") in values if values else bool(labels.get(key))


def _ray_service(cluster: str) -> str:
    if len(cluster) >= _RAY_LONGEST:
        return ""
    name = _RAY_SUFFIX.sub("", cluster)
    return name if name != cluster else ""


# Highest objects first: of several rows that fit, the first one stands above the others.
# Kinds that own pods directly (PyTorchJob, Notebook's StatefulSet, Volcano's Job …) need a row only
# where something stands between: a direct owner is always known. CronWorkflow, RayJob and others
# without labels are here for what other systems say of them (`told`).
OWNERS: Final[tuple[OwnerRow, ...]] = (
    OwnerRow(
        kind=("nvidia.com", "DynamoGraphDeployment"),
        below=(*_GROVE, _GROVE_SET, *_DEPLOYED, _STATEFUL_SET, _LWS, POD),
        labels=("nvidia.com/dynamo-graph-deployment-name",),
    ),
    OwnerRow(
        kind=_GROVE_SET,
        below=_GROVE,
        labels=("app.kubernetes.io/part-of",),
        where=_has("grove.io/podclique"),
    ),
    OwnerRow(
        kind=("serving.kserve.io", "LLMInferenceService"),
        below=(*_DEPLOYED, _STATEFUL_SET, POD, _LWS),
        labels=("app.kubernetes.io/name",),
        where=_has("app.kubernetes.io/part-of", "llminferenceservice"),
    ),
    OwnerRow(
        kind=("serving.kserve.io", "InferenceService"),
        below=(*_DEPLOYED, *_KNATIVE, _KNATIVE_SERVICE),
        labels=("serving.kserve.io/inferenceservice",),
    ),
    OwnerRow(
        kind=_KNATIVE_SERVICE,
        below=(*_DEPLOYED, *_KNATIVE),
        labels=("serving.knative.dev/service",),
    ),
    OwnerRow(
        kind=("machinelearning.seldon.io", "SeldonDeployment"),
        below=_DEPLOYED,
        labels=("seldon-deployment-id",),
    ),
    OwnerRow(
        kind=("workspace.devfile.io", "DevWorkspace"),
        below=_DEPLOYED,
        labels=("controller.devfile.io/devworkspace_name",),
    ),
    OwnerRow(  # its JobSet has the same name
        kind=("trainer.kubeflow.org", "TrainJob"),
        below=(JOB, _JOB_SET),
        labels=("jobset.sigs.k8s.io/jobset-name",),
        where=_has("trainer.kubeflow.org/trainjob-ancestor-step"),
    ),
    OwnerRow(kind=_JOB_SET, below=(JOB,), labels=("jobset.sigs.k8s.io/jobset-name",)),
    OwnerRow(  # v2: its launcher's pod belongs to a Job
        kind=("kubeflow.org", "MPIJob"),
        below=(JOB,),
        labels=("training.kubeflow.org/job-name",),
        where=_has("training.kubeflow.org/operator-name", *_MPI_OPERATORS),
    ),
    OwnerRow(  # the labels of its first releases
        kind=("kubeflow.org", "MPIJob"),
        below=(JOB,),
        labels=("mpi-job-name",),
    ),
    OwnerRow(  # KubeRay labels the pods of a RayService, and only those
        kind=("ray.io", "RayService"),
        below=(_RAY_CLUSTER,),
        labels=("ray.io/cluster",),
        where=_has("ray.io/serve"),
        name=_ray_service,
    ),
    OwnerRow(kind=("ray.io", "RayJob"), below=(_RAY_CLUSTER, JOB)),
    OwnerRow(kind=_LWS, below=(_STATEFUL_SET, POD), labels=("leaderworkerset.sigs.k8s.io/name",)),
    OwnerRow(
        kind=("kubeflow.org", "Workspace"),
        below=(_STATEFUL_SET,),
        labels=("notebooks.kubeflow.org/workspace-name",),
    ),
    OwnerRow(kind=("kubeflow.org", "Notebook"), below=(_STATEFUL_SET,), labels=("notebook-name",)),
    OwnerRow(
        kind=("sparkoperator.k8s.io", "ScheduledSparkApplication"),
        below=(_SPARK, POD),
        labels=("sparkoperator.k8s.io/scheduled-app-name",),
    ),
    OwnerRow(  # executors belong to the driver's pod
        kind=_SPARK, below=(POD,), labels=("sparkoperator.k8s.io/app-name",)
    ),
    OwnerRow(
        kind=("sparkoperator.k8s.io", "SparkConnect"),
        below=(POD,),
        labels=("sparkoperator.k8s.io/connect-name",),
    ),
    OwnerRow(kind=("argoproj.io", "CronWorkflow"), below=(_WORKFLOW,)),
    OwnerRow(kind=("kubeflow.org", "ScheduledWorkflow"), below=(_WORKFLOW,)),
    OwnerRow(
        kind=("tekton.dev", "PipelineRun"), below=(_TASK_RUN,), labels=("tekton.dev/pipelineRun",)
    ),
    OwnerRow(kind=DEPLOYMENT, below=(REPLICA_SET,)),
    OwnerRow(kind=CRON_JOB, below=(JOB,)),
)
