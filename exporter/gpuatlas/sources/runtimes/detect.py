"""Which runtime a pod runs, and whether it takes memory ahead.

Order of trust (facts/k8s.md 4): the operator's label, the program on the command line, the image,
options on the command line (programs share them, so they stand behind the image), variables.
A launcher (Ray, MPI) names the runtime only where none of the first four names an engine: what
`mpirun` starts from a Triton image is Triton. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gpuatlas.model.pod_spec import UNKNOWN_RUNTIME, Runtime
from gpuatlas.sources.runtimes.commands import CommandMarks, read_command
from gpuatlas.sources.runtimes.images import rows_of
from gpuatlas.sources.runtimes.memory import read_options, read_variables
from gpuatlas.sources.runtimes.table import ROWS, Row
from gpuatlas.sources.runtimes.words import split_words

Found = tuple[str, str]  # runtime, evidence
_PLACE: Final = {row.name: place for place, row in enumerate(ROWS)}


def detect(
    images: Iterable[str],
    command_text: str,
    env: Mapping[str, str],
    labels: Mapping[str, str],
    annotations: Mapping[str, str],
) -> Runtime:
    """The runtime of the containers whose images, commands and variables these are.

    `command_text` is commands and arguments joined, with " ; " between containers. `env` maps each
    variable's name to its literal value, "" where it has none: only names tell the runtime, only
    the values of `memory.VARIABLES` are read.
    """
    words = split_words(command_text)
    found = _find(tuple(images), read_command(words), env, (labels, annotations))
    name, evidence = found or (UNKNOWN_RUNTIME.name, UNKNOWN_RUNTIME.evidence)
    ahead = read_options(words)
    if not ahead.setting:
        ahead = read_variables(name, env)
    if not evidence and not ahead.setting:
        return UNKNOWN_RUNTIME
    return Runtime(
        name=name,
        evidence=evidence,
        memory_ahead=ahead.share,
        memory_ahead_setting=ahead.setting,
    )


def _find(
    images: tuple[str, ...],
    command: CommandMarks,
    env: Iterable[str],
    marks: tuple[Mapping[str, str], ...],
) -> Found | None:
    for launcher in (False, True):
        program = command.launcher if launcher else command.engine
        found = (
            _by_label(marks, launcher=launcher)
            or (program and (program.row.name, f"command {program.text}"))
            or _by_image(images, launcher=launcher)
        )
        if found:
            return found
        if not launcher and command.option:
            return command.option.row.name, f"option {command.option.text}"
    return by_variable(env, launcher=False) or by_variable(env, launcher=True)


def _rows(*, launcher: bool) -> Iterator[Row]:
    return (row for row in ROWS if row.launcher is launcher)


def _by_label(marks: tuple[Mapping[str, str], ...], *, launcher: bool) -> Found | None:
    for row in _rows(launcher=launcher):
        for key, value in row.labels:
            if any(found.get(key) == value for found in marks):
                return row.name, f"label {key}={value}"
    return None


def _by_image(images: tuple[str, ...], *, launcher: bool) -> Found | None:
    found = [
        (_PLACE[row.name], row.name, mark)
        for image in images
        for row, mark in rows_of(image)
        if row.launcher is launcher
    ]
    if not found:
        return None
    _, name, mark = min(found)
    return name, f"image {mark}"


def by_variable(env: Iterable[str], *, launcher: bool) -> Found | None:
    """The foremost runtime that a variable's name speaks for."""
    names = tuple(env)
    for row in _rows(launcher=launcher):
        for pattern in row.env:
            if any(matches(pattern, name) for name in names):
                return row.name, f"variable {pattern}"
    return None


def matches(pattern: str, name: str) -> bool:
    """Whether a variable's name fits a pattern of the table."""
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
