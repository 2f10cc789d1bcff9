from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.demo.pages import page_text
from gpuatlas.demo.state import EndpointState, World
from gpuatlas.demo.wire.kubernetes import documents

GIB = 1024**3


def page(world: World, node: str) -> str:
    return page_text(world, EndpointState(kind="node-exporter", subject=node))


def values(text: str) -> dict[str, float]:
    return {
        sample.name: sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.mark.parametrize(("node", "gib"), [("a10g-1", 192), ("h100-1", 2048), ("ascend-1", 1024)])
def test_a_page_tells_the_machines_memory(world: World, node: str, gib: int) -> None:
    found = values(page(world, node))

    assert found["node_memory_MemTotal_bytes"] == gib * GIB
    free, cached = found["node_memory_MemFree_bytes"], found["node_memory_Cached_bytes"]
    assert free + cached == found["node_memory_MemAvailable_bytes"]
    assert 0.3 * gib * GIB < found["node_memory_MemAvailable_bytes"] < 0.95 * gib * GIB
    assert found["node_time_seconds"] == world.at


def test_the_node_object_has_the_same_memory(world: World) -> None:
    (node,) = [d for d in documents(world)["nodes"] if d["metadata"]["name"] == "a10g-1"]
    assert node["status"]["capacity"]["memory"] == f"{192 * 1024 * 1024}Ki"


def test_a_page_names_its_machine_and_sorts_its_families(world: World) -> None:
    text = page(world, "a10g-2")

    (uname,) = [f for f in text_string_to_metric_families(text) if f.name == "node_uname_info"]
    (sample,) = uname.samples
    assert (sample.labels["nodename"], sample.labels["sysname"]) == ("a10g-2", "Linux")
    names = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert names == sorted(names)
    assert (
        "# HELP node_memory_MemAvailable_bytes Memory information field MemAvailable_bytes.\n"
        "# TYPE node_memory_MemAvailable_bytes gauge\n"
        "node_memory_MemAvailable_bytes 1." in text
    )


def test_what_tenants_hold_off_their_card_lies_in_the_machines_memory(world: World) -> None:
    """The managed memory of the overcommitted card."""
    card = world.node("a10g-1").cards[0]
    offloaded = sum(tenant.counted_mib - tenant.resident_mib for tenant in card.tenants)
    available = values(page(world, "a10g-1"))["node_memory_MemAvailable_bytes"]
    here = [p for p in world.pods if p.phase == "Running" and p.place and p.place.node == "a10g-1"]

    least = 0.04 * 192 * 1024 + 6_000 * len(here) + offloaded
    assert offloaded > 1000
    assert available <= 192 * GIB - least * 1024**2
    assert available >= 192 * GIB - (least + 4_000 * len(here) + 1) * 1024**2


def test_it_is_found_as_a_daemon_set_on_every_node(world: World) -> None:
    pods = [
        pod
        for pod in documents(world)["pods"]
        if pod["metadata"]["labels"].get("app.kubernetes.io/name") == "prometheus-node-exporter"
    ]
    assert {pod["spec"]["nodeName"] for pod in pods} == {
        "system-1", *(node.spec.name for node in world.nodes),
    }  # fmt: skip
    pod = next(p for p in pods if p["spec"]["nodeName"] == "a10g-1")
    assert pod["spec"]["hostNetwork"] is True
    assert pod["status"]["podIP"] == pod["status"]["hostIP"] == "10.20.0.11"
    (ports,) = [container["ports"] for container in pod["spec"]["containers"]]
    assert ports == [{"name": "http-metrics", "containerPort": 9100, "protocol": "TCP"}]
