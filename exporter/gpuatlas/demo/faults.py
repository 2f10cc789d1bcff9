"""Switches faults on and off while the cluster runs.

    cluster.faults.enable("xid", node="a100-1", card=0, code=79)
    cluster.faults.disable("xid", node="a100-1", card=0)

What each fault does is in `fault_kinds.FAULTS`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from gpuatlas.demo.fault_kind import FaultKind
from gpuatlas.demo.fault_kinds import FAULTS, complaint
from gpuatlas.demo.scenario import FaultSpec, Scenario, ScenarioError


class FaultSwitches:
    """The faults that are on. Safe to use from several threads.

    `initial` may have some that are over (`FaultSpec.until`): what counters lost by them is lost.
    `now` gives the simulated instant, which becomes the fault's beginning; `on_change` is called
    after each change.
    """

    def __init__(
        self,
        scenario: Scenario,
        initial: Iterable[FaultSpec],
        *,
        now: Callable[[], float],
        on_change: Callable[[], None],
    ) -> None:
        self._scenario = scenario
        self._now = now
        self._on_change = on_change
        self._lock = threading.Lock()
        self._active: dict[tuple[str, str, int | None], FaultSpec] = {}
        for fault in initial:
            self._accept(fault)
            self._active[fault.target] = fault

    @staticmethod
    def known() -> tuple[FaultKind, ...]:
        """All faults there are, with what they do and which options they take."""
        return FAULTS

    def active(self) -> tuple[FaultSpec, ...]:
        """Those that are on, in the order in which they were switched on."""
        return tuple(
            fault for fault in self.so_far() if fault.until is None or self._now() < fault.until
        )

    def so_far(self) -> tuple[FaultSpec, ...]:
        """Those that are on, and those that it was told of as over."""
        with self._lock:
            return tuple(self._active.values())

    def enable(
        self, name: str, *, node: str = "", card: int | None = None, **options: str | float
    ) -> FaultSpec:
        """Switch one on; one that is on already gets the new options and keeps its beginning.

        A fault of a HAMi installation names one of its nodes, one of the cluster names none. Raises
        ScenarioError when there is no such fault, node, card or option.
        """
        fault = FaultSpec(name=name, node=node, card=card, options=options, since=self._now())
        self._accept(fault)
        with self._lock:
            before = self._active.get(fault.target)
            if before:
                fault = FaultSpec(
                    name=name, node=node, card=card, options=options, since=before.since
                )
            self._active[fault.target] = fault
        self._on_change()
        return fault

    def disable(self, name: str, *, node: str = "", card: int | None = None) -> None:
        """Switch one off. Raises ScenarioError when it is not on."""
        with self._lock:
            if self._active.pop((name, node, card), None) is None:
                on = ", ".join(
                    f"{a} {b} {'' if c is None else c}".strip() for a, b, c in self._active
                )
                where = f" at {node}" if node else ""
                msg = f"fault '{name}' is not on{where}; on are: {on or 'none'}"
                raise ScenarioError(msg)
        self._on_change()

    def _accept(self, fault: FaultSpec) -> None:
        text = complaint(fault, self._scenario)
        if text:
            raise ScenarioError(text)
