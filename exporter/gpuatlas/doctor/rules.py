"""Whether our recording rules and alerts are loaded and evaluated, and who hears the alerts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gpuatlas.doctor.recordings import GROUPS, STATES
from gpuatlas.doctor.results import Act, Area, Remedy, Result, State
from gpuatlas.model.catalogue import Catalogue, Layer
from gpuatlas.model.doctor import LoadedRule, PrometheusFacts

_LOAD: Final = Remedy(
    Act.SET,
    "rules.labels to what the Prometheus' ruleSelector wants (plain Prometheus: "
    # Not alerts/*.yaml: xid.yaml is a table, which no Prometheus starts with.
    "recording_rules/*.yaml and alerts/[hmos]*.yaml in rule_files)",
)
_CHECK: Final = Remedy(Act.RUN, "promtool check rules recording_rules/*.yaml")
_SWITCH: Final = "rules.checks.{}=true in our chart, unless they are off on purpose"
_NOTIFY: Final = Remedy(
    Act.SET, "alerting.alertmanagers of the Prometheus to an Alertmanager (alerts/alertmanager/)"
)
# What our recordings are named by: level:metric:operation over our, DCGM's or HAMi's metrics.
_OURS: Final = (":gpuatlas_", ":dcgm_", ":hami_")


def examine_rules(prometheus: PrometheusFacts, catalogue: Catalogue) -> Iterator[Result]:
    """Recordings group by group, alerts file by file, failures, and the Alertmanager."""
    if prometheus.rules is not None and not _evaluated_elsewhere(prometheus):
        yield from _recordings(prometheus.rules)
        yield from _alerts(prometheus.rules, catalogue)
        yield from _failures(prometheus.rules, catalogue)
    else:
        yield from _by_series(prometheus)
    yield _alertmanager(prometheus)


def _evaluated_elsewhere(prometheus: PrometheusFacts) -> bool:
    """Whether the server lists none of ours and yet has what they record.

    VictoriaMetrics always lists none: its vmalert evaluates them. A Thanos querier lists those of
    the rulers that it knows, and a Prometheus that gets series by remote write none of the sender.
    """
    listed = prometheus.rules or ()
    return len(_missing(listed)) == len(GROUPS) and bool(prometheus.recorded)


def _recordings(rules: Iterable[LoadedRule]) -> Iterator[Result]:
    missing = _missing(rules)
    if not missing:
        text = f"all {len(GROUPS)} groups of recording rules are loaded"
        yield _result("recordings", State.OK, text)
    elif len(missing) == len(GROUPS):
        text = "no group of our recording rules is loaded: boards and sizing are empty"
        yield _result("recordings", State.TODO, text, _LOAD)
    else:
        some = f"{len(missing)} of {len(GROUPS)}"
        text = f"groups of recording rules that are not loaded ({some}): {', '.join(missing)}"
        yield _result("recordings", State.TODO, text, _LOAD)


def _missing(rules: Iterable[LoadedRule]) -> list[str]:
    """By what is recorded: other people have groups called "node" as well.

    Two groups that record the same series are told apart by their names.
    """
    loaded = {(rule.group, rule.name) for rule in rules}
    names = {name for _, name in loaded}
    shared = Counter(GROUPS.values())
    return [
        group
        for group, series in GROUPS.items()
        if not (series in names if shared[series] == 1 else (group, series) in loaded)
    ]


def _alerts(rules: Iterable[LoadedRule], catalogue: Catalogue) -> Iterator[Result]:
    loaded = {rule.check for rule in rules if rule.check}
    whole, absent = list[str](), list[str]()
    some = list[Result]()
    for layer in Layer:
        checks = [entry.id for entry in catalogue.of_layer(layer)]
        missing = [check for check in checks if check not in loaded]
        if not missing:
            whole.append(f"{layer} ({len(checks)})")
        elif len(missing) == len(checks):
            absent.append(f"alerts/{layer}.yaml")
        else:
            text = f"alerts of these checks are not loaded: {', '.join(missing)}"
            remedy = Remedy(Act.SET, _SWITCH.format(missing[0]))
            some.append(_result("alerts", State.OPTIONAL, text, remedy))
    if absent:  # one thing to do, however many files
        text = f"no alert of {', '.join(absent)} is loaded"
        yield _result("alerts", State.TODO, text, _LOAD)
    yield from some
    if whole:
        yield _result("alerts", State.OK, f"all alerts are loaded of: {', '.join(whole)}")


def _failures(rules: Iterable[LoadedRule], catalogue: Catalogue) -> Iterator[Result]:
    """One result for each error, with the rules that have it."""
    ids = {entry.id for entry in catalogue.checks}
    own = [rule for rule in rules if rule.check in ids or any(mark in rule.name for mark in _OURS)]
    failing: dict[str, list[LoadedRule]] = {}
    for rule in own:
        if rule.error:
            failing.setdefault(rule.error, []).append(rule)
    for error, found in failing.items():
        names = ", ".join(dict.fromkeys(rule.name for rule in found[:3]))
        # The group in the text: in a command that people copy, its name would be a part of it.
        where = f"{names} (group {found[0].group})"
        text = f"rules of ours that fail ({len(found)}), such as {where}: {error}"
        yield _result("evaluation", State.TODO, text, _CHECK)
    if own and not failing:
        yield _result("evaluation", State.OK, f"none of our {len(own)} rules fails")


def _by_series(prometheus: PrometheusFacts) -> Iterator[Result]:
    """Where a server does not list its rules, what they recorded tells."""
    silent = "the server does not list its rules"
    if prometheus.rules is not None:
        silent = "the server lists none of our rules; whatever evaluates them has to be asked"
    why = prometheus.unread.get("rules", silent)
    recorded = prometheus.recorded
    if recorded is None:
        yield _result("recordings", State.UNKNOWN, prometheus.unread.get("recorded", why))
    elif not recorded:
        text = "there is no series of our recording rules: they are not loaded"
        yield _result("recordings", State.TODO, text, _LOAD)
    else:
        yield from _seen(recorded, GROUPS)
    text = f"whether the alerts are loaded and which rules fail: {why}"
    yield _result("alerts", State.UNKNOWN, text)


def _seen(recorded: frozenset[str], groups: Mapping[str, str]) -> Iterator[Result]:
    seen = [group for group, series in groups.items() if series in recorded]
    unseen = [group for group, series in groups.items() if series not in recorded]
    if STATES not in recorded:
        text = f"no {STATES}: the rules of check.yaml are not loaded"
        yield _result("recordings", State.TODO, text, _LOAD)
    text = f"{len(seen)} of {len(groups)} groups of recording rules have series"
    yield _result("recordings", State.OK, text)
    if unseen:
        text = f"not loaded, or nothing to record so far: {', '.join(unseen)}"
        yield _result("recordings", State.UNKNOWN, text)


def _alertmanager(prometheus: PrometheusFacts) -> Result:
    number = prometheus.alertmanagers
    if number is None:
        why = prometheus.unread.get("alertmanagers", "the server does not say")
        text = f"whether alerts reach an Alertmanager: {why}"
        return _result("alertmanager", State.UNKNOWN, text)
    if not number:
        text = "the Prometheus knows no Alertmanager: alerts are on the boards and reach nobody"
        return _result("alertmanager", State.OPTIONAL, text, _NOTIFY)
    text = f"alerts go to {number} Alertmanager{'' if number == 1 else 's'}"
    return _result("alertmanager", State.OK, text)


def _result(word: str, state: State, text: str, remedy: Remedy | None = None) -> Result:
    return Result(area=Area.RULES, word=word, state=state, text=text, remedy=remedy)
