"""What faults of tenants write, field by field."""

from __future__ import annotations

from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.demo.pages import page_text
from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world
from gpuatlas_harness.struck import Bench, Document

MIB = 1024 * 1024


def values(world: World, kind: str, subject: str, family: str) -> dict[str, float]:
    """A family of a page, by the pod, or else by the node and the card's index."""
    (endpoint,) = [e for e in world.endpoints if e.key == (kind, subject)]
    return {
        sample.labels.get("pod") or _card(sample.labels): sample.value
        for found in text_string_to_metric_families(page_text(world, endpoint))
        for sample in found.samples
        if sample.name == family
    }


def _card(labels: dict[str, str]) -> str:
    return f"{labels.get('node', '')}/{labels['device_index']}"


# Tenants


def test_the_library_can_be_switched_off(bench: Bench) -> None:
    pod = bench.pod("disable-control", "notebook-ann", card=0, tenant=1)
    env = pod["spec"]["containers"][0]["env"]
    assert {"name": "CUDA_DISABLE_CONTROL", "value": "true"} in env
    world = bench.world("disable-control", card=0, tenant=1)
    counted = values(world, "hami-monitor", "a10g-1", "hami_vgpu_memory_used_bytes")
    assert "notebook-ann-0" not in counted
    assert "notebook-bo-0" in counted


@pytest.mark.parametrize(
    ("name", "options", "limit"),
    [
        ("limit-off", {}, 0),
        ("limit-differs", {}, 24_000),
        ("limit-differs", {"percent": 50}, 8_000),
    ],
)
def test_a_limit_is_not_the_promise(bench: Bench, name: str, options: Document, limit: int) -> None:
    world = bench.world(name, card=1, **options)
    limits = values(world, "hami-monitor", "a10g-1", "hami_vgpu_memory_limit_bytes")
    (found,) = [v for pod, v in limits.items() if pod.startswith("chat-13b-")]
    assert found == limit * MIB
    promised = values(world, "hami-scheduler", "hami", "hami_vgpu_memory_allocated_bytes")
    assert [v for pod, v in promised.items() if pod.startswith("chat-13b-")] == [16_000 * MIB]


def test_a_tenant_can_run_in_a_sandbox(bench: Bench) -> None:
    pod = bench.pod("sandbox-runtime", "chat-7b", card=0)
    assert pod["spec"]["runtimeClassName"] == "gvisor"
    pod = bench.pod("sandbox-runtime", "chat-7b", card=0, runtime_class="kata-qemu")
    assert pod["spec"]["runtimeClassName"] == "kata-qemu"


def test_a_tenant_holds_more_than_its_limit(bench: Bench) -> None:
    world = bench.world("memory-over-limit", card=3)
    used = values(world, "hami-monitor", "a10g-1", "hami_vgpu_memory_used_bytes")
    (held,) = [v for pod, v in used.items() if pod.startswith("asr-")]
    assert held == 9_000 * 1.2 * MIB
    before, after = (w.node("a10g-1").cards[3] for w in (bench.healthy, world))
    (tenant,) = before.tenants
    assert after.used_mib - before.used_mib == 10_800 - tenant.counted_mib


def test_a_card_holds_memory_that_nobody_is_counted_for(bench: Bench) -> None:
    before, after = (
        w.node("a10g-1").cards[3] for w in (bench.healthy, bench.world("memory-uncounted", card=3))
    )
    assert after.used_mib - before.used_mib == 8_000
    assert after.tenants == before.tenants


def test_a_full_card_takes_no_more(bench: Bench) -> None:
    card = bench.world("memory-uncounted", card=0).node("a10g-1").cards[0]
    model = card.node.card
    assert card.used_mib <= model.memory_mib - model.reserved_mib


def test_a_tenant_takes_compute_from_its_neighbours(bench: Bench) -> None:
    world = bench.world("compute-over-promise", card=0)
    card = world.node("a10g-1").cards[0]
    assert [round(t.compute, 4) for t in card.tenants] == [0.8, 0.0667, 0.0667, 0.0667]
    assert card.compute == 0.97
    busy = values(world, "hami-monitor", "a10g-1", "hami_container_device_utilization_ratio")
    assert [v for pod, v in busy.items() if pod.startswith("chat-7b-")] == [80]
    assert busy["notebook-ann-0"] == 7


def test_alone_on_a_card_there_is_nobody_to_take_from(bench: Bench) -> None:
    card = bench.world("compute-over-promise", card=3).node("a10g-1").cards[3]
    assert card == bench.healthy.node("a10g-1").cards[3]


def test_a_forged_promise_is_believed_by_the_layer(bench: Bench) -> None:
    pod = bench.pod("promise-forged", "asr", card=3)
    allocated = pod["metadata"]["annotations"]["hami.io/vgpu-devices-allocated"]
    assert allocated.split(",")[1:3] == ["NVIDIA", "13500"]
    assert pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpumem"] == "9000"
    world = bench.world("promise-forged", card=3)
    booked = values(world, "hami-scheduler", "hami", "hami_gpu_memory_allocated_bytes")
    assert booked["a10g-1/3"] == 13_500 * MIB


def test_the_books_can_differ_from_the_promises(bench: Bench) -> None:
    family = "hami_gpu_shared_count"
    world = bench.world("scheduler-books-stale", card=3)
    booked = values(world, "hami-scheduler", "hami", "hami_gpu_memory_allocated_bytes")
    assert booked["a10g-1/3"] == 13_000 * MIB
    assert values(world, "hami-scheduler", "hami", family) == values(
        bench.healthy, "hami-scheduler", "hami", family
    )


def test_marks_that_keep_the_webhook_away(bench: Bench) -> None:
    ignored = bench.pod("webhook-ignored", "chat-13b", card=1)
    assert ignored["metadata"]["labels"]["hami.io/webhook"] == "ignore"
    privileged = bench.pod("tenant-privileged", "chat-13b", card=1)
    assert privileged["spec"]["containers"][0]["securityContext"] == {"privileged": True}
    for pod in (ignored, privileged):
        assert pod["metadata"]["annotations"]["hami.io/vgpu-node"] == "a10g-1"
        assert pod["spec"]["schedulerName"] == "hami-scheduler"


def test_a_tenant_that_does_not_end(bench: Bench) -> None:
    pod = bench.pod("tenant-terminating", "chat-13b", card=1)
    assert pod["metadata"]["deletionTimestamp"] == "2026-06-18T12:50:00Z"
    assert pod["metadata"]["deletionGracePeriodSeconds"] == 30
    assert pod["status"]["phase"] == "Running"


def test_a_tenant_that_the_card_does_not_have_is_struck_by_nothing(bench: Bench) -> None:
    assert replace(bench.world("limit-off", card=3, tenant=5), faults=()) == bench.healthy


def test_two_faults_can_strike_one_tenant(scenario: Scenario, healthy_world: World) -> None:
    faults = tuple(
        FaultSpec(name=name, node="a10g-1", card=1)
        for name in ("disable-control", "core-limit-off")
    )
    world = build_world(scenario, seed=7, at=healthy_world.at, faults=faults)
    (pod,) = [p for p in world.pods if p.workload.name == "chat-13b"]
    assert [name for name, _ in pod.deviations.env] == [
        "CUDA_DISABLE_CONTROL", "GPU_CORE_UTILIZATION_POLICY",
    ]  # fmt: skip


def test_volcanos_tenants_can_switch_their_library_off_too(bench: Bench) -> None:
    world = bench.world("disable-control", "volcano-1", card=0)
    (pod,) = [p for p in documents(world)["pods"] if p["metadata"]["name"] == "ablation-worker-0"]
    env = pod["spec"]["containers"][0]["env"]
    assert {"name": "CUDA_DISABLE_CONTROL", "value": "true"} in env
