"""The screens, character by character.

After a change that is meant: COLUMNS=80 gpuatlas cards --from CAPTURE > golden/cards-CAPTURE-80.txt
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("capture", ["hami-a10g", "plain-a100", "lone-page", "lone-node"])
@pytest.mark.parametrize("command", ["cards", "workloads"])
def test_a_capture_gives_exactly_this_screen(
    command: str, capture: str, columns: int, run: Run, captures: Path
) -> None:
    result = run(command, "--from", captures / capture, columns=columns)

    golden = (GOLDEN / f"{command}-{capture}-{columns}.txt").read_text("utf-8")
    assert result.stdout == golden
    assert result.exit_code == 0


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.txt")), ids=lambda path: path.stem)
def test_no_line_is_wider_than_its_terminal(path: Path) -> None:
    columns = int(path.stem.rsplit("-", 1)[1])

    assert max(map(len, path.read_text("utf-8").splitlines())) <= columns


def test_the_limit_stands_below_itself_in_every_row(run: Run, captures: Path) -> None:
    lines = run("cards", "--from", captures / "hami-a10g").stdout.splitlines()

    bars = [line for line in lines if line.startswith(("0 ", "1 "))]
    assert len({line.index("│") for line in bars}) == 1


def test_a_pipe_gets_no_escape_codes(run: Run, captures: Path) -> None:
    assert "\x1b" not in run("cards", "--from", captures / "hami-a10g").output


def test_colour_is_only_ever_added(run: Run, captures: Path) -> None:
    plain = run("cards", "--from", captures / "hami-a10g").stdout
    coloured = run("cards", "--from", captures / "hami-a10g", "--color", "always").stdout

    assert "\x1b[1;33m│" in coloured  # the limit that is passed
    assert "\x1b[32m● working" in coloured
    assert _without_escapes(coloured) == plain


def _without_escapes(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_terminal_without_unicode_gets_ascii(captures: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "gpuatlas", "cards", "--from", captures / "hami-a10g"],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "80"},
        capture_output=True,
        check=True,
    )

    assert b"0  * working  ############===|====" in result.stdout
    result.stdout.decode("ascii")
