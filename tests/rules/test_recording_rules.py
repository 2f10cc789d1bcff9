"""What the recording rules give for series written by hand, by promtool; one test a behaviour."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.prometheus import promtool
from gpuatlas_harness.promql import read_groups

ROOT = Path(__file__).resolve().parents[2]
RULE_FILES = sorted((ROOT / "recording_rules").glob("*.yaml"))
CASE_FILES = sorted((Path(__file__).parent / "recording").glob("*.yaml"))


def _cases() -> list[Any]:
    return [
        pytest.param(file, test, id=f"{file.stem}: {test['name']}")
        for file in CASE_FILES
        for test in yaml.safe_load(file.read_text(encoding="utf-8"))["tests"]
    ]


@pytest.fixture(autouse=True)
def _promtool() -> None:
    required(lambda: system_binary("promtool", package="prometheus"))


@pytest.mark.parametrize(("file", "test"), _cases())
def test_series_give(file: Path, test: dict[str, Any], tmp_path: Path) -> None:
    """promtool 2.42 cannot choose a test of a file, so each goes into a file of its own."""
    case = yaml.safe_load(file.read_text(encoding="utf-8"))
    case["rule_files"] = [str((file.parent / path).resolve()) for path in case["rule_files"]]
    case["tests"] = [test]
    alone = tmp_path / file.name
    alone.write_text(yaml.safe_dump(case), encoding="utf-8")

    answer = promtool(["test", "rules", alone])

    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_promtool_finds_no_fault() -> None:
    answer = promtool(["check", "rules", "--lint=all", "--lint-fatal", *RULE_FILES])

    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_every_recorded_series_is_tested() -> None:
    asked = "\n".join(file.read_text(encoding="utf-8") for file in CASE_FILES)
    recorded = [
        rule.name for file in RULE_FILES for group in read_groups(file) for rule in group.rules
    ]

    assert recorded
    assert [name for name in recorded if name not in asked] == []
