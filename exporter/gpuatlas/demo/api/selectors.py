"""Label selectors, as a list's query writes them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_KEY: Final = r"(?P<key>(?:[A-Za-z0-9.-]{1,253}/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)"
_VALUE: Final = r"(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?"
_SET: Final = re.compile(rf"{_KEY}\s+(?P<word>in|notin)\s*\((?P<values>[^()]*)\)", re.ASCII)
_EQUALITY: Final = re.compile(rf"{_KEY}\s*(?P<sign>==?|!=)\s*(?P<value>{_VALUE})", re.ASCII)
_PRESENCE: Final = re.compile(rf"(?P<not>!?)\s*{_KEY}", re.ASCII)
_ONE_VALUE: Final = re.compile(_VALUE, re.ASCII)
# Commas between requirements, and not those between the values of a set.
_COMMA: Final = re.compile(r",(?![^(]*\))")


class BadSelectorError(ValueError):
    """Text that is no selector."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a label must be. `values` None asks only whether it is there; `wanted` is the answer."""

    key: str
    values: frozenset[str] | None
    wanted: bool

    def holds(self, labels: Mapping[str, str]) -> bool:
        """An absent label is in no set."""
        value = labels.get(self.key)
        found = value is not None and (self.values is None or value in self.values)
        return found is self.wanted


def read_selector(text: str) -> tuple[Requirement, ...]:
    """All requirements of a selector; none of an empty one. Raises BadSelectorError."""
    if not text.strip():
        return ()
    return tuple(_requirement(part.strip()) for part in _COMMA.split(text))


def _requirement(text: str) -> Requirement:
    if found := _SET.fullmatch(text):
        values = frozenset(value.strip() for value in found["values"].split(","))
        if all(_ONE_VALUE.fullmatch(value) for value in values):
            return Requirement(found["key"], values, found["word"] == "in")
    elif found := _EQUALITY.fullmatch(text):
        return Requirement(found["key"], frozenset({found["value"]}), found["sign"] != "!=")
    elif found := _PRESENCE.fullmatch(text):
        return Requirement(found["key"], None, not found["not"])
    msg = f"labelSelector: '{text}' is no requirement such as app=a, app in (a,b), app or !app"
    raise BadSelectorError(msg)
