"""What stands at the head of a patch, and what is no patch."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gpuatlas.model.sizing import Resource, Verdict
from gpuatlas.model.snapshot import Sharing
from gpuatlas.sizing.patch import (
    Form,
    WorkloadPatch,
    targets_of,
)
from gpuatlas.sizing.patch_names import Target
from gpuatlas_harness.patched import patched
from gpuatlas_harness.sizing_reports import (
    a_container,
    a_proposal,
    a_report,
    a_reservation,
    container,
    json_patched,
    manifest,
    of_compute,
    pod_template,
)

DEPLOYMENT = manifest(
    "Deployment",
    "apps/v1",
    {
        "template": pod_template(
            container("web"), container(requests=True, gpu=1, gpumem=20000, gpucores=70)
        )
    },
)


WHOLE = """\
# gpuatlas sizing, 2026-08-21T10:11:12Z: Deployment chat/llm-chat
#
# container main, memory: 20,000 MiB promised on each card, peak 14,310 MiB, proposed 15,872 MiB
#   measured: 14 days, 99.8% of it seen
#   gives back 8,256 MiB over all its containers
#   Peak 13.97 GiB of 19.53 GiB; with a margin it needs 15.5 GiB.
#
# container main, compute: 70% promised of each card, peak 41%, proposed 50%
#   measured: 14 days, 99.8% of it seen
#   gives back 40% of a card over all its containers
#   p95 41 % of a card, promised 70 %; with a margin it needs 50 %.
#
# to apply:
#   kubectl --namespace chat patch deployments.apps llm-chat --type strategic --patch-file \
chat_deployment_llm-chat.yaml
#   what it does: its pods are replaced one by one; where more may run than asked for (maxSurge) the
#   new one needs room beside the old one
# in a kustomization.yaml: patches: [{path: chat_deployment_llm-chat.yaml, \
target: {kind: Deployment, name: llm-chat}}]
#
# to put it back, the old values:
#   container main: nvidia.com/gpumem: 20000
#   container main: nvidia.com/gpucores: 70
apiVersion: apps/v1
kind: Deployment
metadata:
  name: llm-chat
  namespace: chat
spec:
  template:
    spec:
      containers:
      - name: main
        resources:
          limits:
            nvidia.com/gpumem: 15872
            nvidia.com/gpucores: 50
          requests:
            nvidia.com/gpumem: 15872
            nvidia.com/gpucores: 50
"""


def test_a_whole_file() -> None:
    patch = patched(a_report(of_compute(), a_proposal()), DEPLOYMENT)
    assert patch == WorkloadPatch(
        target=Target(cluster="", namespace="chat", kind="Deployment", name="llm-chat"),
        form=Form.STRATEGIC,
        file="chat_deployment_llm-chat.yaml",
        text=WHOLE,
    )


def test_a_file_without_the_object_says_so() -> None:
    patch = patched(a_report(a_proposal()), "forbidden (403)")
    assert "# the object itself could not be looked at: forbidden (403)\n" in patch.text
    assert (
        "limits and requests are both here, which is right whichever of them it has" in patch.text
    )


def test_a_larger_value_says_that_it_takes_more() -> None:
    larger = a_proposal(verdict=Verdict.LARGER, proposed=22_016 << 20, saving=-(2 * 2_016 << 20))
    assert "#   takes more: 4,032 MiB over all its containers\n" in patched(a_report(larger)).text


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("Job", "a Job that exists keeps its pod template: put this into its manifest"),
        ("Pod", "the devices of a pod that exists cannot be changed"),
    ],
)
def test_what_exists_and_cannot_be_changed(kind: str, said: str) -> None:
    text = patched(a_report(a_proposal(a_container(kind=kind)))).text
    assert "# cannot be applied to the object that exists: " in text
    assert said in " ".join(text.replace("#", " ").split())
    assert "kubectl" not in text


RAY = a_container(kind="RayCluster", name="train")


def test_lists_that_do_not_merge_take_the_object() -> None:
    patch = patched(a_report(a_proposal(RAY)), "no kubeconfig")
    assert (patch.form, patch.file) == (Form.VALUES, "chat_raycluster_train.values.yaml")
    assert patch.text.endswith(
        "# THIS IS NO PATCH: its lists have no names to merge by, so a patch needs the positions in"
        " the\n#   object itself, and that could not be read: no kubeconfig\n"
        "# its containers can be at:\n"
        "#   spec.headGroupSpec.template.spec.containers[].resources\n"
        "#   spec.workerGroupSpecs[].template.spec.containers[].resources\n"
        "container: main\nresources:\n  limits:\n    nvidia.com/gpumem: 15872\n"
    )


def test_runs_with_generated_names_have_no_object() -> None:
    runs = a_container(kind="Job", name="nightly-*", group="nightly")
    report = a_report(a_proposal(runs))
    assert targets_of(report) == ()
    patch = patched(report)
    assert (patch.form, patch.file) == (Form.VALUES, "chat_job_nightly.values.yaml")
    assert "its runs (nightly) have names of their own: change what makes them" in patch.text


def test_what_makes_the_runs_is_changed_where_it_is_known() -> None:
    runs = a_container(kind="CronJob", name="nightly", group="CronJob/nightly")
    body = yaml.safe_load(patched(a_report(a_proposal(runs))).text)
    assert (body["kind"], body["metadata"]["name"]) == ("CronJob", "nightly")


def test_a_kind_that_is_not_known() -> None:
    report = a_report(a_proposal(a_container(kind="Widget.example.org")))
    assert targets_of(report) == ()
    assert "# THIS IS NO PATCH: where this kind keeps its containers is not" in patched(report).text


def test_the_model_of_an_inference_service() -> None:
    document = manifest(
        "InferenceService",
        "serving.kserve.io/v1beta1",
        {"predictor": {"minReplicas": 1, "model": {k: v for k, v in MODEL.items() if k != "name"}}},
    )
    who = a_container(kind="InferenceService", container="kserve-container")
    patch = patched(a_report(a_proposal(who)), document)
    assert yaml.safe_load(patch.text) == [
        {
            "op": "test",
            "path": "/spec/predictor/model/resources/limits/nvidia.com~1gpumem",
            "value": 20000,
        },
        {
            "op": "replace",
            "path": "/spec/predictor/model/resources/limits/nvidia.com~1gpumem",
            "value": 15872,
        },
    ]
    assert "kubectl --namespace chat patch inferenceservices.serving.kserve.io " in patch.text


MODEL = container(gpu=1, gpumem=20000)
KAI = a_reservation(sharing=Sharing.KAI, resources={"gpu-memory": 1})


def test_annotations_of_a_template() -> None:
    marked = pod_template(container(), annotations={"gpu-memory": "20000"})
    document = manifest("Deployment", "apps/v1", {"template": marked})
    for read in (document, "forbidden"):
        patch = patched(a_report(a_proposal(), reservation=KAI), read)
        assert yaml.safe_load(patch.text)["spec"] == {
            "template": {"metadata": {"annotations": {"gpu-memory": "15872"}}}
        }
        assert "#   annotation gpu-memory: 20000\n" in patch.text


def test_annotations_of_the_template_that_has_them() -> None:
    groups = [
        {"template": pod_template(container())},
        {"template": pod_template(container(), annotations={"gpu-memory": "20000"})},
    ]
    document = manifest("RayCluster", "ray.io/v1", {"workerGroupSpecs": groups}, name="train")
    patch = patched(a_report(a_proposal(RAY), reservation=KAI), document)
    operations = yaml.safe_load(patch.text)
    assert operations[1:] == [
        {
            "op": "test",
            "path": "/spec/workerGroupSpecs/1/template/metadata/annotations/gpu-memory",
            "value": "20000",
        },
        {
            "op": "replace",
            "path": "/spec/workerGroupSpecs/1/template/metadata/annotations/gpu-memory",
            "value": "15872",
        },
    ]
    assert json_patched(document, operations)["spec"]["workerGroupSpecs"][0] == groups[0]


def test_another_profile_is_another_resource() -> None:
    mig = a_reservation(sharing=Sharing.MIG, resources={"nvidia.com/mig-3g.40gb": 1})
    proposal = a_proposal(target="nvidia.com/mig-2g.20gb")
    new = {"nvidia.com/mig-3g.40gb": None, "nvidia.com/mig-2g.20gb": 1}
    body = yaml.safe_load(patched(a_report(proposal, reservation=mig)).text)
    (found,) = body["spec"]["template"]["spec"]["containers"]
    assert found["resources"] == {"limits": new, "requests": new}

    who = a_container(kind="Rollout")
    limits: dict[str, Any] = {"mig-3g.40gb": 1}
    document = manifest(
        "Rollout",
        "argoproj.io/v1alpha1",
        {"template": pod_template(container(requests=True, **limits))},
    )
    patch = patched(
        a_report(a_proposal(who, target="nvidia.com/mig-2g.20gb"), reservation=mig), document
    )
    after = json_patched(document, yaml.safe_load(patch.text))
    assert after["spec"]["template"]["spec"]["containers"][0]["resources"] == {
        "limits": {"cpu": "4", "nvidia.com/mig-2g.20gb": 1},
        "requests": {"cpu": "2", "nvidia.com/mig-2g.20gb": 1},
    }


def test_what_whole_cards_are_given_up_for_must_be_there_first() -> None:
    proposal = a_proposal(
        resource=Resource.CARDS, present=1, proposed=1, target="nvidia.com/mig-1g.10gb"
    )
    plain = a_reservation(sharing=Sharing.PLAIN)
    text = patched(a_report(proposal, reservation=plain)).text
    assert "# FIRST there has to be a node that hands out nvidia.com/mig-1g.10gb: those" in text
    assert "FIRST" not in patched(a_report(a_proposal())).text


def test_memory_and_compute_of_one_instance_are_one_change() -> None:
    mig = a_reservation(sharing=Sharing.MIG, resources={"nvidia.com/mig-3g.40gb": 1})
    target = "nvidia.com/mig-2g.20gb"
    report = a_report(a_proposal(target=target), of_compute(target=target), reservation=mig)
    text = patched(report).text
    assert text.count("#   container main: nvidia.com/mig-3g.40gb: 1\n") == 1


def test_two_containers_of_one_workload_are_one_file() -> None:
    helper = a_container(container="helper")
    template = pod_template(
        container(gpu=1, gpumem=20000), container("helper", gpu=1, gpumem=20000)
    )
    patch = patched(
        a_report(a_proposal(), a_proposal(helper)),
        manifest("Deployment", "apps/v1", {"template": template}),
    )
    found = yaml.safe_load(patch.text)["spec"]["template"]["spec"]["containers"]
    assert [each["name"] for each in found] == ["helper", "main"]


def test_an_init_container_is_merged_where_it_is() -> None:
    spec = {"initContainers": [container(gpu=1, gpumem=20000)], "containers": [container("web")]}
    document = manifest("Deployment", "apps/v1", {"template": {"spec": spec}})
    body = yaml.safe_load(patched(a_report(a_proposal()), document).text)
    assert list(body["spec"]["template"]["spec"]) == ["initContainers"]


def test_the_container_of_a_pod_without_names_is_the_one_with_the_device() -> None:
    body = yaml.safe_load(patched(a_report(a_proposal(a_container(container=""))), DEPLOYMENT).text)
    (found,) = body["spec"]["template"]["spec"]["containers"]
    assert found["name"] == "main"
