"""The variables above a board. All of them are refreshed when the time range changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpuatlas_dashboards.scopes import CLUSTER, NAMESPACE, NOBODY, NODE
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import DOCUMENTS, State

DATASOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}

_ON_TIME_RANGE: Final = 2
_SORT_NONE: Final = 0
_SORT_NATURAL: Final = 7
_ALL: Final = {"text": "All", "value": "$__all"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A variable as Grafana's JSON has it; grafanalib's own emits forms of Grafana 5."""

    body: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.body["name"])

    def to_json_data(self) -> dict[str, Any]:
        return self.body


def datasource(language: Language) -> Variable:
    return Variable(
        body={
            "name": "datasource",
            "label": language.shared.variables["datasource"],
            "type": "datasource",
            "query": "prometheus",
            "regex": "",
            "refresh": 1,
            "hide": 0,
            "current": {},
            "options": [],
            "multi": False,
            "includeAll": False,
        }
    )


def from_query(
    language: Language,
    name: str,
    query: str,
    *,
    many: bool = True,
    regex: str = "",
    hidden: bool = False,
    ordered: bool = True,
) -> Variable:
    """A variable whose values Prometheus tells; with `many` one, several or all can be chosen."""
    return Variable(
        body={
            "name": name,
            "label": language.shared.variables[name],
            "type": "query",
            "datasource": DATASOURCE,
            "definition": query,
            "query": {"query": query, "refId": f"variable-{name}", "qryType": _query_type(query)},
            "regex": regex,
            "refresh": _ON_TIME_RANGE,
            "sort": _SORT_NATURAL if ordered else _SORT_NONE,
            "hide": 2 if hidden else 0,
            "multi": many,
            "includeAll": many,
            **({"allValue": ".*", "current": _ALL} if many else {"current": {}}),
            "options": [],
        }
    )


def labels_of(language: Language, name: str, label: str, expr: str) -> Variable:
    """The values of a label in the answer to an expression, and `NOBODY`, as a hidden list."""
    nobody = f'label_replace(vector(1), "{label}", "{NOBODY}", "", "")'
    found = f"group by ({label}) ({expr}) or on ({label}) {nobody}"
    return hidden_list(language, name, found, f'/{label}="([^"]+)"/')


def hidden_list(language: Language, name: str, expr: str, regex: str) -> Variable:
    """What a regular expression finds in an answer, always all of it: "All" is the list then."""
    # In one line: Grafana looks for the end of query_result( in the same line.
    query = f"query_result({' '.join(expr.split())})"
    body = from_query(language, name, query, regex=regex, hidden=True).body
    return Variable(body={key: value for key, value in body.items() if key != "allValue"})


def _query_type(query: str) -> int:
    """How Grafana's query editor of variables numbers its forms."""
    return 1 if query.startswith("label_values") else 3


def cluster(language: Language) -> Variable:
    return from_query(language, "cluster", "label_values(card:gpuatlas_card_info:group, cluster)")


def node(language: Language) -> Variable:
    query = f"label_values(card:gpuatlas_card_info:group{{{CLUSTER}}}, node)"
    return from_query(language, "node", query)


def namespace(language: Language) -> Variable:
    query = f"label_values(gpuatlas_workload_info{{{CLUSTER}}}, namespace)"
    return from_query(language, "namespace", query)


def workload(language: Language, *, many: bool = True) -> Variable:
    query = f"label_values(gpuatlas_workload_info{{{NAMESPACE}}}, workload)"
    return from_query(language, "workload", query, many=many)


def state(language: Language) -> Variable:
    """States of cards, to be chosen by their words."""
    words = language.shared.states
    return choice(language, "state", {state.value: words[state] for state in State})


def choice(language: Language, name: str, words: Mapping[str, str]) -> Variable:
    """A fixed set of values, to be chosen by their words: several or all."""
    options = [{"text": text, "value": value, "selected": False} for value, text in words.items()]
    return Variable(
        body={
            "name": name,
            "label": language.shared.variables[name],
            "type": "custom",
            "query": ", ".join(f"{text} : {value}" for value, text in words.items()),
            "hide": 0,
            "multi": True,
            "includeAll": True,
            "allValue": ".*",
            "current": _ALL,
            "options": [{**_ALL, "selected": True}, *options],
        }
    )


def shown_nodes(language: Language, expr: str) -> Variable:
    """The nodes that the map and the list of cards show."""
    return labels_of(language, "shown_nodes", "node", expr)


def card_pods(language: Language, scope: str) -> Variable:
    """The pods on one card or on several."""
    return labels_of(language, "card_pods", "pod", f"gpuatlas_allocation_info{{{scope}}}")


def card(language: Language) -> Variable:
    """The one card that is looked at: its UUID, shown as node and index.

    Every card of the chosen nodes is a choice: one that is looked at and is none would be another
    at the next refresh.
    """
    ours = f"gpuatlas_card_info{{{NODE}}}"
    others = f"card:gpuatlas_card_info:group{{{NODE}}} unless on (cluster, card) {ours}"
    # In clusters without our exporter.
    dcgm = f"DCGM_FI_DEV_GPU_TEMP{{{CLUSTER}}} unless on (cluster) gpuatlas_card_info{{{CLUSTER}}}"
    dcgm = f'label_join({dcgm}, "card", "", "UUID", "uuid")'
    index = f'topk by (cluster, card) (1, label_replace({dcgm}, "index", "$1", "gpu", "(.*)"))'
    numbered = f"({others}) * on (cluster, card) group_left (index) {index}"
    name = '"name", " / ", "node", "index"'
    known = f"{ours} or on (cluster, card) {numbered} or on (cluster, card) ({others})"
    # In one line: Grafana looks for the end of query_result( in the same line.
    query = f"query_result(group by (card, name) (label_join({known}, {name})))"
    regex = '/card="(?<value>[^"]+)".*name="(?<text>[^"]+)"/'
    return from_query(language, "card", query, many=False, regex=regex)


def check(language: Language, query: str) -> Variable:
    """The one check that is looked at; the first answer of `query` where nobody chose."""
    # Grafana takes only one line for a query.
    answers = f"query_result({' '.join(query.split())})"
    regex = '/check="([^"]+)"/'
    return from_query(language, "check", answers, many=False, regex=regex, ordered=False)


def runbooks(language: Language) -> Variable:
    """The address below which `docs/` is served; hidden, `var-runbooks=` in the address sets it."""
    return Variable(
        body={
            "name": "runbooks",
            "label": language.shared.variables["runbooks"],
            "type": "textbox",
            "query": DOCUMENTS,
            "current": {"text": DOCUMENTS, "value": DOCUMENTS},
            "options": [{"text": DOCUMENTS, "value": DOCUMENTS, "selected": True}],
            "hide": 2,
        }
    )
