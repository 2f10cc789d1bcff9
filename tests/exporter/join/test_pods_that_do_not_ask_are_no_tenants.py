"""Pods that are kept only because they could reach cards change nothing of what is joined."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.join.asking import AskingPods
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Container, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.pages import Tenant
from gpuatlas_harness.observed import (
    a_container,
    a_container_reading,
    a_device,
    a_monitor_page,
    a_node,
    a_pod,
    a_promise,
    a_registration,
    observations,
    uuid,
)


def a_bystander(name: str, **changes: object) -> Pod:
    env = {"NVIDIA_VISIBLE_DEVICES": "all"}
    container: Container = a_container(limits={}, env=env)
    return replace(a_pod(name, containers=(container,)), asks=False, **changes)  # type: ignore[arg-type]


def a_cluster(*more: Pod) -> Observations:
    node = a_node("gpu-a", a_registration(a_device(1)), capacity={"nvidia.com/gpu": 10})
    tenant = a_pod("chat-0", "gpu-a", a_promise(uuid(1), 12_000, 25))
    readings = {
        (Tenant("team-a", name, "main"), uuid(1)): a_container_reading(1_000)
        for name in ("chat-0", "miner", "dcgm-exporter-x")
    }
    return observations([node], [tenant, *more], monitors=(a_monitor_page(readings),))


def test_the_snapshot_is_the_same_with_them_and_without() -> None:
    """Also where a page names one, or its name is that of an exporter."""
    bystanders = [
        a_bystander("miner"),
        a_bystander("dcgm-exporter-x"),
        a_bystander("idle", node=""),
    ]
    assert Joiner().build(a_cluster(*bystanders)) == Joiner().build(a_cluster())


@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from(["Running", "Pending", "Unknown"]),
    st.sampled_from(["gpu-a", "", "elsewhere"]),
    st.dictionaries(
        st.sampled_from(["app", "hami.io/vgpu-node", "app.kubernetes.io/name"]), st.text(max_size=8)
    ),
    st.sampled_from([{}, {"rdma/hca": 1}, {"nvidia.com/gpu": 1}]),
)
def test_whatever_such_a_pod_says(
    phase: str, node: str, labels: dict[str, str], limits: dict[str, int]
) -> None:
    pod = a_bystander("x", phase=phase, node=node, labels=labels)
    pod = replace(pod, containers=(a_container(limits=limits),))
    assert Joiner().build(a_cluster(pod)) == Joiner().build(a_cluster())


def test_it_is_the_same_mapping_until_its_pods_change() -> None:
    memory = AskingPods()
    asking = {"a": a_pod("a")}
    assert memory.of(asking) is asking
    mixed = {"a": a_pod("a"), "b": a_bystander("b")}
    first = memory.of(mixed)
    assert list(first) == ["a"]
    assert memory.of(mixed) is first
    assert memory.of(dict(mixed)) is not first
