"""S12: a layer's registered cards against those that the driver lists."""

from __future__ import annotations

from dataclasses import replace

from gpuatlas.checks.registration import registration_stale
from gpuatlas.model.checks import CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.objects import Node
from gpuatlas.model.pages import CardReading, DcgmPage, Tenant
from gpuatlas_harness.checked_layers import (
    REGISTER,
    a_checked_cluster,
    a_config,
    a_plugin_pod,
    a_shared_node,
    installed,
    signals,
    the_finding,
)
from gpuatlas_harness.observed import (
    a_dcgm_page,
    a_device,
    a_reading,
    a_registration,
    uuid,
)

TENANT = Tenant("team-a", "chat-0", "main")


def page_of(*numbers: int, node: str = "gpu-a") -> DcgmPage:
    return a_dcgm_page(*(a_reading(number) for number in numbers), node=node)


def judged(
    page: DcgmPage, node: Node | None = None, layer: LayerObjects | None = None
) -> CheckResult:
    return registration_stale(
        a_checked_cluster(
            [node or a_shared_node()], [a_plugin_pod()], dcgm=(page,), layer=layer or installed()
        )
    )


def test_a_card_that_the_driver_lists_and_nobody_registered() -> None:
    result = judged(page_of(1, 2))
    assert result.findings == (
        Finding(
            check="S12",
            signal="fewer",
            object="Node/gpu-a",
            source="dcgm page of gpu-a",
            record=(
                f'UUID="{uuid(2)}",gpu="1" is not in {REGISTER}: 1 registered, 2 listed and not '
                "hidden"
            ),
            node="gpu-a",
            card=uuid(2),
        ),
    )
    assert result.state is InputState.OK


def test_a_card_that_is_hidden_on_purpose_is_no_finding() -> None:
    for hidden in (uuid(2), "1"):
        assert judged(page_of(1, 2), layer=installed(configs=(a_config(hidden),))).findings == ()
    elsewhere = installed(configs=(a_config(uuid(2), node="gpu-b"),))
    assert signals(judged(page_of(1, 2), layer=elsewhere)) == ["fewer"]


def test_a_registered_card_that_should_be_hidden_makes_up_for_none() -> None:
    layer = installed(configs=(a_config(uuid(1)),))
    assert [f.card for f in judged(page_of(1, 2), layer=layer).findings] == [uuid(2)]


def test_hidden_cards_are_unknown_without_the_configuration() -> None:
    layer = installed(unread={"configmaps": "403 Forbidden"})
    result = judged(page_of(1, 2), layer=layer)
    assert result.findings == ()
    assert result.missing == (
        MissingInput(check="S12", input="configmaps", node="gpu-a", reason="403 Forbidden"),
    )
    assert judged(page_of(1), layer=layer).missing == ()
    unread = judged(page_of(1, 2), layer=LayerObjects())
    assert [lack.reason for lack in unread.missing] == ["the layers' ConfigMaps are not read yet"]


def test_a_registered_card_that_the_driver_does_not_list() -> None:
    node = a_shared_node("gpu-a", a_device(1), a_device(7))
    assert the_finding(judged(page_of(1), node)) == Finding(
        check="S12",
        signal="unknown-card",
        object="Node/gpu-a",
        source=f"node annotation {REGISTER}",
        record=f"{uuid(7)} is not among the 1 cards on the DCGM page of gpu-a",
        node="gpu-a",
        card=uuid(7),
    )


def test_a_card_that_was_replaced_is_unknown_and_not_fewer() -> None:
    assert signals(judged(page_of(2))) == ["unknown-card"]


def test_a_page_that_leaves_out_idle_cards_accuses_none() -> None:
    node = a_shared_node("gpu-a", a_device(1), a_device(2))
    held: tuple[CardReading, ...] = (
        a_reading(1, TENANT),
        a_reading(1, tenant_fields={TENANT: {"DEV_FB_USED": 1.0}}),
    )
    for reading in held:
        result = judged(a_dcgm_page(reading), node)
        assert result.findings == ()
        assert [lack.input for lack in result.missing] == ["dcgm page"]
        assert "KUBERNETES_VIRTUAL_GPUS" in result.missing[0].reason
        assert judged(a_dcgm_page(reading)).missing == ()


def test_two_layers_may_have_one_card_each() -> None:
    volcano = a_registration(
        a_device(2), layer="volcano", family="volcano", source="volcano.sh/node-vgpu-register"
    )
    node = a_shared_node()
    both = replace(node, registrations=(*node.registrations, volcano))
    assert judged(page_of(1, 2), both).findings == ()


def test_a_page_without_a_node_is_told_by_its_cards() -> None:
    assert signals(judged(page_of(1, 2, node=""))) == ["fewer"]
    assert judged(page_of(1, node="")).missing == ()


def test_a_page_that_lists_nothing_is_a_missing_input() -> None:
    result = judged(page_of())
    assert [lack.reason for lack in result.missing] == ["no dcgm-exporter page for this node"]
