"""Labels, annotations and pages come from strangers; a screen must not obey them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

ESCAPE = "\x1b]0;owned\x07\x1b[2J"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A page whose labels try to clear the screen, write right to left, and break the line."""
    page = tmp_path / "capture" / "pages" / "dcgm" / "gpu-a.prom"
    page.parent.mkdir(parents=True)
    page.write_text(
        f'DCGM_FI_DEV_FB_USED{{gpu="0",UUID="GPU-1",modelName="T4{ESCAPE}\u202egnp",'
        f'Hostname="gpu-a",DCGM_FI_DRIVER_VERSION="1\\n2\u202e{ESCAPE}"}} 7\n',
        "utf-8",
    )
    return tmp_path / "capture"


@pytest.mark.parametrize("columns", [80, 200])
def test_the_screen_obeys_nobody(columns: int, run: Run, hostile: Path) -> None:
    result = run("cards", "--from", hostile, "--color", "never", columns=columns)

    assert result.exit_code == 0
    bad = {c for c in result.output if not c.isprintable() and c != "\n"}
    assert bad == set()


def test_a_failure_obeys_nobody(run: Run, tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects/x.yaml").write_text('kind: "a\\e[2Jb"\nitems: 1\n"\\e[2J": 1\n"\\e[2J": 2')

    result = run("cards", "--from", tmp_path)
    assert result.exit_code == 1
    assert "\x1b" not in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_kind_of_any_name_obeys_nobody(run: Run, tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects/x.yaml").write_text('kind: "a\\e[2Jb"\nmetadata: {}\n')

    result = run("cards", "--from", tmp_path)
    assert result.stderr.startswith("warning: 1 of kind a")
    assert "\x1b" not in result.stderr


def test_a_name_that_the_encoding_lacks_is_no_failure(hostile: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "gpuatlas", "cards", "--from", str(hostile)],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )

    assert result.returncode == 0
    result.stdout.decode("ascii")
