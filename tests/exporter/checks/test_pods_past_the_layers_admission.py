"""S09: pods that ask for a layer's shares and that it never admitted."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.checks.tenants import bypassed
from gpuatlas.model.checks import CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.layer import LayerObjects
from gpuatlas_harness.checked_admission import IGNORED, asking, judged_admission
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


def test_admitted_tenants_and_the_layer_itself() -> None:
    assert judged_admission(a_tenant()) == CheckResult(
        check="S09", state=InputState.OK, nodes=(("gpu-a", InputState.OK),)
    )


@pytest.mark.parametrize("phase", ["Running", "Pending"])
def test_a_pod_that_the_default_scheduler_placed(phase: str) -> None:
    assert only(judged_admission(asking(phase=phase))) == Finding(
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
    found = only(judged_admission(asking(containers=(a_container(limits=limits),))))
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
    assert judged_admission(asking(containers=(a_container(limits=limits),))).findings == ()


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_finished_pods_hold_nothing(phase: str) -> None:
    assert judged_admission(asking(phase=phase)).findings == ()


def test_a_pod_on_its_way_through_hami_is_no_bypass() -> None:
    assert judged_admission(asking(scheduler="hami-scheduler")).findings == ()


@pytest.mark.parametrize("where", ["annotations", "labels"])
def test_hami_s_mark_of_the_node_is_proof(where: str) -> None:
    changes: dict[str, Any] = {where: {"hami.io/vgpu-node": "gpu-a"}}
    assert judged_admission(asking(**changes)).findings == ()


def test_a_promise_without_a_mark_is_proof() -> None:
    pod = a_pod("app-0", "gpu-a", a_promise(CARD, 4096))
    assert judged_admission(pod).findings == ()


def test_a_mark_of_another_node_was_copied() -> None:
    pod = a_pod("app-0", "gpu-a", a_promise(CARD, 4096), annotations={"hami.io/vgpu-node": "gpu-z"})
    assert only(judged_admission(pod)).signal == "default-scheduler"


def test_nodes_without_the_layer_serve_whole_cards() -> None:
    pod = asking(node="gpu-b", containers=(a_container(),), labels=IGNORED)
    context = a_context([a_hami_node(), a_node("gpu-b")], [a_plugin(), pod])
    result = bypassed(context)
    assert (result.findings, result.nodes) == ((), (("gpu-a", InputState.OK),))


def test_beside_hami_s_renamed_resource_the_plain_one_is_another_plugin_s() -> None:
    node = a_hami_node(capacity={"nvidia.com/gpu": 1, "nvidia.com/vgpu": 10})
    plain = asking(containers=(a_container(limits={"nvidia.com/gpu": 1}),))
    renamed = asking(containers=(a_container(limits={"nvidia.com/vgpu": 1}),))
    assert judged_admission(plain, node=node).findings == ()
    assert only(judged_admission(renamed, node=node)).record.endswith("nvidia.com/vgpu: 1")


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
        assert judged_admission(pod, layer=layer).findings == ()
    assert only(judged_admission(pod, layer=layer_objects(a_scheduler()))).record == (
        "schedulerName: gpu-scheduler, nvidia.com/gpu: 1"
    )


def test_a_default_scheduler_stays_one_whatever_a_flag_says() -> None:
    layer = layer_objects(a_scheduler(scheduler_name="default-scheduler"))
    assert only(judged_admission(asking(), layer=layer)).signal == "default-scheduler"


@pytest.mark.parametrize(
    ("layer", "why"),
    [
        (layer_objects(deployments_apps="HTTP 403"), "HTTP 403"),
        (LayerObjects(), "the objects of the layer are not read"),
    ],
)
def test_an_unknown_scheduler_may_be_hami_s(layer: LayerObjects, why: str) -> None:
    result = judged_admission(asking(scheduler="gpu-scheduler"), layer=layer)
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
    result = judged_admission(asking(), a_tenant(scheduler="gpu-scheduler"), layer=LayerObjects())
    assert (result.state, only(result).pod) == (InputState.OK, "app-0")


def test_volcano_s_shares_are_for_volcano_s_scheduler() -> None:
    limits = {"volcano.sh/vgpu-number": 1}
    stray = asking(node="gpu-v", containers=(a_container(limits=limits),))
    own = a_tenant(
        node="gpu-v",
        cards=(uuid(5),),
        layer="volcano",
        containers=(a_container(limits=limits),),
    )
    result = judged_admission(stray, own, node=a_volcano_node())
    assert lines(result) == [
        (
            "default-scheduler",
            "app-0",
            "pod spec.schedulerName and limits",
            "schedulerName: default-scheduler, volcano.sh/vgpu-number: 1",
        )
    ]


def test_volcano_places_no_shares_of_hami() -> None:
    assert only(judged_admission(asking(scheduler="volcano"))).signal == "default-scheduler"


def test_unread_pods_leave_the_check_blind() -> None:
    result = judged_admission(silent={("kubernetes-pods", ""): "HTTP 403"})
    assert (result.state, [m.input for m in result.missing]) == (InputState.MISSING, ["pods"])
