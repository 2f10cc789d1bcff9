from __future__ import annotations

import json
import re

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.hami import pod_annotations
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.wire.objects import Document
from gpuatlas.demo.world import build_world


def annotations_of(world: World, node: str) -> dict[str, str]:
    (document,) = [d for d in documents(world)["nodes"] if d["metadata"]["name"] == node]
    result: dict[str, str] = document["metadata"]["annotations"]
    return result


def promises(world: World, phases: frozenset[str] = frozenset({"Running", "Pending"})) -> Document:
    """Card → MiB promised, read from the pods as a reader would."""
    result: dict[str, int] = {}
    for pod in documents(world)["pods"]:
        marks = pod["metadata"].get("annotations", {})
        text = marks.get("hami.io/vgpu-devices-allocated", "")
        if pod["status"]["phase"] in phases:
            for uuid, _, memory, _ in re.findall(r"([^;:,]+),([^,]*),(\d+),(\d+):", text):
                result[uuid] = result.get(uuid, 0) + int(memory)
    return result


def test_the_first_card_is_promised_29000_of_its_23028_mib(world: World) -> None:
    card = world.node("a10g-1").cards[0]
    assert card.node.card.memory_mib == 23028
    assert promises(world)[card.uuid] == 29000


def test_the_newer_registration_is_json_without_zeros(world: World) -> None:
    devices = json.loads(annotations_of(world, "a10g-1")["hami.io/node-nvidia-register"])
    cards = world.node("a10g-1").cards
    assert devices[0] == {
        "id": cards[0].uuid,
        "count": 10,
        "devmem": 41450,
        "devcore": 100,
        "type": "NVIDIA A10G",
        "mode": "hami-core",
        "health": True,
        "devicepairscore": {},
    }
    assert devices[2]["index"] == 2
    assert devices[2]["numa"] == 1
    assert "health" not in devices[3]  # the unhealthy one


def test_the_older_registration_is_text_of_nine_fields(world: World) -> None:
    text = annotations_of(world, "a10g-2")["hami.io/node-nvidia-register"]
    records = text.split(":")
    assert records.pop() == ""
    assert records[1] == (
        f"{world.node('a10g-2').cards[1].uuid},10,34542,100,NVIDIA-NVIDIA A10G,0,true,1,hami-core"
    )
    assert len(records) == 4


def test_an_unhealthy_card_is_false_in_the_older_text(scenario: Scenario, thursday: float) -> None:
    fault = FaultSpec(name="registered-unhealthy", node="a10g-2", card=0)
    world = build_world(scenario, seed=7, at=thursday, faults=(fault,))
    text = annotations_of(world, "a10g-2")["hami.io/node-nvidia-register"]
    assert [record.split(",")[6] for record in text.split(":")[:-1]] == [
        "false", "true", "true", "true",
    ]  # fmt: skip


def test_handshakes_are_those_of_the_three_plugins(world: World) -> None:
    newer = annotations_of(world, "a10g-1")["hami.io/node-handshake"]
    older = annotations_of(world, "a10g-2")["hami.io/node-handshake"]
    ascend = annotations_of(world, "ascend-1")["hami.io/node-handshake-Ascend910B3"]
    assert newer == "Requesting_2026-01-01 00:00:00"
    assert re.fullmatch(r"Reported 2026-06-18 13:10:00\.125 \+0000 UTC m=\+\d+\.000", older), older
    assert ascend == "Reported_2026.06.18 13:10:00"


def test_a_plugin_that_reports_does_so_every_half_minute(
    scenario: Scenario, thursday: float
) -> None:
    texts = [
        annotations_of(build_world(scenario, seed=7, at=thursday + s), "ascend-1")[
            "hami.io/node-handshake-Ascend910B3"
        ]
        for s in (29, 30)
    ]
    assert texts == ["Reported_2026.06.18 13:10:00", "Reported_2026.06.18 13:10:30"]


def test_npus_are_registered_with_their_network(world: World) -> None:
    key = "hami.io/node-register-Ascend910B3"
    devices = json.loads(annotations_of(world, "ascend-1")[key])
    assert len(devices) == 4
    assert devices[1] == {
        "id": world.node("ascend-1").cards[1].uuid,
        "index": 1,
        "count": 4,
        "devmem": 65536,
        "devcore": 20,
        "type": "Ascend910B3",
        "health": True,
        "custominfo": {"NetworkID": 0},
    }


def test_plain_nodes_have_nothing_of_hami(world: World) -> None:
    assert not [key for key in annotations_of(world, "a100-1") if key.startswith("hami.io/")]


def allocated(world: World, name: str) -> dict[str, str]:
    pod = next(pod for pod in world.pods if pod.workload.name == name)
    assert pod.place
    return pod_annotations(pod, world.node(pod.place.node), world.at)


def test_the_newer_scheduler_writes_a_segment_per_container_init_first(world: World) -> None:
    uuid = world.node("a10g-1").cards[0].uuid
    chat = allocated(world, "chat-7b")["hami.io/vgpu-devices-allocated"]
    notebook = allocated(world, "notebook-ann")["hami.io/vgpu-devices-allocated"]
    assert chat == f";{uuid},NVIDIA,12000,40:;"
    assert notebook == f"{uuid},NVIDIA,3000,10:;;"


def test_the_older_scheduler_knows_no_init_containers(world: World) -> None:
    uuid = world.node("a10g-2").cards[0].uuid
    chat = allocated(world, "summarise")["hami.io/vgpu-devices-allocated"]
    assert chat == f"{uuid},NVIDIA,14000,50:;"


def test_no_limit_of_compute_is_written_as_zero(world: World) -> None:
    detector = allocated(world, "detector")["hami.io/vgpu-devices-allocated"]
    assert detector.endswith(",NVIDIA,10000,0:;")


def test_a_pod_is_allocating_for_its_first_seconds(scenario: Scenario, world: World) -> None:
    born = next(pod.created_at for pod in world.pods if pod.workload.name == "chat-7b")
    phases = []
    for age in (0, 10):
        marks = allocated(build_world(scenario, seed=7, at=born + age), "chat-7b")
        phases.append(marks["hami.io/bind-phase"])
        to_allocate = marks["hami.io/vgpu-devices-to-allocate"]
        assert (to_allocate == ";") == (age > 0)
        assert marks["hami.io/bind-time"] == str(int(born))
        assert marks["hami.io/vgpu-node"] == "a10g-1"
    assert phases == ["allocating", "success"]


def test_ascend_pods_have_the_words_of_their_chip(world: World) -> None:
    uuid = world.node("ascend-1").cards[0].uuid
    marks = allocated(world, "npu-embed")
    assert marks["hami.io/Ascend910B3-devices-allocated"] == f"{uuid},Ascend910B3,16384,0:;"
    assert json.loads(marks["huawei.com/Ascend910B3"]) == [
        {"UUID": uuid, "temp": "vir05_1c_16g", "memory": 16384}
    ]


def test_annotations_stay_on_finished_pods(world: World) -> None:
    finished = promises(world, frozenset({"Succeeded", "Failed"}))
    assert finished[world.node("a10g-1").cards[2].uuid] == 4 * 4000
