"""How a workload's kind is written where its API group does not stand beside it.

Kinds of one name exist in several groups (facts/k8s.md 2.2): a batch Job and a Volcano Job of one
name in one namespace are two workloads. So a kind alone means the group that it has in this table;
with any other group it is written as kubectl takes it, "Job.batch.volcano.sh". A kind that is not
in the table always carries its group. Nothing in the table may change: it would rename series.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "": ("Pod", "ReplicationController"),
    "apps": ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"),
    "batch": ("Job", "CronJob"),
    "jobset.x-k8s.io": ("JobSet",),
    "leaderworkerset.x-k8s.io": ("LeaderWorkerSet",),
    "serving.kserve.io": ("InferenceService", "LLMInferenceService", "InferenceGraph"),
    "serving.knative.dev": ("Service", "Configuration", "Revision"),
    "ray.io": ("RayCluster", "RayJob", "RayService", "RayCronJob"),
    "kubeflow.org": (
        "PyTorchJob",
        "TFJob",
        "MPIJob",
        "XGBoostJob",
        "PaddleJob",
        "JAXJob",
        "Notebook",
        "Workspace",
        "ScheduledWorkflow",
    ),
    "trainer.kubeflow.org": ("TrainJob",),
    "argoproj.io": ("Workflow", "CronWorkflow", "Rollout"),
    "sparkoperator.k8s.io": ("SparkApplication", "ScheduledSparkApplication", "SparkConnect"),
    "kueue.x-k8s.io": ("Workload",),
    "grove.io": ("PodCliqueSet", "PodCliqueScalingGroup", "PodClique"),
    "nvidia.com": ("DynamoGraphDeployment", "DynamoComponentDeployment"),
    "machinelearning.seldon.io": ("SeldonDeployment",),
    "workspace.devfile.io": ("DevWorkspace",),
    "tekton.dev": ("PipelineRun", "TaskRun"),
    "kubevirt.io": ("VirtualMachine", "VirtualMachineInstance"),
    "run.ai": ("RunaiJob",),
}
_USUAL_GROUP: Final = {kind: group for group, kinds in _KINDS.items() for kind in kinds}
# The core group has no name of its own; what kubectl's documentation calls it.
_CORE: Final = "core"


def has_usual_group(api_group: str, kind: str) -> bool:
    """Whether the kind alone says which group is meant."""
    return _USUAL_GROUP.get(kind) == api_group


def kind_name(api_group: str, kind: str) -> str:
    """The kind in one word that no two workloads of one namespace and name share: "Deployment"."""
    return kind if has_usual_group(api_group, kind) else f"{kind}.{api_group or _CORE}"
