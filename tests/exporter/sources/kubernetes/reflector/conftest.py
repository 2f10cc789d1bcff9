"""A reflector on the scripted API server, and what it did."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.reflector import Reflector
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.kubernetes.store import ObjectStore, View
from gpuatlas_harness.polling import poll

Object = dict[str, Any]
Recorded = Callable[[str], Object]
Event = Callable[[str, object], bytes]


class Watched:
    """A reflector with its store, and what it did."""

    def __init__(self, kind: Kind[Any], connection: Connection, settings: KubernetesSettings):
        self.views: list[View[Any]] = []  # after each change
        self.pauses: list[float] = []
        self.store: ObjectStore[Any] = ObjectStore(self._changed)
        self._now = 0.0
        self._stop = threading.Event()
        self.reflector: Reflector[Any] = Reflector(
            kind,
            connection,
            self.store,
            settings,
            clock=lambda: 1_000.0,
            timer=self._timer,
            chance=random.Random(1),  # noqa: S311
            wait=self._wait,
        )

    def _changed(self) -> None:
        self.views.append(self.store.view())

    def _timer(self) -> float:
        self._now += 10.0  # no watch is short, unless a test says otherwise
        return self._now

    def _wait(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        return self._stop.wait(min(seconds, 0.02))

    def keys(self) -> list[str]:
        return list(self.store.view().objects)

    def until(self, condition: Callable[[], bool], what: str) -> None:
        poll(lambda: condition() or None, deadline_seconds=60, waiting_for=what)

    def until_keys(self, *keys: str) -> None:
        self.until(lambda: self.keys() == list(keys), f"{keys}, not {self.keys()}")

    def stop(self) -> None:
        self._stop.set()
        self.reflector.stop()


@pytest.fixture
def watch(
    connection: Connection, settings: KubernetesSettings
) -> Iterator[Callable[[Kind[Any]], Watched]]:
    started: list[Watched] = []

    def start(kind: Kind[Any]) -> Watched:
        watched = Watched(kind, connection, settings)
        started.append(watched)
        watched.reflector.start()
        return watched

    yield start
    for watched in started:
        watched.stop()


@pytest.fixture
def pod(recorded: Recorded) -> Callable[..., Object]:
    def build(number: int, version: str = "1", **metadata: object) -> Object:
        raw = recorded("infer-0")
        raw["metadata"] |= {"name": f"infer-{number}", "uid": f"uid-{number}"}
        raw["metadata"] |= {"resourceVersion": version, **metadata}
        return raw

    return build
