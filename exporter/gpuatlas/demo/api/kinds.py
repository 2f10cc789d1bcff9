"""The resources that the simulated API serves: one row each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One resource. `group` is "" for the core group.

    `quiet` is the path of a field that a real server would change every few seconds. Here it is new
    whenever the object is read, and its change alone is no event: nobody could watch anything else.
    """

    resource: str
    kind: str
    group: str
    version: str = "v1"
    namespaced: bool = True
    short: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()

    @property
    def api_version(self) -> str:
        """As objects write it: "v1", "apps/v1"."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def key(self) -> str:
        """What tells it from all others: "jobs", and "jobs.batch.volcano.sh" beside it."""
        return f"{self.resource}.{self.group}" if "." in self.group else self.resource

    @property
    def singular(self) -> str:
        """As discovery names it."""
        return self.kind.lower()


def _kind(kind: str, group: str, version: str = "v1", *, cluster: bool = False) -> Kind:
    """All these plurals are regular."""
    resource = f"{kind.lower()}s"
    return Kind(resource=resource, kind=kind, group=group, version=version, namespaced=not cluster)


# Of a group with several versions the first one is the server's favourite.
KINDS: Final = (
    Kind(resource="nodes", kind="Node", short=("no",), group="", namespaced=False),
    Kind(resource="pods", kind="Pod", short=("po",), group=""),
    Kind(resource="services", kind="Service", short=("svc",), group=""),
    Kind(resource="configmaps", kind="ConfigMap", short=("cm",), group=""),
    Kind(resource="daemonsets", kind="DaemonSet", short=("ds",), group="apps"),
    Kind(resource="deployments", kind="Deployment", short=("deploy",), group="apps"),
    Kind(resource="replicasets", kind="ReplicaSet", short=("rs",), group="apps"),
    Kind(resource="statefulsets", kind="StatefulSet", short=("sts",), group="apps"),
    _kind("Job", "batch"),
    _kind("ResourceClaim", "resource.k8s.io"),
    _kind("ResourceSlice", "resource.k8s.io", cluster=True),
    _kind("MutatingWebhookConfiguration", "admissionregistration.k8s.io", cluster=True),
    Kind(
        resource="leases",
        kind="Lease",
        group="coordination.k8s.io",
        quiet=("spec", "renewTime"),
    ),
    _kind("EndpointSlice", "discovery.k8s.io"),
    _kind("Workflow", "argoproj.io", "v1alpha1"),
    _kind("Job", "batch.volcano.sh", "v1alpha1"),
    _kind("JobSet", "jobset.x-k8s.io", "v1alpha2"),
    _kind("Notebook", "kubeflow.org"),
    _kind("PyTorchJob", "kubeflow.org"),
    _kind("ClusterQueue", "kueue.x-k8s.io", "v1beta2", cluster=True),
    _kind("LocalQueue", "kueue.x-k8s.io", "v1beta2"),
    _kind("Workload", "kueue.x-k8s.io", "v1beta2"),
    _kind("LeaderWorkerSet", "leaderworkerset.x-k8s.io"),
    _kind("RayCluster", "ray.io"),
    _kind("RayService", "ray.io"),
    _kind("Queue", "scheduling.run.ai", "v2", cluster=True),
    _kind("PodGroup", "scheduling.run.ai", "v2alpha2"),
    _kind("BindRequest", "scheduling.run.ai", "v1alpha2"),
    _kind("PodGroup", "scheduling.volcano.sh", "v1beta1"),
    _kind("Queue", "scheduling.volcano.sh", "v1beta1", cluster=True),
    _kind("Configuration", "serving.knative.dev"),
    _kind("Revision", "serving.knative.dev"),
    _kind("Service", "serving.knative.dev"),
    _kind("InferenceService", "serving.kserve.io", "v1beta1"),
    _kind("LLMInferenceService", "serving.kserve.io", "v1alpha1"),
    _kind("SparkApplication", "sparkoperator.k8s.io", "v1beta2"),
    _kind("TrainJob", "trainer.kubeflow.org", "v1alpha1"),
)


def find_kind(group: str, version: str, resource: str) -> Kind | None:
    """The row of a resource, or None when it is not served."""
    for kind in KINDS:
        if (kind.group, kind.version, kind.resource) == (group, version, resource):
            return kind
    return None
