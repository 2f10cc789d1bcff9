from __future__ import annotations

import threading

from gpuatlas.join.snapshot import Joiner
from gpuatlas.runtime.refresh import RefreshLoop
from gpuatlas.runtime.settings import RefreshSettings
from gpuatlas.runtime.static import StaticObserver
from gpuatlas_harness.observed import a_node, observations
from gpuatlas_harness.polling import poll

TICK = RefreshSettings(min_interval_seconds=0.0, tick_seconds=0.01)


class LateChange(threading.Event):
    """A change that comes when a wait has just given up, once there is something to look at."""

    def __init__(self) -> None:
        super().__init__()
        self.armed = threading.Event()
        self.came = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        heard = super().wait(timeout)
        if not heard and self.armed.is_set() and not self.came.is_set():
            self.set()
            self.came.set()
        return heard


def test_a_change_between_two_waits_is_not_lost() -> None:
    observer = StaticObserver(observations([a_node()], []))
    late = LateChange()
    observer.changed = late
    loop = RefreshLoop(
        observer=observer, builder=Joiner(), settings=TICK, clock=lambda: 1_790_000_000.0
    )
    thread = threading.Thread(target=loop.run)
    thread.start()
    try:
        poll(
            lambda: loop.published.counts.rounds == 1 or None,
            deadline_seconds=60,
            waiting_for="a page",
        )
        late.armed.set()
        poll(
            lambda: loop.published.counts.rounds == 2 or None,
            deadline_seconds=60,
            waiting_for="a page of the late change",
        )
    finally:
        loop.stop()
        thread.join()
    assert late.came.is_set()
