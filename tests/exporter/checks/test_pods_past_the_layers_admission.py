"""S09: pods that ask for a layer's shares and that it never admitted."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.checks.tenants import bypassed
from gpuatlas.model.checks import CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.pod_spec import PodAccess
from gpuatlas_harness.checked_tenants import (
    CARD,
    a_context,
    a_hami_node,
    a_plugin,
    a_scheduler,
    a_tenant,
    a_volcano_node,
    layer_objects,
    lines,
    only,
)
from gpuatlas_harness.observed import (
    a_container,
    a_device,
    a_node,
    a_pod,
    a_promise,
    a_registration,
    uuid,
)

IGNORED = {"hami.io/webhook": "ignore"}


def judged(*pods: Pod, node: Node | None = None, **changes: object) -> CheckResult:
    return bypassed(a_context([node or a_hami_node()], [a_plugin(), *pods], **changes))


def asking(name: str = "app-0", node: str = "gpu-a", **changes: object) -> Pod:
    """A pod that asks for a share and carries nothing of the layer's."""
    values: dict[str, object] = {
        "containers": (a_container(limits={"nvidia.com/gpu": 1, "nvidia.com/gpumem": 4096}),)
    }
    return a_pod(name, node, **(values | changes))  # type: ignore[arg-type]


def waiting(**changes: object) -> Pod:
    return asking(**({"node": "", "phase": "Pending"} | changes))  # type: ignore[arg-type]


def test_admitted_tenants_and_the_layer_itself() -> None:
    assert judged(a_tenant()) == CheckResult(
        check="S09", state=InputState.OK, nodes=(("gpu-a", InputState.OK),)
    )


@pytest.mark.parametrize("phase", ["Running", "Pending"])
def test_a_pod_that_the_default_scheduler_placed(phase: str) -> None:
    assert only(judged(asking(phase=phase))) == Finding(
        check="S09",
        signal="default-scheduler",
        object="Pod/team-a/app-0",
        source="pod spec.schedulerName and limits",
        record="schedulerName: default-scheduler, nvidia.com/gpu: 1",
        node="gpu-a",
        namespace="team-a",
        pod="app-0",
    )


@pytest.mark.parametrize(
    "limits",
    [
        {"nvidia.com/gpu": 1},
        {"nvidia.com/gpumem": 4096},
        {"nvidia.com/gpucores": 10},
        {"nvidia.com/gpumem-percentage": 10},
    ],
)
def test_whatever_hami_serves_counts(limits: dict[str, int]) -> None:
    resource = next(iter(limits))
    found = only(judged(asking(containers=(a_container(limits=limits),))))
    assert found.record == f"schedulerName: default-scheduler, {resource}: {limits[resource]}"


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"nvidia.com/gpu": 0},
        {"nvidia.com/mig-1g.5gb": 1},
        {"nvidia.com/gpu.shared": 1},
        {"volcano.sh/queue": 1},
        {"rdma/hca": 1},
        {"huawei.com/Ascend910B3": 1},  # another plugin's: HAMi has no such card here
    ],
)
def test_what_hami_does_not_serve_passes_it_by_rightly(limits: dict[str, int]) -> None:
    assert judged(asking(containers=(a_container(limits=limits),))).findings == ()


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_finished_pods_hold_nothing(phase: str) -> None:
    assert judged(asking(phase=phase)).findings == ()


def test_a_pod_on_its_way_through_hami_is_no_bypass() -> None:
    assert judged(asking(scheduler="hami-scheduler")).findings == ()


@pytest.mark.parametrize("where", ["annotations", "labels"])
def test_hami_s_mark_of_the_node_is_proof(where: str) -> None:
    changes: dict[str, Any] = {where: {"hami.io/vgpu-node": "gpu-a"}}
    assert judged(asking(**changes)).findings == ()


def test_a_promise_without_a_mark_is_proof() -> None:
    pod = a_pod("app-0", "gpu-a", a_promise(CARD, 4096))
    assert judged(pod).findings == ()


def test_a_mark_of_another_node_was_copied() -> None:
    pod = a_pod("app-0", "gpu-a", a_promise(CARD, 4096), annotations={"hami.io/vgpu-node": "gpu-z"})
    assert only(judged(pod)).signal == "default-scheduler"


def test_nodes_without_the_layer_serve_whole_cards() -> None:
    pod = asking(node="gpu-b", containers=(a_container(),), labels=IGNORED)
    context = a_context([a_hami_node(), a_node("gpu-b")], [a_plugin(), pod])
    result = bypassed(context)
    assert (result.findings, result.nodes) == ((), (("gpu-a", InputState.OK),))


def test_beside_hami_s_renamed_resource_the_plain_one_is_another_plugin_s() -> None:
    node = a_hami_node(capacity={"nvidia.com/gpu": 1, "nvidia.com/vgpu": 10})
    plain = asking(containers=(a_container(limits={"nvidia.com/gpu": 1}),))
    renamed = asking(containers=(a_container(limits={"nvidia.com/vgpu": 1}),))
    assert judged(plain, node=node).findings == ()
    assert only(judged(renamed, node=node)).record.endswith("nvidia.com/vgpu: 1")


def test_capacity_that_hami_could_derive_cards_from_is_not_hami() -> None:
    """Stock AMD plugin: the registration is derived, and HAMi does not run."""
    derived = a_registration(
        a_device(1, card="gpu-a-AMDGPU-0", memory_bytes=None),
        vendor="amd",
        family="AMD",
        source="amd.com/gpu",
    )
    node = a_node("gpu-a", derived, capacity={"amd.com/gpu": 1})
    pod = asking(containers=(a_container(limits={"amd.com/gpu": 1}),))
    result = bypassed(a_context([node], [pod]))
    assert result == CheckResult(check="S09", state=InputState.NOT_APPLICABLE)


def test_a_scheduler_that_the_chart_renamed() -> None:
    pod = asking(scheduler="gpu-scheduler")
    for flag in ("scheduler_name", "leader_elect_resource_name"):
        layer = layer_objects(a_scheduler(**{flag: "gpu-scheduler"}))
        assert judged(pod, layer=layer).findings == ()
    assert only(judged(pod, layer=layer_objects(a_scheduler()))).record == (
        "schedulerName: gpu-scheduler, nvidia.com/gpu: 1"
    )


def test_a_default_scheduler_stays_one_whatever_a_flag_says() -> None:
    layer = layer_objects(a_scheduler(scheduler_name="default-scheduler"))
    assert only(judged(asking(), layer=layer)).signal == "default-scheduler"


@pytest.mark.parametrize(
    ("layer", "why"),
    [
        (layer_objects(deployments_apps="HTTP 403"), "HTTP 403"),
        (LayerObjects(), "the objects of the layer are not read"),
    ],
)
def test_an_unknown_scheduler_may_be_hami_s(layer: LayerObjects, why: str) -> None:
    result = judged(asking(scheduler="gpu-scheduler"), layer=layer)
    assert (result.state, result.findings) == (InputState.MISSING, ())
    assert result.missing == (
        MissingInput(
            check="S09",
            input="deployments.apps",
            node="gpu-a",
            reason=f"{why}: whether gpu-scheduler is a scheduler of HAMi is not known",
        ),
    )


def test_without_such_a_pod_the_name_does_not_matter() -> None:
    result = judged(asking(), a_tenant(scheduler="gpu-scheduler"), layer=LayerObjects())
    assert (result.state, only(result).pod) == (InputState.OK, "app-0")


def test_a_share_that_nobody_can_place() -> None:
    assert lines(judged(waiting())) == [
        (
            "pending",
            "app-0",
            "pod spec.schedulerName and limits",
            "schedulerName: default-scheduler, nvidia.com/gpumem: 4096",
        )
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"scheduler": "hami-scheduler"},
        {"phase": "Failed"},
        {"containers": (a_container(),)},  # a whole card, which a plain node may have
        {"containers": (a_container(limits={"hygon.com/dcumem": 1}),)},  # no such card with HAMi
    ],
)
def test_pods_that_wait_rightly(changes: dict[str, object]) -> None:
    assert judged(waiting(**changes)).findings == ()


def test_the_label_that_keeps_the_webhook_out() -> None:
    found = judged(a_tenant(labels=IGNORED), waiting(labels=IGNORED, scheduler="hami-scheduler"))
    assert lines(found) == [
        ("ignore-label", "app-0", "pod label hami.io/webhook", "hami.io/webhook: ignore"),
        ("ignore-label", "chat-0", "pod label hami.io/webhook", "hami.io/webhook: ignore"),
    ]


def test_hami_s_own_pods_carry_the_label_and_ask_for_nothing() -> None:
    labels = {"app.kubernetes.io/component": "hami-scheduler", **IGNORED}
    pod = a_pod("hami-scheduler-0", "gpu-a", containers=(a_container(limits={}),), labels=labels)
    assert judged(pod).findings == ()


def test_other_values_of_the_label_keep_nothing_out() -> None:
    assert judged(a_tenant(labels={"hami.io/webhook": "audit"})).findings == ()


def test_a_privileged_container_that_asks_itself() -> None:
    pod = a_tenant(access=PodAccess(privileged=("main",)))
    assert lines(judged(pod)) == [
        (
            "privileged",
            "chat-0",
            "securityContext and limits of container main",
            "privileged: true, nvidia.com/gpu: 1",
        )
    ]


def test_a_privileged_helper_beside_the_tenant_sees_no_share() -> None:
    pod = a_tenant(
        containers=(a_container(), a_container("mount", limits={})),
        access=PodAccess(privileged=("mount", "gone")),
    )
    assert judged(pod).findings == ()


def test_a_privileged_init_container_has_ended() -> None:
    pod = a_tenant(
        containers=(a_container("init", kind="init"), a_container()),
        access=PodAccess(privileged=("init",)),
    )
    assert judged(pod).findings == ()


def test_volcano_s_shares_are_for_volcano_s_scheduler() -> None:
    limits = {"volcano.sh/vgpu-number": 1}
    stray = asking(node="gpu-v", containers=(a_container(limits=limits),))
    own = a_tenant(
        node="gpu-v",
        cards=(uuid(5),),
        layer="volcano",
        containers=(a_container(limits=limits),),
    )
    result = judged(stray, own, node=a_volcano_node())
    assert lines(result) == [
        (
            "default-scheduler",
            "app-0",
            "pod spec.schedulerName and limits",
            "schedulerName: default-scheduler, volcano.sh/vgpu-number: 1",
        )
    ]


def test_volcano_places_no_shares_of_hami() -> None:
    assert only(judged(asking(scheduler="volcano"))).signal == "default-scheduler"


def test_a_share_of_volcano_waits_for_the_wrong_scheduler() -> None:
    pod = waiting(containers=(a_container(limits={"volcano.sh/vgpu-memory": 1024}),))
    assert only(judged(pod, node=a_volcano_node())).signal == "pending"


def test_unread_pods_leave_the_check_blind() -> None:
    result = judged(silent={("kubernetes-pods", ""): "HTTP 403"})
    assert (result.state, [m.input for m in result.missing]) == (InputState.MISSING, ["pods"])


def test_a_cluster_without_the_layers() -> None:
    result = bypassed(a_context([a_node()], [asking(), waiting(uid="w", name="w")]))
    assert result == CheckResult(check="S09", state=InputState.NOT_APPLICABLE)
