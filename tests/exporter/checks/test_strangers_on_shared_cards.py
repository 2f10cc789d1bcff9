"""S04: pods that reach shared cards and ask for none."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.checks.infrastructure import PROGRAMS, program_of
from gpuatlas.checks.tenants import unaccounted
from gpuatlas.model.checks import CheckResult, Finding, InputState
from gpuatlas.model.claims import Fraction, Reservation
from gpuatlas.model.objects import Node, Owner, Pod, PodClaim
from gpuatlas.model.pod_spec import PodAccess
from gpuatlas.sources.kubernetes.components import COMPONENTS
from gpuatlas_harness.checked_tenants import (
    COMPONENT,
    a_context,
    a_hami_node,
    a_page,
    a_plugin,
    a_tenant,
    daemon_set,
    lines,
    only,
)
from gpuatlas_harness.observed import NOW, a_container, a_node, a_pod

ALL = {"NVIDIA_VISIBLE_DEVICES": "all"}


def a_stranger(name: str = "ghost", env: dict[str, str] | None = None, **changes: object) -> Pod:
    values: dict[str, object] = {"containers": (a_container(limits={}, env=env),), "asks": False}
    return a_pod(**({"name": name, "node": "gpu-a"} | values | changes))  # type: ignore[arg-type]


def judged(*pods: Pod, node: Node | None = None, **changes: object) -> CheckResult:
    return unaccounted(a_context([node or a_hami_node()], [a_plugin(), *pods], **changes))


def test_the_layer_and_its_tenants_are_accounted_for() -> None:
    assert judged(a_tenant()) == CheckResult(
        check="S04", state=InputState.OK, nodes=(("gpu-a", InputState.OK),)
    )


def test_a_pod_that_is_shown_all_cards() -> None:
    owner = Owner(api_group="apps", kind="StatefulSet", name="notebook", uid="sts")
    assert only(judged(a_stranger(env=ALL, controller=owner))) == Finding(
        check="S04",
        signal="visible-devices",
        object="StatefulSet/team-a/notebook",
        source="env of container main",
        record="NVIDIA_VISIBLE_DEVICES=all",
        node="gpu-a",
        namespace="team-a",
        pod="ghost",
    )


@pytest.mark.parametrize("value", ["", "none", "void"])
def test_values_that_show_no_card(value: str) -> None:
    assert judged(a_stranger(env={"NVIDIA_VISIBLE_DEVICES": value})).findings == ()


@pytest.mark.parametrize("value", ["0", "GPU-1", "ALL", "None"])
def test_any_other_value_shows_some(value: str) -> None:
    assert only(judged(a_stranger(env={"NVIDIA_VISIBLE_DEVICES": value}))).record.endswith(value)


def test_the_variable_shows_nothing_where_no_such_card_is() -> None:
    node = a_hami_node(capacity={"huawei.com/Ascend910B3": 8})
    assert only(judged(a_stranger(env={"ASCEND_VISIBLE_DEVICES": "0"}), node=node)).record == (
        "ASCEND_VISIBLE_DEVICES=0"
    )
    assert judged(a_stranger(env={"ASCEND_VISIBLE_DEVICES": "0"})).findings == ()


@pytest.mark.parametrize("phase", ["Pending", "Succeeded", "Failed"])
def test_only_running_pods_use_cards(phase: str) -> None:
    assert judged(a_stranger(env=ALL, phase=phase)).findings == ()


def test_init_containers_of_running_pods_have_ended() -> None:
    pod = a_stranger(
        containers=(
            a_container("init", limits={}, kind="init", env=ALL),
            a_container(limits={}),
        ),
        access=PodAccess(privileged=("init",), host_devices=("/dev",), runtime_class="nvidia"),
    )
    assert judged(pod).findings == ()


@pytest.mark.parametrize("path", ["/dev/nvidia0", "/dev/nvidiactl", "/dev/davinci3"])
def test_device_files_of_cards(path: str) -> None:
    pod = a_stranger(access=PodAccess(host_devices=(path,)))
    assert lines(judged(pod)) == [("host-device", "ghost", "pod spec.volumes", f"hostPath: {path}")]


@pytest.mark.parametrize("path", ["/dev", "/"])
def test_all_device_files_need_a_privileged_container(path: str) -> None:
    bare = a_stranger(access=PodAccess(host_devices=(path,)))
    privileged = a_stranger(access=PodAccess(host_devices=(path,), privileged=("main",)))
    assert judged(bare).findings == ()
    assert only(judged(privileged)).record == f"hostPath: {path}"


def test_storage_and_log_agents_are_no_tenants() -> None:
    agent = a_stranger(
        controller=daemon_set("csi-node"),
        access=PodAccess(host_devices=("/dev",), privileged=("main",)),
    )
    assert judged(agent).findings == ()


def test_an_agent_that_takes_the_cards_files_is_a_stranger() -> None:
    agent = a_stranger(
        controller=daemon_set("tool"), access=PodAccess(host_devices=("/dev/nvidia0",))
    )
    assert only(judged(agent)).signal == "host-device"


def test_a_privileged_container_under_nvidia_s_runtime() -> None:
    pod = a_stranger(access=PodAccess(privileged=("main",), runtime_class="nvidia"))
    assert lines(judged(pod)) == [
        (
            "privileged",
            "ghost",
            "securityContext of container main",
            "privileged: true, runtimeClassName: nvidia",
        )
    ]


@pytest.mark.parametrize(
    "access",
    [PodAccess(privileged=("main",)), PodAccess(runtime_class="nvidia"), PodAccess(host_pid=True)],
)
def test_half_of_that_reaches_no_card(access: PodAccess) -> None:
    assert judged(a_stranger(access=access)).findings == ()


ASKING: dict[str, dict[str, Any]] = {
    "a card": {"containers": (a_container(env=ALL),)},
    "memory alone": {"containers": (a_container(limits={"nvidia.com/gpumem": 1}, env=ALL),)},
    "a renamed card": {"containers": (a_container(limits={"nvidia.com/vgpu": 1}, env=ALL),)},
    "a MIG instance": {"containers": (a_container(limits={"nvidia.com/mig-1g.5gb": 1}, env=ALL),)},
    "in a sidecar": {
        "containers": (a_container(limits={}, env=ALL), a_container("two", kind="sidecar"))
    },
    "a ResourceClaim": {"claims": (PodClaim(name="gpu", claim="gpu-x"),)},
    "Koordinator's": {"annotations": {"scheduling.koordinator.sh/device-allocated": "{}"}},
    "a fraction": {
        "fraction": Fraction(
            portion=0.5,
            memory_bytes=None,
            devices=1,
            container="main",
            mps=False,
            groups=(),
            received="",
        )
    },
    "a reservation": {
        "reservation": Reservation(
            namespace="kai-resource-reservation", pod="ghost", node="gpu-a", group="g", card=""
        )
    },
}


@pytest.mark.parametrize("what", ASKING)
def test_who_asks_for_cards_is_no_stranger(what: str) -> None:
    assert judged(a_stranger(env=ALL, asks=True, **ASKING[what])).findings == ()


def test_asking_for_nothing_is_not_asking() -> None:
    pod = a_stranger(containers=(a_container(limits={"nvidia.com/gpu": 0}, env=ALL),))
    assert only(judged(pod)).signal == "visible-devices"


def test_other_resources_are_no_cards() -> None:
    pod = a_stranger(containers=(a_container(limits={"rdma/hca": 1}, env=ALL),))
    assert only(judged(pod)).signal == "visible-devices"


def test_every_program_that_we_read_is_known() -> None:
    for component in COMPONENTS:
        for value in component.values:
            assert program_of(a_stranger(labels={component.label: value})), component


@pytest.mark.parametrize("program", sorted(PROGRAMS))
def test_exporters_and_operators_reach_cards_by_trade(program: str) -> None:
    pod = a_stranger(
        namespace="gpu-operator",
        env=ALL,
        labels={"app": program},
        access=PodAccess(privileged=("main",), host_devices=("/dev",), runtime_class="nvidia"),
    )
    assert judged(pod).findings == ()


def test_daemon_sets_beside_them_do_so_too() -> None:
    exporter = a_stranger("exporter", namespace="gpu-operator", labels={"app": "nvidia-dcgm"})
    beside = a_stranger(namespace="gpu-operator", env=ALL, controller=daemon_set("helper"))
    elsewhere = a_stranger(namespace="team-b", env=ALL, controller=daemon_set("helper"))
    assert judged(exporter, beside).findings == ()
    assert only(judged(exporter, elsewhere)).namespace == "team-b"


def test_a_label_does_not_make_a_tenant_the_exporter() -> None:
    labels = {"app": "nvidia-dcgm-exporter"}
    real = [
        a_stranger(f"exporter-{n}", uid=f"e{n}", namespace="monitoring", labels=labels, node=node)
        for n, node in enumerate(("gpu-a", "gpu-b"))
    ]
    forged = a_stranger(env=ALL, labels=labels)
    assert only(judged(*real, forged)).pod == "ghost"


def test_of_two_that_say_the_same_the_older_is_believed() -> None:
    labels = {"app": "nvidia-dcgm-exporter"}
    real = a_stranger("real", namespace="monitoring", labels=labels, env=ALL)
    forged = a_stranger(env=ALL, labels=labels, created_at=NOW - 60)
    assert only(judged(real, forged)).pod == "ghost"


def test_a_deployment_in_the_layer_s_namespace_is_a_stranger() -> None:
    pod = a_stranger(env=ALL, namespace="kube-system")
    assert only(judged(pod)).namespace == "kube-system"


@pytest.mark.parametrize(
    "labels",
    [
        {"nvidia.com/gpu.sharing-strategy": "time-slicing"},
        {"nvidia.com/gpu.sharing-strategy": "mps"},
        {"nvidia.com/mig.strategy": "single", "nvidia.com/gpu.product": "A100-MIG-1g.5gb"},
    ],
)
def test_every_way_of_sharing_has_strangers(labels: dict[str, str]) -> None:
    result = unaccounted(a_context([a_node(labels=labels)], [a_stranger(env=ALL)]))
    assert only(result).signal == "visible-devices"


def test_plain_nodes_share_nothing() -> None:
    labels = {"nvidia.com/gpu.sharing-strategy": "none"}
    result = unaccounted(a_context([a_node(labels=labels)], [a_stranger(env=ALL)]))
    assert result == CheckResult(check="S04", state=InputState.NOT_APPLICABLE)


def test_unread_pods_leave_the_check_blind() -> None:
    result = judged(silent={("kubernetes-pods", ""): "HTTP 403"}, monitors=(a_page(),))
    assert (result.state, result.nodes) == (InputState.MISSING, (("gpu-a", InputState.MISSING),))
    assert [m.input for m in result.missing] == ["pods"]


def test_labels_of_the_layer_are_those_of_its_chart() -> None:
    assert program_of(a_plugin()) == "hami"
    assert program_of(a_stranger(labels={COMPONENT: "hami-scheduler"})) == "hami-scheduler"
    assert program_of(a_stranger(labels={"app": "chat"})) == ""
