"""S17: licences that the administrator named, and those of NVIDIA's vGPU guests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.licence import ended
from gpuatlas.model.checks import CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.layer import LayerObjects, Licence
from gpuatlas.model.pages import CardReading
from gpuatlas_harness.checked_books import a_layer, a_licence
from gpuatlas_harness.checked_layers import a_checked_cluster, signals, the_finding
from gpuatlas_harness.observed import NOW, a_dcgm_page, a_node, a_reading, uuid

DAY = 86_400
STATUS = "DCGM_FI_DEV_VGPU_LICENSE_STATUS"


def judge(*licences: Licence, cards: tuple[CardReading, ...] = ()) -> CheckResult:
    layer: LayerObjects = a_layer(licences=licences)
    pages = (a_dcgm_page(*cards),) if cards else ()
    return ended(a_checked_cluster([a_node()], layer=layer, dcgm=pages))


def test_a_licence_near_its_end_is_quoted() -> None:
    result = judge(a_licence(not_after=NOW + 30 * DAY - 1, record="notAfter: 2027-02-14"))
    assert the_finding(result) == Finding(
        check="S17",
        signal="ends",
        object="ConfigMap/layer-system/licence",
        source="licence licence/notAfter",
        record="notAfter: 2027-02-14",
        severity="warning",
    )
    assert (result.state, result.nodes) == (InputState.OK, ())


@pytest.mark.parametrize(
    ("not_after", "expected"),
    [
        pytest.param(NOW + 30 * DAY, [], id="30 days"),
        pytest.param(NOW + 30 * DAY - 1, ["ends"], id="less"),
        pytest.param(NOW - 1, ["ends"], id="past"),
        pytest.param(None, [], id="without an end"),
    ],
)
def test_when_a_licence_ends(not_after: float | None, expected: list[str]) -> None:
    assert signals(judge(a_licence(not_after=not_after))) == expected


def test_a_named_source_that_is_not_there() -> None:
    error = "ConfigMap/layer-system/licence does not exist"
    result = judge(a_licence(present=False, not_after=None, record="", error=error))
    assert (the_finding(result).signal, the_finding(result).record) == ("missing", error)


def test_a_source_that_holds_no_date() -> None:
    error = "ConfigMap/layer-system/licence notAfter: its date is no RFC 3339 time or day"
    result = judge(a_licence(not_after=None, record="", error=error))
    assert (the_finding(result).signal, the_finding(result).record) == ("unreadable", error)


def test_a_source_that_may_not_be_read_is_missing_and_says_nothing_of_the_licence() -> None:
    error = "403 from the API server: configmaps licence is forbidden"
    refused = a_licence(not_after=None, record="", error=error)
    layer = a_layer(licences=(refused, a_licence(not_after=NOW)), unread={"configmaps": error})
    result = ended(a_checked_cluster([a_node()], layer=layer))
    assert result.missing == (
        MissingInput(check="S17", input="licence", reason=f"licence/notAfter: {error}"),
    )
    assert (result.state, signals(result)) == (InputState.MISSING, ["ends"])


def a_card(model: str, status: float | None) -> CardReading:
    fields = {} if status is None else {"DEV_VGPU_LICENSE_STATUS": status}
    return a_reading(1, model=model, fields=fields)


def test_a_guest_without_its_licence() -> None:
    result = judge(cards=(a_card("GRID A100-40C", 0),))
    assert the_finding(result) == Finding(
        check="S17",
        signal="vgpu-unlicensed",
        object="Node/gpu-a",
        node="gpu-a",
        card=uuid(1),
        source=f"metric {STATUS}",
        record=f'{STATUS}{{UUID="{uuid(1)}",modelName="GRID A100-40C"}} 0',
    )
    assert result.state is InputState.OK


def test_a_guest_with_its_licence() -> None:
    result = judge(cards=(a_card("NVIDIA A40 vGPU", 1),))
    assert (result.state, result.findings) == (InputState.OK, ())


def test_a_guest_of_whose_licence_nothing_is_exported() -> None:
    result = judge(cards=(a_card("GRID A100-40C", None),))
    assert (result.state, result.missing) == (
        InputState.MISSING,
        (
            MissingInput(
                check="S17",
                input=STATUS,
                node="gpu-a",
                reason=f"add {STATUS} to the counters file of dcgm-exporter",
            ),
        ),
    )


@pytest.mark.parametrize("model", ["GRID T4", "NVIDIA A40-48Q", "NVIDIA L40S-12A", "vGPU-x"])
def test_names_of_guests(model: str) -> None:
    assert signals(judge(cards=(a_card(model, 0),))) == ["vgpu-unlicensed"]


@pytest.mark.parametrize(
    "model",
    ["NVIDIA A10G", "NVIDIA A100-SXM4-80GB", "Tesla V100-PCIE-32GB", "NVIDIA A100-PG509", ""],
)
def test_cards_that_are_no_guests_need_no_licence(model: str) -> None:
    """They all report 0, too."""
    result = judge(cards=(a_card(model, 0),))
    assert result == CheckResult(check="S17", state=InputState.NOT_APPLICABLE)


def test_it_does_not_need_a_sharing_layer() -> None:
    layer = replace(LayerObjects(), licences=(a_licence(),))
    assert ended(a_checked_cluster([a_node()], layer=layer)).state is InputState.OK
