"""The kinds of objects that are read: one row each. Adding a kind is adding a row.

Pure: a table. Kinds of other systems are discovered: where they are not served, nothing is asked.
Versions: facts/k8s.md 1.11, 2.2, 3.2 and 3.3.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from gpuatlas.model.objects import Node, OwnerLink, Pod
from gpuatlas.sources.dra.project import project_claim, project_slice
from gpuatlas.sources.dra.trim import trim_claim, trim_slice
from gpuatlas.sources.kubernetes.kind import Kind, Part
from gpuatlas.sources.kubernetes.metadata import api_group
from gpuatlas.sources.kubernetes.owners import project_owner
from gpuatlas.sources.kubernetes.project import project_node, project_pod
from gpuatlas.sources.kubernetes.trim import trim_node, trim_owner, trim_pod
from gpuatlas.sources.placement import coscheduling, kai, kueue, native, volcano


def owner_kind(
    name: str,
    kind: str,
    api_version: str,
    *,
    discovered: bool = True,
    beside: frozenset[str] = frozenset(),
) -> Kind[OwnerLink]:
    """A row for a kind that only stands between pods and their workload."""
    project = partial(project_owner, api_group=api_group(api_version), kind=kind)
    return Kind(
        name=name,
        kind=kind,
        api_version=api_version,
        part=Part.OWNERS,
        project=project,
        trim_object=trim_owner,
        metadata_only=True,
        required=False,
        discovered=discovered,
        beside=beside,
    )


NODES: Final[Kind[Node]] = Kind(
    name="nodes",
    kind="Node",
    api_version="v1",
    part=Part.NODES,
    project=project_node,
    trim_object=trim_node,
    namespaced=False,
    by_name=True,
)
PODS: Final[Kind[Pod]] = Kind(
    name="pods",
    kind="Pod",
    api_version="v1",
    part=Part.PODS,
    project=project_pod,
    trim_object=trim_pod,
)
REPLICASETS: Final = owner_kind("replicasets", "ReplicaSet", "apps/v1", discovered=False)
JOBS: Final = owner_kind("jobs", "Job", "batch/v1", discovered=False)
CORE_KINDS: Final[tuple[Kind[object], ...]] = (NODES, PODS, REPLICASETS, JOBS)

_DYNAMO: Final = "dynamographdeployments.nvidia.com"
_LLM_SERVICES: Final = "llminferenceservices.serving.kserve.io"

# What can stand between a pod and its workload, when something above it can be missing from the
# pod's labels or must not be believed from them: tenants write labels.
_OWNERS: Final = (
    owner_kind(
        "deployments",
        "Deployment",
        "apps/v1",
        beside=frozenset(
            {
                _DYNAMO,
                _LLM_SERVICES,
                "inferenceservices.serving.kserve.io",
                "services.serving.knative.dev",
                "seldondeployments.machinelearning.seldon.io",
                "devworkspaces.workspace.devfile.io",
            }
        ),
    ),
    owner_kind(
        "statefulsets",
        "StatefulSet",
        "apps/v1",
        beside=frozenset(
            {
                _DYNAMO,
                _LLM_SERVICES,
                "leaderworkersets.leaderworkerset.x-k8s.io",
                "notebooks.kubeflow.org",
                "workspaces.kubeflow.org",
            }
        ),
    ),
    owner_kind("jobsets", "JobSet", "jobset.x-k8s.io/v1alpha2"),
    owner_kind("leaderworkersets", "LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1"),
    owner_kind("revisions", "Revision", "serving.knative.dev/v1"),
    owner_kind("configurations", "Configuration", "serving.knative.dev/v1"),
    owner_kind("services", "Service", "serving.knative.dev/v1"),
    owner_kind("inferenceservices", "InferenceService", "serving.kserve.io/v1beta1"),
    owner_kind("rayclusters", "RayCluster", "ray.io/v1"),
    owner_kind("sparkapplications", "SparkApplication", "sparkoperator.k8s.io/v1beta2"),
    owner_kind("workflows", "Workflow", "argoproj.io/v1alpha1"),
    owner_kind("taskruns", "TaskRun", "tekton.dev/v1"),
    owner_kind("podcliques", "PodClique", "grove.io/v1alpha1"),
    owner_kind("podcliquescalinggroups", "PodCliqueScalingGroup", "grove.io/v1alpha1"),
    owner_kind("podcliquesets", "PodCliqueSet", "grove.io/v1alpha1"),
)

_optional: Final = partial(Kind, required=False, discovered=True)

_CLAIMS: Final[tuple[Kind[object], ...]] = (
    _optional(
        name="resourceslices",
        kind="ResourceSlice",
        api_version="resource.k8s.io/v1",
        older=("v1beta2", "v1beta1"),
        part=Part.SLICES,
        project=project_slice,
        trim_object=trim_slice,
        namespaced=False,
    ),
    _optional(
        name="resourceclaims",
        kind="ResourceClaim",
        api_version="resource.k8s.io/v1",
        older=("v1beta2", "v1beta1"),
        part=Part.CLAIMS,
        project=project_claim,
        trim_object=trim_claim,
    ),
)

_KUEUE: Final[tuple[Kind[object], ...]] = (
    _optional(
        name="workloads",
        kind="Workload",
        api_version="kueue.x-k8s.io/v1beta2",
        older=("v1beta1",),
        part=Part.WORKLOADS,
        project=kueue.project_workload,
        trim_object=kueue.trim_workload,
    ),
    _optional(
        name="localqueues",
        kind="LocalQueue",
        api_version="kueue.x-k8s.io/v1beta2",
        older=("v1beta1",),
        part=Part.QUEUES,
        project=kueue.project_local_queue,
        trim_object=kueue.trim_queue,
    ),
    _optional(
        name="clusterqueues",
        kind="ClusterQueue",
        api_version="kueue.x-k8s.io/v1beta2",
        older=("v1beta1",),
        part=Part.QUEUES,
        project=kueue.project_cluster_queue,
        trim_object=kueue.trim_queue,
        namespaced=False,
    ),
)

_SCHEDULERS: Final[tuple[Kind[object], ...]] = (
    _optional(
        name="podgroups",
        kind="PodGroup",
        api_version="scheduling.volcano.sh/v1beta1",
        part=Part.GROUPS,
        project=volcano.project_group,
        trim_object=volcano.trim_group,
    ),
    _optional(
        name="queues",
        kind="Queue",
        api_version="scheduling.volcano.sh/v1beta1",
        part=Part.QUEUES,
        project=volcano.project_queue,
        trim_object=volcano.trim_queue,
        namespaced=False,
    ),
    _optional(
        name="podgroups",
        kind="PodGroup",
        api_version="scheduling.run.ai/v2alpha2",
        part=Part.GROUPS,
        project=kai.project_group,
        trim_object=kai.trim_group,
    ),
    _optional(
        name="queues",
        kind="Queue",
        api_version="scheduling.run.ai/v2",
        part=Part.QUEUES,
        project=kai.project_queue,
        trim_object=kai.trim_queue,
        namespaced=False,
    ),
    _optional(
        name="bindrequests",
        kind="BindRequest",
        api_version="scheduling.run.ai/v1alpha2",
        part=Part.BINDS,
        project=kai.project_bind_request,
        trim_object=kai.trim_bind_request,
    ),
    _optional(
        name="podgroups",
        kind="PodGroup",
        api_version="scheduling.x-k8s.io/v1alpha1",
        part=Part.GROUPS,
        project=coscheduling.project_group,
        trim_object=coscheduling.trim_group,
    ),
    _optional(  # Kubernetes 1.36; the API of 1.35 has the groups inside the Workload
        name="podgroups",
        kind="PodGroup",
        api_version="scheduling.k8s.io/v1beta1",
        older=("v1alpha3", "v1alpha2"),
        part=Part.GROUPS,
        project=native.project_group,
        trim_object=native.trim_group,
    ),
    _optional(
        name="workloads",
        kind="Workload",
        api_version="scheduling.k8s.io/v1beta1",
        older=("v1alpha3", "v1alpha2", "v1alpha1"),
        part=Part.TEMPLATES,
        project=native.project_workload,
        trim_object=native.trim_workload,
    ),
)

OPTIONAL_KINDS: Final[tuple[Kind[object], ...]] = (*_CLAIMS, *_KUEUE, *_SCHEDULERS, *_OWNERS)
KINDS: Final[tuple[Kind[object], ...]] = (*CORE_KINDS, *OPTIONAL_KINDS)
