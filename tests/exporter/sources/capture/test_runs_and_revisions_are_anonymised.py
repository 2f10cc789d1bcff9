"""Runs of one group and pods of one revision stay together, and no label names them."""

from __future__ import annotations

import re

from hypothesis import example, given, settings

from gpuatlas.join.snapshot import Joiner
from gpuatlas.sources.capture.anonymise import anonymise
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas.sources.capture.trimming import trim_capture
from gpuatlas_harness.anonymised import KEY, NOW, SECRET, raw_object, text_of
from gpuatlas_harness.captured import CAPTURES

REVISIONS = (
    "pod-template-hash",
    "rollouts-pod-template-hash",
    "controller-revision-hash",
    "leaderworkerset.sigs.k8s.io/template-revision-hash",
    "grove.io/pod-template-hash",
)
RUNS = (
    "app.kubernetes.io/name",
    "app.kubernetes.io/instance",
    "workflows.argoproj.io/workflow-template",
    "tekton.dev/pipeline",
    "katib.kubeflow.org/experiment",
    "dag_id",
    "task_id",
)


def a_run(secret: str, letters: str, labels: dict[str, str]) -> tuple[RawObject, RawObject]:
    """A Job whose name was generated, and its pod."""
    job = raw_object("Job", f"{secret}-{letters}", "lab", {}, {}) | {"apiVersion": "batch/v1"}
    job["metadata"] |= {"generateName": f"{secret}-"}
    pod = raw_object("Pod", f"{secret}-{letters}-0", "lab", labels, {})
    reference = {"apiVersion": "batch/v1", "kind": "Job", "controller": True}
    reference |= {"name": f"{secret}-{letters}", "uid": job["metadata"]["uid"]}
    pod["metadata"]["ownerReferences"] = [reference]
    pod["spec"] = {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}
    pod["status"] = {
        "phase": "Running",
        "containerStatuses": [{"name": "c", "restartCount": 3, "lastState": secret}],
    }
    return RawObject(body=job, where=""), RawObject(body=pod, where="")


@settings(deadline=None, max_examples=40)
@given(SECRET, SECRET)
@example("zqrun", "zqword")
def test_revisions_and_groups_name_nothing(secret: str, word: str) -> None:
    labels = {key: f"{word}-{number}" for number, key in enumerate((*REVISIONS, *RUNS))}
    workflow = raw_object("Workflow", f"{secret}-9bcdf", "lab", {RUNS[2]: word}, {})
    workflow |= {"apiVersion": "argoproj.io/v1alpha1"}
    workflow["metadata"]["generateName"] = f"{word}{secret}-"
    job, pod = a_run(secret, "x7k2p", labels)
    _, step = a_run(secret, "9bcdf", {})
    step.body["metadata"]["ownerReferences"][0] |= {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "uid": workflow["metadata"]["uid"],
    }
    capture = Capture(objects=(job, pod, RawObject(body=workflow, where=""), step))
    assert len(trim_capture(capture).objects) == 4
    text = text_of(anonymise(capture, key=KEY))
    assert secret not in text
    assert word not in text


def test_runs_of_one_group_and_pods_of_one_revision_stay_together() -> None:
    template = {"pod-template-hash": "5d8f7c9b64"}
    other = {"pod-template-hash": "77aa8bb9cc"}
    capture = Capture(
        clock=NOW,
        objects=(
            *a_run("train", "x7k2p", template),
            *a_run("train", "9bcdf", template),
            *a_run("eval", "x7k2p", other),
        ),
    )

    def told(capture: Capture) -> list[tuple[str, tuple[str, ...], int | None]]:
        snapshot = Joiner().build(project_capture(capture, now=NOW).observations)
        return sorted((w.run_group, w.revisions, w.restarts) for w in snapshot.workloads())

    assert told(capture) == [
        ("eval", ("77aa8bb9cc",), 3),
        ("train", ("5d8f7c9b64",), 3),
        ("train", ("5d8f7c9b64",), 3),
    ]
    hidden = told(anonymise(capture, key=KEY))
    assert [group for group, _, _ in hidden] == ["job-1", "job-2", "job-2"]
    assert hidden[1] == hidden[2]
    assert hidden[0][1] != hidden[1][1]
    assert all(len(revision) == 10 for _, (revision,), _ in hidden)


def test_the_revision_of_a_stateful_set_keeps_the_name_in_front() -> None:
    hidden = anonymise(read_capture(CAPTURES / "hami-a10g"), key=KEY)
    labels = next(
        raw.body["metadata"]["labels"]
        for raw in hidden.objects
        if "controller-revision-hash" in raw.body["metadata"].get("labels", {})
    )
    assert re.fullmatch(r"statefulset-1-[0-9a-z]{10}", labels["controller-revision-hash"])
    assert "6c5d7f9b84" not in text_of(hidden)
