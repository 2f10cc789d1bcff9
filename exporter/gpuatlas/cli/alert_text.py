"""Fills in the texts of alerts as Prometheus would, as far as that goes without a Prometheus. Pure.

The catalogue's texts are Go templates over the labels of an alert. Here are the parts that they
use: labels, `reReplaceAll`, `if eq`, `with`, `range`, `else`. Queries cannot be asked: a `range`
over one takes its `else`. A label that is not known stands as `<label>`, which is how the texts
themselves write what a person has to fill in. A test renders every text of the catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

_TAG: Final = re.compile(r"\{\{(-?)\s*(.*?)\s*(-?)\}\}", re.DOTALL)
_WORD: Final = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|\S+')
_LABEL: Final = "$labels."
_BLOCKS: Final = frozenset({"if", "with", "range"})
_PIPE: Final = "|"
# What stands for a value that only a Prometheus could give.
_LEFT_OUT: Final = "…"
_REPLACE_ARGUMENTS: Final = 2


def filled_in(template: str, labels: Mapping[str, str]) -> str:
    """The text of an alert with these labels, on one line."""
    text, _ = _Rendering(list(_tokens(template)), labels).block("")
    return " ".join(text.split())


def _tokens(template: str) -> Iterator[tuple[bool, str]]:
    """Texts (False) and tags (True) in turn; `-` beside a brace takes the white space there."""
    position, trims = 0, False
    for match in _TAG.finditer(template):
        text = template[position : match.start()]
        text = text.lstrip() if trims else text
        yield False, text.rstrip() if match[1] else text
        yield True, match[2]
        position, trims = match.end(), bool(match[3])
    rest = template[position:]
    yield False, rest.lstrip() if trims else rest


class _Rendering:
    """Walks once over the tokens of one template."""

    def __init__(self, tokens: list[tuple[bool, str]], labels: Mapping[str, str]) -> None:
        self._tokens = iter(tokens)
        self._labels = labels

    def block(self, dot: str) -> tuple[str, str]:
        """The text up to the tag that ends this block, and that tag."""
        written: list[str] = []
        for is_tag, text in self._tokens:
            if not is_tag:
                written.append(text)
                continue
            word, _, rest = text.partition(" ")
            if word in {"end", "else"}:
                return "".join(written), text
            written.append(
                self._branches(word, rest, dot) if word in _BLOCKS else self._say(text, dot)
            )
        return "".join(written), ""

    def _branches(self, word: str, condition: str, dot: str) -> str:
        """Of `if … else if … else … end` the first branch that holds."""
        chosen: str | None = None
        while True:
            value = self._value(condition, dot)
            text, ending = self.block(value or "" if word == "with" else dot)
            chosen = text if chosen is None and value else chosen
            if ending == "else":
                otherwise, _ = self.block(dot)
                return otherwise if chosen is None else chosen
            if not ending.startswith("else "):
                return chosen or ""
            word, _, condition = ending.removeprefix("else ").partition(" ")

    def _say(self, expression: str, dot: str) -> str:
        if expression.startswith("/*"):
            return ""
        value = self._value(expression, dot)
        if value is not None:
            return value
        first = expression.split(maxsplit=1)[0] if expression else ""
        return f"<{first.removeprefix(_LABEL)}>" if first.startswith(_LABEL) else _LEFT_OUT

    def _value(self, expression: str, dot: str) -> str | None:
        """The value of a pipeline; None for an unknown label and for what a query would give."""
        commands: list[list[str]] = [[]]
        for word in _WORD.findall(expression):
            if word == _PIPE:
                commands.append([])
            else:
                commands[-1].append(word)
        value = self._first(commands[0], dot)
        for command in commands[1:]:
            value = _replaced(command, value)
        return value

    def _first(self, words: list[str], dot: str) -> str | None:
        match words:
            case ["eq", left, right]:
                return "true" if self._operand(left, dot) == self._operand(right, dot) else None
            case [word]:
                return self._operand(word, dot)
        return None

    def _operand(self, word: str, dot: str) -> str | None:
        if word.startswith(_LABEL):
            return self._labels.get(word.removeprefix(_LABEL)) or None
        if word == ".":
            return dot
        return word[1:-1] if word[0] in {'"', "`"} else None


def _replaced(command: list[str], value: str | None) -> str | None:
    name, *arguments = command or [""]
    if value is None or name != "reReplaceAll" or len(arguments) != _REPLACE_ARGUMENTS:
        return None
    pattern, replacement = (argument[1:-1] for argument in arguments)
    return re.sub(pattern, lambda _: replacement, value)
