"""How an inference server fares between two readings of its page. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpuatlas.model.services import ServiceReading

# Two readings further apart say nothing of the minute between them.
_LONGEST_SECONDS: Final = 300.0
# Below half a request in the looks at a gauge a speed for each running request is noise; where
# their time is counted it is exact once a few are done.
_LEAST_RUNNING: Final = 0.5
_LEAST_DONE: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """One server at its last reading.

    `rate` is tokens a second where it counts tokens, else requests a second; `speed` that for each
    running request. None where the page does not tell, or there is no reading to compare with.
    """

    reading: ServiceReading
    waiting: float | None = None
    running: float | None = None
    rate: float | None = None
    speed: float | None = None

    @property
    def has_signal(self) -> bool:
        """Whether anything is known of its work."""
        return not (self.waiting is None and self.running is None and self.rate is None)


def paced(reading: ServiceReading, before: Pace | None) -> Pace:
    """The pace by `reading`, compared with the reading of the pace before."""
    if before is not None and reading.at <= before.reading.at:
        return before
    last = before.reading if before is not None else None
    seconds = reading.at - last.at if last is not None else 0.0
    if last is None or seconds > _LONGEST_SECONDS or last.runtime != reading.runtime:
        return Pace(reading=reading, waiting=reading.waiting, running=reading.running)
    rate = _rate(last, reading, seconds)
    running = _running(last, reading, seconds)
    speed = None
    if rate is not None and running is not None and running >= _LEAST_RUNNING:
        speed = rate / running
    return Pace(reading=reading, waiting=reading.waiting, running=running, rate=rate, speed=speed)


def _rate(last: ServiceReading, now: ServiceReading, seconds: float) -> float | None:
    done = _grown(last.tokens_total, now.tokens_total)
    if now.tokens_total is None:
        done = _grown(last.requests_total, now.requests_total)
    return None if done is None else done / seconds


def _running(last: ServiceReading, now: ServiceReading, seconds: float) -> float | None:
    """Requests at work on average; by Little's law where only their time is counted."""
    if now.running is not None:
        return now.running if last.running is None else (last.running + now.running) / 2
    busy = _grown(last.busy_seconds_total, now.busy_seconds_total)
    return None if busy is None else busy / seconds


def _grown(last: float | None, now: float | None) -> float | None:
    """How far a counter went; None where it is not read or started over."""
    if last is None or now is None or now < last:
        return None
    return now - last
