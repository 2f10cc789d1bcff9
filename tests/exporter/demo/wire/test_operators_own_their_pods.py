from __future__ import annotations

import pytest

from gpuatlas.demo.scenario import Scenario
from gpuatlas.demo.shapes import SHAPES
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world
from gpuatlas_harness.wired import Document, Objects

DAY = 86_400

# Of each workload of an operator: how its first pod's name begins, the kinds from that pod's
# controller to the top, and the top's API version.
CHAINS = {
    "sentiment": ("ReplicaSet Deployment InferenceService", "serving.kserve.io/v1beta1"),
    "whisper": (
        "ReplicaSet Deployment Revision Configuration Service InferenceService",
        "serving.kserve.io/v1beta1",
    ),
    "qwen-coder": ("ReplicaSet Deployment LLMInferenceService", "serving.kserve.io/v1alpha1"),
    "mixtral": ("StatefulSet LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1"),
    "tune-support": ("Job JobSet TrainJob", "trainer.kubeflow.org/v1alpha1"),
    "resnet": ("PyTorchJob", "kubeflow.org/v1"),
    "notebook-gil": ("StatefulSet Notebook", "kubeflow.org/v1"),
    "recommend": ("RayCluster RayService", "ray.io/v1"),
    "nightly-report": ("Workflow", "argoproj.io/v1alpha1"),
    "features-driver": ("SparkApplication", "sparkoperator.k8s.io/v1beta2"),
    "ablation-worker": ("Job", "batch.volcano.sh/v1alpha1"),
}
CONTAINERS = {
    "sentiment": "kserve-container",
    "qwen-coder": "main",
    "tune-support": "node",
    "resnet": "pytorch",
    "notebook-gil": "notebook-gil",
    "recommend": "ray-worker",
    "features-driver": "spark-kubernetes-driver",
}


def pods(objects: Objects, app: str) -> list[Document]:
    """Those whose name is this one, or begins with it and a dash."""
    names = ((p["metadata"]["name"], p) for p in objects["pods"])
    return [p for name, p in names if name == app or name.startswith(f"{app}-")]


def chain(objects: Objects, document: Document) -> list[Document]:
    """The controllers above an object, as the lists of the API have them."""
    by_uid = {d["metadata"]["uid"]: d for kind in objects.values() for d in kind}
    found = []
    while document["metadata"].get("ownerReferences"):
        (reference,) = document["metadata"]["ownerReferences"]
        if reference["uid"] not in by_uid:
            break
        document = by_uid[reference["uid"]]
        assert document["metadata"]["name"] == reference["name"]
        assert (document["kind"], document["apiVersion"]) == (
            reference["kind"], reference["apiVersion"],
        )  # fmt: skip
        found.append(document)
    return found


@pytest.mark.parametrize(("app", "kinds", "version"), [(a, *c) for a, c in CHAINS.items()])
def test_every_chain_of_owners_can_be_followed_to_its_top(
    objects: Objects, app: str, kinds: str, version: str
) -> None:
    above = chain(objects, pods(objects, app)[0])
    assert " ".join(d["kind"] for d in above) == kinds
    assert above[-1]["apiVersion"] == version
    name = above[-1]["metadata"]["name"]
    assert app.startswith(name) or name.startswith(f"{app}-")


@pytest.mark.parametrize(("app", "container"), CONTAINERS.items())
def test_containers_have_the_names_that_operators_give(
    objects: Objects, app: str, container: str
) -> None:
    assert pods(objects, app)[0]["spec"]["containers"][0]["name"] == container


def test_all_operators_of_the_table_are_looked_at(scenario: Scenario) -> None:
    starts = tuple(CHAINS)
    kinds = {w.kind for w in scenario.workloads if any(s.startswith(w.name) for s in starts)}
    assert kinds == set(SHAPES)


def test_a_worker_belongs_to_the_leader_of_its_group(objects: Objects) -> None:
    leader, worker = pods(objects, "mixtral")
    assert [p["metadata"]["name"] for p in (leader, worker)] == ["mixtral-0", "mixtral-0-1"]
    above = chain(objects, worker)
    assert [d["kind"] for d in above] == ["StatefulSet", "Pod", "StatefulSet", "LeaderWorkerSet"]
    assert above[1]["metadata"]["uid"] == leader["metadata"]["uid"]
    assert worker["metadata"]["annotations"] == {
        "leaderworkerset.sigs.k8s.io/leader-name": "mixtral-0",
        "leaderworkerset.sigs.k8s.io/size": "2",
    }


def test_pods_of_operators_stateful_sets_carry_the_labels_of_its_controller(
    objects: Objects,
) -> None:
    leader, worker = (pod["metadata"] for pod in pods(objects, "mixtral"))
    (notebook,) = (pod["metadata"] for pod in pods(objects, "notebook-gil"))
    for pod, owner, index in ((leader, "mixtral", "0"), (worker, "mixtral-0", "1"),
                              (notebook, "notebook-gil", "0")):  # fmt: skip
        labels = pod["labels"]
        assert labels["statefulset.kubernetes.io/pod-name"] == pod["name"] == f"{owner}-{index}"
        assert labels["apps.kubernetes.io/pod-index"] == index
        assert labels["controller-revision-hash"].startswith(f"{owner}-")
    revision = "leaderworkerset.sigs.k8s.io/template-revision-hash"
    assert leader["labels"][revision] == worker["labels"][revision]


def test_an_executor_belongs_to_its_driver(objects: Objects) -> None:
    (driver,) = pods(objects, "features-driver")
    (executor,) = [p for p in pods(objects, "features") if p is not driver]
    (reference,) = executor["metadata"]["ownerReferences"]
    assert (reference["kind"], reference["uid"]) == ("Pod", driver["metadata"]["uid"])
    assert executor["metadata"]["labels"]["spark-exec-id"] == "1"


def test_pods_of_a_ray_service_do_not_name_it(objects: Objects) -> None:
    (worker,) = pods(objects, "recommend")
    labels = worker["metadata"]["labels"]
    assert labels["ray.io/cluster"].startswith("recommend-")
    assert "recommend" not in {v for k, v in labels.items() if k.startswith("ray.io/")}


def test_a_train_jobs_pods_say_that_it_is_one(objects: Objects) -> None:
    (pod,) = pods(objects, "tune-support")
    labels = pod["metadata"]["labels"]
    assert labels["jobset.sigs.k8s.io/jobset-name"] == "tune-support"
    assert labels["trainer.kubeflow.org/trainjob-ancestor-step"] == "trainer"
    assert labels["batch.kubernetes.io/job-name"] == "tune-support-node-0"


def test_pods_of_a_training_job_begin_together_and_again_as_a_new_job(
    scenario: Scenario, thursday: float
) -> None:
    found = {}
    for day in range(4):
        world = build_world(scenario, seed=7, at=thursday + day * DAY)
        objects = dict(documents(world))
        master, worker = (p["metadata"] for p in pods(objects, "resnet"))
        assert master["creationTimestamp"] == worker["creationTimestamp"]
        (job,) = [
            j["metadata"] for j in objects["pytorchjobs.kubeflow.org"]
            if j["metadata"]["name"] == "resnet"
        ]  # fmt: skip
        assert job["creationTimestamp"] == master["creationTimestamp"]
        assert worker["ownerReferences"][0]["uid"] == job["uid"]
        found[job["uid"]] = master["uid"]
    assert len(found) == len(set(found.values())) in {2, 3}


def test_deployments_and_stateful_sets_are_there_too(objects: Objects) -> None:
    names = {d["metadata"]["name"] for d in objects["deployments"]}
    assert {"chat-7b", "sentiment-predictor", "hami-scheduler", "coredns"} <= names
    sets = {d["metadata"]["name"] for d in objects["statefulsets"]}
    assert {"notebook-ann", "notebook-gil", "mixtral", "mixtral-0", "judge"} <= sets
