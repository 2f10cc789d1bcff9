"""One change to our rules in a healthy Prometheus, one finding: its state, its text, what to do."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.doctor.recordings import GROUPS, STATES
from gpuatlas.doctor.results import Area, State
from gpuatlas.model.doctor import LoadedRule
from gpuatlas_harness.doctored import healthy_prometheus
from gpuatlas_harness.examined import found


def rules_without(*names: str) -> tuple[LoadedRule, ...]:
    rules = healthy_prometheus().rules
    assert rules is not None
    return tuple(r for r in rules if not {r.group, r.name, r.check} & set(names))


def of_rules(*, word: str, **changes: Any) -> list[tuple[State, str]]:
    return [(r.state, r.text) for r in found(**changes) if (r.area, r.word) == (Area.RULES, word)]


def test_a_group_that_is_not_loaded() -> None:
    rules = rules_without("worth", "daily", "check-fields-of-links")
    assert of_rules(word="recordings", rules=rules) == [
        (
            State.TODO,
            "groups of recording rules that are not loaded (3 of 36): daily, worth, "
            "check-fields-of-links",
        )
    ]


def test_groups_count_by_what_they_record_too() -> None:
    rules = rules_without(GROUPS["card"])
    renamed = LoadedRule(group="gpuatlas-recording-rules-card;card", name=GROUPS["card"])
    assert of_rules(word="recordings", rules=(*rules, renamed)) == []


def test_no_rules_at_all() -> None:
    foreign = (LoadedRule(group="node", name="node:load:sum"),)
    nothing: dict[str, Any] = {"rules": foreign, "recorded": frozenset()}
    assert of_rules(word="recordings", **nothing) == [
        (State.TODO, "no group of our recording rules is loaded: boards and sizing are empty")
    ]
    assert of_rules(word="alerts", **nothing) == [
        (
            State.TODO,
            "no alert of alerts/hardware.yaml, alerts/sharing.yaml, alerts/operations.yaml, "
            "alerts/meta.yaml is loaded",
        )
    ]
    assert of_rules(word="evaluation", **nothing) == []


def test_checks_that_are_switched_off_could_be_on() -> None:
    states = of_rules(word="alerts", rules=rules_without("H05", "H06"))
    assert (State.OPTIONAL, "alerts of these checks are not loaded: H05, H06") in states


def test_a_rule_that_fails() -> None:
    rules = rules_without(GROUPS["card"])
    broken = LoadedRule(group="card", name=GROUPS["card"], error="many-to-many matching")
    assert of_rules(word="evaluation", rules=(*rules, broken)) == [
        (
            State.TODO,
            f"rules of ours that fail (1), such as {GROUPS['card']} (group card): many-to-many "
            "matching",
        )
    ]


def test_rules_of_others_that_fail_are_not_ours() -> None:
    foreign = LoadedRule(group="node", name="node:load:sum", error="parse error")
    assert found(rules=(*rules_without(), foreign)) == []


def test_a_server_that_does_not_list_its_rules_is_judged_by_what_they_recorded() -> None:
    unread = {"rules": "HTTP 404"}
    some = frozenset({STATES, GROUPS["card"]})
    results = of_rules(word="recordings", rules=None, recorded=some, unread=unread)
    assert results[0] == (State.OK, "2 of 36 groups of recording rules have series")
    assert results[1][0] is State.UNKNOWN
    assert results[1][1].startswith("not loaded, or nothing to record so far: normalise, ")
    assert of_rules(word="alerts", rules=None, unread=unread) == [
        (State.UNKNOWN, "whether the alerts are loaded and which rules fail: HTTP 404")
    ]


@pytest.mark.parametrize("listed", [(), (LoadedRule(group="node", name="node:load:sum"),)])
def test_rules_that_another_program_evaluates_are_judged_by_what_they_recorded(
    listed: tuple[LoadedRule, ...],
) -> None:
    """VictoriaMetrics answers /api/v1/rules with an empty list: vmalert has the rules."""
    everything = frozenset(GROUPS.values())
    assert of_rules(word="recordings", rules=listed, recorded=everything) == [
        (State.OK, "36 of 36 groups of recording rules have series")
    ]
    assert of_rules(word="alerts", rules=listed, recorded=everything) == [
        (
            State.UNKNOWN,
            "whether the alerts are loaded and which rules fail: the server lists none of our "
            "rules; whatever evaluates them has to be asked",
        )
    ]


def test_without_any_recorded_series_the_rules_are_not_loaded() -> None:
    results = of_rules(word="recordings", rules=None, recorded=frozenset())
    assert results == [
        (State.TODO, "there is no series of our recording rules: they are not loaded")
    ]
    unknown = of_rules(word="recordings", rules=None, recorded=None, unread={"recorded": "502"})
    assert unknown == [(State.UNKNOWN, "502")]


def test_recordings_without_the_states_of_the_checks() -> None:
    results = of_rules(word="recordings", rules=None, recorded=frozenset({GROUPS["card"]}))
    assert results[0] == (State.TODO, f"no {STATES}: the rules of check.yaml are not loaded")


def test_the_name_of_a_strangers_group_is_no_part_of_a_command() -> None:
    rules = rules_without()
    broken = LoadedRule(group="g\nreboot", name=GROUPS["card"], error="many-to-many")
    (result,) = found(rules=(*rules, broken))
    assert result.remedy is not None
    assert result.remedy.text == "promtool check rules recording_rules/*.yaml"
