"""What did not change is the same object in the next snapshot, and nothing else is."""

from __future__ import annotations

from dataclasses import replace

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.observations import Observations
from gpuatlas_harness.observed import NOW, a_dcgm_page, a_node, a_pod, a_reading, observations


def two_nodes() -> Observations:
    pods = [a_pod("a", "gpu-a"), replace(a_pod("b", "gpu-b"), namespace="team-b")]
    page = a_dcgm_page(a_reading(1, DEV_GPU_UTIL=5))
    return observations([a_node("gpu-a"), a_node("gpu-b")], pods, dcgm=(page,))


def test_an_unchanged_cluster_is_not_joined_again() -> None:
    joiner, obs = Joiner(), two_nodes()
    first, second = joiner.build(obs), joiner.build(replace(obs, now=NOW + 60))
    assert second.nodes["gpu-a"] is first.nodes["gpu-a"]
    assert second.nodes["gpu-b"] is first.nodes["gpu-b"]
    assert second.namespaces["team-a"] is first.namespaces["team-a"]
    assert second.at == NOW + 60


def test_a_changed_pod_changes_its_node_and_namespace_only() -> None:
    joiner, obs = Joiner(), two_nodes()
    first = joiner.build(obs)
    changed = replace(obs.pods["pod-b"], phase="Succeeded")
    second = joiner.build(replace(obs, pods={**obs.pods, "pod-b": changed}))
    assert second.nodes["gpu-a"] is first.nodes["gpu-a"]
    assert second.nodes["gpu-b"].allocations == ()
    assert second.namespaces["team-a"] is first.namespaces["team-a"]
    assert second.namespaces["team-b"].workloads[0].pods == {"Succeeded": 1}


def test_a_new_page_changes_its_node_only() -> None:
    joiner, obs = Joiner(), two_nodes()
    first = joiner.build(obs)
    page = a_dcgm_page(a_reading(1, DEV_GPU_UTIL=70), at=NOW + 30)
    second = joiner.build(replace(obs, dcgm=(page,)))
    assert second.nodes["gpu-b"] is first.nodes["gpu-b"]
    assert second.nodes["gpu-a"].cards[0].compute_utilization != (
        first.nodes["gpu-a"].cards[0].compute_utilization
    )


def test_a_page_that_went_silent_takes_its_numbers_along() -> None:
    joiner, obs = Joiner(), two_nodes()
    joiner.build(obs)
    silent = {("dcgm", "gpu-a"): "timed out"}
    assert joiner.build(replace(obs, dcgm=(), silent=silent)).nodes["gpu-a"].cards == ()


def test_waiting_time_grows_although_no_object_changes() -> None:
    joiner = Joiner()
    obs = observations([a_node()], [a_pod("w", "", phase="Pending", created_at=NOW)])
    joiner.build(obs)
    later = joiner.build(replace(obs, now=NOW + 5))
    assert later.namespaces["team-a"].workloads[0].waiting == {"Unscheduled": 5.0}


def test_memory_never_changes_the_result() -> None:
    obs = two_nodes()
    used = Joiner()
    used.build(replace(obs, pods={}))
    assert used.build(obs) == Joiner().build(obs)
