"""H01-H12: what was lacking to judge, and of which node."""

from __future__ import annotations

import pytest

from gpuatlas.checks.hardware import HISTORY, HOW_TO_EXPORT
from gpuatlas.model.checks import CheckResult, InputState, MissingInput
from gpuatlas.sources.dcgm.fields import FIELDS
from gpuatlas_harness.checked_hardware import IDS, judged_hardware, of_cards
from gpuatlas_harness.observed import a_dcgm_page, a_node, a_reading, observations, uuid

OK, MISSING = InputState.OK, InputState.MISSING


def test_cards_are_told_node_by_node() -> None:
    nodes = [a_node("gpu-b"), a_node("gpu-a")]
    pages = (
        a_dcgm_page(a_reading(2, DEV_ROW_REMAP_PENDING=1), node="gpu-b"),
        a_dcgm_page(a_reading(1, DEV_ROW_REMAP_PENDING=1), a_reading(3), node="gpu-a"),
    )
    result = judged_hardware(observations(nodes, dcgm=pages))["H04"]
    assert [(f.node, f.card) for f in result.findings] == [("gpu-a", uuid(1)), ("gpu-b", uuid(2))]
    assert result.nodes == (("gpu-a", OK), ("gpu-b", OK))


def test_one_card_with_the_field_is_enough_to_look() -> None:
    """Cards lack fields by their kind: a T4 has no rows to remap."""
    results = of_cards(a_reading(1, DEV_RETIRED_DBE=0), a_reading(2))
    assert (results["H04"].state, results["H04"].missing) == (OK, ())


def test_missing_fields_are_named() -> None:
    result = of_cards(a_reading(1, DEV_GPU_TEMP=50))["H04"]
    assert result == CheckResult(
        check="H04",
        state=MISSING,
        missing=tuple(
            MissingInput(check="H04", input=f"DCGM_FI_{name}", reason=HOW_TO_EXPORT)
            for name in ("DEV_ROW_REMAP_FAILURE", "DEV_ROW_REMAP_PENDING", "DEV_RETIRED_DBE")
        ),
        nodes=(("gpu-a", MISSING),),
    )


def test_a_link_cannot_be_judged_without_its_maximum() -> None:
    result = of_cards(a_reading(1, DEV_PCIE_LINK_WIDTH=8, DEV_PCIE_LINK_GEN=1))["H10"]
    assert result.state is MISSING
    assert [lack.input for lack in result.missing] == [
        "DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH",
        "DCGM_FI_DEV_PCIE_MAX_LINK_GEN",
    ]


@pytest.mark.parametrize("check", ["H02", "H09", "H11"])
def test_what_takes_history_is_never_ok(check: str) -> None:
    everything = {field.name: 0.0 for field in FIELDS}
    result = of_cards(a_reading(1, fields=everything))[check]
    assert (result.state, result.nodes) == (MISSING, (("gpu-a", MISSING),))
    (lack,) = result.missing
    assert (lack.input, lack.reason) == (HISTORY, "needs two looks: --prometheus-url")


def test_with_every_field_the_others_are_ok() -> None:
    everything = {field.name: 0.0 for field in FIELDS}
    results = of_cards(a_reading(1, fields=everything))
    looked = {check for check, result in results.items() if result.state is OK}
    assert looked == set(IDS) - {"H02", "H09", "H11"}


def test_a_node_without_a_page_is_unknown_and_says_why() -> None:
    nodes = [a_node("gpu-a"), a_node("gpu-b"), a_node("cpu", capacity={"cpu": 8})]
    page = a_dcgm_page(a_reading(1, DEV_GPU_TEMP=50))
    silent = {("dcgm", "gpu-b"): "HTTP 500 from 10.0.0.7:9400"}
    result = judged_hardware(observations(nodes, dcgm=(page,), silent=silent))["H05"]
    assert (result.state, result.nodes) == (MISSING, (("gpu-a", OK), ("gpu-b", MISSING)))
    assert result.missing == (
        MissingInput(
            check="H05", input="dcgm page", reason="HTTP 500 from 10.0.0.7:9400", node="gpu-b"
        ),
    )


def test_without_any_exporter_each_node_says_so() -> None:
    result = judged_hardware(observations([a_node("gpu-a")]))["H05"]
    (lack,) = result.missing
    assert (lack.node, lack.reason) == ("gpu-a", "no dcgm-exporter serves the node: run it there")


def test_a_source_that_fails_as_a_whole_gives_its_reason() -> None:
    silent = {("dcgm", ""): "the Prometheus is away"}
    result = judged_hardware(observations([a_node("gpu-a")], silent=silent))["H05"]
    assert [lack.reason for lack in result.missing] == ["the Prometheus is away"]


def test_a_cluster_without_cards_is_unknown() -> None:
    result = judged_hardware(observations([]))["H05"]
    assert (result.state, result.nodes) == (MISSING, ())
    assert [(m.input, m.node, m.reason) for m in result.missing] == [
        ("dcgm page", "", "no dcgm-exporter was found")
    ]


def test_cards_of_other_vendors_need_no_page() -> None:
    npu = a_node("npu-1", capacity={"huawei.com/Ascend910": 8})
    gpu = a_node("gpu-a")
    page = a_dcgm_page(a_reading(1, DEV_GPU_TEMP=50))
    result = judged_hardware(observations([npu, gpu], dcgm=(page,)))["H05"]
    assert (result.state, result.nodes) == (OK, (("gpu-a", OK),))
