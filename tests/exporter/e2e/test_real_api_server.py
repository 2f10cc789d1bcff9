"""The main job on real servers: `gpuatlas serve`, a real kube-apiserver, real exposition text."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuatlas.demo.server import SimulatedCluster
from gpuatlas.families.catalogue import ALL_FAMILIES, CONTENTION_FAMILIES, SIZING_FAMILIES
from gpuatlas.model.units import MIB
from gpuatlas_harness.evening import GOLDEN, OF_THE_CLOCK, PROBED, comparable
from gpuatlas_harness.exporting import ServeProcess
from gpuatlas_harness.kube import KubeServer
from gpuatlas_harness.page import Page
from gpuatlas_harness.prometheus import promtool_check_metrics

A10G, A100, H100, T4 = 23_028 * MIB, 81_920 * MIB, 81_559 * MIB, 15_360 * MIB
CARD = {"node": "a10g-1", "index": "0"}


@pytest.fixture(scope="module")
def page(exporter: ServeProcess) -> Page:
    return exporter.page()


def test_every_declared_family_has_a_sample(page: Page) -> None:
    assert {family.name for family in ALL_FAMILIES} - page.names() == {
        # Nothing is refused on a healthy cluster, and nobody contradicts another.
        "gpuatlas_source_rejected_samples_total",
        "gpuatlas_allocation_evidence_conflict_info",
        # No node is locked or lost its label, and nobody named a licence.
        "gpuatlas_node_sharing_lock_timestamp_seconds",
        "gpuatlas_node_sharing_label_missing_info",
        "gpuatlas_sharing_licence_not_after_timestamp_seconds",
        # The simulator's webhooks are on loopback, which a real EndpointSlice cannot name.
        "gpuatlas_sharing_webhook_reachable",
        "gpuatlas_sharing_webhook_certificate_verified",
        "gpuatlas_sharing_webhook_certificate_not_after_timestamp_seconds",
        # Sizing looks at the past, and there is no Prometheus to ask for it.
        *(family.name for family in SIZING_FAMILIES),
        # Contention is judged by whole minutes, and the exporter is seconds old.
        *(family.name for family in CONTENTION_FAMILIES),
    }


def test_the_whole_page_is_exactly_this(exporter: ServeProcess) -> None:
    """Every series of every family; `make golden` writes the file again: read its diff."""
    assert comparable(exporter.text()) == GOLDEN.read_text().splitlines()


def test_an_a10g_is_promised_29000_of_23028_mib(page: Page) -> None:
    memory = {
        word: page.value(f"gpuatlas_card_memory_{word}_bytes", **CARD)
        for word in ("physical", "schedulable", "allocated", "overcommitted")
    }
    assert memory == {
        "physical": A10G,
        "schedulable": 41_450 * MIB,
        "allocated": 29_000 * MIB,
        "overcommitted": 5_972 * MIB,
    }
    promises = page.values("gpuatlas_allocation_memory_reserved_bytes", **CARD)
    assert sorted(promises) == [m * MIB for m in (3_000, 6_000, 8_000, 12_000)]
    assert page.value("gpuatlas_card_tenants", **CARD) == 4
    assert page.value("gpuatlas_card_tenants_limit", **CARD) == 10
    assert page.value("gpuatlas_card_compute_allocated_ratio", **CARD) == 1.0
    assert page.value("gpuatlas_node_sharing_ready", node="a10g-1") == 1


def test_use_is_the_drivers_and_the_layers_each_under_its_own_name(page: Page) -> None:
    counted = page.values("gpuatlas_allocation_memory_counted_bytes", **CARD)
    resident = page.value("gpuatlas_card_memory_resident_bytes", **CARD)
    assert len(counted) == 4
    assert page.value("gpuatlas_card_memory_counted_bytes", **CARD) == sum(counted)
    offloaded = page.value("gpuatlas_card_memory_offloaded_bytes", **CARD)
    assert offloaded == sum(counted) - resident > 0
    assert page.values("gpuatlas_allocation_memory_resident_bytes", **CARD) == []
    priorities = page.values("gpuatlas_allocation_priority", **CARD)
    assert sorted(priorities) == [0, 0, 1, 1]
    assert len(page.values("gpuatlas_allocation_idle_seconds", **CARD)) == 4


@pytest.mark.parametrize(
    ("node", "index", "state"),
    [
        ("a10g-1", "0", "working"),
        ("a10g-1", "3", "failed"),
        ("h100-1", "7", "free"),
        ("a100-1", "2", "slowed"),
        ("a100-1", "6", "idle"),
        ("ascend-1", "0", "unknown"),
    ],
)
def test_each_state_of_a_card(page: Page, node: str, index: str, state: str) -> None:
    states = page.labels("gpuatlas_card_state", node=node, index=index)
    shown = {
        s["state"]: page.value("gpuatlas_card_state", node=node, index=index, state=s["state"])
        for s in states
    }
    assert len(shown) == 6
    assert [word for word, value in shown.items() if value == 1] == [state]


def test_a_whole_card_tenant_holds_the_whole_card(page: Page) -> None:
    card = {"node": "a100-1", "index": "0"}
    assert page.value("gpuatlas_card_memory_allocated_bytes", **card) == A100
    assert page.value("gpuatlas_allocation_memory_reserved_bytes", **card) == A100
    assert page.value("gpuatlas_allocation_compute_reserved_ratio", **card) == 1.0
    (info,) = page.labels("gpuatlas_allocation_info", **card)
    assert (info["evidence"], info["partition"]) == ("dcgm", "whole")
    used = page.value("gpuatlas_card_memory_resident_bytes", **card)
    assert page.value("gpuatlas_allocation_memory_resident_bytes", **card) == used
    busy = page.value("gpuatlas_card_compute_utilization_ratio", **card)
    assert page.value("gpuatlas_allocation_compute_utilization_ratio", **card) == busy


def test_mig_instances_are_partitions(page: Page) -> None:
    card = {"node": "h100-1", "index": "0"}
    parts = page.labels("gpuatlas_partition_info", **card)
    assert sorted(p["profile"] for p in parts) == ["1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"]
    sizes = page.values("gpuatlas_partition_memory_physical_bytes", **card)
    assert sorted(sizes) == [m * MIB for m in (9_984, 9_984, 20_096, 40_448)]
    assert page.value("gpuatlas_card_memory_allocated_bytes", **card) == 80_512 * MIB
    assert page.value("gpuatlas_card_memory_physical_bytes", **card) == H100


def test_time_slices_promise_no_memory(page: Page) -> None:
    card = {"node": "t4-1", "index": "0"}
    assert page.value("gpuatlas_card_memory_physical_bytes", **card) == T4
    assert page.values("gpuatlas_card_memory_allocated_bytes", **card) == []
    assert page.value("gpuatlas_card_tenants", **card) == 2
    (info,) = page.labels("gpuatlas_card_info", **card)
    assert info["sharing"] == "time-slicing"


def test_a_vendor_without_driver_metrics_has_promises_and_nothing_else(page: Page) -> None:
    card = {"node": "ascend-1", "index": "1"}
    assert page.value("gpuatlas_card_memory_allocated_bytes", **card) == 65_536 * MIB
    assert page.values("gpuatlas_card_memory_physical_bytes", **card) == []
    assert page.values("gpuatlas_card_memory_overcommitted_bytes", **card) == []


@pytest.mark.parametrize(
    ("kind", "name", "group"),
    [
        ("Deployment", "chat-7b", "apps"),
        ("StatefulSet", "evaluation", "apps"),
        ("DaemonSet", "transcode", "apps"),
        ("CronJob", "sweep", "batch"),
        ("Pod", "scratch", ""),
    ],
)
def test_workloads_are_named_by_their_top_owner(
    page: Page, kind: str, name: str, group: str
) -> None:
    (info,) = page.labels("gpuatlas_workload_info", workload_kind=kind, workload=name)
    assert info["api_group"] == group
    pods = page.labels("gpuatlas_pod_workload_info", workload_kind=kind, workload=name)
    phases = page.labels("gpuatlas_workload_pods", workload_kind=kind, workload=name)
    assert pods
    assert {"Running"} <= {p["phase"] for p in phases}


def test_a_pod_that_waits_is_shown_with_its_reason(page: Page) -> None:
    found = page.labels("gpuatlas_workload_waiting_seconds", workload_kind="Job")
    (waiting,) = [w for w in found if w["workload"].startswith("pretrain-next-")]
    assert waiting["reason"] == "InsufficientDevices"
    requested = page.value(
        "gpuatlas_workload_cards_requested",
        workload=waiting["workload"],
        resource="nvidia.com/gpu",
    )
    assert requested > 0


def test_sources_tell_how_they_fare(page: Page) -> None:
    assert page.value("gpuatlas_source_up", source="kubernetes-pods") == 1
    assert page.value("gpuatlas_source_up", source="hami-monitor") == 1
    targets = {
        state: page.value("gpuatlas_source_targets", source="dcgm", state=state)
        for state in ("up", "down")
    }
    assert targets == {"up": 10, "down": 1}


def test_the_page_is_the_same_behind_the_simulators_own_api(
    page: Page, cluster: SimulatedCluster, tmp_path: Path
) -> None:
    """A real server fills in defaults and uids of its own; no number may depend on them."""
    kubeconfig = cluster.kubeconfig(tmp_path / "kubeconfig")
    with ServeProcess(tmp_path, "--kubeconfig", kubeconfig) as other:
        simulated = other.page().about_the_cluster()
    real = page.about_the_cluster()
    ages = {k for k in real | simulated if k[0].startswith((*OF_THE_CLOCK, *PROBED))}
    assert {k: v for k, v in real.items() if k not in ages} == {
        k: v for k, v in simulated.items() if k not in ages
    }


def test_promtool_has_nothing_to_say(exporter: ServeProcess) -> None:
    ours = [line for line in exporter.text().splitlines() if "gpuatlas_" in line]
    assert promtool_check_metrics("\n".join(ours) + "\n") == ""


def test_nothing_was_denied(exporter: ServeProcess, loaded: KubeServer) -> None:
    assert "forbidden" not in exporter.process.log_tail().lower()
