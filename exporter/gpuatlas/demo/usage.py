"""What the tenants of a card use of it: memory and compute, shared out when there is not enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.lifecycle import CREATING_SECONDS
from gpuatlas.demo.patterns import activity
from gpuatlas.demo.randomness import fraction, wave
from gpuatlas.demo.state import PodState, TenantState

_LOADING_SECONDS: Final = 60.0  # memory is filled in so long after the container started
_LULL_SECONDS: Final = 1500.0  # patterns decide anew this often whether to work
_SETTLING_SECONDS: Final = 300.0  # an idle tenant ran its last kernel this long after it started
# Below this share no kernel runs.
_NO_KERNEL: Final = 0.005
# What a surging tenant counts for among others: its kernels are long, and the card waits for them.
_SURGE_WEIGHT: Final = 1.7


@dataclass(frozen=True, slots=True)
class Compute:
    """Shares of one card: what a tenant would take, what its own limit lets it, what it gets."""

    wanted: float
    allowed: float
    given: float


def tenants_of(
    pods: Sequence[tuple[PodState, int]], *, capacity_mib: int, seed: int, at: float
) -> tuple[TenantState, ...]:
    """The tenants of one card (or MIG instance) that has `capacity_mib` to give.

    `pods` names each pod with the card's position in its list. Ordinary memory is taken first, in
    order; managed memory gets what is left, and the rest of it lies in host memory.
    """
    compute = compute_of([pod for pod, _ in pods], seed=seed, at=at)
    memory = [_memory_wanted(pod, seed, at) for pod, _ in pods]
    managed = [pod.workload.uses.managed for pod, _ in pods]
    resident = _resident(memory, managed, capacity_mib)
    return tuple(
        TenantState(
            pod=pod,
            position=position,
            # What cannot be allocated is not counted; managed memory is, wherever it lies.
            counted_mib=memory[i] if managed[i] else resident[i],
            resident_mib=resident[i],
            compute=compute[i].given,
            wanted=compute[i].wanted,
            idle_seconds=_idle_seconds(pod, compute[i].given, seed, at),
        )
        for i, (pod, position) in enumerate(pods)
    )


def _running_seconds(pod: PodState, at: float) -> float:
    return at - pod.created_at - CREATING_SECONDS if pod.phase == "Running" else -1.0


def _memory_wanted(pod: PodState, seed: int, at: float) -> int:
    age = _running_seconds(pod, at)
    if age < 0:
        return 0
    quiet, busiest = pod.workload.uses.memory_mib
    key = (seed, pod.workload.key, pod.ordinal)
    load = activity(pod.workload.busy, at, *key)
    share = 0.75 * load + 0.25 * wave(at, 3600.0, "memory", *key)
    return int((quiet + (busiest - quiet) * share) * min(1.0, age / _LOADING_SECONDS))


def compute_of(pods: Sequence[PodState], *, seed: int, at: float) -> list[Compute]:
    """What each of the pods of one card (or MIG instance) gets of its compute."""
    demands = [_demand(pod, seed, at) for pod in pods]
    total = max(1.0, sum(allowed for _, allowed in demands))
    return [Compute(wanted, allowed, allowed / total) for wanted, allowed in demands]


def load_of(pod: PodState, seed: int, at: float) -> float:
    """How busy it is meant to be, 0 to 1."""
    if _running_seconds(pod, at) < _LOADING_SECONDS:
        return 0.0
    return activity(pod.workload.busy, at, seed, pod.workload.key, pod.ordinal)


def _demand(pod: PodState, seed: int, at: float) -> tuple[float, float]:
    """What it would take, and what its own limit lets it have."""
    if _running_seconds(pod, at) < _LOADING_SECONDS:
        return 0.0, 0.0
    quiet, busiest = pod.workload.uses.compute
    if pod.deviations.surging:
        wanted = quiet + _SURGE_WEIGHT * activity("surges", at, seed, pod.workload.key)
        return wanted, wanted
    wanted = quiet + (busiest - quiet) * load_of(pod, seed, at)
    limit = pod.workload.ask.cores if pod.workload.ask else 0
    return wanted, min(wanted, limit / 100) if limit else wanted


def _resident(memory: Sequence[int], managed: Sequence[bool], capacity: int) -> list[int]:
    resident = [0] * len(memory)
    for takes_rest in (False, True):
        for i, wanted in enumerate(memory):
            if managed[i] is takes_rest:
                resident[i] = min(wanted, capacity)
                capacity -= resident[i]
    return resident


def _idle_seconds(pod: PodState, compute: float, seed: int, at: float) -> int:
    if compute > _NO_KERNEL:
        return int(4 * fraction("kernel", seed, pod.uid, int(at)))
    age = _running_seconds(pod, at)
    since_settled = max(0.0, age - _SETTLING_SECONDS)
    return int(since_settled if pod.workload.busy == "idle" else min(age, at % _LULL_SECONDS))
