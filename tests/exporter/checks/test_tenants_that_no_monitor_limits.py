"""S01: what the monitor and the driver say of limits that are not in force."""

from __future__ import annotations

from gpuatlas.checks.isolation import disabled
from gpuatlas.model.checks import CheckResult, InputState, MissingInput
from gpuatlas.model.objects import Pod
from gpuatlas.model.pages import DcgmPage
from gpuatlas.model.units import MIB
from gpuatlas_harness.checked_limits import OFF, judged
from gpuatlas_harness.checked_tenants import (
    CARD,
    SECOND,
    a_context,
    a_hami_node,
    a_page,
    a_plugin,
    a_tenant,
    counted,
    lines,
    only,
)
from gpuatlas_harness.observed import NOW, a_container, a_dcgm_page, a_pod, a_reading


def test_a_limit_of_zero_is_none() -> None:
    pod = a_tenant()
    assert lines(judged(pod, page=a_page(counted(pod, limit_mib=0)))) == [
        (
            "limit-off",
            "chat-0",
            "metric hami_vgpu_memory_limit_bytes",
            f'hami_vgpu_memory_limit_bytes{{container="main",device_uuid="{CARD}"}} 0',
        )
    ]


def test_the_record_has_the_name_of_the_page_s_version() -> None:
    pod = a_tenant()
    page = a_page(counted(pod, limit_mib=0), version="")
    found = only(judged(pod, page=page))
    assert found.source == "metric vGPU_device_memory_limit_in_bytes"
    assert (
        found.record == f'vGPU_device_memory_limit_in_bytes{{ctrname="main",deviceuuid="{CARD}"}} 0'
    )


def test_a_limit_that_nobody_publishes_is_not_zero() -> None:
    pod = a_tenant()
    assert judged(pod, page=a_page(counted(pod, limit_mib=None))).findings == ()


def test_no_limit_is_right_where_none_was_promised() -> None:
    pod = a_tenant(mib=None)
    assert judged(pod, page=a_page(counted(pod, limit_mib=0))).findings == ()


def test_the_limit_is_one_of_each_card() -> None:
    pod = a_tenant(cards=(CARD, SECOND))
    page = a_page(counted(pod, limit_mib=0, card=SECOND), counted(pod))
    found = only(judged(pod, page=page, node=a_hami_node(cards=2)))
    assert (found.signal, found.card) == ("limit-off", SECOND)


def uncounted(resident_mib: int, *pods: Pod, dcgm: tuple[DcgmPage, ...] = ()) -> CheckResult:
    """The pods work on the card, and the monitor's page knows none of them."""
    return judged(
        *pods,
        page=a_page(hosts={CARD: (resident_mib, 0.5)}),
        dcgm=dcgm,
    )


def test_a_lone_tenant_with_memory_that_the_monitor_does_not_know() -> None:
    assert lines(uncounted(1025, a_tenant())) == [
        (
            "not-counted",
            "chat-0",
            "metric hami_host_gpu_memory_used_bytes",
            f'hami_host_gpu_memory_used_bytes{{device_uuid="{CARD}"}} {1025 * MIB}, '
            "and no hami_vgpu_memory_used_bytes of the pod",
        )
    ]


def test_the_driver_s_own_use_is_no_sign() -> None:
    assert uncounted(1024, a_tenant()).findings == ()


def test_a_young_pod_has_not_opened_the_card_yet() -> None:
    young = a_tenant(created_at=NOW - 86400, started_at=NOW - 599)
    old = a_tenant(created_at=NOW - 86400, started_at=NOW - 600)
    assert uncounted(9000, young).findings == ()
    assert only(uncounted(9000, old)).signal == "not-counted"


def test_a_pod_that_waits_for_its_image_holds_nothing() -> None:
    assert uncounted(9000, a_tenant(phase="Pending")).findings == ()


def test_memory_of_two_tenants_is_nobody_s_for_certain() -> None:
    assert uncounted(9000, a_tenant("one"), a_tenant("two")).findings == ()


def test_memory_beside_a_stranger_may_be_the_stranger_s() -> None:
    stranger = a_pod(
        "ghost",
        "gpu-a",
        containers=(a_container(limits={}, env={"NVIDIA_VISIBLE_DEVICES": "all"}),),
        asks=False,
    )
    assert uncounted(9000, a_tenant(), stranger).findings == ()


def test_the_layer_s_own_plugin_is_no_stranger() -> None:
    assert only(uncounted(9000, a_tenant(), a_plugin())).signal == "not-counted"


def test_the_driver_s_view_of_the_pod_itself_needs_no_guess() -> None:
    """dcgm-exporter with virtual GPUs has values of single pods."""
    one, two = a_tenant("one"), a_tenant("two")
    reading = a_reading(
        1, tenant_fields={tenant: {"DEV_FB_USED": 513.0} for (tenant, _) in counted(one)}
    )
    result = uncounted(9000, one, two, dcgm=(a_dcgm_page(reading),))
    assert lines(result) == [
        (
            "not-counted",
            "one",
            "metric DCGM_FI_DEV_FB_USED",
            f'DCGM_FI_DEV_FB_USED{{UUID="{CARD}"}} 513, '
            "and no hami_vgpu_memory_used_bytes of the pod",
        )
    ]


def test_a_reading_of_another_card_clears_the_pod() -> None:
    """The plugin can give another card than the annotation names (hami.md 6.4 A11)."""
    pod = a_tenant()
    page = a_page(counted(pod, card=SECOND), hosts={CARD: (9000, 0.5)})
    assert judged(pod, page=page, node=a_hami_node(cards=2)).findings == ()


def test_a_reading_of_the_driver_is_needed_to_tell() -> None:
    result = judged(a_tenant(), page=a_page())
    assert result.missing == (
        MissingInput(
            check="S01",
            input="memory in use by the driver",
            node="gpu-a",
            reason="no dcgm-exporter page for this node: run dcgm-exporter on the node",
        ),
    )
    assert result.nodes == (("gpu-a", InputState.MISSING),)


def test_a_node_without_a_monitor_page_is_no_healthy_one() -> None:
    context = a_context(
        [a_hami_node(), a_hami_node("gpu-b", first=2)],
        [a_tenant(env=OFF)],
        monitors=(a_page(node="gpu-b", hosts={SECOND: (1, 0.0)}),),
        silent={("hami-monitor", "gpu-a"): "HTTP 500 from 10.0.0.7:9394"},
    )
    result = disabled(context)
    assert result.state is InputState.MISSING
    assert result.nodes == (("gpu-a", InputState.MISSING), ("gpu-b", InputState.OK))
    assert result.missing == (
        MissingInput(
            check="S01",
            input="hami-monitor page",
            node="gpu-a",
            reason="HTTP 500 from 10.0.0.7:9394: see that the layer's vgpu-monitor runs on the "
            "node and that gpuatlas, or the Prometheus that it reads, reaches it",
        ),
    )
    assert only(result).signal == "disable-control"
