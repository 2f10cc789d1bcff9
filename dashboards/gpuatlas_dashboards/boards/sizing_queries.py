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
# The reason that a larger value has.
AT_LIMIT: Final = "at-limit"
# What a container must have been promised to stand in the table of a resource.
PROMISES: Final = {"memory": sizing.MEMORY_RESERVED, "compute": sizing.COMPUTE_RESERVED}

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


def sized(signal: Signal, promise: Signal = sizing.MEMORY_RESERVED) -> str:
    """A signal of each listed container that has a promise, with the keys of its row and of links.

    Rows have their names from the promise: without it one would stand there without a name.
    """
    return _keyed(_promised(f"({signal.within(SIZED)})", promise))


def _promised(expr: str, promise: Signal) -> str:
    return f"{expr}\nand on ({CONTAINER}) {promise.within(SIZED)}"


def of_cards(signal: Signal) -> str:
    """A signal of each container for which whole cards are judged."""
    return _keyed(f"({signal.within(HOLDERS)})")


def verdicts(resource: str) -> str:
    """What the analysis says of each listed container: verdict and reason.

    More is proposed to those alone that reached their limit (DESIGN 7), and no reason published: it
    must not be taken for a need that somebody measured.
    """
    scope = SIZED if resource in PROMISES else HOLDERS
    grouped = f"group by ({CONTAINER}, verdict, reason) ({_said(resource, scope)})"
    if resource in PROMISES:
        grouped = _promised(grouped, PROMISES[resource])
    return _keyed(f'label_replace({grouped}, "reason", "{AT_LIMIT}", "verdict", "larger")')


def _said(resource: str, scope: str) -> str:
    return f'gpuatlas_sizing_verdict_info{{{scope}, resource="{resource}"}}'


def _keyed(expr: str) -> str:
    labels = ", ".join(f'"{name}"' for name in CONTAINER.split(", "))
    return f'label_join({with_key(expr)}, "{ROW}", "/", {labels})'


# What the table of memory is sorted by: what a proposal asks for weighs as much as what it saves.
MEMORY_CHANGE: Final = _keyed(
    _promised(f"abs({sizing.MEMORY_SAVING.within(SIZED)})", sizing.MEMORY_RESERVED)
)


def answers(verdict: str) -> str:
    """How many rows of the three tables say so, if they were as long as need be."""
    said = "\n  or ".join(_rows_that_say(verdict, resource) for resource in (*PROMISES, "cards"))
    return f"count(\n  {said}\n)\nor 0 * count(gpuatlas_sizing_verdict_info{{{NAMESPACE}}})"


def _rows_that_say(verdict: str, resource: str) -> str:
    scope = f'{NAMESPACE}, verdict="{verdict}"'
    said = f"group by ({CONTAINER}, resource) ({_said(resource, scope)})"
    if resource not in PROMISES:
        return said
    return f"({said} and on ({CONTAINER}) {PROMISES[resource].within(NAMESPACE)})"


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


# An escaped one in a string of PromQL, and that in another one.
_ASTERISK: Final = r"\\\\*"


def _listed(expr: str) -> str:
    """For a hidden variable: names are put into a regular expression, and some end in a `*`."""
    return f'label_replace({expr}, "workload", "$1{_ASTERISK}", "workload", "(.*)[*]")'


# The hidden variables of the board: names of workloads.
LISTS: Final = {
    "sized_workloads": _listed(SIZED_WORKLOADS),
    "whole_card_workloads": _listed(WHOLE_CARD_WORKLOADS),
    "prioritised_workloads": _listed(PRIORITISED_WORKLOADS),
}
