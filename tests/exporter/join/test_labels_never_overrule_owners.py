"""Tenants write labels: they name what stands above an unknown owner, and nothing else."""

from __future__ import annotations

import pytest

from gpuatlas.join.owners import LABEL, OWNER, identify, identify_owner
from gpuatlas.model.objects import Owner
from gpuatlas_harness.observed import NOW, a_pod
from gpuatlas_harness.owned import Kind, an_owner, is_named, links, owned

RS, STS, JOB, POD = ("apps", "ReplicaSet"), ("apps", "StatefulSet"), ("batch", "Job"), ("", "Pod")
JOBSET, TRAINJOB = ("jobset.x-k8s.io", "JobSet"), ("trainer.kubeflow.org", "TrainJob")
RAY = ("ray.io", "RayCluster")
JOBSET_NAME = "jobset.sigs.k8s.io/jobset-name"


@pytest.mark.parametrize(
    ("controller", "labels"),
    [
        (None, {}),
        (None, {"ray.io/cluster": "x", JOBSET_NAME: "x", "notebook-name": "x"}),
        (Owner(api_group="", kind="Node", name="gpu-a", uid="n"), {"notebook-name": "x"}),
    ],
)
def test_a_bare_or_static_pod_is_its_own_workload(
    controller: Owner | None, labels: dict[str, str]
) -> None:
    assert identify(a_pod(controller=controller, labels=labels), {}) == is_named(
        POD, "app-0", OWNER
    )


CLAIMS = {
    "serving.kserve.io/inferenceservice": "mine",
    "serving.knative.dev/service": "mine",
    JOBSET_NAME: "mine",
    "trainer.kubeflow.org/trainjob-ancestor-step": "trainer",
    "leaderworkerset.sigs.k8s.io/name": "mine",
    "ray.io/cluster": "mine-x7k2p",
    "ray.io/serve": "true",
    "notebook-name": "mine",
    "notebooks.kubeflow.org/workspace-name": "mine",
    "sparkoperator.k8s.io/app-name": "mine",
    "mpi-job-name": "mine",
    "seldon-deployment-id": "mine",
    "app.kubernetes.io/name": "mine",
    "app.kubernetes.io/part-of": "llminferenceservice",
    "nvidia.com/dynamo-graph-deployment-name": "mine",
    "grove.io/podclique": "mine",
    "pod-template-hash": "5d8f",
}


@pytest.mark.parametrize(
    "kind", [RS, STS, JOB, RAY, JOBSET, ("tekton.dev", "TaskRun")], ids=".".join
)
def test_no_label_overrules_an_owner_that_is_known_to_have_none(kind: Kind) -> None:
    known = links((kind, "real"))
    assert owned((kind, "real"), CLAIMS, known) == is_named(kind, "real", OWNER)


@pytest.mark.parametrize(
    "kind",
    [
        ("apps", "DaemonSet"),
        ("batch.volcano.sh", "Job"),
        ("kubeflow.org", "PyTorchJob"),
        ("argoproj.io", "Workflow"),
        ("sparkoperator.k8s.io", "SparkApplication"),
        ("some.example", "Thing"),
    ],
    ids=".".join,
)
def test_no_label_puts_a_kind_above_one_that_it_never_owns(kind: Kind) -> None:
    claims = CLAIMS | {"tekton.dev/pipelineRun": ""}
    expected = is_named(kind, "real", OWNER)
    assert owned((kind, "real"), claims) == expected


def test_no_label_overrules_the_owner_that_a_reference_names() -> None:
    known = links((JOB, "real-0"), end=an_owner(("kubeflow.org", "MPIJob"), "real"))
    identity = owned((JOB, "real-0"), CLAIMS, known)
    assert identity == is_named(("kubeflow.org", "MPIJob"), "real", OWNER)


@pytest.mark.parametrize(
    ("labels", "kind", "name"),
    [
        ({"ray.io/cluster": "rag-x7k2p"}, RAY, "rag-x7k2p"),
        ({"ray.io/cluster": "rag", "ray.io/serve": "true"}, RAY, "rag-x7k2p"),
        ({"ray.io/cluster": "g" * 44 + "-x7k2p", "ray.io/serve": "true"}, RAY, "rag-x7k2p"),
    ],
)
def test_a_ray_service_is_named_only_where_its_name_can_be_told(
    labels: dict[str, str], kind: Kind, name: str
) -> None:
    assert owned((RAY, "rag-x7k2p"), labels) == is_named(kind, name, OWNER)


def test_equal_kinds_of_two_groups_are_two_kinds() -> None:
    labels = {JOBSET_NAME: "ranks"}
    volcano = ("batch.volcano.sh", "Job")
    assert owned((volcano, "ranks-0"), labels) == is_named(volcano, "ranks-0", OWNER)
    assert owned((JOB, "ranks-0"), labels) == is_named(JOBSET, "ranks", LABEL)


MINUTE = int((NOW - 3600) // 60)  # a_pod's creation


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        (f"nightly-{MINUTE}", (("batch", "CronJob"), "nightly", LABEL)),
        (f"nightly-{MINUTE - 3000}", (("batch", "CronJob"), "nightly", LABEL)),
        (f"nightly-{MINUTE + 2}", (("batch", "CronJob"), "nightly", LABEL)),
        (f"nightly-{MINUTE + 10}", (JOB, f"nightly-{MINUTE + 10}", OWNER)),
        (f"nightly-{MINUTE - 12_000}", (JOB, f"nightly-{MINUTE - 12_000}", OWNER)),
        ("train-20270115", (JOB, "train-20270115", OWNER)),
        (f"-{MINUTE}", (JOB, f"-{MINUTE}", OWNER)),
        ("train", (JOB, "train", OWNER)),
    ],
)
def test_a_cron_job_is_guessed_from_the_minute_in_its_job_s_name(
    job: str, expected: tuple[Kind, str, str]
) -> None:
    assert owned((JOB, job)) == is_named(*expected)


@pytest.mark.parametrize("hash_label", [{}, {"pod-template-hash": ""}, {"pod-template-hash": "x"}])
def test_a_replica_set_without_its_hash_stays_one(hash_label: dict[str, str]) -> None:
    assert owned((RS, "chat-5d8f"), hash_label) == is_named(RS, "chat-5d8f", OWNER)


def test_what_other_systems_wrote_down_is_believed_like_a_label() -> None:
    rayjob = an_owner(("ray.io", "RayJob"), "score")
    assert owned((RAY, "score-x7k2p"), told=(rayjob,)) == is_named(
        ("ray.io", "RayJob"), "score", LABEL
    )
    # A kind that cannot stand there, and an owner that is known to have none.
    assert owned((STS, "db"), told=(rayjob,)) == is_named(STS, "db", OWNER)
    assert owned((RAY, "c"), known=links((RAY, "c")), told=(rayjob,)) == is_named(RAY, "c", OWNER)


def test_cycles_and_endless_chains_end() -> None:
    cycle = links((RS, "a"), (RS, "b"), end=an_owner(RS, "a"))
    assert owned((RS, "a"), CLAIMS, cycle) == is_named(RS, "b", OWNER)
    endless = links(*((JOB, f"j{n}") for n in range(40)))
    assert owned((JOB, "j0"), CLAIMS, endless) == is_named(JOB, "j9", OWNER)


def test_the_workload_of_an_object_without_pods() -> None:
    known = links((JOB, "nightly-29"), end=an_owner(("batch", "CronJob"), "nightly"))
    assert identify_owner("team-a", an_owner(JOB, "nightly-29"), known) == is_named(
        ("batch", "CronJob"), "nightly", OWNER
    )
    assert identify_owner("team-a", an_owner(TRAINJOB, "tune"), {}) == is_named(
        TRAINJOB, "tune", OWNER
    )
