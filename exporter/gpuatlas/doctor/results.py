"""What an examination gives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class State(StrEnum):
    """What is said of one thing that was examined. Unknown is no ok: its reason is in the text."""

    OK = "ok"
    TODO = "todo"
    OPTIONAL = "optional"
    UNKNOWN = "unknown"
    FAILED = "failed"  # it could not even look: nothing that rests on it is known
    NOT_APPLICABLE = "not_applicable"


class Area(StrEnum):
    """What is examined, in the order in which a person should mend it."""

    API_SERVER = "API server"
    RIGHTS = "Rights"
    VERSIONS = "Versions"
    SOURCES = "Sources"
    FIELDS = "DCGM fields"
    PROMETHEUS = "Prometheus"
    SCRAPE = "Scrape"
    RULES = "Rules"
    HISTORY = "History"
    EXPORTER = "Exporter"


class Act(StrEnum):
    """What to do with the text of a remedy."""

    RUN = "run"
    SET = "set"
    ADD = "add"


@dataclass(frozen=True, slots=True)
class Remedy:
    """One command or value."""

    act: Act
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One thing that was examined. `word` is a short fixed name; `text` says what and why.

    What is to do has a remedy.
    """

    area: Area
    word: str
    state: State
    text: str
    remedy: Remedy | None = None


_FAILURES: Final = 3


def exit_code(results: Iterable[Result]) -> int:
    """0 fine, 1 something to do, 3 could not look. What may be done and what is unknown are fine.

    That it could not look outweighs what there is to do: more may come to light.
    """
    states = {result.state for result in results}
    if State.FAILED in states:
        return _FAILURES
    return int(State.TODO in states)
