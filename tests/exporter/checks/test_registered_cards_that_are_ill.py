"""S12: a registration says that a card is ill, in the words of its vendor's family."""

from __future__ import annotations

import pytest

from gpuatlas.checks.handshakes import device_record, handshake_key
from gpuatlas.checks.registration import registration_stale
from gpuatlas.model.checks import Finding, InputState, MissingInput
from gpuatlas_harness.checked_layers import (
    COMPONENT,
    HANDSHAKE,
    REGISTER,
    a_checked_cluster,
    a_plugin_pod,
    a_shared_node,
    the_finding,
)
from gpuatlas_harness.checked_registrations import PAGE, a_bare_node
from gpuatlas_harness.observed import a_dcgm_page, a_device, a_node, a_reading, a_registration, uuid

OK, MISSING = InputState.OK, InputState.MISSING


def test_an_unhealthy_card_is_quoted_in_text() -> None:
    node = a_shared_node("gpu-a", a_device(1), a_device(2, healthy=False))
    page = a_dcgm_page(a_reading(1), a_reading(2))
    context = a_checked_cluster([node], [a_plugin_pod()], dcgm=(page,))
    assert registration_stale(context).findings == (
        Finding(
            check="S12",
            signal="unhealthy",
            object="Node/gpu-a",
            source=f"node annotation {REGISTER}",
            record=f"{uuid(2)},10,34542,100,NVIDIA A10G,0,false,1,hami-core",
            node="gpu-a",
            card=uuid(2),
        ),
    )


def test_an_unhealthy_card_is_quoted_in_json() -> None:
    text = f'[{{"id":"{uuid(2)}","count":10}}, {{"id":"{uuid(1)}", "count":10}}]'
    node = a_shared_node("gpu-a", a_device(1, healthy=False), register=text)
    context = a_checked_cluster([node], [a_plugin_pod()], dcgm=(PAGE,))
    assert the_finding(registration_stale(context)).record == (
        f'no health, which means false: {{"id":"{uuid(1)}","count":10}}'
    )
    assert device_record('[{"id":"a","health":false}]', "a") == '{"id":"a","health":false}'


def test_a_vendor_whose_plugin_is_unknown_is_judged_all_the_same() -> None:
    ill = a_registration(
        a_device(1, card="DCU-1", healthy=False),
        vendor="hygon",
        family="DCU",
        source="hami.io/node-dcu-register",
    )
    node = a_node("gpu-a", ill, capacity={"hygon.com/dcunum": 4})
    finding = the_finding(registration_stale(a_checked_cluster([node])))
    assert (finding.card, finding.record) == ("DCU-1", "DCU-1: health false")


@pytest.mark.parametrize(
    ("vendor", "family", "layer", "expected"),
    [
        ("nvidia", "NVIDIA", "hami", "hami.io/node-handshake"),
        ("ascend", "Ascend910B3", "hami", "hami.io/node-handshake-Ascend910B3"),
        ("ascend", "Ascend910B", "hami", ""),
        ("hygon", "DCU", "hami", "hami.io/node-handshake-dcu"),
        ("vastai", "Vastai", "hami", "hami.io/node-handshake-va"),
        ("nvidia", "volcano", "volcano", "volcano.sh/node-vgpu-handshake"),
    ],
)
def test_each_family_has_its_handshake(vendor: str, family: str, layer: str, expected: str) -> None:
    keys = (
        HANDSHAKE,
        f"{HANDSHAKE}-Ascend910B3",
        f"{HANDSHAKE}-dcu",
        f"{HANDSHAKE}-va",
        "volcano.sh/node-vgpu-handshake",
    )
    registration = a_registration(vendor=vendor, family=family, layer=layer)
    node = a_bare_node(dict.fromkeys(keys, "x"))
    assert handshake_key(node, registration) == expected
    assert handshake_key(a_bare_node(), registration) == ""


@pytest.mark.parametrize("text", ["", "[", "[1]", "{}", '[{"id":3}]', "null", "a,b:c", "[" * 5000])
def test_a_card_that_is_not_in_the_text_is_not_quoted(text: str) -> None:
    assert device_record(text, "GPU-1") == ""


def test_without_a_page_the_cards_cannot_be_compared() -> None:
    silence = {("dcgm", "gpu-a"): "connection refused"}
    context = a_checked_cluster([a_shared_node()], [a_plugin_pod()], silent=silence)
    result = registration_stale(context)
    assert result.missing == (
        MissingInput(check="S12", input="dcgm page", node="gpu-a", reason="connection refused"),
    )
    assert result.nodes == (("gpu-a", MISSING),)


def test_ascend_needs_no_dcgm_page() -> None:
    ascend = a_registration(
        a_device(1, card="0A1B-0"),
        vendor="ascend",
        family="Ascend910B3",
        source="hami.io/node-register-Ascend910B3",
    )
    node = a_node("npu-a", ascend, capacity={"huawei.com/Ascend910B3": 1})
    plugin = a_plugin_pod("npu-a", labels={COMPONENT: "hami-ascend-device-plugin"})
    result = registration_stale(a_checked_cluster([node], [plugin]))
    assert (result.state, result.findings) == (OK, ())
