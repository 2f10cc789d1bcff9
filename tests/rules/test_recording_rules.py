"""What the recording rules give for series written by hand, by promtool; one test a behaviour.

By the oldest promtool and the newest: their results are the same. None of the cases has a sample on
the left edge of a range, which Prometheus 3 leaves out.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuatlas_harness.alert_cases import PROMTOOLS, read_cases
from gpuatlas_harness.alert_rules import alert_groups
from gpuatlas_harness.binaries import required
from gpuatlas_harness.promql import read_groups

ROOT = Path(__file__).resolve().parents[2]
RULE_FILES = sorted((ROOT / "recording_rules").glob("*.yaml"))
CASE_FILES = sorted((Path(__file__).parent / "recording").glob("*.yaml"))


def _cases() -> list[Any]:
    return [
        pytest.param(file, test, id=f"{file.stem}: {test['name']}")
        for file in CASE_FILES
        for test in read_cases(file)["tests"]
    ]


def promtool(major: int, *arguments: str | Path) -> str:
    """What the promtool of a major version says against something; empty if it agrees."""
    answer = subprocess.run(
        [str(required(PROMTOOLS[major])), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if answer.returncode == 0 else answer.stdout + answer.stderr


@pytest.mark.parametrize("major", PROMTOOLS)
@pytest.mark.parametrize(("file", "test"), _cases())
def test_series_give(file: Path, test: dict[str, Any], major: int, tmp_path: Path) -> None:
    """promtool 2.42 cannot choose a test of a file, so each goes into a file of its own."""
    case = read_cases(file)
    case["rule_files"] = [str((file.parent / path).resolve()) for path in case["rule_files"]]
    case["tests"] = [test]
    alone = tmp_path / file.name
    alone.write_text(yaml.safe_dump(case), encoding="utf-8")

    assert promtool(major, "test", "rules", alone) == ""


@pytest.mark.parametrize("major", PROMTOOLS)
def test_promtool_finds_no_fault(major: int) -> None:
    files = {*RULE_FILES, *(group.file for group in alert_groups())}

    assert promtool(major, "check", "rules", "--lint=all", "--lint-fatal", *sorted(files)) == ""


def test_every_recorded_series_is_tested() -> None:
    asked = "\n".join(file.read_text(encoding="utf-8") for file in CASE_FILES)
    recorded = [
        rule.name for file in RULE_FILES for group in read_groups(file) for rule in group.rules
    ]

    assert recorded
    assert [name for name in recorded if name not in asked] == []
