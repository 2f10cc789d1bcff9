"""Endpoints that do what a test says, and what a round of the scraper says of them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from gpuatlas.model.status import SourceStatus
from gpuatlas.model.targets import DCGM, Target
from gpuatlas.sources.errors import SourceError, UnreachableError
from gpuatlas.sources.scrape.round import ScrapeRound

PATIENCE = 10.0  # of a test for its own threads


def dcgm_target(node: str, **facts: object) -> Target:
    known = {"source": DCGM, "pod": f"exporter-{node}", "port": 9400, **facts}
    return Target(namespace="ops", node=node, host="10.0.0.1", **known)  # type: ignore[arg-type]


def dcgm_page(card: str, value: str = "7") -> bytes:
    return f'DCGM_FI_DEV_FB_USED{{UUID="{card}",Hostname="h"}} {value}\n'.encode()


@dataclass
class Cluster:
    """A transport: pages by pod; a SourceError is raised, an event waited for."""

    pages: dict[str, bytes | SourceError | threading.Event] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    limits: set[tuple[int, float]] = field(default_factory=set)

    def fetch(self, target: Target, *, limit_bytes: int, timeout_s: float) -> bytes:
        self.asked.append(target.pod)
        self.limits.add((limit_bytes, timeout_s))
        given = self.pages[target.pod]
        if isinstance(given, threading.Event):
            assert given.wait(PATIENCE)
            raise UnreachableError("came too late")
        if isinstance(given, SourceError):
            raise given
        return given


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def status(result: ScrapeRound, source: str) -> SourceStatus:
    return next(one for one in result.statuses if one.source == source)


def cards(result: ScrapeRound) -> dict[str, list[str]]:
    return {one.node: list(one.cards) for one in result.dcgm}
