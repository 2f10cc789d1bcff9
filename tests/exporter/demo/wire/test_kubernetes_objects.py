"""Nodes, exporters and the order of objects, as an API server gives them."""

from __future__ import annotations

import json
import re
from datetime import datetime

import pytest

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import Address, default_addresses
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world
from gpuatlas_harness.wired import Objects, first_named


def test_objects_are_json_with_all_that_a_server_gives(
    objects: Objects,
) -> None:
    uids = []
    for documents_of_kind in objects.values():
        for document in documents_of_kind:
            assert json.loads(json.dumps(document)) == document
            metadata = document["metadata"]
            assert re.fullmatch(r"[a-z0-9.-]{1,253}", metadata["name"])
            assert datetime.fromisoformat(metadata["creationTimestamp"]).tzinfo
            assert metadata["managedFields"][0]["fieldsType"] == "FieldsV1"
            assert "resourceVersion" not in metadata
            uids.append(metadata["uid"])
    assert len(set(uids)) == len(uids)


def test_objects_are_in_the_order_of_a_server(objects: Objects) -> None:
    for documents_of_kind in objects.values():
        keys = [
            (d["metadata"].get("namespace", ""), d["metadata"]["name"]) for d in documents_of_kind
        ]
        assert keys == sorted(keys)
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("node", "capacity"),
    [
        ("a10g-1", {"nvidia.com/gpu": "40"}),
        ("t4-1", {"nvidia.com/gpu": "16"}),
        ("a100-1", {"nvidia.com/gpu": "8"}),
        ("ascend-1", {"huawei.com/Ascend910B3": "16"}),
        (
            "h100-1",
            {
                "nvidia.com/gpu": "5",
                "nvidia.com/mig-1g.10gb": "9",
                "nvidia.com/mig-2g.20gb": "1",
                "nvidia.com/mig-3g.40gb": "3",
            },
        ),
        ("system-1", {}),
    ],
)
def test_nodes_advertise_what_their_plugins_hand_out(
    objects: Objects, node: str, capacity: dict[str, str]
) -> None:
    status = first_named(objects, "nodes", node)["status"]
    assert {key: value for key, value in status["capacity"].items() if "/" in key} == capacity
    if node != "a10g-1":
        assert status["allocatable"] == status["capacity"]


def test_an_unhealthy_card_takes_its_slots_from_what_can_be_asked_for(
    objects: Objects,
) -> None:
    assert (
        first_named(objects, "nodes", "a10g-1")["status"]["allocatable"]["nvidia.com/gpu"] == "30"
    )


def test_labels_tell_how_cards_are_shared(objects: Objects) -> None:
    sliced = first_named(objects, "nodes", "t4-1")["metadata"]["labels"]
    assert sliced["nvidia.com/gpu.product"] == "Tesla-T4-SHARED"
    assert sliced["nvidia.com/gpu.sharing-strategy"] == "time-slicing"
    assert sliced["nvidia.com/gpu.replicas"] == "4"
    assert sliced["nvidia.com/gpu.count"] == "4"
    assert sliced["nvidia.com/gpu.memory"] == "15360"
    cut = first_named(objects, "nodes", "h100-1")["metadata"]["labels"]
    assert cut["nvidia.com/mig.strategy"] == "mixed"
    assert cut["nvidia.com/mig-1g.10gb.count"] == "9"
    assert cut["nvidia.com/gpu.product"] == "NVIDIA-H100-80GB-HBM3"
    plain = first_named(objects, "nodes", "a100-1")["metadata"]["labels"]
    assert plain["nvidia.com/gpu.sharing-strategy"] == "none"
    assert plain["nvidia.com/cuda.driver-version.full"] == "570.195.03"
    assert plain["nodepool"] == "research"
    assert "nvidia.com/mig.strategy" not in plain
    assert first_named(objects, "nodes", "a10g-1")["metadata"]["labels"]["gpu"] == "on"
    ascend = first_named(objects, "nodes", "ascend-1")["metadata"]["labels"]
    assert not [key for key in ascend if key.startswith("nvidia.com/")]


EXPORTERS = [
    (("dcgm", "t4-1"), "gpu-operator", "nvidia-dcgm-exporter", 9400),
    (("hami-monitor", "a10g-1"), "hami-system", "vgpu-monitor", 9394),
    (("hami-monitor", "a10g-2"), "hami-legacy", "vgpu-monitor", 9394),
    (("hami-scheduler", "hami"), "hami-system", "vgpu-scheduler-extender", 9395),
]


@pytest.mark.parametrize(("key", "namespace", "container", "port"), EXPORTERS)
def test_exporters_can_be_found_by_their_ports(
    world: World, key: tuple[str, str], namespace: str, container: str, port: int
) -> None:
    addresses = dict(default_addresses(world))
    assert addresses[key].port == port
    addresses[key] = Address("127.0.0.1", 12345)
    pods = [
        pod
        for pod in documents(world, addresses)["pods"]
        if pod["status"].get("podIP") == "127.0.0.1"
    ]
    (pod,) = pods
    assert pod["metadata"]["namespace"] == namespace
    (ports,) = [c["ports"] for c in pod["spec"]["containers"] if c["name"] == container]
    assert {"name": "metrics", "containerPort": 12345, "protocol": "TCP"} in ports
    assert [port["name"] for port in ports if port["containerPort"] == 12345] == ["metrics"]


def test_exporters_carry_the_labels_of_the_real_ones(objects: Objects) -> None:
    def labels(name: str) -> dict[str, str]:
        result: dict[str, str] = first_named(objects, "pods", name)["metadata"]["labels"]
        return result

    assert labels("nvidia-dcgm-exporter-")["app"] == "nvidia-dcgm-exporter"
    assert labels("hami-device-plugin-")["app.kubernetes.io/component"] == "hami-device-plugin"
    newer, older = labels("hami-scheduler-"), labels("hami-legacy-scheduler-")
    assert newer["app.kubernetes.io/component"] == "hami-scheduler"
    assert newer["hami.io/scheduler-role"] == "leader"
    assert "hami.io/scheduler-role" not in older


def test_an_exporter_that_is_gone_does_not_run(scenario: Scenario, thursday: float) -> None:
    fault = FaultSpec(name="endpoint-gone", node="t4-1")
    world = build_world(scenario, seed=7, at=thursday, faults=(fault,))
    (pod,) = [
        pod
        for pod in documents(world)["pods"]
        if pod["spec"].get("nodeName") == "t4-1"
        and pod["metadata"]["name"].startswith("nvidia-dcgm-exporter-")
    ]
    assert pod["status"]["phase"] == "Pending"
    assert "podIP" not in pod["status"]


def test_virtual_gpus_are_switched_on_where_cards_are_sliced(
    objects: Objects,
) -> None:
    switched_on = [
        pod["spec"]["nodeName"]
        for pod in objects["pods"]
        for container in pod["spec"]["containers"]
        for variable in container.get("env", [])
        if variable == {"name": "KUBERNETES_VIRTUAL_GPUS", "value": "true"}
    ]
    assert switched_on == ["t4-1"]
