"""With a second pod of each exporter (`replicas: 2`) every alert says what it says with one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gpuatlas_harness.alert_cases import CASES, case_file, read_cases
from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.prometheus import promtool

# What dcgm-exporter publishes has no replicas; what rules record is one series for all of them.
OURS: Final = re.compile(r"gpuatlas_\w+\{")
# The alert is about one pod of the exporter, so that two are told of.
OF_ONE_POD: Final = {"GpuAtlasRefreshStuck"}
FILES: Final = tuple(
    sorted(
        file.stem for file in CASES.glob("*.yaml") if OURS.search(file.read_text(encoding="utf-8"))
    )
)


def twice(series: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The series, and each of the exporter's once more, as a second pod publishes it."""
    second = [
        {**one, "series": of_second_pod(one["series"])}
        for one in series
        if OURS.match(one["series"])
    ]
    return [*series, *second]


def of_second_pod(series: str) -> str:
    """The same under another instance; each pod has a second of its own."""
    instance = re.search(r'\binstance="([^"]*)"', series)
    if instance is None:
        return series.replace("{", '{instance="second",', 1)
    return series.replace(instance[0], f'instance="second of {instance[1]}"')


@pytest.mark.parametrize("check", FILES)
def test_a_second_pod_changes_nothing(check: str, tmp_path: Path) -> None:
    required(lambda: system_binary("promtool", package="prometheus"))
    content = read_cases(case_file(check))
    content["rule_files"] = [str((CASES / file).resolve()) for file in content["rule_files"]]
    for case in content["tests"]:
        case["input_series"] = twice(case["input_series"])
        case["alert_rule_test"] = [
            step for step in case["alert_rule_test"] if step["alertname"] not in OF_ONE_POD
        ]
    file = tmp_path / "cases.yaml"
    file.write_text(yaml.safe_dump(content, width=10_000), encoding="utf-8")

    answer = promtool(["test", "rules", str(file)])

    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_every_sharing_check_is_among_them() -> None:
    assert {f"s{number:02}" for number in range(1, 18)} | {"meta", "operations"} <= set(FILES)


def test_a_second_pod_has_an_instance_of_its_own() -> None:
    assert twice([{"series": 'up{instance="a"}'}]) == [{"series": 'up{instance="a"}'}]
    assert of_second_pod('gpuatlas_x{a="1",instance="i"}') == (
        'gpuatlas_x{a="1",instance="second of i"}'
    )
    assert of_second_pod('gpuatlas_x{a="1"}') == 'gpuatlas_x{instance="second",a="1"}'
