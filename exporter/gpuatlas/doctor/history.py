"""Whether there is enough history to say what workloads need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.doctor.results import Area, Result, State
from gpuatlas.model.doctor import PrometheusFacts

NEEDED_DAYS: Final = 7
PREFERRED_DAYS: Final = 14


def examine_history(prometheus: PrometheusFacts) -> Iterator[Result]:
    """Days of recordings. Nothing can be done but to wait, so a lack of them is unknown."""
    days = prometheus.history_days
    if days is None:
        why = prometheus.unread.get("history_days", "it was not read")
        yield _result(State.UNKNOWN, f"how many days are recorded: {why}")
    elif days < NEEDED_DAYS:
        text = (
            f"{_days(days)} recorded, {NEEDED_DAYS} are needed: until then gpuatlas sizing says "
            "that it cannot size"
        )
        yield _result(State.UNKNOWN, text)
    elif days < PREFERRED_DAYS:
        text = f"{_days(days)} recorded: enough to size, {PREFERRED_DAYS} are better"
        yield _result(State.OK, text)
    else:
        yield _result(State.OK, f"{_days(days)} or more recorded: enough to size")


def _days(number: int) -> str:
    return f"{number} day{'' if number == 1 else 's'}"


def _result(state: State, text: str) -> Result:
    return Result(area=Area.HISTORY, word="days", state=state, text=text)
