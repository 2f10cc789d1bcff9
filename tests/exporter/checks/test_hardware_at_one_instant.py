"""H01-H12 by what one instant of the DCGM pages shows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.checks.hardware_signals import CHECKS
from gpuatlas.model.checks import Finding, InputState
from gpuatlas.model.pages import CardReading, DcgmPage, InstanceReading
from gpuatlas.sources.dcgm.fields import FIELDS
from gpuatlas_harness.checked_hardware import judged_hardware, of_cards
from gpuatlas_harness.observed import a_dcgm_page, a_node, a_reading, observations, uuid

OK, MISSING = InputState.OK, InputState.MISSING
CARD = uuid(1)


def seen_in(check: str, **fields: float) -> list[tuple[str, str]]:
    """Signal and severity of what one check finds on a card with these fields."""
    found = of_cards(a_reading(1, fields=fields))[check].findings
    return [(finding.signal, finding.severity) for finding in found]


def the_finding(check: str, **fields: float) -> Finding:
    (finding,) = of_cards(a_reading(1, fields=fields))[check].findings
    return finding


def test_an_xid_is_quoted_and_its_time_is_unknown() -> None:
    assert the_finding("H01", DEV_XID_ERRORS=79) == Finding(
        check="H01",
        signal="xid",
        object="Node/gpu-a",
        source="metric DCGM_FI_DEV_XID_ERRORS",
        record=(
            f'DCGM_FI_DEV_XID_ERRORS{{UUID="{CARD}"}} 79 '
            "(the last XID, when it came is unknown: GPU has fallen off the bus)"
        ),
        node="gpu-a",
        card=CARD,
        severity="critical",
        labels=(("xid", "79"),),
    )


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, []),
        (48, [("xid", "critical")]),
        (94, [("xid", "warning")]),
        (31, []),  # an application's
        (63, []),  # information
        (999, []),  # in no table
    ],
)
def test_only_some_xids_are_of_the_hardware(number: int, expected: list[tuple[str, str]]) -> None:
    assert seen_in("H01", DEV_XID_ERRORS=number) == expected


def test_without_the_field_no_xid_has_come_yet() -> None:
    """Some exporters leave it out until a first one."""
    result = of_cards(a_reading(1, DEV_GPU_TEMP=50))["H01"]
    assert (result.state, result.findings, result.missing) == (OK, (), ())


@pytest.mark.parametrize(
    ("check", "fields", "expected"),
    [
        ("H03", {"DEV_ECC_DBE_VOL_TOTAL": 0}, []),
        ("H03", {"DEV_ECC_DBE_VOL_TOTAL": 1}, [("volatile", "critical")]),
        ("H03", {"DEV_ECC_DBE_AGG_TOTAL": 9}, []),  # history, not a fault
        ("H03", {"DEV_THRESHOLD_SRM": 1}, [("sram-threshold", "critical")]),
        ("H03", {"DEV_MEMORY_UNREPAIRABLE_FLAG": 1}, [("unrepairable", "critical")]),
        ("H03", {"DEV_MEMORY_UNREPAIRABLE_FLAG": 0, "DEV_THRESHOLD_SRM": 0}, []),
        ("H04", {"DEV_ROW_REMAP_FAILURE": 1}, [("remap-failed", "critical")]),
        ("H04", {"DEV_ROW_REMAP_PENDING": 1}, [("remap-pending", "warning")]),
        ("H04", {"DEV_ROW_REMAP_PENDING": 0, "DEV_ROW_REMAP_FAILURE": 0}, []),
        ("H04", {"DEV_CORRECTABLE_REMAPPED_ROWS": 9_000}, []),
        ("H04", {"DEV_UNCORRECTABLE_REMAPPED_ROWS": 511}, []),
        ("H04", {"DEV_UNCORRECTABLE_REMAPPED_ROWS": 512}, [("remapped-rows", "warning")]),
        ("H04", {"DEV_BANKS_REMAP_ROWS_AVAIL_NONE": 1}, [("spares-gone", "warning")]),
        ("H04", {"DEV_RETIRED_PENDING": 2}, [("retirement-pending", "warning")]),
        ("H04", {"DEV_RETIRED_SBE": 40, "DEV_RETIRED_DBE": 19}, []),
        (
            *("H04", {"DEV_RETIRED_SBE": 40, "DEV_RETIRED_DBE": 20}),
            [("retired-pages", "warning")],
        ),
        (
            *("H04", {"DEV_RETIRED_SBE": 40, "DEV_RETIRED_DBE": 23}),
            [("retired-pages", "critical")],
        ),
        ("H04", {"DEV_RETIRED_SBE": 99}, []),  # half of a sum
        ("H05", {"DEV_GPU_TEMP": 80, "DEV_GPU_TEMP_LIMIT": 4}, []),
        ("H05", {"DEV_GPU_TEMP": 80, "DEV_GPU_TEMP_LIMIT": 3}, [("margin", "warning")]),
        ("H05", {"DEV_GPU_TEMP": 80, "DEV_GPU_TEMP_LIMIT": 0}, [("margin", "critical")]),
        ("H05", {"DEV_GPU_TEMP": 60, "DEV_GPU_TEMP_LIMIT": 0}, []),  # cold
        ("H05", {"DEV_GPU_TEMP": 99, "DEV_GPU_TEMP_LIMIT": -100}, []),
        ("H05", {"DEV_GPU_TEMP_LIMIT": 0}, []),
        ("H05", {"DEV_GPU_TEMP": 84, "DEV_SLOWDOWN_TEMP": 89}, []),
        ("H05", {"DEV_GPU_TEMP": 85, "DEV_SLOWDOWN_TEMP": 89}, [("slowdown", "warning")]),
        ("H05", {"DEV_GPU_TEMP": 89, "DEV_SLOWDOWN_TEMP": 89}, [("slowdown", "critical")]),
        # The card's own margin stands over its threshold, and both over fixed figures.
        ("H05", {"DEV_GPU_TEMP": 89, "DEV_SLOWDOWN_TEMP": 89, "DEV_GPU_TEMP_LIMIT": 9}, []),
        ("H05", {"DEV_GPU_TEMP": 95, "DEV_SLOWDOWN_TEMP": 104}, []),
        ("H05", {"DEV_GPU_TEMP": 85}, []),
        ("H05", {"DEV_GPU_TEMP": 86}, [("fixed", "warning")]),
        ("H05", {"DEV_GPU_TEMP": 90}, [("fixed", "critical")]),
        ("H06", {"DEV_MEMORY_TEMP": 91}, []),
        ("H06", {"DEV_MEMORY_TEMP": 92}, [("memory", "warning")]),
        ("H06", {"DEV_MEMORY_TEMP": 95}, [("memory", "warning")]),
        ("H06", {"DEV_MEMORY_TEMP": 96}, [("memory", "critical")]),
        ("H06", {"DEV_MEMORY_TEMP": 96, "DEV_MEM_MAX_OP_TEMP": 105}, []),
        ("H06", {"DEV_MEMORY_TEMP": 102, "DEV_MEM_MAX_OP_TEMP": 105}, [("memory", "warning")]),
        ("H07", {"DEV_CLOCKS_EVENT_REASONS": 0b000010111}, []),
        ("H07", {"DEV_CLOCKS_EVENT_REASONS": 64 + 8}, [("hw-samples", "critical")]),
        ("H07", {"DEV_CLOCKS_EVENT_REASONS": 32}, [("sw-samples", "warning")]),
        (
            *("H07", {"DEV_CLOCKS_EVENT_REASONS": 96}),
            [("hw-samples", "critical"), ("sw-samples", "warning")],
        ),
        ("H08", {"DEV_CLOCKS_EVENT_REASONS": 128 + 8}, [("brake-samples", "critical")]),
        ("H08", {"DEV_CLOCKS_EVENT_REASONS": 4}, []),  # the software cap is normal
        ("H08", {"DEV_CLOCKS_EVENT_REASONS": 8, "DEV_PSTATE": 0}, [("hw-slowdown", "warning")]),
        ("H08", {"DEV_CLOCKS_EVENT_REASONS": 8, "DEV_PSTATE": 8}, []),
        ("H08", {"DEV_CLOCKS_EVENT_REASONS": 8}, []),
        ("H08", {"DEV_CLOCKS_EVENT_REASONS": 8 + 64, "DEV_PSTATE": 0}, []),
        ("H08", {"DEV_POWER_USAGE": 440, "DEV_ENFORCED_POWER_LIMIT": 400}, []),
        (
            *("H08", {"DEV_POWER_USAGE": 441, "DEV_ENFORCED_POWER_LIMIT": 400}),
            [("above-limit", "warning")],
        ),
        (
            *("H08", {"DEV_POWER_USAGE": 9, "PROF_GR_ENGINE_ACTIVE": 0.6}),
            [("reading", "warning")],
        ),
        ("H08", {"DEV_POWER_USAGE": 9, "PROF_GR_ENGINE_ACTIVE": 0.5}, []),
        ("H08", {"DEV_POWER_USAGE": 10, "PROF_GR_ENGINE_ACTIVE": 1}, []),
        (
            *("H08", {"DEV_ENFORCED_POWER_LIMIT": 359, "DEV_POWER_MGMT_LIMIT_DEF": 400}),
            [("cap", "info")],
        ),
        ("H08", {"DEV_ENFORCED_POWER_LIMIT": 360, "DEV_POWER_MGMT_LIMIT_DEF": 400}, []),
        ("H10", {"DEV_PCIE_LINK_WIDTH": 8, "DEV_PCIE_MAX_LINK_WIDTH": 16}, [("width", "warning")]),
        ("H10", {"DEV_PCIE_LINK_WIDTH": 16, "DEV_PCIE_MAX_LINK_WIDTH": 16}, []),
        ("H10", {"DEV_PCIE_LINK_WIDTH": 0, "DEV_PCIE_MAX_LINK_WIDTH": 16}, []),
        ("H11", {"DEV_FABRIC_MANAGER_STATUS": 0}, []),
        ("H11", {"DEV_FABRIC_MANAGER_STATUS": 2}, [("fabric-manager", "critical")]),
        ("H11", {"DEV_FABRIC_MANAGER_STATUS": 3}, []),
        ("H11", {"DEV_FABRIC_MANAGER_STATUS": 5}, [("fabric-manager", "critical")]),
        ("H11", {"DEV_FABRIC_MANAGER_STATUS": 6}, []),
        ("H11", {"DEV_FABRIC_HEALTH_MASK": 0b10101010}, []),  # four times "no"
        ("H11", {"DEV_FABRIC_HEALTH_MASK": 0b10011010}, [("fabric-health", "warning")]),
        ("H11", {"DEV_FABRIC_HEALTH_MASK": 4096 + 1}, []),
        ("H12", {"DEV_GET_GPU_RECOVERY_ACTION": 0}, []),
        ("H12", {"DEV_GET_GPU_RECOVERY_ACTION": 1}, [("recovery", "critical")]),
        ("H12", {"DEV_GET_GPU_RECOVERY_ACTION": 3}, [("recovery", "warning")]),
        ("H12", {"DEV_GET_GPU_RECOVERY_ACTION": 7}, [("recovery", "critical")]),
    ],
)
def test_a_card_with_these_fields(
    check: str, fields: dict[str, float], expected: list[tuple[str, str]]
) -> None:
    assert seen_in(check, **fields) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"PROF_GR_ENGINE_ACTIVE": 0.21, "DEV_PSTATE": 0}, ["generation"]),
        ({"PROF_GR_ENGINE_ACTIVE": 0.2, "DEV_PSTATE": 0}, []),
        ({"PROF_GR_ENGINE_ACTIVE": 0.9, "DEV_PSTATE": 8}, []),
        ({"PROF_GR_ENGINE_ACTIVE": 0.9}, []),
        ({"DEV_GPU_UTIL": 21, "DEV_PSTATE": 0}, ["generation"]),
        ({"DEV_GPU_UTIL": 99, "PROF_GR_ENGINE_ACTIVE": 0, "DEV_PSTATE": 0}, []),
        ({"DEV_PSTATE": 0}, []),
    ],
)
def test_a_slow_link_counts_at_work_alone(fields: dict[str, float], expected: list[str]) -> None:
    link = {"DEV_PCIE_LINK_GEN": 1.0, "DEV_PCIE_MAX_LINK_GEN": 4.0}
    assert [signal for signal, _ in seen_in("H10", **link, **fields)] == expected


def narrow(number: int, width: float, model: str = "NVIDIA A10G") -> CardReading:
    fields = {"DEV_PCIE_LINK_WIDTH": width, "DEV_PCIE_MAX_LINK_WIDTH": 16.0}
    return a_reading(number, model=model, fields=fields)


def test_where_all_cards_of_a_model_are_narrow_the_machine_is_made_so() -> None:
    def cards(*found: CardReading) -> list[str]:
        return [finding.card for finding in of_cards(*found)["H10"].findings]

    assert cards(narrow(1, 8), narrow(2, 8)) == []
    assert cards(narrow(1, 8), narrow(2, 16)) == [uuid(1)]
    assert cards(narrow(1, 8), narrow(2, 8, model="Tesla T4")) == [uuid(1), uuid(2)]


def test_values_that_belong_together_are_quoted_together() -> None:
    finding = the_finding("H05", DEV_GPU_TEMP=89, DEV_SLOWDOWN_TEMP=89)
    assert finding.source == "metric DCGM_FI_DEV_GPU_TEMP"
    assert finding.record == (
        f'DCGM_FI_DEV_GPU_TEMP{{UUID="{CARD}"}} 89; DCGM_FI_DEV_SLOWDOWN_TEMP{{UUID="{CARD}"}} 89'
    )


def test_a_card_with_instances_is_one_finding() -> None:
    """What is the card's own was folded when the page was read; the instances' share is theirs."""
    parts = tuple(
        InstanceReading(
            instance=str(number),
            profile="1g.10gb",
            fields={"PROF_GR_ENGINE_ACTIVE": share},
            tenants=frozenset(),
        )
        for number, share in ((7, 0.1), (8, 0.9))
    )
    fields = {"DEV_POWER_USAGE": 8.0, "DEV_ROW_REMAP_PENDING": 1.0}
    results = of_cards(a_reading(1, instances=parts, fields=fields))
    assert [f.signal for f in results["H08"].findings] == ["reading"]
    assert [f.signal for f in results["H04"].findings] == ["remap-pending"]


NAMES = st.sampled_from([field.name for field in FIELDS])
VALUES = st.floats(-1e18, 1e18) | st.integers(0, 4096).map(float)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=12), max_size=3))
def test_any_reading_is_survived(cards: list[dict[str, float]]) -> None:
    readings = [a_reading(number, fields=fields) for number, fields in enumerate(cards, start=1)]
    results = of_cards(*readings)
    for result in results.values():
        for finding in result.findings:
            assert len(finding.record) <= 200
            assert finding.severity in {"critical", "warning", "info"}


def test_a_page_without_a_node_is_that_of_its_cards() -> None:
    page: DcgmPage = replace(a_dcgm_page(a_reading(1, DEV_ROW_REMAP_PENDING=1)), node="")
    result = judged_hardware(observations([a_node("gpu-a")], dcgm=(page,)))["H04"]
    assert [finding.node for finding in result.findings] == ["gpu-a"]


def test_no_check_looks_twice() -> None:
    names = [(check.id, signal.name) for check in CHECKS for signal in check.signals]
    assert len(names) == len(set(names))
