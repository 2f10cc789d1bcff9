"""PromQL of the board Overview that is not one number: tables, and what is there to read."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.promql import or_nan, or_none
from gpuatlas_dashboards.scopes import CLUSTER
from gpuatlas_dashboards.tokens import Severity
from gpuatlas_dashboards.workload_variables import with_key

# --- What is known ----------------------------------------------------------------------------

# 1 where there is one. A sharing layer is what our exporter calls so, or HAMi's own metrics.
SOURCES: Final = {
    "dcgm": f"max(cluster:dcgm_exporter:group{{{CLUSTER}}})",
    "exporter": f"max(gpuatlas_build_info{{{CLUSTER}}})",
    "sharing": f"""max(
  max by (cluster) (gpuatlas_node_info{{{CLUSTER}, sharing!~"|plain"}})
  or on (cluster)
  group by (cluster) (card:hami_memory_schedulable_bytes:max{{{CLUSTER}}})
)""",
}

# --- Where it is lost -------------------------------------------------------------------------

_NODE: Final = "cluster, node"
# More rows than a person reads.
_MOST: Final = 300
# Those that leave most unused, then those of which that is not known.
_NODES: Final = f"""topk({_MOST},
  node:gpuatlas_memory_never_used_bytes:sum{{{CLUSTER}}}
  or on ({_NODE})
  0 * node:gpuatlas_cards:count{{{CLUSTER}}}
)"""


def _of_listed_node(metric: str) -> str:
    return f"max by ({_NODE}) ({metric}{{{CLUSTER}}} and on ({_NODE}) {_NODES})"


NODES: Final = or_none("node", _of_listed_node("node:gpuatlas_cards:count"))


def _of_node(metric: str) -> str:
    return or_nan(_of_listed_node(metric), by=_NODE, of=_NODES)


NODE_VALUES: Final = {
    "promised": _of_node("node:gpuatlas_memory_allocated:ratio"),
    "peak": _of_node("node:gpuatlas_memory_peak:ratio"),
    "busiest": _of_node("node:gpuatlas_compute_busiest_ratio:avg"),
    "never": _of_node("node:gpuatlas_memory_never_used_bytes:sum"),
}

_SPACE: Final = "cluster, namespace"
_SPACES: Final = f"topk({_MOST}, namespace:gpuatlas_memory_reserved_bytes:sum{{{CLUSTER}}})"


def _of_space(expr: str) -> str:
    return or_nan(f"max by ({_SPACE}) ({expr} and on ({_SPACE}) {_SPACES})", by=_SPACE, of=_SPACES)


NAMESPACES: Final = or_none("namespace", _of_space(f"namespace:gpuatlas_cards:count{{{CLUSTER}}}"))

NAMESPACE_VALUES: Final = {
    "reserved": _of_space(f"namespace:gpuatlas_memory_reserved_bytes:sum{{{CLUSTER}}}"),
    "unused": _of_space(
        f"min_over_time(namespace:gpuatlas_memory_wasted_bytes:sum{{{CLUSTER}}}[1d])"
    ),
}

# --- Waiting work -----------------------------------------------------------------------------

_WORKLOAD: Final = "cluster, namespace, workload_kind, workload"
_WAITS: Final = f"gpuatlas_workload_waiting_seconds{{{CLUSTER}}}"
_NAMED: Final = f"""label_join(
    max by ({_WORKLOAD}, reason) ({_WAITS}), "name", " / ", "namespace", "workload"
  )"""
_LONGEST: Final = f"topk({_MOST}, {_NAMED})"
WAITING: Final = f"sort_desc(\n  {with_key(_LONGEST)}\n)"
# Nobody waits, or nobody tells.
WAITING_COUNT: Final = (
    f"count(group by ({_WORKLOAD}) ({_WAITS})) or 0 * count(gpuatlas_workload_info{{{CLUSTER}}})"
)

# --- Checks -----------------------------------------------------------------------------------


def checks_in(state: str) -> str:
    """How many of the 29 are in a state in any cluster; 0 only where the others are known."""
    states = "check:gpuatlas_check_state:max"
    return f'count({states}{{{CLUSTER}, state="{state}"}} == 1) or 0 * count({states}{{{CLUSTER}}})'


_FIRING: Final = f'ALERTS{{{CLUSTER}, alertstate="firing", check!=""}}'
_ALERT: Final = "alertname, severity"
_RANKS: Final = {severity: rank for rank, severity in enumerate(reversed(Severity), start=1)}


def _ranked(severity: Severity) -> str:
    return (
        f"{_RANKS[severity]} * group by ({_ALERT}) "
        f'(ALERTS{{{CLUSTER}, alertstate="firing", check!="", severity="{severity}"}})'
    )


# The worst first; the value is only the rank.
FIRING: Final = or_none(
    "alertname", "sort_desc(\n  " + "\n  or ".join(_ranked(s) for s in Severity) + "\n)"
)
FIRING_COUNT: Final = f"count by ({_ALERT}) ({_FIRING})"
# When the first of them began, in milliseconds.
SINCE: Final = f"""1000 * min by ({_ALERT}) (
  ALERTS_FOR_STATE{{{CLUSTER}, check!=""}}
)
and on ({_ALERT}) {_FIRING}"""

# What the unknown checks ask for, those inputs first that most checks lack.
MISSING: Final = f"""sort_desc(
  count by (input) (
    group by (check, input) (
      check:gpuatlas_missing_input:group{{{CLUSTER}}}
      and on (cluster, check) check:gpuatlas_check_state:max{{{CLUSTER}, state="unknown"}} == 1
    )
  )
)"""
