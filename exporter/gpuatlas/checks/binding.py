"""What HAMi and Volcano write on a pod while they bind it to its cards. Pure.

Facts: facts/hami.md 3.1 (phases and times), 3.6 (Volcano's keys), 6.4 A1 and A2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpuatlas.model.objects import Pod

ALLOCATING: Final = "allocating"
FAILED: Final = "failed"
_DOMAINS: Final = ("hami.io", "volcano.sh")
# The year 2286 in seconds; Volcano writes some of its times in nanoseconds (facts/k8s.md 1.8).
_MAX_SECONDS: Final = 10**10
_NANOSECONDS: Final = 10**9
_MAX_DIGITS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The phase of a pod's binding. `at` is Unix seconds, None where it cannot be read."""

    key: str
    phase: str
    at: float | None
    record: str


def binding_of(pod: Pod) -> Binding | None:
    """What a layer says of the pod's binding, None where none does."""
    for domain in _DOMAINS:
        key, time_key = f"{domain}/bind-phase", f"{domain}/bind-time"
        phase, time = pod.annotations.get(key, ""), pod.annotations.get(time_key, "")
        if phase:
            record = f"{key}={phase}, {time_key}={time}"
            return Binding(key=key, phase=phase, at=_instant(time), record=record)
    return None


def _instant(text: str) -> float | None:
    if not (text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS):
        return None
    number = int(text)
    seconds = number / _NANOSECONDS if number > _MAX_SECONDS else float(number)
    return seconds if 0 < seconds <= _MAX_SECONDS else None
