"""What promtool does not ask of our recording rules: names, ranges, joins, spellings, cluster."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import promql_parser
import pytest

from gpuatlas.families.catalogue import ALL_FAMILIES
from gpuatlas_harness.promql import (
    Group,
    Rule,
    called,
    grouping,
    matched_labels,
    metric_names,
    nodes,
    read_groups,
)

FOLDER = Path(__file__).resolve().parents[2] / "recording_rules"
# No file reads what a later one records, so that a chain of levels lags by one evaluation each.
FILE_ORDER = (
    "normalise",
    "card",
    "allocation",
    "namespace",
    "workload",
    "node",
    "cluster",
    "daily",
)
GROUPS = [group for name in FILE_ORDER for group in read_groups(FOLDER / f"{name}.yaml")]
RULES = [rule for group in GROUPS for rule in group.rules]
RECORDED = {rule.name: FILE_ORDER.index(rule.file.stem) for rule in RULES}

OURS = {family.name for family in ALL_FAMILIES}
# Metrics of dcgm-exporter 3.x to 4.8 and HAMi 2.4 to 2.10 (its old names, then its new ones).
FOREIGN_GAUGES = {
    "DCGM_FI_DEV_FB_FREE",
    "DCGM_FI_DEV_FB_RESERVED",
    "DCGM_FI_DEV_FB_TOTAL",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "GPUDeviceCoreAllocated",
    "GPUDeviceMemoryAllocated",
    "GPUDeviceMemoryLimit",
    "HostCoreUtilization",
    "HostGPUMemoryUsage",
    "vGPU_device_memory_limit_in_bytes",
    "vGPU_device_memory_usage_in_bytes",
    "hami_gpu_core_allocated_ratio",
    "hami_gpu_memory_allocated_bytes",
    "hami_gpu_memory_limit_bytes",
    "hami_host_gpu_memory_used_bytes",
    "hami_host_gpu_utilization_ratio",
    "hami_vgpu_memory_buffer_bytes",
    "hami_vgpu_memory_limit_bytes",
    "hami_vgpu_memory_used_bytes",
}
FOREIGN_COUNTERS = {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"}
FOREIGN = FOREIGN_GAUGES | FOREIGN_COUNTERS

LEVELS = "card|pod|allocation|namespace|workload|node|cluster"
OPERATIONS = "max|sum|avg|count|group|ratio|avg5m|avg1h|max1h|max1d|increase1h|quantile95_1d"
NAME = re.compile(rf"({LEVELS}):(gpuatlas|dcgm|hami)_[a-z0-9_]+:({OPERATIONS})")
# All are older than Prometheus 2.42, and Mimir and Thanos have them.
FUNCTIONS = {
    "avg_over_time",
    "clamp_min",
    "increase",
    "label_join",
    "label_replace",
    "max_over_time",
    "quantile_over_time",
    "rate",
}
SHORTEST_RANGE = timedelta(minutes=2)  # four scrapes of 30 s
OBJECT_LABELS = {"cluster", "node", "card", "namespace", "pod", "container"}
LABELS = OBJECT_LABELS | {"workload_kind", "workload", "state"}
# A series of ours that a scrape renamed may be refused anywhere, but read nowhere.
RENAMED_LABELS_REFUSED = {("exported_pod", ""), ("exported_node", "")}


def name_faults(rule: Rule) -> Iterator[str]:
    match = NAME.fullmatch(rule.name)
    if match is None:
        yield f"{rule.name} is no level:metric:operation"
    elif match[2] != "gpuatlas" and rule.file.stem != "normalise":
        yield f"{rule.name} is a foreign quantity outside normalise.yaml"


def counter_faults(rule: Rule) -> Iterator[str]:
    for call in called(rule.tree, "rate", "increase"):
        for name in metric_names(call.args[0]):
            counter = name in FOREIGN_COUNTERS or name.split(":")[:2][-1].endswith("_total")
            if not counter:
                yield f"{call.func.name} of {name}, which is no counter"


def function_faults(rule: Rule) -> Iterator[str]:
    for call in nodes(rule.tree, promql_parser.Call):
        if call.func.name not in FUNCTIONS:
            yield f"{call.func.name} is not among the functions that every ruler has"


def range_faults(rule: Rule) -> Iterator[str]:
    for matrix in nodes(rule.tree, promql_parser.MatrixSelector):
        if matrix.range < SHORTEST_RANGE:
            yield f"a range of {matrix.range} holds less than four scrapes"
    if nodes(rule.tree, promql_parser.SubqueryExpr):
        yield "a subquery: record what is inside"


def aggregation_faults(rule: Rule) -> Iterator[str]:
    for aggregation in nodes(rule.tree, promql_parser.AggregateExpr):
        labels = grouping(aggregation)
        if labels is None:
            yield f"{aggregation.op} without by"
        elif "cluster" not in labels:
            yield f"{aggregation.op} by {labels} loses the cluster"
        elif rule.file.stem != "normalise" and not set(labels) <= LABELS:
            yield f"{aggregation.op} by {labels}: not our labels"


def matching_faults(rule: Rule) -> Iterator[str]:
    for binary in nodes(rule.tree, promql_parser.BinaryExpr):
        modifier = binary.modifier
        if modifier is None:
            continue
        if modifier.matching is not None and "cluster" not in modifier.matching.labels:
            yield f"on {modifier.matching.labels} mixes clusters"
        if modifier.card == promql_parser.VectorMatchCardinality.OneToMany:
            yield "group_right: write the join the other way round"
        if modifier.card == promql_parser.VectorMatchCardinality.ManyToOne:
            yield from _join_faults(binary.rhs)


def _join_faults(one: promql_parser.Expr) -> Iterator[str]:
    if not isinstance(one, promql_parser.VectorSelector):
        yield "a join to an expression: record it as _info first"
    elif not (one.name or "").removesuffix(":group").endswith("_info"):
        yield f"a join to {one.name}, which is no _info"


def spelling_faults(rule: Rule) -> Iterator[str]:
    if rule.file.stem == "normalise":
        return
    for label, value in matched_labels(rule.tree):
        if label not in LABELS and (label, value) not in RENAMED_LABELS_REFUSED:
            yield f"the label {label} is a foreign spelling"


def metric_faults(rule: Rule) -> Iterator[str]:
    for name in metric_names(rule.tree):
        if not name:
            yield "a selector without a metric"
        elif name in FOREIGN:
            if rule.file.stem != "normalise":
                yield f"{name} is foreign: only normalise.yaml reads it"
        elif name in RECORDED:
            if RECORDED[name] > FILE_ORDER.index(rule.file.stem):
                yield f"{name} is recorded in a later file"
        elif name not in OURS:
            yield f"nobody publishes or records {name}"


LINTS: tuple[Callable[[Rule], Iterator[str]], ...] = (
    name_faults,
    counter_faults,
    function_faults,
    range_faults,
    aggregation_faults,
    matching_faults,
    spelling_faults,
    metric_faults,
)


def faults(rule: Rule) -> list[str]:
    return [fault for lint in LINTS for fault in lint(rule)]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_rule_keeps_the_conventions(rule: Rule) -> None:
    assert faults(rule) == []


@pytest.mark.parametrize("group", GROUPS, ids=str)
def test_group_can_run_in_any_ruler(group: Group) -> None:
    assert group.name == group.file.stem
    assert group.interval is not None, "a ruler's own interval may be longer than the look-back"
    assert timedelta(seconds=20) <= group.interval < timedelta(minutes=5)
    assert len(group.rules) <= 20


def test_every_file_is_in_the_order() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.yaml")) == sorted(FILE_ORDER)
    assert [group.name for group in GROUPS] == list(FILE_ORDER)


def test_no_series_is_recorded_twice() -> None:
    assert len(RECORDED) == len(RULES)


def test_every_foreign_metric_of_the_table_is_read() -> None:
    assert FOREIGN - set().union(*(metric_names(rule.tree) for rule in RULES)) == set()


RECORD = "card:gpuatlas_memory_used_bytes:max"
PHYSICAL = "gpuatlas_card_memory_physical_bytes"


@pytest.mark.parametrize(
    ("record", "expression", "fault"),
    [
        ("card:gpuatlas_memory", PHYSICAL, "is no level:metric:operation"),
        ("gpu:gpuatlas_memory_used_bytes:max", PHYSICAL, "is no level:metric:operation"),
        ("card:dcgm_power_watts:max", PHYSICAL, "a foreign quantity outside normalise.yaml"),
        (RECORD, f"increase({PHYSICAL}[5m])", "which is no counter"),
        (RECORD, f"irate({PHYSICAL}[5m])", "not among the functions"),
        (RECORD, f"max_over_time({PHYSICAL}[1m])", "less than four scrapes"),
        (RECORD, f"max_over_time({PHYSICAL}[1h:1m])", "a subquery"),
        (RECORD, f"sum({PHYSICAL})", "without by"),
        (RECORD, f"sum without (index) ({PHYSICAL})", "without by"),
        (RECORD, f"sum by (node) ({PHYSICAL})", "loses the cluster"),
        (RECORD, f"sum by (cluster, index) ({PHYSICAL})", "not our labels"),
        (RECORD, f"{PHYSICAL} * on (card) {PHYSICAL}", "mixes clusters"),
        (
            RECORD,
            f"{PHYSICAL} * on (cluster, card) group_left (node) {PHYSICAL}",
            "which is no _info",
        ),
        (
            RECORD,
            f"{PHYSICAL} * on (cluster) group_left () max by (cluster) (gpuatlas_card_info)",
            "a join to an expression",
        ),
        (
            RECORD,
            f"gpuatlas_card_info * on (cluster) group_right () {PHYSICAL}",
            "the other way round",
        ),
        (RECORD, f'{PHYSICAL}{{Hostname="a"}}', "Hostname is a foreign spelling"),
        (RECORD, f'{PHYSICAL}{{exported_pod="a"}}', "exported_pod is a foreign spelling"),
        (RECORD, "DCGM_FI_DEV_FB_USED", "only normalise.yaml reads it"),
        (RECORD, '{card="a"}', "a selector without a metric"),
        (RECORD, "node:gpuatlas_cards:count", "recorded in a later file"),
        (RECORD, "gpuatlas_card_memory_physical", "nobody publishes or records"),
    ],
)
def test_a_fault_is_found(record: str, expression: str, fault: str) -> None:
    rule = Rule(file=FOLDER / "card.yaml", group="card", name=record, expression=expression)

    assert [found for found in faults(rule) if fault in found] != []
