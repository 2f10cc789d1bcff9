"""What runs with generated names have in common."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.join.run_groups import run_group_of
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Owner, OwnerLink, Pod
from gpuatlas.model.snapshot import WorkloadId
from gpuatlas_harness.observed import a_node, a_pod, observations
from gpuatlas_harness.placed import a_queued, objects

NAME, INSTANCE = "app.kubernetes.io/name", "app.kubernetes.io/instance"
JOB = ("batch", "Job")
WORKFLOW = ("argoproj.io", "Workflow")


def an_owner(kind: tuple[str, str], name: str) -> Owner:
    return Owner(api_group=kind[0], kind=kind[1], name=name, uid=f"{kind[1]}-{name}")


def a_link(kind: tuple[str, str], name: str, above: Owner | None = None, **more: str) -> OwnerLink:
    return OwnerLink(
        uid=f"{kind[1]}-{name}",
        api_group=kind[0],
        kind=kind[1],
        namespace="team-a",
        name=name,
        controller=above,
        **more,
    )


def groups(*pods: Pod, links: tuple[OwnerLink, ...] = ()) -> dict[str, str]:
    obs = observations([a_node()], pods, owners={link.uid: link for link in links})
    return {w.id.name: w.run_group for w in Joiner().build(obs).namespaces["team-a"].workloads}


def of(kind: tuple[str, str], name: str) -> str:
    """The group of a workload with one pod and no object of its own that was read."""
    return groups(a_pod(controller=an_owner(kind, name)))[name]


@pytest.mark.parametrize(
    "kind",
    [
        JOB,
        WORKFLOW,
        ("batch.volcano.sh", "Job"),
        ("jobset.x-k8s.io", "JobSet"),
        ("ray.io", "RayJob"),
        ("kubeflow.org", "PyTorchJob"),
        ("kubeflow.org", "JAXJob"),
        ("trainer.kubeflow.org", "TrainJob"),
        ("sparkoperator.k8s.io", "SparkApplication"),
        ("tekton.dev", "PipelineRun"),
        ("run.ai", "RunaiJob"),
    ],
)
def test_runs_share_the_beginning_of_a_generated_name(kind: tuple[str, str]) -> None:
    assert of(kind, "train-llama-x7k2p") == "train-llama"
    assert of(kind, "train-llama") == ""


@pytest.mark.parametrize(
    "kind",
    [
        ("apps", "Deployment"),
        ("apps", "ReplicaSet"),
        ("apps", "StatefulSet"),
        ("apps", "DaemonSet"),
        ("batch", "CronJob"),
        ("ray.io", "RayService"),
        ("ray.io", "RayCluster"),
        ("serving.kserve.io", "InferenceService"),
        ("kubeflow.org", "Notebook"),
        ("argoproj.io", "CronWorkflow"),
        ("corp.example", "Job"),
    ],
)
def test_workloads_that_go_on_have_none(kind: tuple[str, str]) -> None:
    pod = a_pod(
        controller=an_owner(kind, "train-x7k2p"),
        labels={NAME: "app", "dag_id": "d", "task_id": "t"},
    )
    link = a_link(kind, "train-x7k2p", generate_name="train-", template="nightly")
    assert set(groups(pod, links=(link,)).values()) == {""}


def test_a_run_that_something_longer_lived_made_has_none_of_its_own() -> None:
    cron = an_owner(("batch", "CronJob"), "nightly")
    pod = a_pod(controller=an_owner(JOB, "nightly-29788451"))
    assert groups(pod, links=(a_link(JOB, "nightly-29788451", cron),)) == {"nightly": ""}


def test_bare_pods_with_generated_names_are_runs_and_static_pods_are_not() -> None:
    static = a_pod("watchdog-pool-x7k2p", controller=an_owner(("", "Node"), "pool-x7k2p"))
    assert groups(a_pod("probe-x7k2p"), a_pod("scratch"), static) == {
        "probe-x7k2p": "probe",
        "scratch": "",
        "watchdog-pool-x7k2p": "",
    }


def test_several_runs_at_one_time_share_one_group() -> None:
    names = ("train-x7k2p", "train-9bcdf", "eval-x7k2p")
    pods = (a_pod(f"{name}-0", controller=an_owner(JOB, name)) for name in names)
    assert groups(*pods) == {"eval-x7k2p": "eval", "train-9bcdf": "train", "train-x7k2p": "train"}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        pytest.param({NAME: "trainer"}, "trainer", id="name"),
        pytest.param({NAME: "trainer", INSTANCE: "llama"}, "trainer/llama", id="and instance"),
        pytest.param({NAME: "trainer", INSTANCE: "trainer"}, "trainer", id="both the same"),
        pytest.param(
            {NAME: "trainer", INSTANCE: "llama-20260821"}, "trainer/llama", id="one a run"
        ),
        pytest.param({NAME: "trainer", INSTANCE: "a1b2c3d4e5f6"}, "trainer", id="all made up"),
        pytest.param({INSTANCE: "llama"}, "train", id="an instance of nothing"),
        pytest.param({NAME: ""}, "train", id="empty"),
        pytest.param(
            {NAME: "kuberay", "app.kubernetes.io/created-by": "kuberay-operator"},
            "train",
            id="KubeRay calls all its pods so",
        ),
    ],
)
def test_the_application_label_comes_first(labels: dict[str, str], expected: str) -> None:
    pod = a_pod(controller=an_owner(JOB, "train-x7k2p"), labels=labels)
    assert groups(pod) == {"train-x7k2p": expected}


def test_an_application_label_makes_no_group_of_chosen_names() -> None:
    """JupyterHub puts one on the notebooks of all its users."""
    assert groups(a_pod("jupyter-ann", labels={NAME: "jupyterhub"})) == {"jupyter-ann": ""}


def test_steps_that_are_labelled_differently_have_the_group_of_their_run() -> None:
    owner = an_owner(WORKFLOW, "nightly-x7k2p")
    pods = [
        a_pod("a", controller=owner, labels={NAME: "prepare"}, phase="Succeeded"),
        a_pod("b", controller=owner, labels={NAME: "train"}),
    ]
    assert groups(*pods) == {"nightly-x7k2p": "nightly"}
    template = a_link(WORKFLOW, "nightly-x7k2p", template="report")
    assert groups(*pods, links=(template,)) == {"nightly-x7k2p": "report"}


@pytest.mark.parametrize(
    ("kind", "name", "labels", "expected"),
    [
        pytest.param(
            WORKFLOW,
            "report-x7k2p",
            {"workflows.argoproj.io/workflow-template": "nightly-report"},
            "nightly-report",
            id="Argo, label of a pod",
        ),
        pytest.param(
            ("", "Pod"),
            "train-model-a8f3k1z9",
            {"dag_id": "retrain", "task_id": "train_model"},
            "retrain/train_model",
            id="Airflow",
        ),
        pytest.param(
            ("", "Pod"), "train-model-a8f3k1z9", {"dag_id": "retrain"}, "", id="half a row"
        ),
        pytest.param(
            ("tekton.dev", "PipelineRun"),
            "build-run-x7k2p",
            {"tekton.dev/pipeline": "build", "tekton.dev/task": "train"},
            "build",
            id="Tekton",
        ),
        pytest.param(
            ("tekton.dev", "PipelineRun"),
            "build-run-x7k2p",
            {"tekton.dev/pipeline": "build-run-x7k2p"},
            "build-run",
            id="Tekton, a pipeline that is written into its run",
        ),
        pytest.param(
            ("kubeflow.org", "Trial"),
            "sweep-28rcrkxh",
            {"katib.kubeflow.org/experiment": "sweep"},
            "sweep",
            id="Katib",
        ),
    ],
)
def test_systems_say_what_they_made_a_run_from(
    kind: tuple[str, str], name: str, labels: dict[str, str], expected: str
) -> None:
    controller = None if kind[1] == "Pod" else an_owner(kind, name)
    pod = a_pod(name, controller=controller, labels=labels)
    assert groups(pod) == {name: expected}


def test_a_workflow_of_a_template_needs_no_generated_name() -> None:
    pod = a_pod(controller=an_owner(WORKFLOW, "tonight"))
    link = a_link(WORKFLOW, "tonight", template="report")
    assert groups(pod, links=(link,)) == {"tonight": "report"}


@pytest.mark.parametrize(
    ("name", "generate_name", "expected"),
    [
        ("trainx7k2p", "train", "train"),  # no dash tells it
        ("train-gpt-x7k2p", "train-gpt-", "train-gpt"),
        ("train-20260821-x7k2p", "train-20260821-", "train"),
        ("train-llama", "other-", ""),  # named in spite of it
        ("train-x7k2p", "", "train"),
    ],
)
def test_what_the_server_made_the_name_from_is_certain(
    name: str, generate_name: str, expected: str
) -> None:
    pod = a_pod(controller=an_owner(JOB, name))
    assert groups(pod, links=(a_link(JOB, name, generate_name=generate_name),)) == {name: expected}


def test_a_finished_run_keeps_its_group() -> None:
    pod = a_pod(controller=an_owner(JOB, "train-x7k2p"), phase="Succeeded")
    assert groups(pod) == {"train-x7k2p": "train"}


def test_a_run_that_is_held_without_pods_has_none_yet() -> None:
    queued = a_queued("job-train-x7k2p", owner=an_owner(JOB, "train-x7k2p"))
    obs = observations([a_node()], placement=objects(queued))
    (workload,) = Joiner().build(obs).namespaces["team-a"].workloads
    assert (workload.id.name, workload.run_group) == ("train-x7k2p", "")


def test_a_tenants_lie_moves_its_own_run_only() -> None:
    liar = a_pod("mine-x7k2p", labels={NAME: "train"})
    honest = a_pod("train-9bcdf")
    assert groups(liar, honest) == {"mine-x7k2p": "train", "train-9bcdf": "train"}
    assert groups(honest) == {"train-9bcdf": "train"}


texts = st.text(max_size=300)


@settings(deadline=None, max_examples=80)
@given(
    texts,
    st.lists(
        st.dictionaries(st.sampled_from([NAME, INSTANCE, "dag_id", "task_id"]), texts),
        min_size=1,
        max_size=3,
    ),
    texts,
    texts,
)
def test_any_text_gives_one_short_printable_line(
    name: str, labels: list[dict[str, str]], generate_name: str, template: str
) -> None:
    workload = WorkloadId(namespace="team-a", api_group="batch", kind="Job", name=name)
    link = a_link(JOB, name, generate_name=generate_name, template=template)
    group = run_group_of(workload, link, [a_pod(labels=each) for each in labels])
    assert len(group) <= 200
    assert group == "" or group.isprintable()
