"""What the words of a command line say of the runtime. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from gpuatlas.sources.runtimes.table import ALSO_PLAIN_WORDS, ROWS, Row
from gpuatlas.sources.runtimes.words import END, base_name, option_name

# A plain word after an option is its value, except after those that introduce a command.
_BEFORE_COMMANDS: Final = frozenset({"-c", "-lc", "-ec", "-ic", "-m", "--"})


class Mark(NamedTuple):
    """One mark of a row: `rank` is the row's position, then the mark's own within the row."""

    rank: tuple[int, int]
    row: Row
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """The mark as evidence shows it."""
        return " ".join(self.words)


def _table() -> tuple[Mapping[str, tuple[Mark, ...]], Mapping[str, Mark], Mapping[str, Mark]]:
    programs: defaultdict[str, list[Mark]] = defaultdict(list)
    modules: dict[str, Mark] = {}
    options: dict[str, Mark] = {}
    for place, row in enumerate(ROWS):
        for own, words in enumerate(row.programs):
            programs[words[0]].append(Mark((place, own), row, words))
        for own, module in enumerate(row.modules, start=len(row.programs)):
            modules[module] = Mark((place, own), row, (module,))
        for own, option in enumerate(row.options):
            options[option] = Mark((place, own), row, (option,))
    return {first: tuple(marks) for first, marks in programs.items()}, modules, options


_PROGRAMS, _MODULES, _OPTIONS = _table()
_LONGEST_MODULE: Final = max(module.count(".") for module in _MODULES) + 1


class CommandMarks(NamedTuple):
    """The foremost mark of each kind: an engine's program, a launcher's, an engine's option."""

    engine: Mark | None = None
    launcher: Mark | None = None
    option: Mark | None = None


def read_command(words: Sequence[str]) -> CommandMarks:
    """The foremost marks on a command line, in one pass."""
    engine: Mark | None = None
    launcher: Mark | None = None
    option: Mark | None = None
    for position, word in enumerate(words):
        if word.startswith("-"):
            option = _foremost(option, _OPTIONS.get(option_name(word)))
            continue
        for mark in _marks_at(words, position):
            if mark.row.launcher:
                launcher = _foremost(launcher, mark)
            else:
                engine = _foremost(engine, mark)
    return CommandMarks(engine, launcher, option)


def _foremost(found: Mark | None, other: Mark | None) -> Mark | None:
    if found is None or other is None:
        return found or other
    return min(found, other, key=lambda mark: mark.rank)


def _marks_at(words: Sequence[str], position: int) -> list[Mark]:
    word = words[position]
    marks = [
        mark
        for mark in _PROGRAMS.get(base_name(word), ())
        if _follows(words, position, mark.words) and _can_be_command(words, position)
    ]
    parts = word.split(".", _LONGEST_MODULE) if "." in word or word in _MODULES else []
    marks += [
        found
        for length in range(1, min(len(parts), _LONGEST_MODULE) + 1)
        if (found := _MODULES.get(".".join(parts[:length])))
    ]
    return marks


def _follows(words: Sequence[str], position: int, wanted: tuple[str, ...]) -> bool:
    return tuple(words[position + 1 : position + len(wanted)]) == wanted[1:]


def _can_be_command(words: Sequence[str], position: int) -> bool:
    if base_name(words[position]) not in ALSO_PLAIN_WORDS or position == 0:
        return True
    before = words[position - 1]
    return before == END or before in _BEFORE_COMMANDS or not before.startswith("-")
