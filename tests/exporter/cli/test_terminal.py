from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from gpuatlas.cli.screens.glyphs import ASCII, UNICODE, drawn_for
from gpuatlas.cli.terminal import wants_color


@pytest.mark.parametrize(
    ("color", "is_terminal", "environment", "wanted"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {}, False),
    ],
)
def test_when_there_is_colour(
    color: str,
    is_terminal: object,
    environment: dict[str, str],
    wanted: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert wants_color(color, is_terminal=bool(is_terminal)) is wanted


@pytest.mark.parametrize(
    ("encoding", "glyphs"),
    [("utf-8", UNICODE), ("ascii", ASCII), ("latin-1", ASCII), ("nonsense", ASCII)],
)
def test_characters_fit_the_encoding(encoding: str, glyphs: object) -> None:
    assert drawn_for(encoding) is glyphs


def test_ascii_is_ascii() -> None:
    for name in ASCII.__slots__:
        "".join(map(str, getattr(ASCII, name).values() if name == "states" else ASCII.dot)).encode(
            "ascii"
        )


def test_on_a_terminal_there_is_colour_and_its_width_counts(captures: Path) -> None:
    output = on_a_terminal(captures / "hami-a10g", columns=100)

    assert "\x1b[32m● working" in output
    assert "held by" not in output  # that needs 120


def on_a_terminal(capture: Path, *, columns: int) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in {"COLUMNS", "NO_COLOR"}}
    ours, theirs = pty.openpty()
    subprocess.run(["stty", "cols", str(columns)], stdin=theirs, check=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "gpuatlas", "cards", "--from", str(capture)],
        stdout=theirs,
        stderr=theirs,
        env={**environment, "TERM": "xterm-256color"},
    )
    os.close(theirs)
    output = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        output += piece
    os.close(ours)
    assert process.wait(timeout=30) == 0
    return output.decode()
