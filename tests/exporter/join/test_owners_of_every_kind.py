"""Each row of facts/k8s.md 2.2 with labels as the operators write them, with and without rights."""

from __future__ import annotations

import pytest

from gpuatlas.join.owner_table import OWNERS
from gpuatlas.join.owners import LABEL, OWNER, identify
from gpuatlas.model.objects import Owner
from gpuatlas_harness.observed import a_pod
from gpuatlas_harness.owned import Kind, an_owner, is_named, links, owned

RS, DEPLOYMENT = ("apps", "ReplicaSet"), ("apps", "Deployment")
STS, JOB, POD = ("apps", "StatefulSet"), ("batch", "Job"), ("", "Pod")
JOBSET, TRAINJOB = ("jobset.x-k8s.io", "JobSet"), ("trainer.kubeflow.org", "TrainJob")
LWS = ("leaderworkerset.x-k8s.io", "LeaderWorkerSet")
ISVC = ("serving.kserve.io", "InferenceService")
LLM = ("serving.kserve.io", "LLMInferenceService")
KNATIVE = ("serving.knative.dev", "Service")
RAY = ("ray.io", "RayCluster")
SPARK = ("sparkoperator.k8s.io", "SparkApplication")
GROVE = ("grove.io", "PodClique")
JOBSET_NAME = "jobset.sigs.k8s.io/jobset-name"

DIRECT: list[Kind] = [
    STS,
    ("apps", "DaemonSet"),
    JOB,
    ("batch.volcano.sh", "Job"),
    RAY,
    *(("kubeflow.org", f"{kind}Job") for kind in ("PyTorch", "TF", "XGBoost", "Paddle", "JAX")),
    ("kubeflow.org", "MPIJob"),
    ("argoproj.io", "Workflow"),
    SPARK,
    ("run.ai", "RunaiJob"),
    ("kubevirt.io", "VirtualMachineInstance"),
    ("amlarc.azureml.com", "AmlJob"),
    ("tekton.dev", "TaskRun"),
    ("some.example", "Thing"),
]


@pytest.mark.parametrize("kind", DIRECT, ids=".".join)
def test_a_direct_owner_is_the_workload(kind: Kind) -> None:
    assert owned((kind, "x")) == is_named(kind, "x", OWNER)


WITHOUT_RIGHTS = [
    ((RS, "chat-5d8f"), {"pod-template-hash": "5d8f"}, (DEPLOYMENT, "chat")),
    (
        (JOB, "ranks-workers-0"),
        {JOBSET_NAME: "ranks", "jobset.sigs.k8s.io/replicatedjob-name": "workers"},
        (JOBSET, "ranks"),
    ),
    (
        (JOB, "tune-node-0"),
        {JOBSET_NAME: "tune", "trainer.kubeflow.org/trainjob-ancestor-step": "trainer"},
        (TRAINJOB, "tune"),
    ),
    (
        (STS, "llm"),
        {
            "leaderworkerset.sigs.k8s.io/name": "llm",
            "leaderworkerset.sigs.k8s.io/worker-index": "0",
        },
        (LWS, "llm"),
    ),
    (
        (STS, "llm-0"),
        {
            "leaderworkerset.sigs.k8s.io/name": "llm",
            "leaderworkerset.sigs.k8s.io/worker-index": "3",
        },
        (LWS, "llm"),
    ),
    (
        (RS, "bert-predictor-6c9"),
        {
            "serving.kserve.io/inferenceservice": "bert",
            "app": "isvc.bert-predictor",
            "component": "predictor",
            "pod-template-hash": "6c9",
        },
        (ISVC, "bert"),
    ),
    (
        (RS, "bert-predictor-00001-deployment-6c9"),
        {
            "serving.kserve.io/inferenceservice": "bert",
            "serving.knative.dev/service": "bert-predictor",
            "serving.knative.dev/configuration": "bert-predictor",
            "serving.knative.dev/revision": "bert-predictor-00001",
            "pod-template-hash": "6c9",
        },
        (ISVC, "bert"),
    ),
    (
        (RS, "echo-00001-deployment-6c9"),
        {"serving.knative.dev/service": "echo", "serving.knative.dev/revision": "echo-00001"},
        (KNATIVE, "echo"),
    ),
    (
        (RS, "llama-kserve-77b"),
        {
            "app.kubernetes.io/name": "llama",
            "app.kubernetes.io/part-of": "llminferenceservice",
            "app.kubernetes.io/component": "llminferenceservice-workload",
            "kserve.io/component": "workload",
            "llm-d.ai/role": "decode",
        },
        (LLM, "llama"),
    ),
    (
        (STS, "llama-kserve-mn-0"),
        {
            "app.kubernetes.io/name": "llama",
            "app.kubernetes.io/part-of": "llminferenceservice",
            "leaderworkerset.sigs.k8s.io/name": "llama-kserve-mn",
        },
        (LLM, "llama"),
    ),
    (
        (RAY, "rag-x7k2p"),
        {"ray.io/cluster": "rag-x7k2p", "ray.io/serve": "true", "ray.io/is-ray-node": "yes"},
        (("ray.io", "RayService"), "rag"),
    ),
    (
        (RAY, "rag-raycluster-x7k2p"),
        {"ray.io/cluster": "rag-raycluster-x7k2p", "ray.io/serve": "false"},
        (("ray.io", "RayService"), "rag"),
    ),
    (
        (JOB, "pi-launcher"),
        {
            "training.kubeflow.org/operator-name": "mpi-operator",
            "training.kubeflow.org/job-name": "pi",
            "training.kubeflow.org/job-role": "launcher",
        },
        (("kubeflow.org", "MPIJob"), "pi"),
    ),
    (
        (JOB, "pi-launcher"),
        {"mpi-job-name": "pi", "mpi-job-role": "launcher"},
        (("kubeflow.org", "MPIJob"), "pi"),
    ),
    ((STS, "nb-ana"), {"notebook-name": "nb-ana"}, (("kubeflow.org", "Notebook"), "nb-ana")),
    (
        (STS, "ws-ana-k2x9p"),
        {"notebooks.kubeflow.org/workspace-name": "ana"},
        (("kubeflow.org", "Workspace"), "ana"),
    ),
    (
        (POD, "etl-driver"),
        {
            "spark-role": "executor",
            "spark-exec-id": "3",
            "sparkoperator.k8s.io/app-name": "etl",
            "sparkoperator.k8s.io/launched-by-spark-operator": "true",
        },
        (SPARK, "etl"),
    ),
    (
        (POD, "etl-driver"),
        {
            "sparkoperator.k8s.io/app-name": "etl-171",
            "sparkoperator.k8s.io/scheduled-app-name": "etl",
        },
        (("sparkoperator.k8s.io", "ScheduledSparkApplication"), "etl"),
    ),
    (
        (POD, "shell-server"),
        {"sparkoperator.k8s.io/connect-name": "shell"},
        (("sparkoperator.k8s.io", "SparkConnect"), "shell"),
    ),
    (
        (GROVE, "disagg-0-prefill"),
        {
            "grove.io/podclique": "disagg-0-prefill",
            "grove.io/podgang": "disagg-0",
            "app.kubernetes.io/managed-by": "grove-operator",
            "app.kubernetes.io/part-of": "disagg",
        },
        (("grove.io", "PodCliqueSet"), "disagg"),
    ),
    (
        (GROVE, "disagg-0-prefill"),
        {
            "grove.io/podclique": "disagg-0-prefill",
            "app.kubernetes.io/part-of": "disagg",
            "nvidia.com/dynamo-graph-deployment-name": "disagg-dgd",
        },
        (("nvidia.com", "DynamoGraphDeployment"), "disagg-dgd"),
    ),
    (
        (RS, "iris-default-0-6c9"),
        {"seldon-deployment-id": "iris", "pod-template-hash": "6c9"},
        (("machinelearning.seldon.io", "SeldonDeployment"), "iris"),
    ),
    (
        (RS, "workspace0a1-6c9"),
        {"controller.devfile.io/devworkspace_name": "code", "pod-template-hash": "6c9"},
        (("workspace.devfile.io", "DevWorkspace"), "code"),
    ),
    (
        (("tekton.dev", "TaskRun"), "build-train"),
        {"tekton.dev/pipelineRun": "build", "tekton.dev/taskRun": "build-train"},
        (("tekton.dev", "PipelineRun"), "build"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "labels", "expected"),
    WITHOUT_RIGHTS,
    ids=[f"{row[2][0][1]} {n}" for n, row in enumerate(WITHOUT_RIGHTS)],
)
def test_labels_name_what_cannot_be_read(
    first: tuple[Kind, str], labels: dict[str, str], expected: tuple[Kind, str]
) -> None:
    assert owned(first, labels) == is_named(*expected, LABEL)


def test_every_row_with_a_label_is_tested_here() -> None:
    labelled = {row.kind for row in OWNERS if row.labels}
    assert labelled <= {row[2][0] for row in WITHOUT_RIGHTS}


@pytest.mark.parametrize(
    ("chain", "labels", "expected"),
    [
        pytest.param(
            ((RS, "chat-5d8f"), (DEPLOYMENT, "chat")),
            {"pod-template-hash": "5d8f"},
            (DEPLOYMENT, "chat"),
            id="Deployment",
        ),
        pytest.param(
            ((JOB, "nightly-29"), (("batch", "CronJob"), "nightly")),
            {},
            (("batch", "CronJob"), "nightly"),
            id="CronJob",
        ),
        pytest.param(
            ((JOB, "tune-node-0"), (JOBSET, "tune"), (TRAINJOB, "tune")),
            {JOBSET_NAME: "tune"},
            (TRAINJOB, "tune"),
            id="TrainJob",
        ),
        pytest.param(
            ((RAY, "score-x7k2p"), (("ray.io", "RayJob"), "score")),
            {"ray.io/cluster": "score-x7k2p"},
            (("ray.io", "RayJob"), "score"),
            id="RayJob",
        ),
        pytest.param(
            ((JOB, "pi-launcher"), (("kubeflow.org", "MPIJob"), "pi")),
            {},
            (("kubeflow.org", "MPIJob"), "pi"),
            id="MPIJob v2",
        ),
        pytest.param(
            ((("argoproj.io", "Workflow"), "n-1"), (("argoproj.io", "CronWorkflow"), "n")),
            {"workflows.argoproj.io/workflow": "n-1"},
            (("argoproj.io", "CronWorkflow"), "n"),
            id="CronWorkflow",
        ),
        pytest.param(
            (
                (RS, "b-predictor-00001-deployment-6c9"),
                (DEPLOYMENT, "b-predictor-00001-deployment"),
                (("serving.knative.dev", "Revision"), "b-predictor-00001"),
                (("serving.knative.dev", "Configuration"), "b-predictor"),
                (KNATIVE, "b-predictor"),
                (ISVC, "b"),
            ),
            {"serving.kserve.io/inferenceservice": "b"},
            (ISVC, "b"),
            id="InferenceService on Knative",
        ),
    ],
)
def test_references_all_the_way_up(
    chain: tuple[tuple[Kind, str], ...], labels: dict[str, str], expected: tuple[Kind, str]
) -> None:
    assert owned(chain[0], labels, links(*chain)) == is_named(*expected, OWNER)


def test_a_worker_s_leader_is_followed_where_it_is_a_pod_that_we_know() -> None:
    leader = a_pod("llm-0", controller=an_owner(STS, "llm"))
    sts = an_owner(STS, "llm-0")
    known = links((STS, "llm-0"), end=Owner(api_group="", kind="Pod", name="llm-0", uid=leader.uid))
    known |= links((STS, "llm"), end=an_owner(LWS, "llm"))
    worker = a_pod("llm-0-1", controller=sts)
    pods = {leader.uid: leader}
    assert identify(worker, known, pods) == is_named(LWS, "llm", OWNER)
    assert identify(leader, known, pods) == is_named(LWS, "llm", OWNER)


def test_an_executor_s_driver_is_followed_likewise() -> None:
    driver = a_pod("etl-driver", controller=an_owner(SPARK, "etl"))
    reference = Owner(api_group="", kind="Pod", name="etl-driver", uid=driver.uid)
    executor = a_pod("etl-exec-1", controller=reference)
    assert identify(executor, {}, {driver.uid: driver}) == is_named(SPARK, "etl", OWNER)
