"""S01: what the pod's own spec, the monitor and the driver say of limits that are not in force."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.isolation import disabled
from gpuatlas.model.checks import CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.objects import Node, Owner, Pod
from gpuatlas.model.pages import DcgmPage, MonitorPage
from gpuatlas.model.pod_spec import PodAccess
from gpuatlas.model.units import MIB
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
    lines,
    only,
)
from gpuatlas_harness.observed import (
    NOW,
    a_container,
    a_dcgm_page,
    a_node,
    a_pod,
    a_promise,
    a_reading,
    uuid,
)

OFF = {"CUDA_DISABLE_CONTROL": "true"}


def judged(
    *pods: Pod, page: MonitorPage | None = None, node: Node | None = None, **changes: object
) -> CheckResult:
    return disabled(context_of(*pods, page=page, node=node, **changes))


def context_of(
    *pods: Pod, page: MonitorPage | None = None, node: Node | None = None, **changes: object
) -> CheckContext:
    node = node or a_hami_node()
    readings = [counted(pod, limit_mib=None) for pod in pods]
    monitor = page or a_page(*readings, node=node.name)
    return a_context([node], pods, monitors=(monitor,), **changes)


def test_a_healthy_tenant_has_no_finding() -> None:
    pod = a_tenant()
    result = judged(pod, page=a_page(counted(pod)))
    assert result == CheckResult(
        check="S01", state=InputState.OK, nodes=(("gpu-a", InputState.OK),)
    )


def test_a_container_that_switches_the_interposer_off() -> None:
    owner = Owner(api_group="apps", kind="StatefulSet", name="chat", uid="sts")
    pod = a_tenant(env=OFF, controller=owner)
    assert only(judged(pod)) == Finding(
        check="S01",
        signal="disable-control",
        object="StatefulSet/team-a/chat",
        source="env of container main",
        record="CUDA_DISABLE_CONTROL=true",
        node="gpu-a",
        card=CARD,
        namespace="team-a",
        pod="chat-0",
    )


@pytest.mark.parametrize("value", ["1", "t", "T", "TRUE", "true", "True"])
def test_hami_takes_for_true_what_go_does(value: str) -> None:
    assert only(judged(a_tenant(env={"CUDA_DISABLE_CONTROL": value}))).record.endswith(value)


@pytest.mark.parametrize("value", ["false", "0", "", "yes", "tRUE", " true"])
def test_other_values_switch_nothing_off(value: str) -> None:
    assert judged(a_tenant(env={"CUDA_DISABLE_CONTROL": value})).findings == ()


@pytest.mark.parametrize("value", ["false", ""])
def test_volcano_goes_by_the_variable_alone(value: str) -> None:
    pod = a_tenant(
        node="gpu-v",
        cards=(uuid(5),),
        layer="volcano",
        containers=(
            a_container(limits={"volcano.sh/vgpu-number": 1}, env={"CUDA_DISABLE_CONTROL": value}),
        ),
    )
    found = only(judged(pod, node=a_volcano_node()))
    assert (found.signal, found.record) == ("disable-control", f"CUDA_DISABLE_CONTROL={value}")


def test_only_the_container_with_the_promise_matters() -> None:
    pod = a_tenant(containers=(a_container(), a_container("logs", limits={}, env=OFF)))
    assert judged(pod).findings == ()


def test_a_promise_without_a_container_is_any_of_those_that_ask() -> None:
    pod = a_pod(
        "chat-0",
        "gpu-a",
        a_promise(CARD, 4096, container=""),
        containers=(
            a_container("one", env=OFF),
            a_container("logs", limits={}, env=OFF),
            a_container("two"),
        ),
    )
    found = only(judged(pod))
    assert found.source == "env of container one"


def test_init_containers_give_their_share_back() -> None:
    pod = a_pod(
        "chat-0",
        "gpu-a",
        a_promise(CARD, 4096, container="load"),
        a_promise(CARD, 4096),
        containers=(a_container("load", kind="init", env=OFF), a_container()),
    )
    assert judged(pod).findings == ()


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_annotations_stay_on_finished_pods(phase: str) -> None:
    assert judged(a_tenant(env=OFF, phase=phase)).findings == ()


def test_a_promise_of_a_whole_card_without_a_limit_is_none() -> None:
    assert judged(a_tenant(mib=None, cores=None, env=OFF)).findings == ()


def test_each_card_of_a_container_is_without_limits() -> None:
    pod = a_tenant(cards=(CARD, SECOND), env=OFF)
    result = judged(pod, node=a_hami_node(cards=2))
    assert [(f.signal, f.card) for f in result.findings] == [
        ("disable-control", CARD),
        ("disable-control", SECOND),
    ]


def test_a_refused_promise_does_not_hide_the_switch() -> None:
    """A tenant can write into its annotation; the join then believes none of it."""
    pod = a_tenant(mib=900_000, env=OFF)
    assert only(judged(pod)).signal == "disable-control"


def test_mig_nodes_need_no_interposer() -> None:
    result = judged(a_tenant(env=OFF), node=a_hami_node(mode="mig"))
    assert result == CheckResult(check="S01", state=InputState.NOT_APPLICABLE)


def test_a_mig_card_beside_a_soft_one_needs_none_either() -> None:
    node, mig = a_hami_node(cards=1), a_hami_node(first=2, mode="mig")
    both = replace(
        node,
        registrations=(
            replace(
                node.registrations[0],
                devices=(*node.registrations[0].devices, *mig.registrations[0].devices),
            ),
        ),
    )
    pod = a_tenant(cards=(SECOND,), env=OFF)
    result = judged(pod, node=both)
    assert (result.state, result.findings) == (InputState.OK, ())


def test_the_compute_limiter_can_be_switched_off() -> None:
    pod = a_tenant(env={"GPU_CORE_UTILIZATION_POLICY": "disable"})
    assert lines(judged(pod)) == [
        (
            "core-limit-off",
            "chat-0",
            "env of container main",
            "GPU_CORE_UTILIZATION_POLICY=disable",
        )
    ]


@pytest.mark.parametrize(
    ("policy", "cores"),
    [
        ("default", 30),
        ("force", 30),
        ("Disable", 30),
        ("disable", None),
        ("disable", 0),
        ("disable", 100),
    ],
)
def test_no_limiter_where_there_is_no_compute_limit(policy: str, cores: int | None) -> None:
    pod = a_tenant(cores=cores, env={"GPU_CORE_UTILIZATION_POLICY": policy})
    assert judged(pod).findings == ()


@pytest.mark.parametrize("runtime", ["gvisor", "runsc", "kata", "kata-qemu", "gVisor-gpu"])
def test_sandboxes_do_not_load_the_interposer(runtime: str) -> None:
    pod = a_tenant(access=PodAccess(runtime_class=runtime))
    assert lines(judged(pod)) == [
        (
            "sandbox-runtime",
            "chat-0",
            "pod spec.runtimeClassName",
            f"runtimeClassName: {runtime}",
        )
    ]


@pytest.mark.parametrize("runtime", ["", "nvidia", "runc", "my-kata"])
def test_other_runtimes_are_no_sandboxes(runtime: str) -> None:
    assert judged(a_tenant(access=PodAccess(runtime_class=runtime))).findings == ()


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


def test_nothing_is_ok_while_pods_cannot_be_read() -> None:
    result = judged(page=a_page(), silent={("kubernetes-pods", ""): "HTTP 403"})
    assert result.state is InputState.MISSING
    assert result.nodes == (("gpu-a", InputState.MISSING),)
    assert [(m.input, m.node, m.reason) for m in result.missing] == [
        ("pods", "", "HTTP 403: give gpuatlas the rights to list and watch pods")
    ]


def test_a_cluster_without_soft_shares_has_no_such_check() -> None:
    result = disabled(a_context([a_node()], [a_pod()]))
    assert result == CheckResult(check="S01", state=InputState.NOT_APPLICABLE)


def test_a_node_that_lost_its_registration_still_has_tenants() -> None:
    node = replace(a_hami_node(), registrations=())
    context = a_context([node], [a_plugin(), a_tenant(env=OFF)], monitors=(a_page(),))
    assert only(disabled(context)).signal == "disable-control"
