"""PromQL of the board Sizing: signals of the workloads that its tables list."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.scopes import CLUSTER, NAMESPACE
from gpuatlas_dashboards.signals import workload
from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.workload_variables import with_key

_MOST: Final = 300
_LISTED: Final = f"topk({_MOST}, {workload.MEMORY_RESERVED.within(NAMESPACE)})"


def listed(signal: Signal) -> str:
    """A signal of each listed workload, with the key of links to it."""
    return _of_listed(signal.within(NAMESPACE))


def verdicts(resource: str) -> str:
    """What the analysis says of each listed workload: verdict and reason."""
    labels = f'{NAMESPACE}, resource="{resource}"'
    return _of_listed(f"gpuatlas_sizing_verdict_info{{{labels}}}")


def _of_listed(expr: str) -> str:
    return with_key(f"({expr}\nand on ({workload.WORKLOAD}) {_LISTED})")


def furthest_promised(signal: Signal, by: Signal) -> str:
    """A signal of the nodes that are promised furthest."""
    listed_nodes = f"topk({_MOST}, {by.within(CLUSTER)})"
    expr = f"({signal.within(CLUSTER)}\nand on (cluster, node) {listed_nodes})"
    return f'label_join({expr}, "row", "/", "cluster", "node")'


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


def contended(role: str) -> str:
    """Contended time of the last day of the workloads that were longest in a role."""
    return with_key(
        f'topk({_MOST}, gpuatlas_sizing_contended_seconds{{{NAMESPACE}, role="{role}"}})'
    )


# Every container of a workload is promised the same; the highest of several is the lowest number.
PRIORITY_NOW: Final = with_key(f"""(
  min by ({workload.WORKLOAD}) (
    gpuatlas_allocation_priority{{{NAMESPACE}}}
    * on (cluster, namespace, pod) group_left (workload_kind, workload)
    pod:gpuatlas_pod_workload_info:group{{{NAMESPACE}}}
  )
  and on ({workload.WORKLOAD}) gpuatlas_sizing_priority_proposed{{{NAMESPACE}}}
)""")
PRIORITY_PROPOSED: Final = with_key(f"gpuatlas_sizing_priority_proposed{{{NAMESPACE}}}")
