"""PromQL of the board Cards that no recording rule has: joins for its tables."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.scopes import CARD, CARD_PODS, CLUSTER, NODE, SHOWN
from gpuatlas_dashboards.signals.card import INDEX, OVERCOMMITTED, PHYSICAL, RESIDENT
from gpuatlas_dashboards.workload_variables import with_key

# More tiles than a browser and a person can take in: of a larger cluster the map and the list show
# whole nodes, those with the worst states.
MOST_CARDS: Final = 2000

_STATE: Final = "card:gpuatlas_card_state:with_checks"
_MOST_NODES: Final = f"scalar({MOST_CARDS} / avg(node:gpuatlas_cards:count{{{NODE}}}) or vector(1))"
# For the variable that all below read.
SHOWN_NODES: Final = (
    f'topk({_MOST_NODES}, max by (cluster, node) ({_STATE}{{{NODE}, state=~"$state"}}))'
)

# The state of each shown card, as a label.
_STATES: Final = f'{_STATE}{{{SHOWN}, state=~"$state"}}'
_CARDS: Final = f"group by (cluster, node, card, state) ({_STATES})"

# A row of the map is a node of a cluster: two clusters may have nodes of one name.
_ROW: Final = '"row", "/", "cluster", "node"'

# `state|tenants` of every card, in the cell of its node and index.
TILES: Final = f"""group by (row, index, tile) (
  label_join(
    label_join(
      {_CARDS}
      * on (cluster, card) group_left (tenants)
      count_values by (cluster, card) ("tenants",
        max by (cluster, card) (gpuatlas_card_tenants{{{SHOWN}}})
      )
      or on (cluster, card)
      {_CARDS},
      "tile", "|", "state", "tenants"
    )
    * on (cluster, card) group_left (index) {INDEX},
    {_ROW}
  )
)"""

# The card in the same cells, for the links.
TILE_CARDS: Final = f"""group by (row, slot, card) (
  label_replace(
    label_join(
      {_CARDS} * on (cluster, card) group_left (index) {INDEX},
      {_ROW}
    ),
    "slot", "card $1", "index", "(.*)"
  )
)"""

_WORST: Final = f"max by (cluster, node) ({_STATES})"
# Each node with its model (the most frequent one) and its worst state.
NODES: Final = f"""max by (row, node, model) (
  label_join(
    {_WORST}
    * on (cluster, node) group_left (model)
    group by (cluster, node, model) (
      topk by (cluster, node) (1,
        count by (cluster, node, model) (gpuatlas_card_info{{{SHOWN}}})
      )
    )
    or on (cluster, node)
    {_WORST},
    {_ROW}
  )
)"""

# --- The chosen card --------------------------------------------------------------------------

_IDENTITY: Final = f"topk by (cluster, card) (1, gpuatlas_card_info{{{CARD}}})"
# What it is, with the driver of its node.
IDENTITY: Final = f"""group by (node, index, model, sharing, driver_version, pci_bus_id, card) (
  {_IDENTITY}
  * on (cluster, node) group_left (driver_version)
  topk by (cluster, node) (1,
    group by (cluster, node, driver_version) (gpuatlas_node_info{{{CLUSTER}}})
  )
  or on (cluster, card)
  {_IDENTITY}
)"""

_WORKLOADS: Final = f"pod:gpuatlas_pod_workload_info:group{{{CARD_PODS}}}"

_PROMISED: Final = f"allocation:gpuatlas_memory_reserved_bytes:max{{{CARD}}}"
_USED: Final = f"allocation:gpuatlas_memory_used_bytes:max{{{CARD}}}"


def _bar(name: str, expr: str) -> str:
    """A quantity of each allocation as a bar whose parts are workloads, else pods."""
    return f"""sum by (bar, part) (
  label_replace(
    label_join(
      {expr} * on (cluster, namespace, pod) group_left (workload) {_WORKLOADS},
      "part", " / ", "namespace", "workload"
    )
    or on (cluster, namespace, pod, container)
    label_join({expr}, "part", " / ", "namespace", "pod"),
    "bar", "{name}", "", ""
  )
)"""


def _whole(name: str, part: str, expr: str) -> str:
    """A quantity of the card as one part of a bar."""
    return f"""max by (bar, part) (
  label_replace(label_replace({expr}, "bar", "{name}", "", ""), "part", "{part}", "", "")
)"""


# Four bars: what is promised; what the card has, and the promises beyond it; what the tenants use
# (the larger of two views); what is on the card.
BARS: Final = "\nor\n".join(
    [
        _bar("promised", _PROMISED),
        _whole("physical", "physical", PHYSICAL.within(CARD)),
        _whole("physical", "overcommitted", f"{OVERCOMMITTED.within(CARD)} > 0"),
        _bar("used", _USED),
        _whole("resident", "resident", RESIDENT.within(CARD)),
    ]
)

_HELD: Final = "cluster, node, card, partition, namespace, pod, container, evidence"
_ALLOCATIONS: Final = f"""group by ({_HELD}) (gpuatlas_allocation_info{{{CARD}}})"""
_PARTITIONS: Final = f"""topk by (cluster, node, card, partition) (1,
    group by (cluster, node, card, partition, kind, profile) (gpuatlas_partition_info{{{CARD}}})
  )"""

# No name of Kubernetes: it stands where nobody does, and the board says so in its language.
NOBODY: Final = "(nobody)"

# Card, partition, allocation and workload in one row; partitions that nobody holds have no pod.
_CHAIN: Final = f"""(
  (
    {_ALLOCATIONS}
    * on (cluster, namespace, pod) group_left (workload_kind, workload) {_WORKLOADS}
    or on (cluster, namespace, pod, container)
    {_ALLOCATIONS}
  )
  * on (cluster, node, card, partition) group_left (kind, profile)
  {_PARTITIONS}
)
or on (cluster, node, card, partition)
{_PARTITIONS}
or on (cluster, node, card, partition)
{_ALLOCATIONS}
or on ()
label_replace(vector(0), "workload", "{NOBODY}", "", "")"""
CHAIN: Final = with_key(_CHAIN)

_SHARE: Final = "cluster, node, card, namespace, pod, container"


def _of_share(metric: str) -> str:
    return f"max by ({_SHARE}) ({metric}{{{CARD}}})"


# The numbers beside the chain; joined by card, pod and container.
CHAIN_VALUES: Final = {
    "promised": _of_share("allocation:gpuatlas_memory_reserved_bytes:max"),
    "resident": _of_share("gpuatlas_allocation_memory_resident_bytes"),
    "counted": _of_share("gpuatlas_allocation_memory_counted_bytes"),
    "compute_promised": _of_share("allocation:gpuatlas_compute_reserved_ratio:max"),
    "compute": _of_share("allocation:gpuatlas_compute_utilization_ratio:max"),
    "idle": _of_share("gpuatlas_allocation_idle_seconds"),
}

# When each alert of the card began, in milliseconds; of several signals and severities the first.
# `shown` is its check on the board Checks, where those of operations have no place.
ALERTS: Final = f"""label_replace(
  1000 * min by (check, alertname) (ALERTS_FOR_STATE{{{CARD}, check!=""}}),
  "shown", "$1", "check", "([HS][0-9]{{2}})"
)"""

# --- The list ---------------------------------------------------------------------------------

_OF_CARD: Final = "cluster, node, card"
_LISTED_STATES: Final = f"max by ({_OF_CARD}) ({_STATES})"
# What each card is; the other columns of its row are joined by cluster, node and card.
LISTED: Final = f"""{_LISTED_STATES}
* on (cluster, card) group_left (index, model, sharing)
topk by (cluster, card) (1,
  max by (cluster, card, index, model, sharing) (gpuatlas_card_info{{{SHOWN}}})
)
or on (cluster, card)
{_LISTED_STATES} * on (cluster, card) group_left (index) {INDEX}
or on (cluster, card)
{_LISTED_STATES}"""


def _listed(metric: str) -> str:
    """Without the metric's name, by which Grafana would keep the rows of one card apart."""
    return f"max by ({_OF_CARD}) ({metric}{{{SHOWN}}}) and on (cluster, card) {_LISTED_STATES}"


LISTED_VALUES: Final = {
    "tenants": _listed("gpuatlas_card_tenants"),
    "promised": _listed("card:gpuatlas_memory_allocated:ratio"),
    "resident": _listed("card:gpuatlas_memory_occupancy:ratio"),
    "compute": _listed("card:gpuatlas_compute_utilization_ratio:max"),
}

_OF_POD: Final = "cluster, node, namespace, pod, container, workload_kind, workload"
# Pods that hold a share of a card, and nobody can tell of which.
_UNPLACED: Final = f"""group by ({_OF_POD}) (
  gpuatlas_allocation_info{{{NODE}, card=""}}
  * on (cluster, namespace, pod) group_left (workload_kind, workload)
  (
    pod:gpuatlas_pod_workload_info:group{{{CLUSTER}}}
    and on (cluster, namespace, pod) gpuatlas_allocation_info{{{NODE}, card=""}}
  )
  or on (cluster, namespace, pod, container)
  gpuatlas_allocation_info{{{NODE}, card=""}}
)"""
UNPLACED: Final = with_key(_UNPLACED)
