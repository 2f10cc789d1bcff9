"""What the dashboards may know: nothing of the exporter's code, of grafanalib only at one door."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from gpuatlas_harness.alert_rules import ROOT

PACKAGE: Final = ROOT / "dashboards" / "gpuatlas_dashboards"
FILES: Final = sorted(PACKAGE.rglob("*.py"))
DOOR: Final = PACKAGE / "panels" / "grafana.py"
LONGEST: Final = 300


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports by dots"
            yield node.module or ""


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_a_file_imports_what_it_may(file: Path) -> None:
    packages = {name.partition(".")[0] for name in imported(file)}

    assert "gpuatlas" not in packages
    assert "grafanalib" not in packages or file == DOOR


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_a_file_of_code_is_read_at_one_sitting(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").count("\n")

    assert lines <= LONGEST or "texts" in file.parts


def test_a_board_is_a_table_of_contents() -> None:
    for file in (PACKAGE / "boards").glob("*.py"):
        if "_" not in file.stem:
            assert file.read_text(encoding="utf-8").count("\n") <= 150, file.name
