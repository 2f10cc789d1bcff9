"""The promtool cases of the alerts: `tests/rules/alerts/<check>.yaml`, run and counted."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import yaml

from gpuatlas_harness.alert_rules import ALERTS, ROOT
from gpuatlas_harness.binaries import built_binary, required, system_binary
from gpuatlas_harness.promql import Rule

CASES: Final = ROOT / "tests" / "rules" / "alerts"
# The oldest and the newest Prometheus that the rules are for.
PROMTOOLS: Final[Mapping[int, Callable[[], Path]]] = {
    2: lambda: system_binary("promtool", package="prometheus"),
    3: lambda: built_binary("promtool3"),
}
# How many of each kind a check needs at least.
_SHARE: Final = {"fires": 2, "silent": 2, "missing": 1}


class _CaseLoader(yaml.SafeLoader):
    """YAML without its hexadecimal numbers: ``values: 0x60`` is sixty-one times 0 to promtool."""


_CaseLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":int")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_CaseLoader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"), list("-+0123456789")
)


def read_cases(file: Path) -> Any:
    """A file of cases, to be changed and written again."""
    return yaml.load(file.read_text("utf-8"), _CaseLoader)  # noqa: S506 - a kind of SafeLoader


def case_file(check: str) -> Path:
    """Where the cases of a check are."""
    return CASES / f"{check.lower()}.yaml"


def promtool_says(check: str, major: int) -> str:
    """What the promtool of a major version says against a check's cases; empty if it agrees.

    It is given the check's own groups of rules alone: the others are most of the time that it
    takes, and the cases say nothing of them. The test is skipped, or fails in CI, where there is
    no promtool.
    """
    with TemporaryDirectory() as folder:
        return _says(_alone(check, Path(folder)), major)


def _alone(check: str, folder: Path) -> Path:
    """The cases of a check on its own groups, in a folder; the file itself where it has none."""
    for layer in ("hardware", "sharing"):
        file = ALERTS / f"{layer}.yaml"
        own = [group for group in _groups(file) if group["name"] == f"{layer}-{check.lower()}"]
        if own:
            copy = _written(folder / file.name, {"groups": own})
            text = case_file(check).read_text("utf-8")
            cases = folder / "cases.yaml"
            cases.write_text(text.replace(f"../../../alerts/{file.name}", str(copy)), "utf-8")
            return cases
    return case_file(check)


@cache
def _groups(file: Path) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = yaml.safe_load(file.read_text("utf-8"))["groups"]
    return groups


def promtool_says_without_descriptions(check: str, major: int, folder: Path) -> str:
    """The same for copies, in a folder, of rules and cases that lack the annotation description."""
    content = read_cases(case_file(check))
    for case in content["tests"]:
        for step in case["alert_rule_test"]:
            for alert in step.get("exp_alerts", ()):
                alert["exp_annotations"].pop("description")
    content["rule_files"] = [
        str(_without_descriptions(CASES / file, folder)) for file in content["rule_files"]
    ]
    return _says(_written(folder / "cases.yaml", content), major)


def _without_descriptions(file: Path, folder: Path) -> Path:
    content = yaml.safe_load(file.read_text("utf-8"))
    for group in content["groups"]:
        for rule in group["rules"]:
            rule.get("annotations", {}).pop("description", None)
    return _written(folder / file.name, content)


def _written(file: Path, content: object) -> Path:
    file.write_text(yaml.safe_dump(content, width=10_000), encoding="utf-8")
    return file


def _says(file: Path, major: int) -> str:
    answer = subprocess.run(
        [str(required(PROMTOOLS[major])), "test", "rules", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if answer.returncode == 0 else answer.stdout + answer.stderr


def case_faults(check: str, rules: Iterable[Rule]) -> list[str]:
    """What the cases of a check lack, and names that say something else than the case."""
    cases = cases_of(check)
    return [*_share_faults(cases), *_name_faults(cases), *_coverage_faults(cases, rules)]


def cases_of(check: str) -> list[dict[str, Any]]:
    """The cases of a check as the file has them."""
    tests: list[dict[str, Any]] = yaml.safe_load(case_file(check).read_text("utf-8"))["tests"]
    return tests


def _share_faults(cases: list[dict[str, Any]]) -> Iterator[str]:
    kinds = Counter(case["name"].partition(":")[0] for case in cases)
    for kind, least in _SHARE.items():
        if kinds[kind] < least:
            yield f"{kinds[kind]} cases {kind!r}, at least {least} are needed"
    for kind in set(kinds) - set(_SHARE):
        yield f"the kind {kind!r} is not known"


def _name_faults(cases: list[dict[str, Any]]) -> Iterator[str]:
    for case in cases:
        fires = any(step.get("exp_alerts") for step in case["alert_rule_test"])
        if fires != case["name"].startswith("fires: "):
            yield f"{case['name']!r} is not what it expects"


def _coverage_faults(cases: list[dict[str, Any]], rules: Iterable[Rule]) -> Iterator[str]:
    fired = {
        (alert["exp_labels"].get("signal"), alert["exp_labels"]["severity"])
        for case in cases
        for step in case["alert_rule_test"]
        for alert in step.get("exp_alerts", ())
    }
    written = {(rule.labels.get("signal"), rule.labels["severity"]) for rule in rules}
    for pair in sorted(written - fired, key=str):
        yield f"{pair} fires in no case"
    for pair in sorted(fired - written, key=str):
        yield f"{pair} is no rule's"
