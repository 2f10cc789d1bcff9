from __future__ import annotations

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.demo.pages import page_text
from gpuatlas.demo.scenario import Scenario
from gpuatlas.demo.state import EndpointState, World
from gpuatlas.demo.wire.hami_pages import monitor_page, scheduler_page
from gpuatlas.demo.world import build_world

MIB = 1024 * 1024
Values = dict[str, list[tuple[dict[str, str], float]]]


def read(page: str) -> Values:
    result: Values = {}
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            result.setdefault(sample.name, []).append((sample.labels, sample.value))
    return result


def scheduler(world: World, release: str) -> Values:
    (hami,) = [h for h in world.scenario.hami if h.release == release]
    return read(scheduler_page(world, hami))


def one(values: Values, name: str, **labels: str) -> float:
    (value,) = [v for found, v in values[name] if labels.items() <= found.items()]
    return value


@pytest.mark.parametrize("kind", ["hami-monitor", "hami-scheduler"])
def test_pages_sort_their_labels_and_repeat_no_series(world: World, kind: str) -> None:
    for endpoint in world.endpoints:
        if endpoint.kind == kind:
            lines = [x for x in page_text(world, endpoint).splitlines() if not x.startswith("#")]
            series = [line.rsplit(" ", 1)[0] for line in lines]
            assert len(set(series)) == len(series) > 0
            for line in lines:
                names = re.findall(r'(\w+)="', line)
                assert names == sorted(names)
                assert ("zone" in names) != line.startswith("hami_build_info")


def test_the_two_installations_share_no_name(world: World) -> None:
    newer, older = scheduler(world, "hami"), scheduler(world, "hami-legacy")
    assert not newer.keys() & older.keys()
    assert all(name.startswith("hami_") for name in newer)
    assert not any(name.startswith("hami_") for name in older)


def test_the_newer_scheduler_shows_what_it_promised_of_the_first_card(world: World) -> None:
    values, uuid = scheduler(world, "hami"), world.node("a10g-1").cards[0].uuid
    card = {"device_uuid": uuid, "node": "a10g-1", "device_index": "0"}
    assert one(values, "hami_gpu_memory_limit_bytes", **card) == 41450 * MIB
    assert one(values, "hami_gpu_memory_allocated_bytes", **card) == 29000 * MIB
    assert one(values, "hami_gpu_shared_count", **card) == 4
    assert one(values, "hami_gpu_core_allocated_ratio", **card) == 100
    assert one(values, "hami_gpu_core_limit_ratio", **card) == 100
    share = one(values, "hami_node_gpu_memory_allocated_ratio", **card)
    assert share == 29000 / 41450
    overview = [found for found, _ in values["hami_node_gpu_overview"] if found["node"] == "a10g-1"]
    assert overview[0]["device_memory_limit"] == "41450"
    assert overview[0]["device_type"] == "NVIDIA A10G"


def test_each_scheduler_sees_the_nodes_that_it_can_read(world: World) -> None:
    newer = {x["node"] for x, _ in scheduler(world, "hami")["hami_gpu_shared_count"]}
    older = {x["nodeid"] for x, _ in scheduler(world, "hami-legacy")["GPUDeviceSharedNum"]}
    assert newer == {"a10g-1", "ascend-1"}
    assert older == {"a10g-2"}


def test_every_scheduler_lists_the_pods_of_all_and_no_finished_ones(world: World) -> None:
    newer = scheduler(world, "hami")["hami_vgpu_memory_allocated_bytes"]
    older = scheduler(world, "hami-legacy")["vGPUMemoryAllocated"]
    pods = {(x["namespace"], x["pod"]): v for x, v in newer}
    assert pods == {(x["podnamespace"], x["podname"]): v for x, v in older}
    assert pods == {
        (pod.workload.namespace, pod.name): pod.workload.ask.memory_mib * MIB
        for pod in world.pods
        if pod.holds and pod.workload.ask and pod.place and world.node(pod.place.node).spec.hami
    }


def test_the_older_scheduler_still_has_what_was_to_be_dropped(world: World) -> None:
    values = scheduler(world, "hami-legacy")
    labels, value = values["vGPUPodsDeviceAllocated"][0]
    assert labels["deprecated_version"] == "v2.8.0"
    assert value > 0
    assert "devicetype" not in values["GPUDeviceMemoryLimit"][0][0]
    assert values["nodeGPUOverview"][0][0]["devicetype"] == "NVIDIA-NVIDIA A10G"


def test_the_index_of_a_container_counts_init_containers_first(world: World) -> None:
    values = scheduler(world, "hami")
    labels = {x["pod"]: x for x, _ in values["hami_vgpu_core_allocated_ratio"]}
    indices = {name.split("-")[0]: x["container_index"] for name, x in labels.items()}
    assert indices["chat"] == "1"
    assert indices["embed"] == "0"


def test_the_newer_monitor_counts_what_its_containers_hold(world: World) -> None:
    values, card = read(monitor_page(world.node("a10g-1"))), world.node("a10g-1").cards[0]
    for tenant in card.tenants:
        pod = {"pod": tenant.pod.name, "device_uuid": card.uuid}
        ask = tenant.pod.workload.ask
        assert ask
        used = one(values, "hami_vgpu_memory_used_bytes", **pod)
        assert used == tenant.counted_mib * MIB
        assert one(values, "hami_vgpu_memory_limit_bytes", **pod) == ask.memory_mib * MIB
        parts = ("context", "module", "buffer")
        assert used == sum(one(values, f"hami_vgpu_memory_{part}_bytes", **pod) for part in parts)
    assert len(card.tenants) == 4


def test_the_monitors_host_view_includes_what_the_driver_reserves(world: World) -> None:
    values, card = read(monitor_page(world.node("a10g-1"))), world.node("a10g-1").cards[0]
    host = one(values, "hami_host_gpu_memory_used_bytes", device_uuid=card.uuid)
    assert host == (card.used_mib + card.node.card.reserved_mib) * MIB
    assert host <= card.node.card.memory_mib * MIB
    busy = one(values, "hami_host_gpu_utilization_ratio", device_uuid=card.uuid)
    assert busy == round(100 * card.compute)


def test_the_older_monitor_uses_the_old_names_and_types(world: World) -> None:
    page = monitor_page(world.node("a10g-2"))
    values = read(page)
    assert "# TYPE Device_memory_desc_of_container counter\n" in page
    assert set(values) == {
        "HostGPUMemoryUsage",
        "HostCoreUtilization",
        "vGPU_device_memory_usage_in_bytes",
        "vGPU_device_memory_limit_in_bytes",
        # The parser adds what it expects of a counter.
        "Device_memory_desc_of_container_total",
        "Device_utilization_desc_of_container",
        "Device_last_kernel_of_container",
    }
    assert values["HostGPUMemoryUsage"][0][0]["devicetype"] == "NVIDIA-NVIDIA A10G"


def test_an_idle_notebook_has_not_run_a_kernel_for_long(world: World) -> None:
    values = read(monitor_page(world.node("a10g-2")))
    idle = one(values, "Device_last_kernel_of_container", podname="notebook-cy-0")
    working = [
        value
        for labels, value in values["Device_last_kernel_of_container"]
        if labels["podname"].startswith("summarise-")
    ]
    assert idle > 3600
    assert working[0] < 5


def test_compute_that_is_not_limited_is_not_watched(world: World) -> None:
    values = read(monitor_page(world.node("a10g-1")))
    busy = {x["pod"].split("-")[0]: v for x, v in values["hami_container_device_utilization_ratio"]}
    assert world.node("a10g-1").cards[2].compute > 0.2
    assert busy["detector"] == 0
    assert busy["embed"] > 5


def test_a_container_that_has_not_started_yet_has_no_series(
    scenario: Scenario, world: World
) -> None:
    pod = next(pod for pod in world.pods if pod.workload.name == "chat-7b")
    young = build_world(scenario, seed=7, at=pod.created_at + 5)
    values = read(monitor_page(young.node("a10g-1")))
    assert pod.name not in {x["pod"] for x, _ in values["hami_vgpu_memory_used_bytes"]}
    promised = scheduler(young, "hami")["hami_vgpu_memory_allocated_bytes"]
    assert pod.name in {x["pod"] for x, _ in promised}


def test_only_versions_that_say_so_tell_their_version(world: World) -> None:
    assert scheduler(world, "hami")["hami_build_info"][0][0]["version"] == "v2.9.0"
    assert "hami_build_info" not in scheduler(world, "hami-legacy")


def test_a_node_without_hami_has_no_monitor(world: World) -> None:
    assert monitor_page(world.node("a100-1")) == ""
    assert EndpointState(kind="hami-monitor", subject="ascend-1").key not in {
        endpoint.key for endpoint in world.endpoints
    }
