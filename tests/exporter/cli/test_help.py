from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest

from gpuatlas import __version__
from gpuatlas.cli.main import COMMANDS, main

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"gpuatlas {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_their_own_help_says(name: str) -> None:
    command = main.get_command(click.Context(main), name)

    assert command is not None
    short = (command.help or "").split("\n\n")[0].replace("\n", " ").strip()
    assert short == COMMANDS[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_examples(name: str, run: Run) -> None:
    result = run(name, "--help")

    assert result.exit_code == 0
    assert "Examples:" in result.stdout
    assert f"gpuatlas {name}" in result.stdout


def test_help_lists_every_command(run: Run) -> None:
    result = run("--help")

    assert [n for n in COMMANDS if f"\n  {n} " not in result.stdout] == []
    assert "Exit codes: 0 done, 1 failed, 2 wrong usage" in " ".join(result.stdout.split())


def test_help_imports_no_command() -> None:
    """A shell's completion and a person's first look wait for nothing."""
    code = (
        "import sys\n"
        "from gpuatlas.cli.main import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "heavy = {'rich', 'kubernetes', 'requests', 'yaml', 'orjson'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
