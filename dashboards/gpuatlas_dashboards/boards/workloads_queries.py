"""PromQL of the board Workloads that no recording rule has: joins for its tables."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.promql import or_nan, or_none
from gpuatlas_dashboards.scopes import (
    CARD_PODS,
    CHOSEN_NAMESPACE,
    CHOSEN_WORKLOAD,
    CLUSTER,
    ITS_CARDS,
    ON_ITS_CARDS,
    SHOWN_WORKLOADS,
    WORKLOADS,
)
from gpuatlas_dashboards.signals import workload
from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.signals.workload import WORKLOAD
from gpuatlas_dashboards.workload_variables import KEY, with_key

# --- The table --------------------------------------------------------------------------------

# More rows than a person reads; a larger cluster's table shows those in the worst states.
MOST: Final = 500
_STATE: Final = "workload:gpuatlas_workload_state:with_checks"
# For the variable that the table reads.
SHOWN: Final = f'topk({MOST}, {_STATE}{{{WORKLOADS}, state=~"$workload_state"}})'
# Those that have a row, by their state of now, so that a course is not cut where it was another.
LISTED: Final = f'{_STATE}{{{SHOWN_WORKLOADS}, state=~"$workload_state"}} @ end()'


def listed(expr: str) -> str:
    """Of the listed workloads alone: others may have the name of one."""
    return f"{expr}\nand on ({WORKLOAD}) {LISTED}"


def listed_values(signal: Signal) -> str:
    """Without the metric's name, by which Grafana would keep rows of one workload apart."""
    return listed(f"max by ({WORKLOAD}) ({signal.within(SHOWN_WORKLOADS)})")


def filled(expr: str) -> str:
    """At least one row, NaN where there is none, and "none" where no workload is listed."""
    return or_none("workload", or_nan(expr, by=WORKLOAD, of=f"topk(1, {LISTED})"))


_WHAT: Final = "runtime, scheduler, queue"
_INFO = f"group by ({WORKLOAD}, {_WHAT}) (gpuatlas_workload_info{{{SHOWN_WORKLOADS}}})"
# What each workload is, those that reserve most first; the value is what they reserve. The other
# columns of its row are joined by cluster, namespace, kind and name.
WHAT: Final = or_none(
    "workload",
    f"""sort_desc(
  (
{or_nan(listed_values(workload.MEMORY_RESERVED), by=WORKLOAD, of=LISTED)}
  )
  * on ({WORKLOAD}) group_left ({_WHAT}, {KEY})
  {with_key(f"topk by ({WORKLOAD}) (1, {_INFO})")}
)""",
)

# Without those of which nobody tells the card. `card!=""` would have Prometheus go through all
# series of all cards.
_NO_CARD: Final = 'label_replace(vector(0), "card", "", "", "")'
HOLDS_CARDS: Final = (
    f"(workload:gpuatlas_card_info:group{{{SHOWN_WORKLOADS}}} unless on (card) {_NO_CARD})"
)
# How many cards, and one of them to open.
CARDS: Final = filled(
    f"""count by ({WORKLOAD}) ({listed(HOLDS_CARDS)})
* on ({WORKLOAD}) group_left (card)
topk by ({WORKLOAD}) (1, {listed(HOLDS_CARDS)})"""
)

# The longest wait and what for.
WAITING: Final = filled(
    listed(
        f"""topk by ({WORKLOAD}) (1,
  max by ({WORKLOAD}, reason) (gpuatlas_workload_waiting_seconds{{{SHOWN_WORKLOADS}}})
)"""
    )
)

# The course of compute in use, an hour's mean at each point.
TREND: Final = listed(f"workload:gpuatlas_compute_utilization_ratio:avg1h{{{SHOWN_WORKLOADS}}}")

# --- The chosen workload ----------------------------------------------------------------------

_PODS: Final = f"pod:gpuatlas_pod_workload_info:group{{{CHOSEN_WORKLOAD}}}"
_HOLDS: Final = f"workload:gpuatlas_card_info:group{{{CHOSEN_WORKLOAD}, {ON_ITS_CARDS}}}"
_SHARE: Final = "cluster, node, card, namespace, pod, container"
_INDEX: Final = f"max by (cluster, card, index) (gpuatlas_card_info{{{ITS_CARDS}}})"

IDENTITY: Final = f"""group by (
  namespace, workload_kind, workload, api_group, runtime, scheduler, queue, queue_kind, gang
) (
  gpuatlas_workload_info{{{CHOSEN_WORKLOAD}}}
)"""

WAITS: Final = f"max by (reason) (gpuatlas_workload_waiting_seconds{{{CHOSEN_WORKLOAD}}})"
# Of several runs the sum, of what several exporters say the largest.
REQUESTED: Final = f"""sum by (resource) (
  max by ({WORKLOAD}, resource) (gpuatlas_workload_cards_requested{{{CHOSEN_WORKLOAD}}})
)"""


def _of_pods(expr: str) -> str:
    return f"{expr} and on (cluster, namespace, pod) {_PODS}"


_ALLOCATIONS: Final = _of_pods(
    f"""group by ({_SHARE}, index, partition, evidence) (
    gpuatlas_allocation_info{{{CHOSEN_NAMESPACE}}}
  )"""
)


# A row for each container and card, and for each pod that holds none.
SHARES: Final = or_none(
    "pod",
    f"""(
  {_ALLOCATIONS}
)
* on (cluster, node, card, partition) group_left (kind, profile)
group by (cluster, node, card, partition, kind, profile) (gpuatlas_partition_info{{{ITS_CARDS}}})
or on (cluster, namespace, pod, container, card)
(
  {_ALLOCATIONS}
)
or on (cluster, namespace, pod)
group by (cluster, namespace, pod) ({_PODS})""",
)


def _of_share(metric: str, matchers: str = "") -> str:
    return _of_pods(f"max by ({_SHARE}) ({metric}{{{CHOSEN_NAMESPACE}{matchers}}})")


_RESERVED: Final = _of_share("allocation:gpuatlas_memory_reserved_bytes:max")
# The numbers beside them; joined by card, pod and container.
SHARE_VALUES: Final = {
    "memory": f"""max by ({_SHARE}) (
  allocation:gpuatlas_memory_used_bytes:max{{{CHOSEN_NAMESPACE}}}
  / (allocation:gpuatlas_memory_reserved_bytes:max{{{CHOSEN_NAMESPACE}}} > 0)
) and on (cluster, namespace, pod) {_PODS}""",
    "reserved": _RESERVED,
    "compute": _of_share("allocation:gpuatlas_compute_utilization_ratio:max"),
    "share": _of_share("allocation:gpuatlas_compute_reserved_ratio:max"),
    "idle": _of_share("gpuatlas_allocation_idle_seconds"),
    "isolated": _of_share("gpuatlas_allocation_isolated", ', resource="memory"'),
    "priority": _of_share("gpuatlas_allocation_priority"),
    "conflict": _of_pods(
        f"""group by ({_SHARE}, other_card, other_evidence) (
    gpuatlas_allocation_evidence_conflict_info{{{CHOSEN_NAMESPACE}}}
  )"""
    ),
}

_ON_CARD: Final = f"{WORKLOAD}, node, card"
_NEIGHBOURS: Final = f"""(
    workload:gpuatlas_card_info:group{{{ITS_CARDS}}}
    and on (cluster, card) {_HOLDS}
    unless on ({WORKLOAD}) {_HOLDS}
  )"""
NEIGHBOURS: Final = or_none(
    "workload",
    with_key(
        f"""
  group by ({_ON_CARD}, index) (
    {_NEIGHBOURS} * on (cluster, card) group_left (index) {_INDEX}
  )"""
    ),
)


def _of_neighbours(metric: str) -> str:
    return f"""sum by ({_ON_CARD}) (
  {metric}{{{ITS_CARDS}}}
  * on (cluster, namespace, pod) group_left (workload_kind, workload)
  pod:gpuatlas_pod_workload_info:group{{{CARD_PODS}}}
)
and on ({_ON_CARD}) {_NEIGHBOURS}"""


NEIGHBOUR_VALUES: Final = {
    "state": f"{workload.STATE.within(CLUSTER)}\nand on ({WORKLOAD}) {_NEIGHBOURS}",
    "reserved": _of_neighbours("allocation:gpuatlas_memory_reserved_bytes:max"),
    "used": _of_neighbours("allocation:gpuatlas_memory_used_bytes:max"),
    "compute": _of_neighbours("allocation:gpuatlas_compute_utilization_ratio:max"),
}

MEMORY_BY_POD: Final = f"""sum by (pod) (
  allocation:gpuatlas_memory_used_bytes:max{{{CHOSEN_NAMESPACE}}}
  and on (cluster, namespace, pod) {_PODS}
)"""

CARD_STATES: Final = f"""max by (node, index) (
  (
    max by (cluster, node, card) (card:gpuatlas_card_state:with_checks{{{ITS_CARDS}}})
    and on (cluster, card) {_HOLDS}
  )
  * on (cluster, card) group_left (index) {_INDEX}
)"""

_ALERTS: Final = "ALERTS_FOR_STATE"
# When each alert of its cards, its pods and itself began, in milliseconds.
# `shown` is its check on the board Checks, where those of operations have no place.
ALERTS: Final = f"""label_replace(
  1000 * max by (alertname, severity, check, node, card, pod) (
    {_ALERTS}{{{ITS_CARDS}, check!=""}} and on (cluster, card) {_HOLDS}
    or {_ALERTS}{{{CHOSEN_NAMESPACE}, check!=""}} and on (cluster, namespace, pod) {_PODS}
    or {_ALERTS}{{{CHOSEN_WORKLOAD}, check!=""}}
  ),
  "shown", "$1", "check", "([HS][0-9]{{2}})"
)"""

# What the sharing checks found on its pods and cards, with the record that they quote.
FINDINGS: Final = f"""max by (check, object, source, record) (
  gpuatlas_finding_info{{{CHOSEN_NAMESPACE}}} and on (cluster, namespace, pod) {_PODS}
  or gpuatlas_finding_info{{{ITS_CARDS}}} and on (cluster, card) {_HOLDS}
)"""
