"""What the tenants of a card use of it: memory and compute, shared out when there is not enough."""

from __future__ import annotations

from collections.abc import Sequence
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


def tenants_of(
    pods: Sequence[tuple[PodState, int]], *, capacity_mib: int, seed: int, at: float
) -> tuple[TenantState, ...]:
    """The tenants of one card (or MIG instance) that has `capacity_mib` to give.

    `pods` names each pod with the card's position in its list. Ordinary memory is taken first, in
    order; managed memory gets what is left, and the rest of it lies in host memory.
    """
    compute = _shared_out([_compute_wanted(pod, seed, at) for pod, _ in pods])
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
            compute=compute[i],
            idle_seconds=_idle_seconds(pod, compute[i], seed, at),
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


def _compute_wanted(pod: PodState, seed: int, at: float) -> float:
    if _running_seconds(pod, at) < _LOADING_SECONDS:
        return 0.0
    quiet, busiest = pod.workload.uses.compute
    load = activity(pod.workload.busy, at, seed, pod.workload.key, pod.ordinal)
    wanted = quiet + (busiest - quiet) * load
    limit = pod.workload.ask.cores if pod.workload.ask else 0
    return min(wanted, limit / 100) if limit else wanted


def _shared_out(wanted: Sequence[float]) -> list[float]:
    total = sum(wanted)
    return [share / total for share in wanted] if total > 1 else list(wanted)


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
