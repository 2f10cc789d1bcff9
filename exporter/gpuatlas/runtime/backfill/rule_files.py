"""Rule files of Prometheus as data, in an order in which each rule finds what it reads.

Prometheus may evaluate groups in any order, since what one of them lacks is there a minute later.
The past is evaluated once, so what a group reads has to be written before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, Final

import yaml

from gpuatlas.runtime.backfill.durations import seconds_of

# What a rule manager writes of its alerts.
ALERTS: Final = "ALERTS"
ALERTS_FOR_STATE: Final = "ALERTS_FOR_STATE"
# libyaml's where it is built in: ten times as fast.
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEFAULT_INTERVAL: Final = "1m"
_NAME: Final = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
# A range, that of a subquery too, or an offset.
_LOOKS_BACK: Final = re.compile(r"(?:\[|\boffset\s+)((?:[0-9]+[smhdwy])+)")


class RuleFileError(Exception):
    """A rule file that cannot be used: which, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. Exactly one of `record` and `alert` is not empty. Durations are seconds."""

    record: str = ""
    alert: str = ""
    expression: str
    labels: Mapping[str, str] = field(default_factory=dict)
    for_seconds: float = 0.0
    keep_firing_seconds: float = 0.0

    @property
    def reads(self) -> frozenset[str]:
        """All words of the expression: metric names are among them."""
        return frozenset(_NAME.findall(self.expression))

    @property
    def looks_back_seconds(self) -> float:
        """The longest range or offset that the expression names, 0 without one."""
        return max((seconds_of(text) for text in _LOOKS_BACK.findall(self.expression)), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleGroup:
    """Rules that are evaluated one after the other."""

    name: str
    interval_seconds: float
    rules: tuple[Rule, ...]

    @property
    def records(self) -> frozenset[str]:
        """The metric names that it writes, those of alerts left out."""
        return frozenset(rule.record for rule in self.rules if rule.record)

    @property
    def reads(self) -> frozenset[str]:
        """All words of its expressions."""
        return frozenset(word for rule in self.rules for word in rule.reads)

    @property
    def alerts(self) -> bool:
        """Whether it has an alert."""
        return any(rule.alert for rule in self.rules)


def read_rule_files(files: Iterable[Path]) -> tuple[RuleGroup, ...]:
    """All groups, what is read before what reads it, else in the order of the files.

    Raises:
        RuleFileError: a file cannot be read, is not a rule file, or two groups need each other.
    """
    return in_order([group for file in files for group in _groups(file)])


def in_order(groups: Sequence[RuleGroup]) -> tuple[RuleGroup, ...]:
    """Groups after those whose names they read. See `read_rule_files`.

    Alerts come before what reads `ALERTS`, but for alerts that need what that records: an alert
    about the states of checks cannot count among them.
    """
    recorded = {name: index for index, group in enumerate(groups) for name in group.records}
    needs = {
        index: {recorded[word] for word in group.reads if word in recorded} - {index}
        for index, group in enumerate(groups)
    }
    readers = {index for index, group in enumerate(groups) if ALERTS in group.reads}
    behind = {index for index in needs if _reaches(index, readers, needs)}
    before = {i for i, group in enumerate(groups) if group.alerts and i not in behind}
    for reader in readers:
        needs[reader] |= before - {reader}
    try:
        return tuple(groups[index] for index in TopologicalSorter(needs).static_order())
    except CycleError as error:
        circle = " → ".join(groups[index].name for index in error.args[1])
        message = f"these rule groups need each other: {circle}"
        raise RuleFileError(message) from error


def behind(groups: Iterable[RuleGroup], names: Iterable[str]) -> frozenset[str]:
    """The recordings of these names and all that they are made of: every word of their rules.

    Names of raw metrics are among them, and words of the language.
    """
    rules: dict[str, list[Rule]] = {}
    for group in groups:
        for rule in group.rules:
            rules.setdefault(rule.record, []).append(rule)
    found: set[str] = set()
    open_ends = list(names)
    while open_ends:
        name = open_ends.pop()
        if name not in found:
            found.add(name)
            open_ends += [word for rule in rules.get(name, ()) for word in rule.reads]
    return frozenset(found)


def looked_back_at(groups: Iterable[RuleGroup], seconds: float) -> frozenset[str]:
    """The words of rules that look back so far or further."""
    return frozenset(
        word
        for group in groups
        for rule in group.rules
        if rule.looks_back_seconds >= seconds
        for word in rule.reads
    )


def _reaches(start: int, goals: set[int], needs: Mapping[int, set[int]]) -> bool:
    seen: set[int] = set()
    open_ends = [start]
    while open_ends:
        index = open_ends.pop()
        if index in goals:
            return True
        if index not in seen:
            seen.add(index)
            open_ends += needs[index]
    return False


def _groups(file: Path) -> Iterable[RuleGroup]:
    try:
        content = yaml.load(file.read_text("utf-8"), _LOADER)  # noqa: S506 - a safe one
        return [_group(raw) for raw in content["groups"]]
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        message = f"{file}: no rule file that can be used: {error!r}"
        raise RuleFileError(message) from error


def _group(raw: Mapping[str, Any]) -> RuleGroup:
    return RuleGroup(
        name=raw["name"],
        interval_seconds=seconds_of(raw.get("interval", _DEFAULT_INTERVAL)),
        rules=tuple(_rule(rule) for rule in raw["rules"]),
    )


def _rule(raw: Mapping[str, Any]) -> Rule:
    return Rule(
        record=raw.get("record", ""),
        alert=raw.get("alert", ""),
        expression=raw["expr"],
        labels=raw.get("labels", {}),
        for_seconds=_optional(raw, "for"),
        keep_firing_seconds=_optional(raw, "keep_firing_for"),
    )


def _optional(raw: Mapping[str, Any], name: str) -> float:
    return seconds_of(raw[name]) if raw.get(name) else 0.0
