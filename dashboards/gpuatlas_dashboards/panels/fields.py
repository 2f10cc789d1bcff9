"""How single fields of a panel are shown: Grafana's overrides, mappings and thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gpuatlas_dashboards.links import Link
from gpuatlas_dashboards.tokens import (
    SEVERITY_COLOURS,
    STATE_CODES,
    STATE_COLOURS,
    STATE_MARKS,
    Severity,
    State,
    Unit,
)

Json = dict[str, Any]


class Match(StrEnum):
    """How an override finds its fields."""

    NAME = "byName"
    REGEX = "byRegexp"
    REF = "byFrameRefID"
    TYPE = "byType"


class Cell(StrEnum):
    """How a cell of a table is drawn."""

    TEXT = "auto"
    COLOURED_TEXT = "color-text"
    BACKGROUND = "color-background"
    GAUGE = "gauge"
    SPARKLINE = "sparkline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field or, with `Match.REGEX`, several; what is left out stays as the panel has it."""

    name: str
    match: Match = Match.NAME
    title: str = ""
    unit: Unit | None = None
    decimals: int | None = None
    low: float | None = None
    high: float | None = None
    width: int | None = None
    align: str = ""
    cell: Cell | None = None
    cell_options: Mapping[str, Any] | None = None
    colour: str = ""
    mappings: Sequence[Json] = ()
    thresholds: Sequence[Json] = ()
    links: Sequence[Link] = ()
    hidden: bool = False
    wrap: bool = False
    filterable: bool | None = None
    empty: str = ""
    custom: Mapping[str, Any] | None = None

    def to_json(self) -> Json:
        """One entry of fieldConfig.overrides."""
        properties = [
            {"id": name, "value": value}
            for name, value in self._properties()
            if value not in (None, "", [])
        ]
        return {"matcher": {"id": self.match.value, "options": self.name}, "properties": properties}

    def _properties(self) -> list[tuple[str, Any]]:
        cell = {"type": self.cell.value, **(self.cell_options or {})} if self.cell else None
        if self.wrap:
            cell = {"type": Cell.TEXT.value, **(cell or {}), "wrapText": True}
        colour = {"mode": "fixed", "fixedColor": self.colour} if self.colour else None
        steps = {"mode": "absolute", "steps": list(self.thresholds)} if self.thresholds else None
        return [
            ("displayName", self.title),
            ("unit", self.unit.value if self.unit else None),
            ("decimals", self.decimals),
            ("min", self.low),
            ("max", self.high),
            ("noValue", self.empty),
            ("color", colour),
            ("mappings", list(self.mappings)),
            ("thresholds", steps),
            ("links", [link.to_json() for link in self.links]),
            ("custom.width", self.width),
            ("custom.align", self.align),
            ("custom.cellOptions", cell),
            ("custom.wrapText", self.wrap or None),
            ("custom.filterable", self.filterable),
            *(self._hiding() if self.hidden else ()),
            *((f"custom.{name}", value) for name, value in (self.custom or {}).items()),
        ]

    @staticmethod
    def _hiding() -> list[tuple[str, Any]]:
        """Tables of Grafana 11 know the first, those of 12 and charts the second."""
        return [
            ("custom.hidden", True),
            ("custom.hideFrom", {"viz": True, "legend": True, "tooltip": True}),
        ]


def step(colour: str, value: float | None = None) -> Json:
    """One step of thresholds; the first one has no value."""
    return {"color": colour, "value": value}


def texts_of_values(texts: Mapping[str, tuple[str, str]]) -> Json:
    """A mapping from values to text and colour; a colour may be empty."""
    options = {
        value: {"index": place, "text": text, **({"color": colour} if colour else {})}
        for place, (value, (text, colour)) in enumerate(texts.items())
    }
    return {"type": "value", "options": options}


def text_of_pattern(pattern: str, text: str, colour: str = "") -> Json:
    """A mapping from a regular expression; `$1` in the text is its first group."""
    result = {"index": 0, "text": text, **({"color": colour} if colour else {})}
    return {"type": "regex", "options": {"pattern": pattern, "result": result}}


def state_text(state: State, words: Mapping[State, str]) -> str:
    """Mark and word, as in "▶ working"."""
    return f"{STATE_MARKS[state]} {words[state]}"


def state_codes(words: Mapping[State, str]) -> Json:
    """For values of card:gpuatlas_card_state:with_checks, 1 to 6."""
    return texts_of_values(
        {str(STATE_CODES[s]): (state_text(s, words), STATE_COLOURS[s]) for s in State}
    )


def severities(words: Mapping[Severity, str]) -> Json:
    """For the label `severity` of alerts."""
    return texts_of_values({s.value: (words[s], SEVERITY_COLOURS[s]) for s in Severity})


def blank(colour: str = "transparent") -> list[Json]:
    """For cells without a value: nothing is written, nothing is painted."""
    result = {"index": 0, "text": " ", "color": colour}
    return [
        {"type": "special", "options": {"match": match, "result": result}}
        for match in ("null+nan", "empty")
    ]


def unknown_if_absent(text: str, colour: str = "") -> Json:
    """For `… or vector(NaN)`: what nobody measured is said to be unknown, not left out."""
    result = {"index": 0, "text": text, **({"color": colour} if colour else {})}
    return {"type": "special", "options": {"match": "null+nan", "result": result}}


def without_domain() -> Json:
    """For names of nodes: of ip-10-0-0-17.eu-central-1.compute.internal the first part."""
    return text_of_pattern("/^([^.]+)\\..*$/", "$1")


def without_vendor() -> Json:
    """For models of cards: "NVIDIA" in front of most of them takes the place of what differs."""
    return text_of_pattern("/^NVIDIA (.*)$/", "$1")


def text_of_range(low: float, high: float, text: str, colour: str = "") -> Json:
    """A mapping from numbers between two others, both included."""
    result = {"index": 0, "text": text, **({"color": colour} if colour else {})}
    return {"type": "range", "options": {"from": low, "to": high, "result": result}}
