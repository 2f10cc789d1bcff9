"""Which pods and jobs exist at an instant, computed from the instant alone.

A pod's life is one of a row of equal periods, so its birth can be worked out backwards; no run has
to remember the one before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from gpuatlas.demo.patterns import DAY, HOUR, is_weekend
from gpuatlas.demo.randomness import fraction, name_suffix, uuid
from gpuatlas.demo.runtimes import RUNTIMES
from gpuatlas.demo.scenario import (
    Place,
    QueueSystem,
    Renewed,
    Runs,
    Scenario,
    Waits,
    WorkingHours,
    WorkloadSpec,
)
from gpuatlas.demo.shapes import begins_together, shape_of
from gpuatlas.demo.state import JobState, PodState

MINUTE: Final = 60.0
CREATING_SECONDS: Final = 20.0  # a new pod waits so long for its image and its devices
# What Kubernetes keeps of a CronJob by default.
_KEPT_SUCCEEDED: Final = 3
# More lives than a workload has.
_ROLLED_OUT: Final = 100_000
_KEPT_FAILED: Final = 1


def pods_at(scenario: Scenario, seed: int, at: float) -> tuple[PodState, ...]:
    """All pods of all workloads, by namespace and name."""
    pods = (
        pod
        for workload in scenario.workloads
        if not is_held(scenario, workload)
        for pod in pods_of(workload, scenario.since, seed, at)
    )
    return tuple(sorted(pods, key=lambda pod: (pod.workload.namespace, pod.name)))


def jobs_of(pods: tuple[PodState, ...]) -> tuple[JobState, ...]:
    """The jobs that own these pods, by namespace and name."""
    jobs = {pod.job.uid: pod.job for pod in pods if pod.job}
    return tuple(sorted(jobs.values(), key=lambda job: (job.namespace, job.name)))


def revision_at(workload: WorkloadSpec, since: float, seed: int, at: float) -> tuple[int, float]:
    """How many pod templates its Deployment had before the present one, and since when that is."""
    life = workload.lives
    if not (isinstance(life, Renewed) and life.rolled_out_days):
        return 0, since
    offset = fraction("rollout", seed, workload.key)
    number, begun = _period(life.rolled_out_days * DAY, offset, since, at)
    # What was before the first whole period is the first revision.
    return number + 1, begun


def replica_set_name(workload: WorkloadSpec, seed: int, revision: int = 0) -> str:
    """The ReplicaSet of a Deployment: its name and a hash of its template."""
    key = ("template", revision) if revision else ("template",)
    return f"{workload.name}-{name_suffix(10, seed, workload.key, *key)}"


def is_held(scenario: Scenario, workload: WorkloadSpec) -> bool:
    """Whether Kueue holds it back: its job is suspended and has no pods."""
    queue = scenario.queue_of(workload)
    kueue = queue is not None and queue.system is QueueSystem.KUEUE
    return kueue and isinstance(workload.lives, Waits)


def pods_of(workload: WorkloadSpec, since: float, seed: int, at: float) -> Iterator[PodState]:
    """The pods of one workload that no queue holds back."""
    life = workload.lives
    if isinstance(life, Runs):
        yield from _runs(workload, life, since, seed, at)
    elif isinstance(life, Waits):
        for ordinal in range(life.pods):
            yield _waiting(workload, ordinal, since, seed, at)
    else:
        for ordinal, place in enumerate(workload.places):
            pod = _service(workload, ordinal, place, since, seed, at)
            if pod:
                yield pod


def _service(
    workload: WorkloadSpec, ordinal: int, place: Place, since: float, seed: int, at: float
) -> PodState | None:
    key = (seed, workload.key, ordinal)
    revision, rolled_out = revision_at(workload, since, seed, at)
    born: float | None
    if isinstance(workload.lives, WorkingHours):
        born = _born_today(workload.lives, key, at)
        generation = int(at // DAY)
    else:
        days = workload.lives.days if isinstance(workload.lives, Renewed) else 1.0
        offset = fraction("offset", seed, workload.key, 0 if begins_together(workload) else ordinal)
        generation, born = _period(days * DAY, offset, since, at)
        if rolled_out > born:
            # New pods in the middle of a life; the number tells them from those before.
            generation, born = generation + _ROLLED_OUT * revision, rolled_out
    if born is None or born < since or born > at:
        return None
    running = at - born >= CREATING_SECONDS
    shape = shape_of(workload, seed, ordinal, generation)
    return PodState(
        workload=workload,
        name=shape.pod
        if shape
        else service_pod_name(workload, ordinal, generation, seed, revision),
        uid=uuid("pod", *key, generation),
        ordinal=ordinal,
        place=place,
        phase="Running" if running else "Pending",
        created_at=born,
        ready=running and at - born >= CREATING_SECONDS + _start_seconds(workload),
        shape=shape,
        revision=revision,
    )


def _period(length: float, offset: float, since: float, at: float) -> tuple[int, float]:
    """The number and the start of the period that holds `at`, cut at the cluster's own start.

    `offset` is a share of the period. Periods begin on whole seconds, as creation times do.
    """
    length = math.floor(length)
    first = since + math.floor(offset * length)
    number = math.floor((at - first) / length)
    return number, max(since, first + number * length)


def _born_today(hours: WorkingHours, key: tuple[int, str, int], at: float) -> float | None:
    """When today's pod was made, or None outside the hours; people are up to 20 minutes late."""
    day = math.floor(at / DAY)
    late = 20 * MINUTE
    start = day * DAY + hours.start * HOUR + math.floor(late * fraction("start", *key, day))
    end = day * DAY + hours.end * HOUR + math.floor(late * fraction("end", *key, day))
    return start if start <= at < end and not is_weekend(at) else None


def ready_at(pod: PodState) -> float:
    """When its container has started and loaded what it needs."""
    return pod.created_at + CREATING_SECONDS + _start_seconds(pod.workload)


def _start_seconds(workload: WorkloadSpec) -> int:
    return RUNTIMES[workload.runtime].starts_seconds


def service_pod_name(
    workload: WorkloadSpec, ordinal: int, generation: int, seed: int, revision: int = 0
) -> str:
    """The pod of a workload that is always there, of a built-in kind."""
    suffix = name_suffix(5, seed, workload.key, ordinal, generation)
    if workload.kind == "Deployment":
        return f"{replica_set_name(workload, seed, revision)}-{suffix}"
    if workload.kind == "StatefulSet":
        return f"{workload.name}-{ordinal}"
    return f"{workload.name}-{suffix}" if workload.kind == "DaemonSet" else workload.name


def _runs(
    workload: WorkloadSpec, life: Runs, since: float, seed: int, at: float
) -> Iterator[PodState]:
    every = life.every_minutes * MINUTE
    # Runs begin on a whole minute, as a CronJob's do.
    offset = math.floor(fraction("offset", seed, workload.key) * life.every_minutes) * MINUTE
    current = math.floor((at - since - offset) / every)
    kept = {"succeeded": 0, "failed": 0}
    oldest = max(current - _KEPT_SUCCEEDED - _KEPT_FAILED * (life.fails_every + 1), 0)
    for run in range(current, oldest - 1, -1):
        started = since + offset + run * every
        if _ends(workload, life, run, started, seed) <= at:
            outcome = "failed" if _fails(life, run) else "succeeded"
            kept[outcome] += 1
            if kept[outcome] > _kept_most(workload, outcome):
                continue
        yield from _run(workload, life, run, started, seed, at)


def _kept_most(workload: WorkloadSpec, outcome: str) -> int:
    """How many finished runs still have their objects; of a plain Job only the last."""
    if workload.kind == "Job":
        return 1
    return _KEPT_FAILED if outcome == "failed" else _KEPT_SUCCEEDED


def _ends(workload: WorkloadSpec, life: Runs, run: int, started: float, seed: int) -> float:
    share = 0.9 + 0.1 * fraction("takes", seed, workload.key, run)
    return math.floor(started + life.takes_minutes * MINUTE * share)


def _fails(life: Runs, run: int) -> bool:
    return bool(life.fails_every) and run % life.fails_every == life.fails_every - 1


def _run(
    workload: WorkloadSpec, life: Runs, run: int, started: float, seed: int, at: float
) -> Iterator[PodState]:
    ends = _ends(workload, life, run, started, seed)
    finished = ends if ends <= at else None
    failed = finished is not None and _fails(life, run)
    job = _job(workload, run, started, finished, failed=failed, seed=seed)
    running = at - started >= CREATING_SECONDS
    for ordinal, place in enumerate(workload.places):
        yield PodState(
            workload=workload,
            name=_job_pod_name(workload, job, ordinal, seed),
            uid=uuid("pod", seed, workload.key, ordinal, run),
            ordinal=ordinal,
            place=place,
            phase=_run_phase(job, running=running),
            created_at=started,
            ready=running and finished is None,
            finished_at=finished,
            job=job,
        )


def _run_phase(job: JobState, *, running: bool) -> str:
    if job.finished_at is not None:
        return "Failed" if job.failed else "Succeeded"
    return "Running" if running else "Pending"


def _job(
    workload: WorkloadSpec,
    run: int,
    started: float,
    finished: float | None,
    *,
    failed: bool,
    seed: int,
) -> JobState:
    cron, beginning = workload.kind == "CronJob", f"{workload.name}-"
    letters = name_suffix(5, seed, workload.key, "run", run)
    return JobState(
        namespace=workload.namespace,
        name=f"{beginning}{int(started // MINUTE) if cron else letters}",
        generate_name="" if cron else beginning,
        uid=uuid("job", seed, workload.key, run),
        cron_job=workload.name if cron else "",
        created_at=started,
        finished_at=finished,
        failed=failed,
        pods=max(1, len(workload.places)),
    )


def _job_pod_name(workload: WorkloadSpec, job: JobState, ordinal: int, seed: int) -> str:
    suffix = name_suffix(5, seed, workload.key, job.name, ordinal)
    indexed = len(workload.places) > 1
    return f"{job.name}-{ordinal}-{suffix}" if indexed else f"{job.name}-{suffix}"


def waits_since(workload: WorkloadSpec, since: float, seed: int, at: float) -> tuple[int, float]:
    """Which of its waits this is, from 1, and when it began."""
    hours = workload.lives.hours if isinstance(workload.lives, Waits) else 1.0
    number, created = _period(hours * HOUR, fraction("offset", seed, workload.key), since, at)
    # The first period began before the cluster did.
    return number + 1, created


def _waiting(workload: WorkloadSpec, ordinal: int, since: float, seed: int, at: float) -> PodState:
    run, created = waits_since(workload, since, seed, at)
    shape = shape_of(workload, seed, ordinal, run)
    job = (
        _job(workload, run, created, None, failed=False, seed=seed)
        if workload.kind == "Job"
        else None
    )
    name = _job_pod_name(workload, job, 0, seed) if job else workload.name
    return PodState(
        workload=workload,
        name=shape.pod if shape else name,
        uid=uuid("pod", seed, workload.key, ordinal, run),
        ordinal=ordinal,
        place=None,
        phase="Pending",
        created_at=created,
        job=job,
        shape=shape,
    )
