"""The bar that recording rules and alerts share, in words that promtool has not.

Every lint takes one rule and yields its faults. What holds for one kind of rule alone stands with
the tests of that kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from datetime import timedelta
from typing import Final

import promql_parser

from gpuatlas_harness.alert_rules import ROOT, dcgm_counters, helper_rules
from gpuatlas_harness.promql import Group, Rule, called, grouping, metric_names, nodes, read_groups
from gpuatlas_harness.series_labels import OURS, SeriesLabels

Lint = Callable[[Rule], Iterator[str]]

RECORDING_RULES: Final = ROOT / "recording_rules"
RECORDED: Final = (
    *(
        rule
        for file in sorted(RECORDING_RULES.glob("*.yaml"))
        for group in read_groups(file)
        for rule in group.rules
    ),
    *helper_rules().values(),
)
LABELS: Final = SeriesLabels(RECORDED)

SERVER_METRICS: Final = {"up", "ALERTS"}
# Of inference servers; sums and counts of histograms are counters, too. Some collectors write "_"
# for ":".
_ENGINE_COUNTERS: Final = (
    "sglang:generation_tokens_total",
    "sglang:num_requests_total",
    "sglang:time_to_first_token_seconds_count",
    "sglang:time_to_first_token_seconds_sum",
    "vllm:generation_tokens_total",
    "vllm:request_success_total",
    "vllm:time_to_first_token_seconds_count",
    "vllm:time_to_first_token_seconds_sum",
)
SERVICE_COUNTERS: Final = {
    "nv_inference_queue_duration_us",
    "nv_inference_request_duration_us",
    "nv_inference_request_success",
    "tgi_request_generated_tokens_sum",
    "tgi_request_success",
    *_ENGINE_COUNTERS,
    *(name.replace(":", "_") for name in _ENGINE_COUNTERS),
}
COUNTERS: Final = SERVICE_COUNTERS | {
    name for name, (kind, _) in dcgm_counters().items() if kind == "counter"
}

SHORTEST_RANGE: Final = timedelta(minutes=4)  # four scrapes of a minute
SHORTEST_INTERVAL: Final = timedelta(seconds=20)
LONGEST_INTERVAL: Final = timedelta(minutes=5)  # the look-back: a slower rule's series vanish
MOST_RULES: Final = 20
# Older than Prometheus 2.42; Mimir and Thanos have them. Not irate: it sees two samples.
FUNCTIONS: Final = {
    "absent",
    "absent_over_time",
    "avg_over_time",
    "ceil",
    "changes",
    "clamp_max",
    "clamp_min",
    "count_over_time",
    "delta",
    "floor",
    "increase",
    "label_join",
    "label_replace",
    "last_over_time",
    "max_over_time",
    "min_over_time",
    "quantile_over_time",
    "rate",
    "resets",
    "scalar",
    "sum_over_time",
    "time",
    "timestamp",
    "vector",
}


def counter_faults(rule: Rule) -> Iterator[str]:
    for call in called(rule.tree, "rate", "increase", "irate", "resets"):
        for name in metric_names(call.args[0]):
            if name not in COUNTERS and not name.split(":")[:2][-1].endswith("_total"):
                yield f"{call.func.name} of {name}, which is no counter"


def function_faults(rule: Rule) -> Iterator[str]:
    for call in called(rule.tree):
        if call.func.name not in FUNCTIONS:
            yield f"{call.func.name} is not among the functions that every ruler has"


def range_faults(rule: Rule) -> Iterator[str]:
    ranges: list[timedelta | None] = [
        *(node.range for node in nodes(rule.tree, promql_parser.MatrixSelector)),
        *(node.range for node in nodes(rule.tree, promql_parser.SubqueryExpr)),
    ]
    for length in ranges:
        if length is None or length < SHORTEST_RANGE:
            yield f"a range of {length} holds less than four scrapes"


def aggregation_faults(rule: Rule) -> Iterator[str]:
    for aggregation in nodes(rule.tree, promql_parser.AggregateExpr):
        labels = grouping(aggregation)
        if labels is None:
            yield f"{aggregation.op} without by"
        elif "cluster" not in labels:
            yield f"{aggregation.op} by {labels} loses the cluster"


def matching_faults(rule: Rule) -> Iterator[str]:
    for binary in nodes(rule.tree, promql_parser.BinaryExpr):
        modifier = binary.modifier
        if modifier is None:
            continue
        if modifier.matching is not None and not _keeps_cluster(modifier.matching):
            yield f"{modifier.matching.type} {modifier.matching.labels} mixes clusters"
        if modifier.card == promql_parser.VectorMatchCardinality.OneToMany:
            yield "group_right: write the join the other way round"


def _keeps_cluster(matching: promql_parser.LabelModifier) -> bool:
    included: bool = matching.type == promql_parser.LabelModifierType.Include
    return ("cluster" in matching.labels) is included


def info_join_faults(rule: Rule) -> Iterator[str]:
    """Joins that copy labels from, or compare with, something else than an `_info`."""
    for _, one in _joins(rule):
        if not isinstance(one, promql_parser.VectorSelector):
            yield "a join to an expression: record it as _info first"
        elif not _is_info(one):
            yield f"a join to {one.name}, which is no _info"


def limit_join_faults(rule: Rule) -> Iterator[str]:
    """The same for alerts, which may compare many series with their one limit.

    That is safe where no label is copied and an aggregation leaves the one side exactly the labels
    that are matched: then it cannot hold two.
    """
    for modifier, one in _joins(rule):
        matched = frozenset(modifier.matching.labels if modifier.matching else ())
        single = not modifier.group_labels and LABELS.of(one) == matched
        if not single and not _is_info(one):
            yield f"a join to what is no _info and not one for each {sorted(matched)}"


def _joins(rule: Rule) -> Iterator[tuple[promql_parser.BinModifier, promql_parser.Expr]]:
    """How each many-to-one join matches, and its one side."""
    for binary in nodes(rule.tree, promql_parser.BinaryExpr):
        modifier = binary.modifier
        if modifier and modifier.card == promql_parser.VectorMatchCardinality.ManyToOne:
            yield modifier, binary.rhs


def _is_info(one: promql_parser.Expr) -> bool:
    if not isinstance(one, promql_parser.VectorSelector):
        return False
    return (one.name or "").removesuffix(":group").endswith("_info")


def metric_faults(tree: promql_parser.Expr, foreign: Set[str]) -> Iterator[str]:
    """Metrics that nobody publishes: ours must be declared or recorded, others be in `foreign`."""
    recorded = {rule.name for rule in RECORDED}
    for name in sorted(metric_names(tree)):
        if not name:
            yield "a selector without a metric"
        elif name not in OURS.keys() | recorded | foreign | SERVER_METRICS:
            yield f"nobody publishes or records {name}"


def series_label_faults(rule: Rule) -> Iterator[str]:
    yield from LABELS.faults(rule.tree)


SHARED: Final[tuple[Lint, ...]] = (
    counter_faults,
    function_faults,
    range_faults,
    aggregation_faults,
    matching_faults,
    series_label_faults,
)


def group_faults(group: Group) -> Iterator[str]:
    """What keeps a group from running in any ruler."""
    if group.interval is None:
        yield "no interval: a ruler's own may be longer than the look-back"
    elif not SHORTEST_INTERVAL <= group.interval < LONGEST_INTERVAL:
        yield f"an interval of {group.interval}"
    if len(group.rules) > MOST_RULES:
        yield f"{len(group.rules)} rules, at most {MOST_RULES}"
