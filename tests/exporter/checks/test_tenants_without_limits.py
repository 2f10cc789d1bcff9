"""S01: what the pod's own spec says of limits that are not in force."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.isolation import disabled
from gpuatlas.model.checks import CheckResult, Finding, InputState
from gpuatlas.model.objects import Owner
from gpuatlas.model.pod_spec import PodAccess
from gpuatlas_harness.checked_limits import OFF, judged
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
from gpuatlas_harness.observed import a_container, a_node, a_pod, a_promise, uuid


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
