"""Metrics of the checks of the sharing layer: findings, what the checks lacked, facts of nodes.

How long a finding must last and how grave it is stands in the alerts, which go by `check` and
`signal`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from gpuatlas.families.spec import Family, Kind, Series
from gpuatlas.model.checks import MAX_RECORD, CheckReport, Finding, InputState, NodeLayer
from gpuatlas.model.units import clean_text


def _record(finding: Finding) -> str:
    """The quoted record, and how many findings like it have no series of their own."""
    more = f" (and {finding.count - 1} more)" if finding.count > 1 else ""
    return clean_text(finding.record, limit=MAX_RECORD - len(more)) + more


def _findings(report: CheckReport) -> Iterator[Series]:
    for found in report.findings:
        what = (found.check, found.signal)
        where = (found.node, found.card, found.namespace, found.pod, found.object)
        yield (*what, *where, clean_text(found.source), _record(found)), 1


def _counts(report: CheckReport) -> Iterator[Series]:
    counts: Counter[tuple[str, str]] = Counter()
    for found in report.findings:
        counts[found.check, found.signal] += found.count
    yield from sorted(counts.items())


def _inputs(report: CheckReport) -> Iterator[Series]:
    for result in report.results:
        for state in InputState:
            yield (result.check, state), int(result.state is state)


def _missing(report: CheckReport) -> Iterator[Series]:
    for result in report.results:
        for lack in result.missing:
            yield (lack.check, lack.node, clean_text(lack.input), clean_text(lack.reason)), 1


def _node_inputs(report: CheckReport) -> Iterator[Series]:
    for result in report.results:
        for node, state in result.nodes:
            yield (node, result.check, state), 1


def _of_each(
    pick: Callable[[NodeLayer], float | None],
) -> Callable[[CheckReport], Iterator[Series]]:
    """One series for each node of which the fact is known."""

    def samples(report: CheckReport) -> Iterator[Series]:
        for node in report.nodes:
            number = pick(node)
            if number is not None:
                yield (node.node,), number

    return samples


def _locks(report: CheckReport) -> Iterator[Series]:
    for node in report.nodes:
        if node.lock_at is not None:
            namespace, slash, pod = node.lock_owner.partition("/")
            # Older plugins write no owner (facts/hami.md 2.5).
            yield (node.node, *((namespace, pod) if slash else ("", ""))), node.lock_at


def _missing_labels(report: CheckReport) -> Iterator[Series]:
    for node in report.nodes:
        for label in node.missing_labels:
            yield (node.node, label), 1


def _flag(value: bool | None) -> int | None:  # noqa: FBT001 -- a fact, not an option
    return None if value is None else int(value)


FAMILIES: Final[tuple[Family[CheckReport], ...]] = (
    Family(
        name="gpuatlas_finding_info",
        kind=Kind.INFO,
        help="An object that fails a check of the sharing layer at this instant, with the original "
        "record quoted; of many alike five are shown and the last says how many more there are.",
        labels=(
            *("check", "signal", "node", "card", "namespace", "pod"),
            *("object", "source", "record"),
        ),
        samples=_findings,
    ),
    Family(
        name="gpuatlas_findings",
        kind=Kind.GAUGE,
        help="Findings of the check by what it saw, those without a series of their own included.",
        labels=("check", "signal"),
        samples=_counts,
    ),
    Family(
        name="gpuatlas_check_inputs",
        kind=Kind.GAUGE,
        help="State set of what the check needs, 1 for ok (it could look everywhere), missing "
        "(it could not) or not_applicable, and 0 for the others; of several shards each says it "
        "of its own part.",
        labels=("check", "state"),
        samples=_inputs,
    ),
    Family(
        name="gpuatlas_check_missing_input_info",
        kind=Kind.INFO,
        help="Something that the check lacks and why; the node is empty where the whole cluster "
        "lacks it.",
        labels=("check", "node", "input", "reason"),
        samples=_missing,
    ),
    Family(
        name="gpuatlas_node_check_inputs",
        kind=Kind.GAUGE,
        help="1 with the state ok where the check could look at the node and missing where it "
        "could not; absent where the check does not apply to it.",
        labels=("node", "check", "state"),
        samples=_node_inputs,
    ),
    Family(
        name="gpuatlas_node_sharing_monitor_up",
        kind=Kind.GAUGE,
        help="1 if the sharing layer's monitor on the node answers, else 0; "
        "absent where no monitor is expected.",
        labels=("node",),
        samples=_of_each(lambda node: _flag(node.monitor_up)),
    ),
    Family(
        name="gpuatlas_node_device_plugin_ready",
        kind=Kind.GAUGE,
        help="1 if the device plugin's pod on the node is ready, else 0; "
        "absent where no plugin is expected.",
        labels=("node",),
        samples=_of_each(lambda node: _flag(node.plugin_ready)),
    ),
    Family(
        name="gpuatlas_node_registered_cards",
        kind=Kind.GAUGE,
        help="Cards that the sharing layer registered on the node.",
        labels=("node",),
        samples=_of_each(lambda node: node.registered_cards),
    ),
    Family(
        name="gpuatlas_node_driver_cards",
        kind=Kind.GAUGE,
        help="Cards of the node that the driver reports, whether a sharing layer hands them out "
        "or not; absent where the driver is not read.",
        labels=("node",),
        samples=_of_each(lambda node: node.driver_cards),
    ),
    Family(
        name="gpuatlas_node_registration_heartbeat_timestamp_seconds",
        kind=Kind.GAUGE,
        help="When the device plugin last confirmed its registration, in seconds since 1970; "
        "absent for plugins that send no heartbeat (HAMi 2.8 and newer for NVIDIA).",
        labels=("node",),
        unit="seconds",
        samples=_of_each(lambda node: node.heartbeat_at),
    ),
    Family(
        name="gpuatlas_node_sharing_lock_timestamp_seconds",
        kind=Kind.GAUGE,
        help="When the sharing layer locked the node for an allocation, in seconds since 1970, "
        "and the pod that it was for; absent while nobody holds the lock.",
        labels=("node", "owner_namespace", "owner_pod"),
        unit="seconds",
        samples=_locks,
    ),
    Family(
        name="gpuatlas_node_sharing_label_missing_info",
        kind=Kind.INFO,
        help="A label that the sharing layer selects its nodes by and that a node of the layer "
        "does not have.",
        labels=("node", "label"),
        samples=_missing_labels,
    ),
)
