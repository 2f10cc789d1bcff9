"""S06: the node's sharing monitor does not answer."""

from __future__ import annotations

from dataclasses import replace

from gpuatlas.checks.monitor import PAUSABLE_PRIORITY, silent
from gpuatlas.checks.plugin_pods import monitor_state
from gpuatlas.model.checks import Finding, InputState, MissingInput
from gpuatlas.model.claims import Reservation
from gpuatlas.model.pages import HostReading
from gpuatlas_harness.checked_layers import (
    COMPONENT,
    a_checked_cluster,
    a_daemon_set,
    a_plugin_pod,
    a_shared_node,
    a_shared_pod,
    installed,
    signals,
    the_finding,
)
from gpuatlas_harness.observed import (
    NOW,
    a_container,
    a_device,
    a_monitor_page,
    a_node,
    a_pod,
    a_registration,
    uuid,
)

REFUSED = {("hami-monitor", "gpu-a"): "HTTP 500 from 10.0.0.7:9394"}
OK = InputState.OK


def test_a_monitor_that_fails_is_quoted_with_its_pod() -> None:
    tenant = a_shared_pod(
        containers=(a_container(limits={"nvidia.com/gpu": 1}, env={"CUDA_TASK_PRIORITY": "1"}),)
    )
    context = a_checked_cluster([a_shared_node()], [a_plugin_pod(), tenant], silent=REFUSED)
    result = silent(context)
    assert result.findings == (
        Finding(
            check="S06",
            signal="silent",
            object="DaemonSet/kube-system/hami-device-plugin",
            source="hami-monitor page",
            record=(
                "HTTP 500 from 10.0.0.7:9394; pod kube-system/hami-device-plugin-gpu-a: phase "
                "Running; tenants of priority 1 or lower, which may stay paused: 1"
            ),
            node="gpu-a",
            namespace="kube-system",
            pod="hami-device-plugin-gpu-a",
            severity="critical",
        ),
    )
    assert (result.state, result.nodes, result.missing) == (OK, (("gpu-a", OK),), ())
    assert monitor_state(context, "gpu-a") is False


def test_the_threshold_is_that_of_the_alert() -> None:
    assert PAUSABLE_PRIORITY == 1


def test_a_monitor_that_answers_is_no_finding() -> None:
    context = a_checked_cluster([a_shared_node()], [a_plugin_pod()], monitors=(a_monitor_page({}),))
    assert silent(context).findings == ()
    assert monitor_state(context, "gpu-a") is True


def test_a_page_without_a_node_is_told_by_its_cards() -> None:
    page = a_monitor_page({}, {uuid(1): HostReading(used_bytes=1, utilization=0.0)}, node="")
    context = a_checked_cluster([a_shared_node()], [a_plugin_pod()], monitors=(page,))
    assert monitor_state(context, "gpu-a") is True


def test_a_plugin_that_is_gone_took_its_monitor_along() -> None:
    context = a_checked_cluster([a_shared_node()], [a_shared_pod()])
    finding = the_finding(silent(context))
    assert finding.object == "DaemonSet/kube-system/hami-device-plugin"
    assert finding.record == "its pod does not run; no such pod on the node"
    assert (finding.namespace, finding.pod) == ("", "")


def test_of_two_installations_the_nodes_own_is_named() -> None:
    other = a_daemon_set(name="a-device-plugin", node_selector={"gpu": "other"})
    layer = installed(controllers=(other, a_daemon_set()))
    context = a_checked_cluster([a_shared_node()], [a_shared_pod()], layer=layer)
    assert the_finding(silent(context)).object == "DaemonSet/kube-system/hami-device-plugin"


def test_without_any_object_the_node_is_named() -> None:
    context = a_checked_cluster(
        [a_shared_node()], [a_shared_pod()], layer=installed(controllers=())
    )
    assert the_finding(silent(context)).object == "Node/gpu-a"


def test_a_node_that_is_not_ready_is_said_to_be() -> None:
    plugin = a_plugin_pod(ready=False)
    context = a_checked_cluster([a_shared_node(ready=False)], [plugin], silent=REFUSED)
    assert the_finding(silent(context)).record == (
        "HTTP 500 from 10.0.0.7:9394; pod kube-system/hami-device-plugin-gpu-a: phase Running, "
        "not Ready; node gpu-a is not Ready"
    )


def test_a_monitor_that_just_started_is_waited_for() -> None:
    plugin = a_plugin_pod(created_at=NOW - 60)
    context = a_checked_cluster([a_shared_node()], [plugin], silent=REFUSED)
    assert silent(context).findings == ()
    assert monitor_state(context, "gpu-a") is False


def test_a_source_that_fails_as_a_whole_is_a_missing_input() -> None:
    silence = {("hami-monitor", ""): "Prometheus answers 503"}
    context = a_checked_cluster([a_shared_node()], [a_plugin_pod()], silent=silence)
    result = silent(context)
    assert result.findings == ()
    assert result.state is InputState.MISSING
    assert result.nodes == (("gpu-a", InputState.MISSING),)
    assert result.missing == (
        MissingInput(
            check="S06",
            input="hami-monitor page",
            node="gpu-a",
            reason=(
                "Prometheus answers 503: see that the layer's monitor is among the endpoints that "
                "gpuatlas, or the Prometheus that it reads, asks"
            ),
        ),
    )
    assert monitor_state(context, "gpu-a") is None


def test_a_page_that_nobody_asked_for_is_a_missing_input() -> None:
    result = silent(a_checked_cluster([a_shared_node()], [a_plugin_pod()]))
    assert [m.reason.partition(":")[0] for m in result.missing] == ["nobody asked for its page"]
    assert result.findings == ()


def test_a_plugin_without_a_monitor_owes_no_page() -> None:
    plugin = a_plugin_pod(containers=(a_container("device-plugin", limits={}),))
    context = a_checked_cluster([a_shared_node()], [plugin], silent=REFUSED)
    assert silent(context).state is InputState.NOT_APPLICABLE
    assert monitor_state(context, "gpu-a") is None


def test_volcano_owes_a_page_only_with_its_monitor() -> None:
    registration = a_registration(
        a_device(1), layer="volcano", family="volcano", source="volcano.sh/node-vgpu-register"
    )
    node = a_node("gpu-a", registration, capacity={"volcano.sh/vgpu-number": 10})
    labels = {"name": "volcano-device-plugin"}
    bare = a_plugin_pod(
        labels=labels, containers=(a_container("volcano-device-plugin", limits={}),)
    )
    watching = replace(bare, containers=(*bare.containers, a_container("monitor", limits={})))
    assert silent(a_checked_cluster([node], [], silent=REFUSED)).state is InputState.NOT_APPLICABLE
    assert silent(a_checked_cluster([node], [bare], silent=REFUSED)).findings == ()
    assert signals(silent(a_checked_cluster([node], [watching], silent=REFUSED))) == ["silent"]


def test_ascend_owes_a_page_only_where_it_splits_in_software() -> None:
    registration = a_registration(
        a_device(1, card="0A1B-0"),
        vendor="ascend",
        family="Ascend910B3",
        source="hami.io/node-register-Ascend910B3",
    )
    node = a_node("npu-a", registration, capacity={"huawei.com/Ascend910B3": 1})
    soft = replace(node, annotations={"hami-vnpu-core": "true"})
    plugin = a_plugin_pod(
        "npu-a",
        labels={COMPONENT: "hami-ascend-device-plugin"},
        containers=(a_container("device-plugin", limits={}),),
    )
    silence = {("hami-monitor", "npu-a"): "connection refused"}
    assert silent(a_checked_cluster([node], [plugin], silent=silence)).findings == ()
    assert signals(silent(a_checked_cluster([soft], [plugin], silent=silence))) == ["silent"]


def test_kai_owes_a_page_where_its_isolator_runs() -> None:
    reserved = a_pod(
        "gpu-reservation-gpu-a-x",
        namespace="kai-resource-reservation",
        reservation=Reservation(
            namespace="kai-resource-reservation",
            pod="gpu-reservation-gpu-a-x",
            node="gpu-a",
            group="g1",
            card=uuid(1),
        ),
    )
    monitor = a_pod(
        "kai-vgpu-monitor-x",
        namespace="kai",
        labels={COMPONENT: "kai-vgpu-monitor"},
        containers=(a_container("monitor", limits={}),),
    )
    node = a_node("gpu-a")
    with_it = a_checked_cluster([node], [reserved, monitor], silent=REFUSED)
    assert the_finding(silent(with_it)).pod == "kai-vgpu-monitor-x"
    without = a_checked_cluster([node], [reserved], silent=REFUSED)
    assert silent(without).state is InputState.NOT_APPLICABLE


def test_pods_that_cannot_be_listed_are_a_missing_input() -> None:
    silence = {("kubernetes-pods", ""): "403 Forbidden"}
    context = a_checked_cluster([a_shared_node(allocatable={})], [], silent=silence)
    result = silent(context)
    assert [m.input for m in result.missing] == ["pods", "hami-monitor page"]
    assert result.findings == ()


def test_it_does_not_apply_without_a_layer() -> None:
    context = a_checked_cluster(
        [a_node("plain")], [], layer=installed(controllers=(a_daemon_set(),))
    )
    assert silent(context).state is InputState.NOT_APPLICABLE
