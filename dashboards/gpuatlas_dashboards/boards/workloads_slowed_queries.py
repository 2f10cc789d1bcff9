"""PromQL of who slows whom: the counters of contention, with the grade of each suspicion."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.boards.workloads_queries import HOLDS_CARDS, LISTED, listed
from gpuatlas_dashboards.promql import or_none
from gpuatlas_dashboards.scopes import CHOSEN_WORKLOAD, CLUSTER, SHOWN_WORKLOADS, WORKLOADS
from gpuatlas_dashboards.signals.workload import WORKLOAD
from gpuatlas_dashboards.workload_variables import with_key, with_suspect_key

# Of grade 0 nobody is suspected: it was slowed, and the cause cannot be attributed.
GRADES: Final = ("0", "1", "2", "3", "4")
# Seconds slowed in each second of the last ten minutes, by suspect and grade.
_RATIO: Final = "workload:gpuatlas_slowed_ratio:rate10m"
_SUSPECT: Final = "suspect_namespace, suspect_kind, suspect, grade"
_PAIR: Final = f"{WORKLOAD}, {_SUSPECT}"

# What the rows of a table are joined by.
PAIR: Final = "pair"


def _keyed(expr: str, names: str) -> str:
    labels = ", ".join(f'"{name}"' for name in names.split(", "))
    return f'label_join({expr}, "{PAIR}", "/", {labels})'


# --- The column of the table ------------------------------------------------------------------

# The best founded first, then the longest: a ratio is at most 1.
_RANKED: Final = "\n  or ".join(
    f'{grade} + ({_RATIO}{{{SHOWN_WORKLOADS}, grade="{grade}"}} > 0)' for grade in GRADES
)
_WORST: Final = f"topk by ({WORKLOAD}) (1,\n  {_RANKED}\n)"
# Those with others on a card, of which nobody can tell whether they are slowed: who is looked at
# and not slowed has a 0.
_NOT_LOOKED_AT: Final = f"""group by ({WORKLOAD}) (
  {HOLDS_CARDS}
  and on (cluster, card) gpuatlas_card_tenants{{{CLUSTER}}} > 1
  unless on ({WORKLOAD}) {_RATIO}{{{SHOWN_WORKLOADS}}}
)"""
# The worst suspect as `name|grade`, else "unmeasured", else "nobody".
SLOWED_BY: Final = or_none(
    "workload",
    f"""group by ({WORKLOAD}, slowed) (
  {listed(f'label_join({_WORST}, "slowed", "|", "suspect", "grade")')}
  or on ({WORKLOAD})
  label_replace({listed(_NOT_LOOKED_AT)}, "slowed", "unmeasured", "", "")
  or on ({WORKLOAD})
  label_replace({LISTED}, "slowed", "nobody", "", "")
)""",
)

# --- All pairs --------------------------------------------------------------------------------

_MOST: Final = 100
# Of those that are looked at and slowed by nobody there are many.
_SUSPECTED_PAIRS: Final = f'{_RATIO}{{{WORKLOADS}, suspect!=""}}'
# Of each ten minutes of the time range one sample: a day of every pair would take seconds to read.
_SECONDS: Final = f"600 * sum by ({_PAIR}) (sum_over_time({_SUSPECTED_PAIRS}[$__range:10m]))"
_LONGEST: Final = f"topk({_MOST}, {_SECONDS} > 0)"
PAIRS: Final = _keyed(with_suspect_key(with_key(_LONGEST)), _PAIR)
PAIRS_NOW: Final = _keyed(
    f"sum by ({_PAIR}) ({_SUSPECTED_PAIRS}) and on ({_PAIR}) {_LONGEST}", _PAIR
)

# --- The chosen workload ----------------------------------------------------------------------

_SUSPECTED: Final = f"cluster, {_SUSPECT}"
# Not by the counters: several exporters count the same, and a new one starts over.
_SLOWED_FOR: Final = f"""60 * sum by ({_SUSPECTED}) (
  sum_over_time({_RATIO}{{{CHOSEN_WORKLOAD}}}[$__range:1m])
) > 0"""
SUSPECTS: Final = _keyed(with_suspect_key(_SLOWED_FOR), _SUSPECTED)
SUSPECTS_NOW: Final = _keyed(
    f"sum by ({_SUSPECTED}) ({_RATIO}{{{CHOSEN_WORKLOAD}}})\nand on ({_SUSPECTED}) ({_SLOWED_FOR})",
    _SUSPECTED,
)
_BY_SUSPECT: Final = "suspect_namespace, suspect"
_EVER: Final = f"max_over_time({_RATIO}{{{CHOSEN_WORKLOAD}}}[$__range] @ end()) > 0"
# Of those that slowed it at some time: who is looked at and never slowed has a 0.
OVER_TIME: Final = f"""sum by ({_BY_SUSPECT}) ({_RATIO}{{{CHOSEN_WORKLOAD}}})
and on ({_BY_SUSPECT}) ({_EVER})"""
