from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gpuatlas_dashboards.render import differing, rendered, write
from gpuatlas_harness.alert_rules import ROOT
from gpuatlas_harness.boards import GENERATED


def test_committed_files_are_those_that_the_code_makes() -> None:
    assert differing(GENERATED) == [], "run `make docs`"


def test_two_runs_give_the_same_bytes() -> None:
    assert list(rendered()) == list(rendered())


def test_every_file_ends_with_one_newline() -> None:
    for path, content in rendered():
        assert content.endswith("}\n"), path
        assert not content.endswith("\n\n"), path


def test_writing_removes_the_board_that_is_no_more(tmp_path: Path) -> None:
    (tmp_path / "ja").mkdir()
    stale = tmp_path / "ja" / "gone.json"
    stale.write_text("{}", encoding="utf-8")

    assert stale in differing(tmp_path)
    write(tmp_path)

    assert not stale.exists()
    assert differing(tmp_path) == []


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    write(tmp_path)
    changed = next(iter(sorted(tmp_path.glob("*.json"))))
    changed.write_text(changed.read_text(encoding="utf-8").replace("gpuatlas", "other"), "utf-8")

    assert differing(tmp_path) == [changed]


@pytest.mark.parametrize(("written", "code"), [(("cards.json",), 1), ((), 0)])
def test_check_exits_with_one_where_files_differ(
    tmp_path: Path, written: tuple[str, ...], code: int
) -> None:
    write(tmp_path)
    for name in written:
        (tmp_path / name).unlink()
    command = [sys.executable, "-m", "gpuatlas_dashboards", str(tmp_path), "--check"]

    answer = subprocess.run(
        command,
        env={"PYTHONPATH": str(ROOT / "dashboards")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert answer.returncode == code
    assert [name for name in written if name in answer.stderr] == list(written)
    assert answer.stdout == ""
