"""S10: the device plugin is not ready, or gone, on a node with shared cards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.plugin import down
from gpuatlas.checks.plugin_pods import STARTING_SECONDS, expected_plugins, plugin_state
from gpuatlas.model.checks import Finding, InputState, MissingInput
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.objects import Node, Pod
from gpuatlas_harness.checked_layers import (
    COMPONENT,
    a_checked_cluster,
    a_daemon_set,
    a_plugin_pod,
    a_scheduler_deployment,
    a_shared_node,
    a_shared_pod,
    daemon_set_owner,
    installed,
    signals,
    the_finding,
)
from gpuatlas_harness.observed import (
    NOW,
    a_container,
    a_device,
    a_node,
    a_pod,
    a_registration,
)

OK, MISSING = InputState.OK, InputState.MISSING
NO_CARDS = {"nvidia.com/gpu": 0}
WANTING = installed(controllers=(a_daemon_set(desired=1, ready=0),))
SLICED = {"nvidia.com/gpu.sharing-strategy": "time-slicing", "nvidia.com/gpu.replicas": "4"}


def a_sliced_node(**changes: object) -> Node:
    values: dict[str, object] = {"labels": SLICED, "capacity": {"nvidia.com/gpu": 4}}
    return a_node("gpu-a", **(values | changes))  # type: ignore[arg-type]


def an_nvidia_plugin(**changes: object) -> Pod:
    values: dict[str, object] = {
        "namespace": "gpu-operator",
        "labels": {"app": "nvidia-device-plugin-daemonset"},
        "containers": (a_container("nvidia-device-plugin", limits={}),),
        "controller": daemon_set_owner("nvidia-device-plugin-daemonset"),
    }
    return a_pod("nvidia-device-plugin-x", "gpu-a", **(values | changes))  # type: ignore[arg-type]


def test_a_plugin_that_is_not_ready_is_quoted() -> None:
    plugin = a_plugin_pod(ready=False, phase="Pending", reason="", message="image not found")
    context = a_checked_cluster([a_shared_node()], [plugin])
    result = down(context)
    assert result.findings == (
        Finding(
            check="S10",
            signal="not-ready",
            object="DaemonSet/kube-system/hami-device-plugin",
            source="pod status",
            record=(
                "pod kube-system/hami-device-plugin-gpu-a: phase Pending, not Ready, image not "
                "found"
            ),
            node="gpu-a",
            namespace="kube-system",
            pod="hami-device-plugin-gpu-a",
        ),
    )
    assert (result.state, result.nodes, result.missing) == (OK, (("gpu-a", OK),), ())
    assert plugin_state(context, "gpu-a") is False


def test_a_ready_plugin_is_no_finding() -> None:
    context = a_checked_cluster([a_shared_node()], [a_plugin_pod(), a_shared_pod()])
    assert down(context).findings == ()
    assert plugin_state(context, "gpu-a") is True


def test_a_node_that_is_not_ready_is_named_as_the_reason() -> None:
    context = a_checked_cluster([a_shared_node(ready=False)], [a_plugin_pod(ready=False)])
    assert the_finding(down(context)).record == (
        "pod kube-system/hami-device-plugin-gpu-a: phase Running, not Ready; "
        "node gpu-a is not Ready"
    )


def test_a_cordoned_node_keeps_its_plugin() -> None:
    node = replace(a_shared_node(), unschedulable=True)
    assert down(a_checked_cluster([node], [a_plugin_pod()])).findings == ()
    assert signals(down(a_checked_cluster([node], [a_plugin_pod(ready=False)]))) == ["not-ready"]


@pytest.mark.parametrize(
    ("age", "expected"), [(STARTING_SECONDS - 1, []), (STARTING_SECONDS, ["not-ready"])]
)
def test_a_plugin_that_just_started_is_waited_for(age: float, expected: list[str]) -> None:
    context = a_checked_cluster(
        [a_shared_node()], [a_plugin_pod(ready=False, created_at=NOW - 9000, started_at=NOW - age)]
    )
    assert signals(down(context)) == expected
    assert plugin_state(context, "gpu-a") is False


def test_a_rollout_is_waited_for() -> None:
    leaving = a_plugin_pod(ready=False, deleting=True, deleting_at=NOW + 10)
    assert down(a_checked_cluster([a_shared_node()], [leaving])).findings == ()
    stuck = replace(leaving, deleting_at=NOW - 600)
    assert signals(down(a_checked_cluster([a_shared_node()], [stuck]))) == ["not-ready"]
    silent = replace(leaving, deleting_at=None)
    assert signals(down(a_checked_cluster([a_shared_node()], [silent]))) == ["not-ready"]


def test_the_new_pod_of_a_rollout_counts() -> None:
    old = a_plugin_pod(uid="old", ready=False, deleting=True, deleting_at=NOW - 600)
    context = a_checked_cluster([a_shared_node()], [old, a_plugin_pod()])
    assert down(context).findings == ()


def test_a_plugin_that_is_gone_from_a_node_with_tenants_is_missing() -> None:
    context = a_checked_cluster(
        [a_shared_node(allocatable=NO_CARDS)], [a_shared_pod()], layer=WANTING
    )
    assert the_finding(down(context)) == Finding(
        check="S10",
        signal="missing",
        object="DaemonSet/kube-system/hami-device-plugin",
        source="DaemonSet/kube-system/hami-device-plugin nodeSelector",
        record=(
            "no pod of the plugin on the node; nodeSelector gpu=on matches (desired 1, ready 0); "
            "the node has tenants and a registration; allocatable 0"
        ),
        node="gpu-a",
        namespace="kube-system",
    )
    assert plugin_state(context, "gpu-a") is False


def test_a_selector_that_does_not_match_is_said_to_do_so() -> None:
    node = a_shared_node(labels={}, allocatable=NO_CARDS)
    finding = the_finding(down(a_checked_cluster([node], [], layer=WANTING)))
    assert finding.record == (
        "no pod of the plugin on the node; nodeSelector gpu=on does not match; "
        "the node has a registration; allocatable 0"
    )


def test_without_a_daemon_set_the_node_is_named() -> None:
    layer = installed(controllers=())
    finding = the_finding(down(a_checked_cluster([a_shared_node()], [a_shared_pod()], layer=layer)))
    assert (finding.object, finding.source, finding.namespace) == ("Node/gpu-a", "node", "")


def test_a_labelled_node_that_never_had_the_plugin_is_missing_it() -> None:
    node = a_node("gpu-a", labels={"gpu": "on"})
    context = a_checked_cluster([node], [], layer=WANTING)
    assert signals(down(context)) == ["missing"]
    assert [plugin.name for plugin in expected_plugins(context, "gpu-a")] == ["hami"]


def test_a_node_that_a_taint_keeps_out_is_not_wanted() -> None:
    node = a_node("gpu-b", labels={"gpu": "on"})
    context = a_checked_cluster([a_shared_node(), node], [a_plugin_pod()])
    assert down(context).findings == ()
    assert plugin_state(context, "gpu-b") is None
    unsettled = installed(controllers=(a_daemon_set(settled=False),))
    again = a_checked_cluster([a_shared_node(), node], [a_plugin_pod()], layer=unsettled)
    assert [f.node for f in down(again).findings] == ["gpu-b"]


def test_a_selector_for_every_node_wants_none_in_particular() -> None:
    everywhere = a_daemon_set(node_selector={}, desired=9)
    context = a_checked_cluster([a_node("gpu-b")], [], layer=installed(controllers=(everywhere,)))
    assert down(context).state is InputState.NOT_APPLICABLE


def test_a_registration_that_was_left_behind_proves_nothing() -> None:
    node = a_shared_node(labels={})
    assert down(a_checked_cluster([node], [])).findings == ()
    assert plugin_state(a_checked_cluster([node], []), "gpu-a") is None


def test_what_hami_would_make_of_a_capacity_is_no_registration() -> None:
    derived = a_registration(
        a_device(1, card="gpu-a-AMD-0"), vendor="amd", family="AMD", source="amd.com/gpu"
    )
    node = a_node("gpu-a", derived, capacity={"amd.com/gpu": 1}, allocatable={})
    assert down(a_checked_cluster([node], [])).state is InputState.NOT_APPLICABLE


def test_a_tenant_with_the_plugins_label_does_not_answer_for_it() -> None:
    imitation = a_plugin_pod(uid="i", namespace="team-a", created_at=NOW - 10)
    context = a_checked_cluster([a_shared_node()], [imitation, a_plugin_pod(ready=False)])
    assert the_finding(down(context)).namespace == "kube-system"


def test_nvidias_plugin_is_expected_on_nodes_that_it_shares() -> None:
    up = a_checked_cluster([a_sliced_node()], [an_nvidia_plugin()])
    assert (down(up).findings, plugin_state(up, "gpu-a")) == ((), True)
    failing = an_nvidia_plugin(ready=False)
    finding = the_finding(down(a_checked_cluster([a_sliced_node()], [failing])))
    assert finding.object == "DaemonSet/gpu-operator/nvidia-device-plugin-daemonset"
    assert finding.signal == "not-ready"


def test_nvidias_plugin_may_run_outside_of_pods() -> None:
    context = a_checked_cluster([a_sliced_node()], [])
    result = down(context)
    assert (result.findings, result.nodes) == ((), (("gpu-a", OK),))
    assert plugin_state(context, "gpu-a") is None


def test_nvidias_plugin_that_left_is_told_by_the_kubelet() -> None:
    context = a_checked_cluster([a_sliced_node(allocatable=NO_CARDS)], [])
    finding = the_finding(down(context))
    assert (finding.signal, finding.object) == ("missing", "Node/gpu-a")
    assert finding.record == "no pod of the plugin on the node; allocatable 0"


def test_plain_nodes_are_none_of_its_business() -> None:
    plain = a_node("gpu-a", allocatable=NO_CARDS)
    assert down(a_checked_cluster([plain], [])).state is InputState.NOT_APPLICABLE


def test_both_plugins_of_a_node_must_be_ready() -> None:
    ascend = a_registration(
        a_device(1, card="0A1B-0"),
        vendor="ascend",
        family="Ascend910B3",
        source="hami.io/node-register-Ascend910B3",
    )
    node = a_shared_node()
    both = replace(node, registrations=(*node.registrations, ascend))
    plugin = a_plugin_pod(
        uid="ascend",
        namespace="npu",
        labels={COMPONENT: "hami-ascend-device-plugin"},
        ready=False,
        controller=daemon_set_owner("ascend"),
    )
    context = a_checked_cluster([both], [a_plugin_pod(), plugin])
    assert the_finding(down(context)).object == "DaemonSet/npu/ascend"
    assert plugin_state(context, "gpu-a") is False


def test_daemon_sets_that_cannot_be_read_are_a_missing_input() -> None:
    layer = installed(controllers=(), unread={"daemonsets.apps": "403 Forbidden"})
    result = down(a_checked_cluster([a_shared_node()], [a_plugin_pod()], layer=layer))
    assert result.missing == (
        MissingInput(check="S10", input="daemonsets.apps", reason="403 Forbidden"),
    )
    assert (result.state, result.findings) == (MISSING, ())


def test_before_the_first_look_nothing_is_ok() -> None:
    result = down(a_checked_cluster([a_shared_node()], [a_plugin_pod()], layer=LayerObjects()))
    assert [lack.input for lack in result.missing] == ["layer objects"]
    assert result.state is MISSING


def test_pods_that_cannot_be_listed_accuse_nobody() -> None:
    silence = {("kubernetes-pods", ""): "403 Forbidden"}
    context = a_checked_cluster([a_shared_node(allocatable=NO_CARDS)], [], silent=silence)
    result = down(context)
    assert (result.findings, [lack.input for lack in result.missing]) == ((), ["pods"])
    assert plugin_state(context, "gpu-a") is None


def test_an_old_installation_beside_a_new_one_has_its_own_plugin() -> None:
    old = a_daemon_set(namespace="hami-old", node_selector={"gpu": "old"})
    layer = installed(
        controllers=(
            a_daemon_set(),
            a_scheduler_deployment(),
            old,
            a_scheduler_deployment(namespace="hami-old"),
        )
    )
    nodes = [a_shared_node(), a_shared_node("gpu-b", a_device(2), labels={"gpu": "old"})]
    pods = [a_plugin_pod(), a_plugin_pod("gpu-b", namespace="hami-old", ready=False)]
    finding = the_finding(down(a_checked_cluster(nodes, pods, layer=layer)))
    assert (finding.node, finding.namespace) == ("gpu-b", "hami-old")


def test_a_selector_that_is_not_read_is_not_said_to_match_or_not() -> None:
    daemon_set = a_daemon_set(node_selector={"example.org/cards": "yes"})
    layer = installed(controllers=(daemon_set, a_scheduler_deployment()))
    node = a_shared_node(allocatable=NO_CARDS)
    assert the_finding(down(a_checked_cluster([node], [], layer=layer))).record == (
        "no pod of the plugin on the node; nodeSelector example.org/cards=yes cannot be compared: "
        "example.org/cards is not read; the node has a registration; allocatable 0"
    )
