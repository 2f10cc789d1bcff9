"""One mapping of a YAML file, read key by key; what the format does not know is refused.

Problems are collected rather than raised, so that a person sees all of them at once.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class WebConfigError(ValueError):
    """The file cannot be used; `problems` has one line for each thing that is wrong with it."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


class Problems:
    """Lines for a person, one for each thing that is wrong."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(self, line: str) -> None:
        self._lines.append(line)

    def raise_any(self) -> None:
        if self._lines:
            raise WebConfigError(self._lines)


class Section:
    """A mapping at a place of the file. A method with a key takes that key; `wrong` reports it."""

    def __init__(self, value: object, where: str, problems: Problems) -> None:
        self.where = where
        self.problems = problems
        self.known: set[str] = set()
        self.values: dict[str, object] = {}
        if isinstance(value, dict):
            self.values = {str(key): item for key, item in value.items()}
        elif value is not None:
            problems.add(f"{where}: must be a mapping of keys to values")

    def __bool__(self) -> bool:
        return bool(self.values)

    def wrong(self, key: str, what: str) -> None:
        self.problems.add(f"{self.where}: {key}: {what}")

    def section(self, key: str) -> Section:
        self.known.add(key)
        return Section(self.values.get(key), f"{self.where}: {key}", self.problems)

    def text(self, key: str, default: str = "") -> str:
        value = self._take(key, default)
        if isinstance(value, str):
            return value
        self.wrong(key, "must be a text")
        return default

    def boolean(self, key: str, *, default: bool) -> bool:
        value = self._take(key, default)
        if isinstance(value, bool):
            return value
        self.wrong(key, "must be true or false")
        return default

    def number(self, key: str, default: int) -> int:
        value = self._take(key, default)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        self.wrong(key, "must be a whole number")
        return default

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._take(key, [])
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self.wrong(key, "must be a list of texts")
        return ()

    def choice(self, key: str, default: str, choices: Iterable[str]) -> str:
        value = self.text(key, default)
        allowed = sorted(choices)
        if value in allowed:
            return value
        hint = _did_you_mean(value, allowed) or f"; it can be {', '.join(allowed)}"
        self.wrong(key, f"{value!r} is not known{hint}")
        return default

    def refuse_unknown(self) -> None:
        for key in sorted(self.values.keys() - self.known):
            hint = _did_you_mean(key, self.known)
            self.problems.add(f"{self.where}: {key}: no such key in this format{hint}")

    def _take(self, key: str, default: object) -> object:
        self.known.add(key)
        value = self.values.get(key)
        return default if value is None else value


def _did_you_mean(word: str, words: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(words), n=1)
    return f"; did you mean {close[0]}?" if close else ""
