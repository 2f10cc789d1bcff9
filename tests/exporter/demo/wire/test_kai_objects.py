from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.dcgm import dcgm_page
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world
from gpuatlas_harness.wired import Document, Objects


def pod(objects: Objects, name: str) -> Document:
    (found,) = [p for p in objects["pods"] if p["metadata"]["name"].startswith(f"{name}-")]
    return found


def reservations(objects: Objects) -> list[Document]:
    namespace = "kai-resource-reservation"
    return [p for p in objects["pods"] if p["metadata"]["namespace"] == namespace]


def test_each_card_with_fractions_is_held_by_a_reservation_pod(
    world: World, objects: Objects
) -> None:
    cards = {card.uuid for card in world.node("kai-1").cards}
    found = reservations(objects)
    named = {p["metadata"]["annotations"]["run.ai/reserve_for_gpu_index"] for p in found}
    assert named == cards
    for p in found:
        assert p["metadata"]["name"].startswith("gpu-reservation-kai-1-")
        assert p["metadata"]["labels"]["app"] == "kai-resource-reservation"
        assert p["spec"]["nodeName"] == "kai-1"
        assert p["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "1"}
        assert "ownerReferences" not in p["metadata"]


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("assist-small", {"gpu-fraction": "0.5"}),
        ("classify", {"gpu-fraction": "0.25"}),
        ("local-models", {"gpu-memory": "16000"}),
    ],
)
def test_fractions_are_asked_for_in_annotations(
    objects: Objects, name: str, asked: dict[str, str]
) -> None:
    document = pod(objects, name)
    annotations = document["metadata"]["annotations"]
    keys = {"gpu-fraction", "gpu-memory"}
    assert {key: value for key, value in annotations.items() if key in keys} == asked
    assert annotations["received-resource-type"] == "Fraction"
    assert document["metadata"]["labels"]["kai.scheduler/queue"] == "serving"
    assert document["spec"]["schedulerName"] == "kai-scheduler"
    limits = document["spec"]["containers"][0]["resources"]["limits"]
    assert [key for key in limits if "/" in key] == []


def test_the_groups_of_pod_and_reservation_are_the_same(world: World, objects: Objects) -> None:
    cards = {
        p["metadata"]["labels"]["runai-gpu-group"]: p["metadata"]["annotations"][
            "run.ai/reserve_for_gpu_index"
        ]
        for p in reservations(objects)
    }
    first, second = world.node("kai-1").cards
    for name, card in (("assist-small", first), ("classify", first), ("local-models", second)):
        assert cards[pod(objects, name)["metadata"]["labels"]["runai-gpu-group"]] == card.uuid


def test_the_node_looks_like_any_other_to_its_device_plugin(objects: Objects) -> None:
    (node,) = [n for n in objects["nodes"] if n["metadata"]["name"] == "kai-1"]
    capacity = node["status"]["capacity"]
    assert {key: value for key, value in capacity.items() if "/" in key} == {"nvidia.com/gpu": "2"}
    assert node["metadata"]["labels"]["nvidia.com/gpu.sharing-strategy"] == "none"


def test_dcgm_names_the_reservation_as_the_holder(world: World, objects: Objects) -> None:
    families = text_string_to_metric_families(dcgm_page(world.node("kai-1"), world.at))
    (used,) = [f.samples for f in families if f.name == "DCGM_FI_DEV_FB_USED"]
    names = {p["metadata"]["name"] for p in reservations(objects)}
    assert {sample.labels["pod"] for sample in used} == names
    assert {sample.labels["namespace"] for sample in used} == {"kai-resource-reservation"}
    assert {sample.labels["container"] for sample in used} == {"resource-reservation"}


def test_a_reservation_that_is_silent_names_no_card(scenario: Scenario, thursday: float) -> None:
    fault = FaultSpec(name="reservation-silent", node="kai-1", card=0)
    world = build_world(scenario, seed=7, at=thursday, faults=(fault,))
    key = "run.ai/reserve_for_gpu_index"
    said = [key in p["metadata"]["annotations"] for p in reservations(dict(documents(world)))]
    assert sorted(said) == [False, True]


def test_every_pod_of_a_service_has_a_group_of_its_own(objects: Objects) -> None:
    groups = {g["metadata"]["name"]: g for g in objects["podgroups.scheduling.run.ai"]}
    assert len(groups) == 4
    for name in ("assist-small", "classify", "local-models"):
        annotations = pod(objects, name)["metadata"]["annotations"]
        group = groups[annotations["pod-group-name"]]
        assert (group["spec"]["minMember"], group["spec"]["queue"]) == (1, "serving")
        assert group["status"] == {"running": 1}


def test_a_gang_over_its_queues_limit_waits_as_a_whole(objects: Objects) -> None:
    waiting = [p for p in objects["pods"] if p["metadata"]["name"].startswith("rank-next-")]
    assert [p["metadata"]["name"] for p in waiting] == ["rank-next-master-0", "rank-next-worker-0"]
    (name,) = {p["metadata"]["annotations"]["pod-group-name"] for p in waiting}
    (group,) = [g for g in objects["podgroups.scheduling.run.ai"] if g["metadata"]["name"] == name]
    assert group["spec"]["minMember"] == 2
    assert "kind: PyTorchJob\n" in group["metadata"]["annotations"][
        "kai.scheduler/top-owner-metadata"
    ]  # fmt: skip
    (condition,) = group["status"]["schedulingConditions"]
    assert condition["message"] == "Workload requested 4 GPUs, but serving quota limit is 2 GPUs"
    assert [reason["reason"] for reason in condition["reasons"]] == ["OverLimit"]
    for p in waiting:
        assert p["status"]["conditions"][0]["message"] == condition["message"]
        assert "nodeName" not in p["spec"]
        assert "received-resource-type" not in p["metadata"]["annotations"]
        assert "runai-gpu-group" not in p["metadata"]["labels"]


def test_bind_requests_say_what_was_given(objects: Objects) -> None:
    given = {
        b["spec"]["podName"].split("-")[0]: (
            b["spec"]["selectedNode"], b["spec"]["receivedGPU"], b["status"]["phase"],
        )
        for b in objects["bindrequests.scheduling.run.ai"]
    }  # fmt: skip
    assert given == {
        "assist": ("kai-1", {"count": 1, "portion": "0.50"}, "Succeeded"),
        "classify": ("kai-1", {"count": 1, "portion": "0.25"}, "Succeeded"),
        "local": ("kai-1", {"count": 1, "portion": "0.35"}, "Succeeded"),
    }


def test_queues_have_their_departments(objects: Objects) -> None:
    parents = {
        q["metadata"]["name"]: q["spec"].get("parentQueue")
        for q in objects["queues.scheduling.run.ai"]
    }
    assert parents == {"serving": "serving-department", "serving-department": None}
