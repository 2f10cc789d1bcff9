"""PromQL of the board Sizing: signals of the containers and nodes that its tables list."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.scopes import CLUSTER, HOLDERS, NAMESPACE, PRIORITISED, SIZED
from gpuatlas_dashboards.signals import sizing, workload
from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.signals.sizing import CONTAINER
from gpuatlas_dashboards.workload_variables import with_key

_MOST: Final = 300
# What the rows of a table are joined by.
ROW: Final = "row"

# --- Containers -------------------------------------------------------------------------------

# For the variable that the tables of memory and compute read: a byte to be saved weighs more than
# one that is reserved.
SIZED_WORKLOADS: Final = f"""topk({_MOST},
  1000 * abs({sizing.MEMORY_SAVING.within(NAMESPACE)})
  or on ({CONTAINER})
  {sizing.MEMORY_RESERVED.within(NAMESPACE)}
)"""
# And for that which the table of whole cards reads.
_WHOLE: Final = f'gpuatlas_sizing_verdict_info{{{NAMESPACE}, resource="cards"}}'
WHOLE_CARD_WORKLOADS: Final = f"""topk({_MOST},
  1000 * abs({sizing.CARDS_SAVING.within(NAMESPACE)})
  or on ({CONTAINER})
  max by ({CONTAINER}) ({_WHOLE})
)"""


def sized(signal: Signal) -> str:
    """A signal of each container in the table of memory, with the keys of its row and of links."""
    return _keyed(f"({signal.within(SIZED)})")


def of_cards(signal: Signal) -> str:
    """A signal of each container for which whole cards are judged."""
    return _keyed(f"({signal.within(HOLDERS)})")


def verdicts(resource: str) -> str:
    """What the analysis says of each listed container: verdict and reason."""
    scope = HOLDERS if resource == "cards" else SIZED
    said = f'gpuatlas_sizing_verdict_info{{{scope}, resource="{resource}"}}'
    return _keyed(f"group by ({CONTAINER}, verdict, reason) ({said})")


def _keyed(expr: str) -> str:
    labels = ", ".join(f'"{name}"' for name in CONTAINER.split(", "))
    return f'label_join({with_key(expr)}, "{ROW}", "/", {labels})'


# How many containers have each verdict, of memory and of whole cards.
VERDICTS: Final = f"""count by (verdict) (
  group by ({CONTAINER}, verdict) (
    gpuatlas_sizing_verdict_info{{{NAMESPACE}, resource=~"memory|cards"}}
  )
)"""


# --- Nodes ------------------------------------------------------------------------------------


def furthest_promised(signal: Signal) -> str:
    """A signal of the nodes that are promised furthest."""
    listed_nodes = f"topk({_MOST}, {sizing.PRESENT_RATIO.within(CLUSTER)})"
    expr = f"({signal.within(CLUSTER)}\nand on (cluster, node) {listed_nodes})"
    return f'label_join({expr}, "{ROW}", "/", "cluster", "node")'


_FITS: Final = f"max by (node, {workload.WORKLOAD}) (gpuatlas_sizing_node_fits{{{NAMESPACE}}})"
# How many more promises of each workload fit on each node, the most first.
FITS: Final = with_key(f"topk({_MOST}, {_FITS} > 0)")

# What the analysis could not read.
MISSING: Final = f"group by (cluster, input, reason) (gpuatlas_sizing_missing_info{{{CLUSTER}}})"

# --- Ways of sharing --------------------------------------------------------------------------

# `verdict|reason|…` of each way of sharing, for each pool and model. Behind it words without
# meaning: a row is as high as the value needs, see `checks_fillers.py`.
_FILLER: Final = ("nnnn " * 8).strip()
_ADVICE: Final = f"gpuatlas_pool_strategy_advice_info{{{CLUSTER}}}"
STRATEGIES: Final = f"""group by (row, strategy, cell) (
  label_join(
    label_join(
      label_replace({_ADVICE}, "filler", "{_FILLER}", "", ""),
      "cell", "|", "verdict", "reason", "filler"
    ),
    "row", "|", "cluster", "pool", "model"
  )
)"""
POOLS: Final = f"""count by (row, cluster, pool, model) (
  label_join({_ADVICE}, "row", "|", "cluster", "pool", "model")
)"""

# --- Contention, priority, speed --------------------------------------------------------------


def contended(role: str) -> str:
    """Contended time of the window of the workloads that were longest in a role."""
    said = f'gpuatlas_sizing_contended_seconds{{{NAMESPACE}, role="{role}"}}'
    return with_key(f"topk({_MOST}, max by ({workload.WORKLOAD}) ({said}))")


# For the variable that the present priorities are read by.
PRIORITISED_WORKLOADS: Final = f"gpuatlas_sizing_priority_proposed{{{NAMESPACE}}}"
_PROPOSED: Final = (
    f"max by ({workload.WORKLOAD}) (gpuatlas_sizing_priority_proposed{{{NAMESPACE}}})"
)
# Every container of a workload is promised the same; the highest of several is the lowest number.
PRIORITY_NOW: Final = with_key(f"""min by ({workload.WORKLOAD}) (
  gpuatlas_allocation_priority{{{NAMESPACE}}}
  * on (cluster, namespace, pod) group_left (workload_kind, workload)
  pod:gpuatlas_pod_workload_info:group{{{PRIORITISED}}}
)""")
PRIORITY_PROPOSED: Final = with_key(_PROPOSED)


def speed(signal: Signal) -> str:
    """Of the services that sharing slows most, or of which only one side is known yet."""
    known = " or ".join(
        f"{one.within(NAMESPACE)}" for one in (sizing.SPEED_SHARED, sizing.SPEED_ALONE)
    )
    listed_ones = f"topk({_MOST}, group by ({workload.WORKLOAD}) ({known}))"
    return with_key(f"({signal.within(NAMESPACE)}\nand on ({workload.WORKLOAD}) {listed_ones})")


# The hidden variables of the board: names of workloads.
LISTS: Final = {
    "sized_workloads": SIZED_WORKLOADS,
    "whole_card_workloads": WHOLE_CARD_WORKLOADS,
    "prioritised_workloads": PRIORITISED_WORKLOADS,
}
