"""Where the kinds of workloads keep their containers, and what a change of one does: one row each.

Only kinds whose objects hold resources themselves are here. Facts: facts/k8s.md 2.2 and 7, and the
API definitions of the systems (KServe v1beta1 and v1alpha1, KubeRay v1, Kubeflow v1 and Trainer
v1alpha1, JobSet v1alpha2, LeaderWorkerSet v1, Argo v1alpha1, Volcano v1alpha1, Grove v1alpha1).
Pure: a table. A new kind is a new row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpuatlas.model.workload_kinds import kind_name

EACH: Final = "*"
"""In a path: every entry of a list or of a map."""
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Part of an object that has containers.

    At `path` lies a pod's spec with its lists of containers, or with `block` something that has
    resources itself, under that key; `containers` are then the names that its container can have,
    none for any. `annotations` is where the annotations of its pods lie, empty where nowhere.
    """

    path: Path
    annotations: Path = ()
    block: str = ""
    containers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchKind:
    """One kind.

    `versions` are those that have the places, the newest first. The lists of `built_in` kinds are
    merged by name on the server, those of others are replaced as a whole. `effect` says what
    happens to pods when the object is changed; `fixed` why an object that exists cannot be changed.
    """

    group: str
    kind: str
    plural: str
    versions: tuple[str, ...]
    places: tuple[Place, ...]
    built_in: bool = False
    effect: str = ""
    fixed: str = ""

    @property
    def resource(self) -> str:
        """As kubectl takes it: "deployments.apps"."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def api_version(self, version: str) -> str:
        """The apiVersion of a version."""
        return f"{self.group}/{version}" if self.group else version

    def url_paths(self, namespace: str, name: str) -> tuple[str, ...]:
        """Where the API server has an object, in each of the versions."""
        root = "/apis" if self.group else "/api"
        return tuple(
            f"{root}/{self.api_version(version)}/namespaces/{namespace}/{self.plural}/{name}"
            for version in self.versions
        )


def _template(*path: str) -> Place:
    """A pod template, or a pod: metadata and spec."""
    return Place(path=(*path, "spec"), annotations=(*path, "metadata", "annotations"))


def _ray(*path: str) -> tuple[Place, ...]:
    """A RayCluster's spec at a path."""
    return (
        _template(*path, "headGroupSpec", "template"),
        _template(*path, "workerGroupSpecs", EACH, "template"),
    )


def _predictor(component: str) -> tuple[Place, ...]:
    """A component of an InferenceService is a pod's spec itself, or has one part for the model."""
    path, annotations = ("spec", component), ("spec", component, "annotations")
    return (
        Place(path=path, annotations=annotations),
        Place(
            path=(*path, EACH),
            annotations=annotations,
            block="resources",
            containers=("kserve-container",),
        ),
        Place(path=(*path, "workerSpec"), annotations=annotations),
    )


_ROLLOUT: Final = (
    "its pods are replaced one by one; where more may run than asked for (maxSurge) the new one "
    "needs room beside the old one"
)
_REPLACED: Final = "its pods are replaced one by one"
_ONCE: Final = "{} that exists keeps the pods it has"
_RUNS: Final = "a {} that exists keeps its pod template: put this into its manifest, for the next"


def _built_in(group: str, kind: str, plural: str, *path: str, **words: str) -> PatchKind:
    return PatchKind(
        group=group,
        kind=kind,
        plural=plural,
        versions=("v1",),
        places=(_template(*path),),
        built_in=True,
        **words,
    )


def _training(kind: str, specs: str) -> PatchKind:
    """The training operator's kinds differ in the name of their map of replicas."""
    return PatchKind(
        group="kubeflow.org",
        kind=kind,
        plural=f"{kind.lower()}s",
        versions=("v1", "v2beta1") if kind == "MPIJob" else ("v1",),
        places=(_template("spec", specs, EACH, "template"),),
        fixed=f"{_ONCE.format(f'a {kind}')}: put this into its manifest, for the next",
    )


_ROWS: Final[tuple[PatchKind, ...]] = (
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
    _built_in("batch", "Job", "jobs", "spec", "template", fixed=_RUNS.format("Job")),
    _built_in(
        "",
        "Pod",
        "pods",
        fixed="the devices of a pod that exists cannot be changed: put this into its manifest, and "
        "make the pod anew",
    ),
    PatchKind(
        group="serving.kserve.io",
        kind="InferenceService",
        plural="inferenceservices",
        versions=("v1beta1",),
        places=tuple(
            place
            for component in ("predictor", "transformer", "explainer")
            for place in _predictor(component)
        ),
        effect="KServe replaces its pods; the new one needs room beside the old one",
    ),
    PatchKind(
        group="serving.kserve.io",
        kind="LLMInferenceService",
        plural="llminferenceservices",
        versions=("v1alpha2", "v1alpha1"),
        places=(
            Place(path=("spec", "template")),
            Place(path=("spec", "worker")),
            Place(path=("spec", "prefill", "template")),
            Place(path=("spec", "prefill", "worker")),
        ),
        effect="KServe replaces its pods; the new one needs room beside the old one",
    ),
    PatchKind(
        group="serving.knative.dev",
        kind="Service",
        plural="services",
        versions=("v1",),
        places=(_template("spec", "template"),),
        effect="a new revision comes up beside the old one, and needs room there",
    ),
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
        fixed=f"{_ONCE.format('a RayJob')}: put this into its manifest, for the next",
    ),
    PatchKind(
        group="ray.io",
        kind="RayCronJob",
        plural="raycronjobs",
        versions=("v1",),
        places=_ray("spec", "jobTemplate", "rayClusterSpec"),
        effect="from the next run on",
    ),
    PatchKind(
        group="trainer.kubeflow.org",
        kind="TrainJob",
        plural="trainjobs",
        versions=("v1alpha1",),
        places=(
            Place(
                path=("spec", "trainer"), block="resourcesPerNode", containers=("node", "trainer")
            ),
        ),
        fixed=_RUNS.format("TrainJob"),
    ),
    _training("PyTorchJob", "pytorchReplicaSpecs"),
    _training("TFJob", "tfReplicaSpecs"),
    _training("MPIJob", "mpiReplicaSpecs"),
    _training("XGBoostJob", "xgbReplicaSpecs"),
    _training("PaddleJob", "paddleReplicaSpecs"),
    _training("JAXJob", "jaxReplicaSpecs"),
    PatchKind(
        group="kubeflow.org",
        kind="Notebook",
        plural="notebooks",
        versions=("v1", "v1beta1", "v1alpha1"),
        places=(_template("spec", "template"),),
        effect="the notebook is started anew: what it holds in memory is lost",
    ),
    PatchKind(
        group="leaderworkerset.x-k8s.io",
        kind="LeaderWorkerSet",
        plural="leaderworkersets",
        versions=("v1",),
        places=(
            _template("spec", "leaderWorkerTemplate", "leaderTemplate"),
            _template("spec", "leaderWorkerTemplate", "workerTemplate"),
        ),
        effect="its groups are replaced one by one",
    ),
    PatchKind(
        group="jobset.x-k8s.io",
        kind="JobSet",
        plural="jobsets",
        versions=("v1alpha2",),
        places=(_template("spec", "replicatedJobs", EACH, "template", "spec", "template"),),
        fixed=_RUNS.format("JobSet"),
    ),
    PatchKind(
        group="batch.volcano.sh",
        kind="Job",
        plural="jobs",
        versions=("v1alpha1",),
        places=(_template("spec", "tasks", EACH, "template"),),
        fixed=_RUNS.format("Volcano Job"),
    ),
    PatchKind(
        group="argoproj.io",
        kind="Rollout",
        plural="rollouts",
        versions=("v1alpha1",),
        places=(_template("spec", "template"),),
        effect="Argo brings up the new pods by its strategy, beside the old ones",
    ),
    PatchKind(
        group="grove.io",
        kind="PodCliqueSet",
        plural="podcliquesets",
        versions=("v1alpha1",),
        places=(Place(path=("spec", "template", "cliques", EACH, "spec", "podSpec")),),
        effect="Grove replaces the pods of the clique",
    ),
    PatchKind(
        group="machinelearning.seldon.io",
        kind="SeldonDeployment",
        plural="seldondeployments",
        versions=("v1",),
        places=(_template("spec", "predictors", EACH, "componentSpecs", EACH),),
        effect="its pods are replaced; the new one needs room beside the old one",
    ),
)
PATCH_KINDS: Final = {kind_name(row.group, row.kind): row for row in _ROWS}
"""By the kind as series and screens write it."""
