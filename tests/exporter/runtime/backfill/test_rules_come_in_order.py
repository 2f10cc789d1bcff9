from __future__ import annotations

from pathlib import Path

import pytest

from gpuatlas.runtime.backfill.rule_files import (
    Rule,
    RuleFileError,
    RuleGroup,
    behind,
    in_order,
    looked_back_at,
    read_rule_files,
)
from gpuatlas_harness.past import our_rules


def group(name: str, *rules: Rule) -> RuleGroup:
    return RuleGroup(name=name, interval_seconds=60, rules=rules)


def record(name: str, expression: str) -> Rule:
    return Rule(record=name, expression=expression)


def alert(name: str, expression: str) -> Rule:
    return Rule(alert=name, expression=expression)


def names(groups: tuple[RuleGroup, ...]) -> list[str]:
    return [group.name for group in groups]


def test_what_is_read_comes_before_what_reads_it() -> None:
    groups = [
        group("c", record("c:x:sum", "sum(b:x:sum)")),
        group("b", record("b:x:sum", "sum(a:x:sum) + other:x:sum")),
        group("a", record("a:x:sum", "sum(x)")),
    ]

    assert names(in_order(groups)) == ["a", "b", "c"]


def test_alerts_come_before_what_reads_their_states() -> None:
    groups = [
        group("states", record("check:state:max", 'ALERTS{alertstate="firing"}')),
        group("hot", alert("Hot", "temperature > 90")),
        group("above", record("all:state:max", "max(check:state:max)")),
    ]

    assert names(in_order(groups)) == ["hot", "states", "above"]


def test_alerts_about_these_states_come_behind_them() -> None:
    groups = [
        group("meta", alert("Blind", "all:state:max == 1")),
        group("above", record("all:state:max", "max(check:state:max)")),
        group("states", record("check:state:max", "ALERTS")),
        group("hot", alert("Hot", "temperature > 90")),
    ]

    assert names(in_order(groups)) == ["hot", "states", "above", "meta"]


def test_a_group_may_read_what_it_writes() -> None:
    own = group("own", record("a:x:sum", "x"), record("b:x:sum", "a:x:sum"))

    assert in_order([own]) == (own,)


def test_groups_that_need_each_other_are_refused() -> None:
    groups = [
        group("a", record("a:x:sum", "b:x:sum")),
        group("b", record("b:x:sum", "a:x:sum")),
    ]

    with pytest.raises(RuleFileError, match=r"need each other: [ab] → [ab] → [ab]"):
        in_order(groups)


def test_our_own_rules_have_an_order() -> None:
    order = names(our_rules())

    assert order.index("normalise") < order.index("card") < order.index("node")
    assert order.index("card") < order.index("cluster")
    assert order.index("hardware-h01") < order.index("check-states") < order.index("meta")
    assert len(order) == len(set(order))


def test_a_file_is_read_with_all_that_counts(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(
        """
groups:
  - name: one
    interval: 4m
    rules:
      - record: a:x:sum
        expr: sum(x)
        labels: {layer: hardware}
      - alert: Hot
        expr: a:x:sum > 1
        for: 5m
        keep_firing_for: 1h
        annotations: {summary: not read}
  - name: two
    rules: []
"""
    )

    assert read_rule_files([file]) == (
        RuleGroup(
            name="one",
            interval_seconds=240,
            rules=(
                Rule(record="a:x:sum", expression="sum(x)", labels={"layer": "hardware"}),
                Rule(
                    alert="Hot",
                    expression="a:x:sum > 1",
                    for_seconds=300,
                    keep_firing_seconds=3600,
                ),
            ),
        ),
        RuleGroup(name="two", interval_seconds=60, rules=()),
    )


@pytest.mark.parametrize(
    "content",
    [
        "no: groups",
        "groups: [{rules: []}]",
        "groups: [{name: a, interval: soon, rules: []}]",
        "groups: [{name: a, rules: [{record: x}]}]",
        "{",
    ],
)
def test_what_is_no_rule_file_is_named(content: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(content)

    with pytest.raises(RuleFileError, match=r"bad\.yaml: no rule file that can be used"):
        read_rule_files([file])


def test_what_a_recording_is_made_of_is_behind_it() -> None:
    groups = [
        group("a", record("a:x:sum", "sum by (node) (x)"), alert("Hot", "a:x:sum > 1")),
        group("b", record("b:x:max1d", "max_over_time(a:x:sum[1d])"), record("c:y:sum", "sum(y)")),
    ]

    found = behind(groups, ["b:x:max1d"])

    assert {"b:x:max1d", "a:x:sum", "x"} <= found
    assert not {"c:y:sum", "y", "Hot"} & found
    assert behind(groups, ["nothing"]) == {"nothing"}


def test_rules_tell_what_they_look_back_at_by_days() -> None:
    groups = [
        group("a", record("a:x:max7d", "max(x:max1d or y:max1d offset 1d)")),
        group("b", record("b:x:rate", "rate(z[5m] offset 1h)")),
    ]

    found = looked_back_at(groups, 43_200)

    assert {"x:max1d", "y:max1d"} <= found
    assert "z" not in found


@pytest.mark.parametrize(
    ("expression", "seconds"),
    [
        ("x > 1", 0.0),
        ("rate(x[5m])", 300.0),
        ("max_over_time(x[23h]) offset 13d", 13 * 86_400.0),
        ("avg_over_time(rate(x[5m])[1d:4m])", 86_400.0),
        ("sum(x) / sum(x offset 1h30m)", 5_400.0),
        ('x{a="[1d]"}', 86_400.0),  # a label that looks like one only makes it slow
    ],
)
def test_a_rule_knows_how_far_it_looks_back(expression: str, seconds: float) -> None:
    assert record("a:x:sum", expression).looks_back_seconds == seconds
