"""Services at work: how many requests there are, how fast they are answered. Pure.

Callers wait for their answers before they ask again, more or less: where a service loses speed,
less is done, and what is not done waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.runtimes import RUNTIMES, Page
from gpuatlas.demo.scenario import Scenario, WorkloadSpec
from gpuatlas.demo.serving import Cache, Traffic
from gpuatlas.demo.shapes import answers_alone

# More requests than at its busiest a server lets in at once, by this factor; the others wait.
_SLOTS: Final = 1.3
# Requests pile up faster than speed falls: those that wait are asked again.
_PILING: Final = 1.5
_LEAST_SPEED: Final = 0.05
# Of the time of an undisturbed request: until its first token.
FIRST_TOKEN: Final = 0.06
_CACHE_SHARE: Final = 0.4
_CACHE_FILLED: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A service at one instant.

    `running` and `waiting` are requests, `rate` those that are answered in a second. `seconds` is
    what a request takes in all, `queued` how much of it it waits, `first_token` when it begins to
    be answered. `speed` is the share that is left of the speed it would have undisturbed.
    """

    rate: float
    running: float
    waiting: float
    seconds: float
    queued: float
    first_token: float
    speed: float


def page_of(workload: WorkloadSpec, ordinal: int) -> Page | None:
    """The page of a pod of a workload; None where it serves none."""
    page = RUNTIMES[workload.runtime].page
    return page if page and workload.places and answers_alone(workload, ordinal) else None


def served(scenario: Scenario) -> Iterator[tuple[WorkloadSpec, int]]:
    """The pods with a page, as workload and number."""
    for workload in scenario.workloads:
        for ordinal in range(len(workload.places)):
            if page_of(workload, ordinal):
                yield workload, ordinal


def traffic_of(workload: WorkloadSpec) -> Traffic:
    """What is asked of one of its pods."""
    page = RUNTIMES[workload.runtime].page
    if workload.traffic or page is None:
        return workload.traffic or Traffic(requests_per_second=1.0, seconds=1.0)
    return page.traffic


def flow_of(traffic: Traffic, load: float, speed: float) -> Flow:
    """The service when it is asked for `load` (0 to 1) of the most, at `speed` (0 to 1)."""
    speed = min(1.0, max(_LEAST_SPEED, speed))
    asked = traffic.requests_per_second * load
    rate = asked * speed
    slots = traffic.requests_per_second * traffic.seconds * _SLOTS
    inside = asked * traffic.seconds / speed**_PILING
    running = min(inside, slots)
    waiting = inside - running
    queued = waiting / rate if rate else 0.0
    return Flow(
        rate=rate,
        running=running,
        waiting=waiting,
        seconds=(inside / rate if rate else traffic.seconds),
        queued=queued,
        first_token=queued + FIRST_TOKEN * traffic.seconds / speed,
        speed=speed,
    )


def cache_of(workload: WorkloadSpec) -> Cache:
    """The key-value cache on each of its cards; where nobody says, a part of what it uses."""
    if workload.cache:
        return workload.cache
    return Cache(mib=max(1, int(_CACHE_SHARE * workload.uses.memory_mib[1])), busiest=_CACHE_FILLED)


def cache_use(workload: WorkloadSpec, flow: Flow) -> float:
    """The share of its key-value cache in use: it follows the requests that are being answered."""
    traffic = traffic_of(workload)
    most = traffic.requests_per_second * traffic.seconds
    return cache_of(workload).busiest * min(1.0, flow.running / most)
