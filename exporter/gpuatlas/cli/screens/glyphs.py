"""The characters that the screens draw with, and what plain ASCII uses in their place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpuatlas.model.catalogue import Severity
from gpuatlas.model.checks import CheckState
from gpuatlas.model.snapshot import CardState


@dataclass(frozen=True, slots=True, kw_only=True)
class Glyphs:
    """One set.

    `states` marks the word of each state of a card, `checks` that of a check (what fires by its
    severity), so that neither needs its colour.
    """

    resident: str
    allocated: str
    free: str
    unknown: str
    limit: str
    clipped: str
    dash: str
    dot: str
    times: str
    ellipsis: str
    states: dict[CardState, str]
    checks: dict[CheckState | Severity, str]
    pending: str


UNICODE: Final = Glyphs(
    resident="█",
    allocated="▒",
    free=" ",
    unknown="╱",
    limit="│",
    clipped="»",
    dash="–",
    dot="·",
    times="×",
    ellipsis="…",
    states={
        CardState.FREE: "○",
        CardState.WORKING: "●",
        CardState.IDLE: "◦",
        CardState.UNKNOWN: "?",
        CardState.SLOWED: "▲",
        CardState.FAILED: "✖",
    },
    checks={
        CheckState.OK: "✓",
        CheckState.UNKNOWN: "?",
        CheckState.NOT_APPLICABLE: "–",
        Severity.CRITICAL: "✖",
        Severity.WARNING: "▲",
        Severity.INFO: "◆",
    },
    pending="◔",
)
ASCII: Final = Glyphs(
    resident="#",
    allocated="=",
    free=" ",
    unknown="/",
    limit="|",
    clipped=">",
    dash="-",
    dot="-",
    times="x",
    ellipsis="~",
    states={
        CardState.FREE: "o",
        CardState.WORKING: "*",
        CardState.IDLE: ".",
        CardState.UNKNOWN: "?",
        CardState.SLOWED: "^",
        CardState.FAILED: "X",
    },
    checks={
        CheckState.OK: "+",
        CheckState.UNKNOWN: "?",
        CheckState.NOT_APPLICABLE: "-",
        Severity.CRITICAL: "X",
        Severity.WARNING: "!",
        Severity.INFO: "i",
    },
    pending=".",
)
# Working green, idle grey, slowed red, failed dark red, free outlined, unknown striped.
STATE_STYLES: Final = {
    CardState.FREE: "none",
    CardState.WORKING: "green",
    CardState.IDLE: "bright_black",
    CardState.UNKNOWN: "dim",
    CardState.SLOWED: "bright_red",
    CardState.FAILED: "red",
}
# Plain dark red is hard to read on black, and this word must not be missed.
_FAILED_WORD: Final = "bold white on red"
OVER_STYLE: Final = "bold yellow"
QUIET_STYLE: Final = "dim"


def word_style(state: CardState) -> str:
    """How the state's own word is written; bars and remarks have `STATE_STYLES`."""
    return _FAILED_WORD if state is CardState.FAILED else STATE_STYLES[state]


def drawn_for(encoding: str) -> Glyphs:
    """The richest set that a stream of this encoding can carry."""
    single = set(UNICODE.__slots__) - {"states", "checks"}
    every = "".join(getattr(UNICODE, name) for name in single)
    every += "".join([*UNICODE.states.values(), *UNICODE.checks.values()])
    try:
        every.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE
