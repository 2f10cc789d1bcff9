from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.families.catalogue import ALL_FAMILIES
from gpuatlas.families.documents import SECTIONS
from gpuatlas.families.spec import Family, Kind


def a_family(**fields: Any) -> Family[object]:
    defaults: dict[str, Any] = {
        "name": "gpuatlas_thing_bytes",
        "kind": Kind.GAUGE,
        "help": "A thing in bytes.",
        "labels": ("node",),
        "samples": lambda _: (),
        "unit": "bytes",
    }
    return Family(**(defaults | fields))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"name": "thing_bytes"}, "gpuatlas_ and lower-case", id="no prefix"),
        pytest.param({"name": "gpuatlas_Thing_bytes"}, "lower-case words", id="capitals"),
        pytest.param({"name": "gpuatlas_thing"}, "name ends in _bytes", id="unit not in the name"),
        pytest.param({"unit": "mebibytes"}, "unit is one of", id="not a base unit"),
        pytest.param(
            {"name": "gpuatlas_thing_total", "unit": ""}, "end in _total", id="gauge as counter"
        ),
        pytest.param({"kind": Kind.COUNTER}, "end in _total", id="counter without its suffix"),
        pytest.param(
            {"name": "gpuatlas_thing_info", "unit": ""}, "end in _info", id="gauge as info"
        ),
        pytest.param({"kind": Kind.INFO, "unit": ""}, "end in _info", id="info without its suffix"),
        pytest.param({"help": "A thing"}, "help is one sentence", id="no full stop"),
        pytest.param({"help": 'A "thing".'}, "help is one sentence", id="quotes"),
        pytest.param({"help": "A \\ thing."}, "help is one sentence", id="backslash"),
        pytest.param({"help": "A thing.\nMore."}, "help is one sentence", id="two lines"),
        pytest.param({"help": "A | thing."}, "help is one sentence", id="bar of a Markdown table"),
        pytest.param({"labels": ("Node",)}, "labels are lower-case", id="label in capitals"),
        pytest.param({"labels": ("__name__",)}, "labels are lower-case", id="reserved label"),
        pytest.param({"labels": ("node", "node")}, "stands twice", id="label twice"),
    ],
)
def test_a_row_that_breaks_a_rule_is_refused(fields: dict[str, Any], message: str) -> None:
    name = fields.get("name", "gpuatlas_thing_bytes")
    with pytest.raises(ValueError, match=message) as caught:
        a_family(**fields)
    assert f"metric family '{name}': " in str(caught.value)


def test_a_counter_is_named_by_its_unit_before_the_suffix() -> None:
    counter = a_family(name="gpuatlas_busy_seconds_total", kind=Kind.COUNTER, unit="seconds")
    assert counter.base_name == "gpuatlas_busy_seconds"


def test_names_are_unique_in_both_formats() -> None:
    for names in (
        [family.name for family in ALL_FAMILIES],
        [family.base_name for family in ALL_FAMILIES],
    ):
        assert len(set(names)) == len(names)


def test_the_document_shows_the_catalogue() -> None:
    shown = [family.name for _, _, families in SECTIONS for family in families]
    assert shown == [family.name for family in ALL_FAMILIES]


CARD = ("node", "card", "index")
ALLOCATION = (*CARD, "namespace", "pod", "container")
WORKLOAD = ("namespace", "workload_kind", "workload")
CONTAINER = (*WORKLOAD, "container")
WEBHOOK = ("configuration", "webhook")


def test_names_and_labels_are_those_of_the_contract() -> None:
    assert {family.name: family.labels for family in ALL_FAMILIES} == {
        "gpuatlas_node_info": (
            *("node", "pool", "platform", "driver_version", "cuda_version", "sharing"),
        ),
        "gpuatlas_node_sharing_ready": ("node",),
        "gpuatlas_node_cards": ("node",),
        "gpuatlas_node_mig_instances": ("node", "profile"),
        "gpuatlas_card_info": (*CARD, "vendor", "model", "sharing", "pci_bus_id"),
        "gpuatlas_card_memory_physical_bytes": CARD,
        "gpuatlas_card_memory_schedulable_bytes": CARD,
        "gpuatlas_card_memory_allocated_bytes": CARD,
        "gpuatlas_card_memory_overcommitted_bytes": CARD,
        "gpuatlas_card_memory_resident_bytes": CARD,
        "gpuatlas_card_memory_counted_bytes": CARD,
        "gpuatlas_card_memory_offloaded_bytes": CARD,
        "gpuatlas_card_compute_allocated_ratio": CARD,
        "gpuatlas_card_compute_utilization_ratio": CARD,
        "gpuatlas_card_signal_info": (*CARD, "quantity", "signal"),
        "gpuatlas_card_tenants": CARD,
        "gpuatlas_card_tenants_limit": CARD,
        "gpuatlas_card_state": (*CARD, "state"),
        "gpuatlas_card_idle_claim_info": (*CARD, "namespace", "claim"),
        "gpuatlas_partition_info": (*CARD, "partition", "kind", "profile"),
        "gpuatlas_partition_memory_physical_bytes": (*CARD, "partition"),
        "gpuatlas_allocation_info": (*ALLOCATION, "partition", "evidence"),
        "gpuatlas_allocation_evidence_conflict_info": (
            *(*ALLOCATION, "evidence", "other_card", "other_evidence"),
        ),
        "gpuatlas_allocation_memory_reserved_bytes": ALLOCATION,
        "gpuatlas_allocation_memory_limit_bytes": ALLOCATION,
        "gpuatlas_allocation_memory_resident_bytes": ALLOCATION,
        "gpuatlas_allocation_memory_counted_bytes": ALLOCATION,
        "gpuatlas_allocation_compute_reserved_ratio": ALLOCATION,
        "gpuatlas_allocation_compute_utilization_ratio": ALLOCATION,
        "gpuatlas_allocation_priority": ALLOCATION,
        "gpuatlas_allocation_idle_seconds": ALLOCATION,
        "gpuatlas_allocation_isolated": (*ALLOCATION, "resource"),
        "gpuatlas_workload_info": (
            *WORKLOAD,
            *("api_group", "runtime", "scheduler", "queue", "queue_kind", "gang"),
        ),
        "gpuatlas_workload_pods": (*WORKLOAD, "phase"),
        "gpuatlas_workload_gang_min_members": WORKLOAD,
        "gpuatlas_workload_cards_requested": (*WORKLOAD, "resource"),
        "gpuatlas_workload_waiting_seconds": (*WORKLOAD, "reason"),
        "gpuatlas_workload_memory_ahead_ratio": WORKLOAD,
        "gpuatlas_workload_revision_info": (*WORKLOAD, "revision"),
        "gpuatlas_workload_restarts": WORKLOAD,
        "gpuatlas_workload_run_group_info": (*WORKLOAD, "group"),
        "gpuatlas_pod_workload_info": (*("namespace", "pod", "node", "workload_kind", "workload"),),
        "gpuatlas_finding_info": (
            *("check", "signal", "node", "card", "namespace", "pod"),
            *("object", "source", "record"),
        ),
        "gpuatlas_findings": ("check", "signal"),
        "gpuatlas_check_inputs": ("check", "state"),
        "gpuatlas_check_missing_input_info": ("check", "node", "input", "reason"),
        "gpuatlas_node_check_inputs": ("node", "check", "state"),
        "gpuatlas_node_sharing_monitor_up": ("node",),
        "gpuatlas_node_device_plugin_ready": ("node",),
        "gpuatlas_node_registered_cards": ("node",),
        "gpuatlas_node_driver_cards": ("node",),
        "gpuatlas_node_registration_heartbeat_timestamp_seconds": ("node",),
        "gpuatlas_node_sharing_lock_timestamp_seconds": ("node", "owner_namespace", "owner_pod"),
        "gpuatlas_node_sharing_label_missing_info": ("node", "label"),
        "gpuatlas_sharing_component_info": (
            *("kind", "namespace", "name", "component", "version", "image"),
        ),
        "gpuatlas_sharing_component_pods": ("kind", "namespace", "name", "state"),
        "gpuatlas_sharing_webhook_info": (*(*WEBHOOK, "namespace", "service", "failure_policy"),),
        "gpuatlas_sharing_webhook_endpoints": (*WEBHOOK, "state"),
        "gpuatlas_sharing_webhook_reachable": WEBHOOK,
        "gpuatlas_sharing_webhook_certificate_not_after_timestamp_seconds": WEBHOOK,
        "gpuatlas_sharing_webhook_certificate_verified": WEBHOOK,
        "gpuatlas_sharing_webhook_ca_not_after_timestamp_seconds": WEBHOOK,
        "gpuatlas_sharing_leader_lease_renewed_timestamp_seconds": (
            *("namespace", "lease", "holder"),
        ),
        "gpuatlas_sharing_leader_lease_duration_seconds": ("namespace", "lease"),
        "gpuatlas_sharing_config_changed_timestamp_seconds": ("namespace", "configmap"),
        "gpuatlas_sharing_licence_not_after_timestamp_seconds": ("licence", "source"),
        "gpuatlas_sizing_verdict_info": (*CONTAINER, "resource", "verdict", "reason"),
        "gpuatlas_sizing_memory_present_bytes": CONTAINER,
        "gpuatlas_sizing_memory_peak_bytes": CONTAINER,
        "gpuatlas_sizing_memory_proposed_bytes": CONTAINER,
        "gpuatlas_sizing_memory_saving_bytes": CONTAINER,
        "gpuatlas_sizing_compute_present_ratio": CONTAINER,
        "gpuatlas_sizing_compute_peak_ratio": CONTAINER,
        "gpuatlas_sizing_compute_proposed_ratio": CONTAINER,
        "gpuatlas_sizing_cards_proposed": (*CONTAINER, "resource"),
        "gpuatlas_sizing_cards_saving": CONTAINER,
        "gpuatlas_sizing_window_seconds": CONTAINER,
        "gpuatlas_sizing_coverage_ratio": CONTAINER,
        "gpuatlas_sizing_node_overcommit_present_ratio": ("node",),
        "gpuatlas_sizing_node_overcommit_safe_ratio": ("node",),
        "gpuatlas_sizing_node_allocated_bytes": ("node",),
        "gpuatlas_sizing_node_demand_bytes": ("node",),
        "gpuatlas_sizing_node_physical_bytes": ("node",),
        "gpuatlas_sizing_node_host_available_bytes": ("node",),
        "gpuatlas_sizing_node_measured_seconds": ("node",),
        "gpuatlas_sizing_node_room_bytes": ("node",),
        "gpuatlas_sizing_node_room_allocations": ("node",),
        "gpuatlas_sizing_node_fits": ("node", *WORKLOAD),
        "gpuatlas_sizing_contended_seconds": (*WORKLOAD, "role"),
        "gpuatlas_sizing_priority_proposed": WORKLOAD,
        "gpuatlas_sizing_missing_info": ("input", "reason"),
        "gpuatlas_card_contended_seconds_total": CARD,
        "gpuatlas_workload_slowed_seconds_total": (
            *(*WORKLOAD, "suspect_namespace", "suspect_kind", "suspect", "grade"),
        ),
        "gpuatlas_pool_strategy_advice_info": (
            *("pool", "platform", "model", "strategy", "verdict", "reason"),
        ),
        "gpuatlas_source_up": ("source",),
        "gpuatlas_source_last_success_timestamp_seconds": ("source",),
        "gpuatlas_source_read_duration_seconds": ("source",),
        "gpuatlas_source_rejected_samples_total": ("source", "reason"),
        "gpuatlas_source_targets": ("source", "state"),
    }
