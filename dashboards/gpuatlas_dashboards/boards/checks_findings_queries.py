"""PromQL of the findings: each firing alert of a check, whom it hits and which records it quotes.

Pods and records of a finding are other series, often several for one, which PromQL cannot bring
into one row: both sides get a key, and the panel joins them by it. `who` leads to the pods, `what`
to the records, `cause` and `action` to texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gpuatlas_dashboards.boards.checks_fillers import TOGETHER, filled
from gpuatlas_dashboards.boards.checks_queries import alerts, begun, scope
from gpuatlas_dashboards.check_catalogue import checks
from gpuatlas_dashboards.scopes import CLUSTER, HIT_NODES
from gpuatlas_dashboards.signals.check import NAMED
from gpuatlas_dashboards.signals.check_sentences import ALL_TENANTS, FOREIGN, NEW_PODS
from gpuatlas_dashboards.tokens import SEVERITY_CODES

_OF_ONE_VOICE: Final = "|".join(check.id for check in checks() if check.speaks_with_one_voice)
# The gravest severity has the grade 0, so that it is sorted first.
_GRAVEST: Final = max(SEVERITY_CODES.values())
# Of a storm the newest: a table of more helps nobody.
_MOST: Final = 500

# What tells one finding from another; other labels of the rules and of the scrape go.
_FINDING: Final = (
    "cluster, check, signal, severity, remedy, node, card, namespace, pod, container, object, xid,"
    " configuration, source"
)
_WHAT: Final = ("check", "signal", "cluster", "node", "card", "namespace", "object", "pod")
_OF_A_POD: Final = 'pod!=""'
_WITH_XID: Final = 'xid!=""'

# Names that an action may mention, in the order in which they follow its key.
PLACES: Final = ("node", "namespace", "object", "pod", "container", "configuration", "source")

# The key `who` from `what`, by check; later ones win. A finding has the pods that the annotation
# `pods` of its alert names: those of its own records, the tenants of a card or of a node.
_ANY: Final = "[^|]*"
_ON_CARD: Final = (
    rf"(?:(?:H..|S03|S05|S17)\|{_ANY}|S12\|(?:unhealthy|fewer|unknown-card)"
    r"|S14\|(?:over-schedulable|books-differ))"
)
_ON_NODE: Final = (
    rf"(?:(?:H..|S06|S10|S11)\|{_ANY}|S12\|(?:missing|dropped|heartbeat)"
    r"|S15\|(?:split-count|memory-scaling|mode))"
)
WHO: Final = (
    ("$1", rf"(.*)\|{_ANY}"),
    ("$1|$2", rf"{_ON_CARD}\|({_ANY})\|{_ANY}\|([^|]+)\|.*"),
    ("$1|$2", rf"{_ON_NODE}\|({_ANY})\|([^|]+)\|\|.*"),
    ("S13|lock|$1|$2", rf"S13\|lock\|({_ANY})\|({_ANY})\|.*"),
    ("$1|$2/$3", rf"S02\|{_ANY}\|({_ANY})\|{_ANY}\|{_ANY}\|({_ANY})\|{_ANY}\|(.+)"),
    (NEW_PODS, r"(?:S07|S08)\|.*"),
    (ALL_TENANTS, rf"S17\|{_ANY}\|{_ANY}\|{_ANY}\|\|.*"),
)
# Letters that the text of a finding needs, at most: in the table of all the places help.
_TEXT_STEPS: Final = (150, 240, 360)
_ADVICE_STEPS: Final = (200, 300, 420)


def _join(expr: str, name: str, separator: str, *labels: str) -> str:
    names = ", ".join(f'"{label}"' for label in labels)
    return f'label_join({expr}, "{name}", "{separator}", {names})'


def _replace(expr: str, name: str, by: str, of: str, pattern: str) -> str:
    escaped = pattern.replace("\\", "\\\\")
    return f'label_replace({expr}, "{name}", "{by}", "{of}", "{escaped}")'


def _begun(*matchers: str) -> str:
    """When each finding began, in seconds; of a critical one not the warning beside it."""
    critical = _each('severity="critical"', *matchers)
    rest = _each('severity!="critical"', *matchers)
    return _named(f"({rest}\nunless ignoring (severity, remedy) {critical}\nor {critical})")


def _named(expr: str) -> str:
    """Without the templates that stand where an alert names no card or node: see `check.NAMED`."""
    return _replace(_replace(expr, "card", "", "card", r"\{.*"), "node", "", "node", r"\{.*")


def _each(*matchers: str) -> str:
    return f"max by ({_FINDING}) ({begun(*matchers)})"


def _keyed(*matchers: str) -> str:
    """The findings with the keys `what` and `who`."""
    expr = _join(_begun(*matchers), "what", "|", *_WHAT)
    for by, pattern in WHO:
        expr = _replace(expr, "who", by, "what", pattern)
    return expr


def findings(*matchers: str) -> str:
    """A row for each finding: when it began, in milliseconds, what it is and its keys."""
    expr = f"({_keyed(*matchers)}\n* on (cluster, card) group_left (index) {_index(*matchers)})"
    expr = filled(_with_text(expr, "cause"), "cause", TOGETHER, _TEXT_STEPS)
    expr = _join(expr, "action", "|", "cause", *PLACES, "filler")
    expr = _replace(_join(expr, "name", "|", "check", "signal"), "page", "$1", "check", "(.*)")
    for severity, code in SEVERITY_CODES.items():
        expr = _replace(expr, "grade", f"{_GRAVEST - code}", "severity", severity)
    return f"topk({_MOST}, 1000 * {_with_where(expr)})"


def _with_where(expr: str) -> str:
    """As in "prod · a10g-1 / 0, Deployment/lab/tune": the object where it is not the node."""
    expr = _join(expr, "where", " / ", "node", "index")
    expr = _replace(expr, "where", "$1", "where", "(.*) / ")
    expr = _replace(expr, "mended", "$1", "object", "([^/]+/.*)")
    expr = _replace(expr, "mended", "", "object", "Node/.*")
    expr = _join(expr, "where", ", ", "where", "mended")
    expr = _replace(expr, "where", "$1", "where", "(?:, )?(.*?)(?:, )?")
    expr = _join(expr, "where", " · ", "cluster", "where")
    return _replace(expr, "where", "$1", "where", "(?: · )?(.*?)(?: · )?")


def _index(*matchers: str) -> str:
    """1 for each card with its number on its node; also for cards that only findings name."""
    return (
        f"(group by (cluster, card, index) (gpuatlas_card_info{{{HIT_NODES}}})"
        f"\nor on (cluster, card) group by (cluster, card) ({_named(alerts(*matchers))}))"
    )


def _with_text(expr: str, name: str) -> str:
    """The key of the texts of an alert, as `check_catalogue.said` has it."""
    expr = _join(expr, name, "|", "check", "signal", "xid")
    # H01 alone has texts by the number of the XID; other checks have the label for nothing.
    expr = _replace(expr, name, "H01|$1", name, r"H01\|xid\|(.*)")
    expr = _replace(expr, name, "$1", name, r"([^|]+\|[^|]+)\|.*")
    return _replace(expr, name, "$1", name, rf"({_OF_ONE_VOICE})\|.*")


def advice_keys(check: str) -> str:
    """A row for each signal that fires, 2, and for each input that is missing, 1, as `advice`."""
    firing = filled(_with_text(alerts(check), "text"), "text", TOGETHER, _ADVICE_STEPS)
    foreign = f'check:gpuatlas_missing_input:group{{{check}, input=~"{FOREIGN}"}}'
    ours = f"gpuatlas_check_missing_input_info{{{check}}}"
    lacks = filled(_replace(f"({foreign}\nor {ours})", "text", "lacks", "", ""), "", {}, (80,))
    return (
        f"2 * group by (advice) ({_join(firing, 'advice', '|', 'text', 'filler')})"
        f"\nor group by (advice) ("
        f"{_join(lacks, 'advice', '|', 'text', 'input', 'reason', 'filler')})"
    )


def pods(*matchers: str) -> str:
    """A row for each pod that a finding hits: the key `who`, and the pod as `owner`.

    Where nobody can name the pods, one row says whom the finding hits.
    """
    unnamed = (
        _owned_by(NEW_PODS, 'check=~"S07|S08"', *matchers),
        _owned_by(ALL_TENANTS, f'check="S17", card!~"{NAMED}"', *matchers),
    )
    return f"group by (who, owner) {_any_of((named_pods(*matchers), *unnamed))}"


def named_pods(*matchers: str) -> str:
    """The same without those that nobody can name."""
    tenants = f'gpuatlas_allocation_info{{{HIT_NODES}, exported_pod=""}}'
    found = f"gpuatlas_finding_info{{{scope(_OF_A_POD, *matchers)}}}"
    hit = alerts(*matchers)
    itself = _join(
        f"group by (cluster, namespace, pod) ({alerts(_OF_A_POD, *matchers)})",
        "owner", "/", "namespace", "pod",
    )  # fmt: skip
    each = (
        _of_pods(f"{tenants} and on (cluster, card) {hit}", "cluster", "card"),
        _of_pods(f"{tenants} and on (cluster, node) {hit}", "cluster", "node"),
        _of_pods(found, *_WHAT[:-1]),
        _of_pods(found, "check", "signal", "cluster", "node"),
        _join(itself, "who", "|", "cluster", "owner"),
    )
    owners = _join(_any_of(each), "owner", "/", "namespace", "pod")
    return f"{owners}\nand on (who) {_keyed(*matchers)}"


def hit_nodes() -> str:
    """The nodes that alerts name, and those of cards of which an alert names no node."""
    on_node, on_card = f'node=~"{NAMED}"', f'card=~"{NAMED}"'
    return f"""{alerts(on_node)}
or on (cluster, node)
(card:gpuatlas_card_info:group{{{CLUSTER}}} and on (cluster, card) {alerts(on_card, 'node=""')})"""


def _of_pods(expr: str, *key: str) -> str:
    kept = dict.fromkeys((*key, "namespace", "pod"))
    return _join(f"group by ({', '.join(kept)}) ({expr})", "who", "|", *key)


def _owned_by(whom: str, *matchers: str) -> str:
    found = f"group by (cluster) ({alerts(*matchers)})"
    return _replace(_replace(found, "who", whom, "", ""), "owner", whom, "", "")


def _any_of(each: Iterable[str]) -> str:
    return "(" + "\nor ".join(each) + ")"


def records(*matchers: str) -> str:
    """A row for each record that a finding quotes: the key `what`, and the record as `quote`.

    An alert that compares numbers names a pod, or a card only, in place of the object. The record
    of an XID is its number.
    """
    found = f"gpuatlas_finding_info{{{scope(*matchers)}}}"
    each = []
    for left_out in ({"pod"}, {"object"}, {"namespace", "object", "pod"}):
        kept = [label for label in ("source", "record", *_WHAT) if label not in left_out]
        each.append(_join(f"group by ({', '.join(kept)}) ({found})", "what", "|", *_WHAT))
    quotes = _join(_any_of(each), "quote", ": ", "source", "record")
    of_xid = f"group by ({', '.join(_WHAT)}, xid) ({alerts(_WITH_XID, *matchers)})"
    xid = _join(_replace(of_xid, "quote", "XID $1", "xid", "(.*)"), "what", "|", *_WHAT)
    return f"group by (what, quote) ({_any_of((quotes, xid))}\nand on (what) {_keyed(*matchers)})"


# Of the findings of a time range the longest.
_MOST_LASTING: Final = 200
_OF_RANGE: Final = ("cluster", "check", "signal", "node", "card", "namespace", "object")


def lasted() -> str:
    """For how many seconds of the time range each finding fired, by the looks that found it."""
    labels = ", ".join(_OF_RANGE)
    each = []
    for seconds in sorted({check.interval for check in checks()}):
        of_interval = "|".join(check.id for check in checks() if check.interval == seconds)
        firing = alerts(f'check=~"{of_interval}"')
        each.append(f"{seconds} * max by ({labels}) (count_over_time({firing}[$__range]))")
    expr = f"topk({_MOST_LASTING}, {_named(_any_of(each))})"
    expr = _join(_join(expr, "key", "|", *_OF_RANGE), "name", "|", "check", "signal")
    expr = _replace(expr, "page", "$1", "check", "(.*)")
    numbers = f"group by (cluster, card, index) (gpuatlas_card_info{{{CLUSTER}}})"
    numbered = f"{expr}\n* on (cluster, card) group_left (index) {numbers}"
    return f"{numbered}\nor on (key) {expr}"


def last_seen() -> str:
    """When each finding of the time range fired last, in milliseconds and by the same key.

    To five minutes: to look at each minute of a week would cost more than it tells.
    """
    firing = f"group by ({', '.join(_OF_RANGE)}) ({alerts()})"
    seen = f"max_over_time((time() * {firing})[$__range:5m])"
    return f"1000 * max by (key) ({_join(_named(seen), 'key', '|', *_OF_RANGE)})"
