"""The variables of the board Workloads: its filters, and the one workload that is looked at.

A workload has its name only within cluster, namespace and kind, so the variable holds all four as
`cluster/namespace/kind/name`; links to the board set it so. Hidden variables take it apart, for
matchers of PromQL read one label each. Runs with generated names can be looked at together, under
the name with a `*` that the analysis gives them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpuatlas_dashboards.links import column
from gpuatlas_dashboards.scopes import (
    CHOSEN_NAMESPACE,
    CHOSEN_WORKLOAD,
    NAMESPACE,
    WORKLOADS,
)
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import WorkloadState
from gpuatlas_dashboards.variables import Variable, choice, from_query, hidden_list, labels_of

_PARTS: Final = ("cluster", "namespace", "workload_kind", "workload")
# The label that a table with links to a workload has; `with_key` makes it.
KEY: Final = "workload_key"
# Names that stand for several runs, as the analysis calls them; no name in Kubernetes has a `*`.
_RUNS: Final = f'gpuatlas_sizing_verdict_info{{{WORKLOADS}, workload=~".+-[*]"}}'
# The chosen workload, and where it stands for several runs, those of the time range.
_CHOSEN: Final = f"""group by (workload) (
  label_replace(vector(1), "workload", "$chosen_name", "", "")
  or on (workload)
  (
    label_replace(
      last_over_time(
        workload:gpuatlas_workload_run_group:group{{
          {CHOSEN_NAMESPACE}, workload_kind="$chosen_kind"
        }}[$__range]
      ),
      "runs", "$1-*", "group", "(.+)"
    )
    and on (runs) label_replace(vector(1), "runs", "$chosen_name", "", "")
  )
)"""
_SUSPECT_PARTS: Final = ("cluster", "suspect_namespace", "suspect_kind", "suspect")
SUSPECT_KEY: Final = "suspect_key"


def with_key(expr: str) -> str:
    """The expression with the label that a link to the board needs."""
    return _joined(expr, KEY, _PARTS)


def with_suspect_key(expr: str) -> str:
    """The same for a link to the suspect of a pair; without a suspect it leads where one is."""
    key = _joined(expr, SUSPECT_KEY, _SUSPECT_PARTS)
    return f'label_replace({key}, "{SUSPECT_KEY}", "$workload", "{SUSPECT_KEY}", "[^/]*///")'


def _joined(expr: str, name: str, labels: Sequence[str]) -> str:
    quoted = ", ".join(f'"{label}"' for label in labels)
    return f'label_join({expr}, "{name}", "/", {quoted})'


def key_column(name: str = KEY) -> str:
    """The workload of the row that a link stands in."""
    return column(name)


def workload_kind(language: Language) -> Variable:
    query = f"label_values(gpuatlas_workload_info{{{NAMESPACE}}}, workload_kind)"
    return from_query(language, "workload_kind", query)


def workload_state(language: Language) -> Variable:
    """States of workloads, to be chosen by their words."""
    words = language.shared.workload_states
    return choice(language, "workload_state", {s.value: words[s] for s in WorkloadState})


def chosen_workload(language: Language) -> list[Variable]:
    """The workload, shown as namespace and name, its four parts, and the names to look for."""
    # All that the filters leave: one that is looked at and is no choice would be another soon.
    known = f"gpuatlas_workload_info{{{WORKLOADS}}} or {_RUNS}"
    named = f'label_join({known}, "name", " / ", "namespace", "workload")'
    query = f"query_result(group by ({KEY}, name) ({with_key(named)}))"
    regex = f'/name="(?<text>[^"]+)".*{KEY}="(?<value>[^"]+)"/'
    return [
        from_query(language, "workload", query, many=False, regex=regex),
        # A Prometheus of one cluster often has no such label: then any will do.
        _part(language, "chosen_cluster", "([^/]+)/.*", without="/.*"),
        _part(language, "chosen_namespace", "[^/]*/([^/]*)/.*"),
        _part(language, "chosen_kind", "[^/]*/[^/]*/([^/]*)/.*"),
        _part(language, "chosen_name", "[^/]*/[^/]*/[^/]*/(.*)"),
        hidden_list(language, "chosen_workloads", _CHOSEN, '/workload="([^"*]+)"/'),
    ]


def _part(language: Language, name: str, pattern: str, *, without: str = "") -> Variable:
    """What the pattern finds in the key; `.*` where the key is like `without`."""
    key = 'label_replace(vector(1), "key", "$workload", "", "")'
    part = f'label_replace({key}, "part", "$1", "key", "{pattern}")'
    if without:
        part = f'label_replace({part}, "part", ".*", "key", "{without}")'
    query = f"query_result({part})"
    return from_query(language, name, query, many=False, regex='/part="([^"]+)"/', hidden=True)


def its_cards(language: Language) -> Variable:
    """Always all that it held in the time range, each by its UUID."""
    held = f"last_over_time(workload:gpuatlas_card_info:group{{{CHOSEN_WORKLOAD}}}[$__range])"
    return labels_of(language, "chosen_cards", "card", held)
