"""Which nodes and shares are soft: only there limits depend on a library in the container."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.isolation import disabled
from gpuatlas.checks.limits import mismatch
from gpuatlas.checks.soft import soft_nodes, soft_tenancies
from gpuatlas.model.checks import InputState
from gpuatlas.model.claims import Reservation
from gpuatlas.model.objects import Node
from gpuatlas_harness.checked_tenants import (
    CARD,
    SECOND,
    a_context,
    a_hami_node,
    a_page,
    a_plugin,
    a_tenant,
    a_volcano_node,
    counted,
    only,
)
from gpuatlas_harness.observed import (
    a_container,
    a_device,
    a_node,
    a_pod,
    a_promise,
    a_registration,
)


def an_ascend_node(**annotations: str) -> Node:
    registration = a_registration(
        a_device(1, model="Ascend910B3", mode="", cores=20),
        vendor="ascend",
        family="Ascend910B3",
        source="hami.io/node-register-Ascend910B3",
    )
    node = a_node("npu-a", registration, capacity={"huawei.com/Ascend910B3": 8})
    return replace(node, annotations={k.replace("_", "-"): v for k, v in annotations.items()})


@pytest.mark.parametrize(
    ("node", "soft"),
    [
        (a_hami_node(), True),
        (a_hami_node(mode=""), True),  # v2.4 registers no mode
        (a_hami_node(mode="mig"), False),
        (a_hami_node(mode="mps"), False),
        (a_volcano_node(), True),
        (an_ascend_node(hami_vnpu_core="true"), True),
        (an_ascend_node(hami_vnpu_core="false"), False),
        (an_ascend_node(), False),
        (a_node(labels={"nvidia.com/gpu.sharing-strategy": "mps"}), False),
        (a_node(labels={"nvidia.com/gpu.sharing-strategy": "time-slicing"}), False),
    ],
)
def test_nodes(node: Node, *, soft: bool) -> None:
    assert soft_nodes(a_context([node])) == ((node.name,) if soft else ())


def test_a_node_of_the_layer_whose_cards_nobody_names() -> None:
    node = replace(a_hami_node(), registrations=())
    assert soft_nodes(a_context([node], [a_plugin()])) == ("gpu-a",)


def test_shares_that_run_now() -> None:
    pods = [
        a_tenant("runs"),
        a_tenant("ended", phase="Failed"),
        a_tenant("starts", phase="Pending"),
        a_tenant("waits", node="", phase="Pending"),
        a_tenant("forged", mib=900_000),
        a_pod(
            "loads",
            "gpu-a",
            a_promise(CARD, 4096, container="load"),
            a_promise(CARD, 2048),
            containers=(a_container("load", kind="init"), a_container()),
        ),
    ]
    found = [
        (t.pod.name, t.allocation.container)
        for t in soft_tenancies(a_context([a_hami_node()], pods))
    ]
    assert found == [("loads", "main"), ("runs", "main"), ("starts", "main")]


def test_a_soft_card_beside_a_mig_card() -> None:
    mixed = a_registration(a_device(1), a_device(2, mode="mig"))
    node = a_node("gpu-a", mixed)
    pods = [a_tenant("soft"), a_tenant("hard", cards=(SECOND,))]
    found = soft_tenancies(a_context([node], pods))
    assert [(t.pod.name, t.card.id) for t in found] == [("soft", CARD)]


def test_ascend_s_own_interposer_has_limits_too() -> None:
    pod = a_pod(
        "npu-0",
        "npu-a",
        a_promise(CARD, 16_384, vendor="ascend"),
        containers=(
            a_container(limits={"huawei.com/Ascend910B3": 1}, env={"CUDA_DISABLE_CONTROL": "true"}),
        ),
        annotations={"hami.io/vgpu-node": "npu-a"},
    )
    context = a_context(
        [an_ascend_node(hami_vnpu_core="true")],
        [pod],
        monitors=(a_page(counted(pod, limit_mib=8192), node="npu-a"),),
    )
    found = only(mismatch(context))
    assert (found.signal, found.source) == ("limit-below", "metric hami_vgpu_memory_limit_bytes")
    assert disabled(context).findings == ()  # the variable is CUDA's


def test_kai_alone_is_told_what_it_lacks() -> None:
    name = "gpu-reservation-gpu-a-abcde"
    reserving = a_pod(
        name,
        "gpu-a",
        namespace="kai-resource-reservation",
        reservation=Reservation(
            namespace="kai-resource-reservation", pod=name, node="gpu-a", group="g", card=CARD
        ),
    )
    result = mismatch(a_context([a_node()], [reserving]))
    assert result.nodes == (("gpu-a", InputState.MISSING),)
    assert [lack.reason for lack in result.missing] == [
        "KAI's fractions have no limit unless its resource isolator is installed; with it, see "
        "that gpuatlas, or the Prometheus that it reads, reaches its monitor"
    ]
