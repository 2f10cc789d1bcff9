"""The doctor's screen: area by area what was found, and below each finding what to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from rich.text import Text

from gpuatlas.cli.screens.glyphs import QUIET_STYLE, Glyphs
from gpuatlas.cli.screens.layout import flowed, wrapped
from gpuatlas.doctor.results import Act, Result, State
from gpuatlas.model.catalogue import Severity
from gpuatlas.model.checks import CheckState

_WORDS: Final[Mapping[State, str]] = {
    State.TODO: "to do",
    State.OPTIONAL: "could do",
    State.NOT_APPLICABLE: "n/a",
}
_STYLES: Final[Mapping[State, str]] = {
    State.OK: "green",
    State.TODO: "bold red",
    State.OPTIONAL: "yellow",
    State.UNKNOWN: "magenta",
    State.FAILED: "bold white on red",
    State.NOT_APPLICABLE: QUIET_STYLE,
}
# The marks that the checks have for the same.
_MARKS: Final[Mapping[State, CheckState | Severity]] = {
    State.OK: CheckState.OK,
    State.TODO: Severity.WARNING,
    State.OPTIONAL: Severity.INFO,
    State.UNKNOWN: CheckState.UNKNOWN,
    State.FAILED: Severity.CRITICAL,
    State.NOT_APPLICABLE: CheckState.NOT_APPLICABLE,
}
_NUMBERED: Final = frozenset({State.FAILED, State.TODO})
_STATE_WIDTH: Final = max(len(_WORDS.get(state, state)) for state in State)
# The area's indent, the mark, the state, and the gaps behind them.
_BEFORE: Final = 2 + 2 + _STATE_WIDTH + 2
# Longer lines are hard to read, however wide the terminal is.
_WIDEST: Final = 130
# Whatever stands between spaces, quoted parts with their spaces.
_SHELL_WORD: Final = re.compile(r"""(?:'[^']*'|"[^"]*"|\S)+""")
_FINE: Final = "Nothing is to do."


def doctor_screen(results: Sequence[Result], *, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """The whole screen: areas, then how many of what."""
    number = 0
    for area, found in groupby(results, key=lambda result: result.area):
        yield Text(area, "bold")
        for result in found:
            number += result.state in _NUMBERED
            yield from _lines(result, number, min(width, _WIDEST), glyphs)
    yield Text()
    yield from flowed(_summary(results), width=width)


def _lines(result: Result, number: int, width: int, glyphs: Glyphs) -> Iterator[Text]:
    style = _STYLES[result.state]
    word = _WORDS.get(result.state, result.state).ljust(_STATE_WIDTH)
    head = Text("  ").append(f"{glyphs.checks[_MARKS[result.state]]} {word}  ", style)
    start = f"{number}. " if result.state in _NUMBERED else ""
    texts = wrapped(start + result.text, "", width=width - _BEFORE)
    for line in texts:
        yield head.append_text(line)
        head = Text(" " * _BEFORE)
    if result.remedy is not None:
        yield from _remedy(result.remedy.act, result.remedy.text, width)


def _remedy(act: Act, text: str, width: int) -> Iterator[Text]:
    """A command goes on behind a backslash, so that it can be copied."""
    room = width - _BEFORE - len(act) - len(": ") - len(" \\")
    if act is Act.RUN:
        lines = list(_whole_words(text, room))
    else:
        lines = [line.plain for line in wrapped(text, "", width=room)]
    for i, line in enumerate(lines):
        more = " \\" if act is Act.RUN and i + 1 < len(lines) else ""
        head = f"{act}: " if i == 0 else " " * (len(act) + 2)
        yield Text(" " * _BEFORE + head + line + more, "cyan")


def _whole_words(command: str, room: int) -> Iterator[str]:
    """The words of a shell, none of them broken: a backslash inside of one would change it."""
    line = ""
    for word in _SHELL_WORD.findall(command):
        if line and len(line) + 1 + len(word) > room:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def _summary(results: Sequence[Result]) -> Iterator[Text]:
    counted = Counter(result.state for result in results)
    if not any(counted[state] for state in _NUMBERED):
        yield Text(_FINE, "bold green")
    for state in (State.FAILED, State.TODO, State.OPTIONAL, State.UNKNOWN, State.OK):
        if counted[state]:
            yield Text(f"{counted[state]} {_WORDS.get(state, state)}", _STYLES[state])
