"""From an alert's expression over time to its states, as Prometheus' rule manager has them. Pure.

An element that the expression returns is pending from its first evaluation on and firing once it
has been there for the rule's `for`; one that was only pending is forgotten at once, a firing one
stays for `keep_firing_for`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class AlertState(StrEnum):
    """A value of the label `alertstate`."""

    PENDING = "pending"
    FIRING = "firing"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveAlert:
    """One alert. `since` is the first evaluation that had it; `missing_since` the first without."""

    state: AlertState
    since: float
    missing_since: float | None = None


class AlertStates(Generic[K]):
    """The alerts of one rule, known by their labels, over evaluations that follow each other."""

    def __init__(self, *, for_seconds: float = 0.0, keep_firing_seconds: float = 0.0) -> None:
        self._for_seconds = for_seconds
        self._keep_firing_seconds = keep_firing_seconds
        self._active: dict[K, ActiveAlert] = {}

    def resume(self, active: Mapping[K, ActiveAlert]) -> None:
        """Go on from the alerts of an earlier evaluation."""
        self._active = dict(active)

    def evaluate(self, at: float, found: Iterable[K]) -> Mapping[K, ActiveAlert]:
        """The alerts after an evaluation at `at` (Unix seconds) that returned `found`."""
        present = dict.fromkeys(found)
        active = {
            key: kept
            for key, alert in self._active.items()
            if key not in present and (kept := self._kept(alert, at)) is not None
        }
        for key in present:
            before = self._active.get(key)
            active[key] = self._advanced(before, at)
        self._active = active
        return active

    def _advanced(self, before: ActiveAlert | None, at: float) -> ActiveAlert:
        since = at if before is None else before.since
        fires = at - since >= self._for_seconds
        if before is not None and before.state is AlertState.FIRING:
            fires = True
        return ActiveAlert(state=AlertState.FIRING if fires else AlertState.PENDING, since=since)

    def _kept(self, alert: ActiveAlert, at: float) -> ActiveAlert | None:
        """A firing alert that the expression no longer returns, as long as it is held."""
        if alert.state is AlertState.PENDING:
            return None
        missing_since = at if alert.missing_since is None else alert.missing_since
        if at - missing_since >= self._keep_firing_seconds:
            return None
        return replace(alert, missing_since=missing_since)
