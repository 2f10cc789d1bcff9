"""The least of a container's spec from which detection comes to the same answer.

For captures: command lines hold keys, tokens and addresses, so all that may leave the cluster is
words of our own table. Nothing that a tenant wrote is copied, except shares that were read as
numbers. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from gpuatlas.sources.runtimes.commands import read_command
from gpuatlas.sources.runtimes.detect import by_variable, matches
from gpuatlas.sources.runtimes.memory import NO, VARIABLES, YES, read_share, stated_options
from gpuatlas.sources.runtimes.table import ROWS
from gpuatlas.sources.runtimes.words import command_text, joined, split_words

_ENV: Final = {(row.name, f"variable {p}"): p for row in ROWS for p in row.env}


def reduced_command(command: object, args: object) -> list[str]:
    """The words of a container's command and arguments that detection needs, as one command."""
    words = split_words(command_text(command, args))
    marks = read_command(words)
    options = [
        f"{name}={value if read_share(value) is not None else ''}"
        for name, value in stated_options(words)
    ][-1:]
    programs = (mark.words for mark in (marks.engine, marks.launcher, marks.option) if mark)
    return joined([*programs, options])


def reduced_env(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that detection needs: values only where they are a switch or a share."""
    names = {*_foremost(env, launcher=False), *_foremost(env, launcher=True)}
    kept = dict.fromkeys(sorted(names), "")
    for name in sorted(VARIABLES & env.keys()):
        kept[name] = _value(env[name])
    return kept


def _foremost(names: Iterable[str], *, launcher: bool) -> list[str]:
    found = by_variable(names, launcher=launcher)
    if found is None:
        return []
    return [min(name for name in names if matches(_ENV[found], name))]


def _value(value: str) -> str:
    readable = value.lower() in YES | NO or read_share(value) is not None
    return value if readable else ""
