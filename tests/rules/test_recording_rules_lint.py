"""What promtool does not ask of our recording rules: names, ranges, joins, spellings, cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator

import promql_parser
import pytest

from gpuatlas_harness.alert_rules import dcgm_counters
from gpuatlas_harness.promql import (
    Group,
    Rule,
    grouping,
    matched_labels,
    metric_names,
    nodes,
    read_groups,
)
from gpuatlas_harness.rule_lint import (
    RECORDING_RULES,
    SERVICE_COUNTERS,
    SHARED,
    Lint,
    group_faults,
    info_join_faults,
)
from gpuatlas_harness.rule_lint import metric_faults as unknown_metrics

# No file reads what a later one records, so that a chain of levels lags by one evaluation each.
FILE_ORDER = (
    "normalise",
    "card",
    "allocation",
    "namespace",
    "workload",
    "container",
    "node",
    "cluster",
    "daily",
    "worth",
    "sizing",
    "service",
    "overcommit",
    "contention",
    "check",
    "state",
)
GROUPS = [group for name in FILE_ORDER for group in read_groups(RECORDING_RULES / f"{name}.yaml")]
RULES = [rule for group in GROUPS for rule in group.rules]
RECORDED = {rule.name: FILE_ORDER.index(rule.file.stem) for rule in RULES}

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
# Links and hosts, for promises beyond the memory.
FOREIGN_LINKS_AND_HOSTS = {
    "DCGM_FI_DEV_PCIE_LINK_GEN",
    "DCGM_FI_DEV_PCIE_LINK_WIDTH",
    "DCGM_FI_PROF_PCIE_RX_BYTES",
    "DCGM_FI_PROF_PCIE_TX_BYTES",
    "node_memory_MemAvailable_bytes",
    "node_uname_info",
}
# Inference servers: vLLM 0.6 to 0.11 (engines 0 and 1), SGLang 0.4 and 0.5, Triton, TGI.
_ENGINE_GAUGES = {
    "sglang:kv_cache_memory_usage_gb",
    "sglang:num_queue_reqs",
    "sglang:num_running_reqs",
    "sglang:token_usage",
    "vllm:gpu_cache_usage_perc",
    "vllm:kv_cache_usage_perc",
    "vllm:num_requests_running",
    "vllm:num_requests_waiting",
}
FOREIGN_SERVICES = {
    "nv_inference_pending_request_count",
    "nv_trt_llm_kv_cache_block_metrics",
    "nv_trt_llm_request_metrics",
    "tgi_batch_current_size",
    "tgi_queue_size",
    *SERVICE_COUNTERS,
    *_ENGINE_GAUGES,
    *(name.replace(":", "_") for name in _ENGINE_GAUGES),
}
FOREIGN = FOREIGN_GAUGES | FOREIGN_COUNTERS | FOREIGN_LINKS_AND_HOSTS | FOREIGN_SERVICES

LEVELS = "card|pod|allocation|namespace|workload|container|node|cluster|check"
OPERATIONS = (
    "max|min|sum|avg|count|group|ratio|with_checks|rate5m|rate10m|avg5m|avg1h|avg1d|max1h|max1d|max7d"
    "|max14d|min1h|min1d|min14d|ratio1d|count1d|increase4m|increase1h|increase1d"
    "|quantile95_1d|quantile95_7d"
)
NAME = re.compile(rf"({LEVELS}):(gpuatlas|dcgm|hami)_[a-z0-9_]+:({OPERATIONS})")
OBJECT_LABELS = {"cluster", "node", "card", "namespace", "pod", "container", "partition"}
WORKLOAD_LABELS = {"workload_kind", "workload", "revision", "group", "runtime"}
SUSPECT_LABELS = {"suspect_namespace", "suspect_kind", "suspect", "grade"}
CHECK_LABELS = {"state", "check", "layer", "input", "source", "shard"}
EXPORTER_LABELS = {"instance"}  # of which one it is, as cluster.yaml alone asks
LABELS = OBJECT_LABELS | WORKLOAD_LABELS | SUSPECT_LABELS | CHECK_LABELS | EXPORTER_LABELS
# Each spells what no other file needs. check.yaml asks whether a field of DCGM is there, never for
# its value.
READERS_OF_FOREIGN = {
    "normalise": FOREIGN_GAUGES | FOREIGN_COUNTERS,
    "service": FOREIGN_SERVICES,
    "overcommit": FOREIGN_LINKS_AND_HOSTS,
    "check": frozenset(dcgm_counters()),
}
# A series of ours that a scrape renamed may be refused anywhere, but read nowhere.
RENAMED_LABELS_REFUSED = {("exported_pod", ""), ("exported_node", "")}


def name_faults(rule: Rule) -> Iterator[str]:
    match = NAME.fullmatch(rule.name)
    if match is None:
        yield f"{rule.name} is no level:metric:operation"
    elif match[2] != "gpuatlas" and rule.file.stem not in READERS_OF_FOREIGN:
        yield f"{rule.name} is a foreign quantity outside normalise.yaml"


def subquery_faults(rule: Rule) -> Iterator[str]:
    if nodes(rule.tree, promql_parser.SubqueryExpr):
        yield "a subquery: record what is inside"


def _spells(rule: Rule) -> bool:
    """Whether it turns the labels of others into ours."""
    return bool(metric_names(rule.tree) & FOREIGN)


def aggregation_faults(rule: Rule) -> Iterator[str]:
    if _spells(rule):
        return
    for aggregation in nodes(rule.tree, promql_parser.AggregateExpr):
        labels = grouping(aggregation) or []
        if not set(labels) <= LABELS:
            yield f"{aggregation.op} by {labels}: not our labels"


def spelling_faults(rule: Rule) -> Iterator[str]:
    if _spells(rule):
        return
    for selector in nodes(rule.tree, promql_parser.VectorSelector):
        if selector.name == "ALERTS":
            continue
        for label, value in matched_labels(selector):
            if label not in LABELS and (label, value) not in RENAMED_LABELS_REFUSED:
                yield f"the label {label} is a foreign spelling"


def metric_faults(rule: Rule) -> Iterator[str]:
    foreign = READERS_OF_FOREIGN.get(rule.file.stem, frozenset())
    yield from unknown_metrics(rule.tree, FOREIGN | foreign)
    for name in metric_names(rule.tree):
        if name in FOREIGN and name not in foreign:
            yield f"{name} is foreign: {rule.file.name} is not the file that reads it"
        elif name in RECORDED and RECORDED[name] > FILE_ORDER.index(rule.file.stem):
            yield f"{name} is recorded in a later file"


LINTS: tuple[Lint, ...] = (
    *SHARED,
    name_faults,
    info_join_faults,
    subquery_faults,
    aggregation_faults,
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
    assert group.name.partition("-")[0] == group.file.stem
    assert list(group_faults(group)) == []


def test_every_file_is_in_the_order() -> None:
    assert sorted(file.stem for file in RECORDING_RULES.glob("*.yaml")) == sorted(FILE_ORDER)
    assert len({group.name for group in GROUPS}) == len(GROUPS)


def test_no_series_is_recorded_twice() -> None:
    assert len({(rule.name, *sorted(rule.labels.items())) for rule in RULES}) == len(RULES)


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
        (RECORD, "DCGM_FI_DEV_FB_USED", "card.yaml is not the file that reads it"),
        (RECORD, "node_uname_info", "card.yaml is not the file that reads it"),
        (RECORD, '{card="a"}', "a selector without a metric"),
        (RECORD, "node:gpuatlas_cards:count", "recorded in a later file"),
        (RECORD, "gpuatlas_card_memory_physical", "nobody publishes or records"),
    ],
)
def test_a_fault_is_found(record: str, expression: str, fault: str) -> None:
    file = RECORDING_RULES / "card.yaml"
    rule = Rule(file=file, group="card", name=record, expression=expression)

    assert [found for found in faults(rule) if fault in found] != []
