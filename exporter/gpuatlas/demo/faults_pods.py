"""Faults that bring pods of their own: nobody admitted them, or they never got their card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpuatlas.demo.deviations import Deviations
from gpuatlas.demo.fault_kind import HAMI, Fault, FaultKind
from gpuatlas.demo.lifecycle import service_pod_name
from gpuatlas.demo.randomness import name_suffix, uuid
from gpuatlas.demo.scenario import Ask, NodeSpec, Place, Renewed, Sharing, Uses, Waits, WorkloadSpec
from gpuatlas.demo.state import JobState, PodState

_NAMESPACE: Final = "sandbox"
_HOUR: Final = 3600.0
_MINUTE: Final = 60.0
_RETRY_SECONDS: Final = 600.0  # a job makes a new pod this often for one that was rejected
_KEPT: Final = 3
_SMALL_MIB: Final = 1000
_CONTEXT_MIB: Final = 300  # what a program holds that has only opened the card
# What the kubelet writes when a device plugin refuses (facts/hami.md 6.5).
_REJECTED: Final = (
    "Pod was rejected: Allocate failed due to rpc error: code = Unknown desc = device number not "
    "matched, which is unexpected"
)
_BYPASS: Final = Deviations(scheduler="default-scheduler", promised=False)
_SHARED: Final = frozenset({Sharing.HAMI, Sharing.VOLCANO, Sharing.KAI})


def _workload(
    stem: str,
    node: NodeSpec,
    fault: Fault,
    *,
    kind: str = "Deployment",
    cards: Sequence[int] = (),
    ask: Ask | None = None,
    memory_mib: int = 0,
) -> WorkloadSpec:
    card = "" if fault.spec.card is None else f"-{fault.spec.card}"
    return WorkloadSpec(
        name=f"{stem}-{node.name}{card}",
        namespace=_NAMESPACE,
        kind=kind,
        runtime="watcher",
        busy="idle",
        places=(Place(node=node.name, cards=tuple(cards)),),
        lives=Renewed(days=3650),
        uses=Uses(memory_mib=(memory_mib, memory_mib)),
        ask=ask,
    )


def _running(
    workload: WorkloadSpec, fault: Fault, seed: int, deviations: Deviations
) -> tuple[PodState, ...]:
    """One pod that has been there for an hour."""
    pod = PodState(
        workload=workload,
        name=service_pod_name(workload, 0, 0, seed),
        uid=uuid("pod", seed, workload.key, 0),
        ordinal=0,
        place=workload.places[0],
        phase="Running",
        created_at=fault.began - _HOUR,
        ready=True,
        deviations=deviations,
    )
    return (pod,)


def _unadmitted(node: NodeSpec, fault: Fault, seed: int) -> Sequence[PodState]:
    return _running(_workload("unadmitted", node, fault, cards=(0,)), fault, seed, _BYPASS)


def _unschedulable(node: NodeSpec, fault: Fault, seed: int) -> Sequence[PodState]:
    name = f"unschedulable-{node.name}"
    workload = WorkloadSpec(
        name=name,
        namespace=_NAMESPACE,
        kind="Pod",
        runtime="watcher",
        busy="idle",
        places=(),
        lives=Waits(hours=24),
        uses=Uses(),
        requests={"nvidia.com/gpu": 1, "nvidia.com/gpumem": _SMALL_MIB},
    )
    pod = PodState(
        workload=workload,
        name=name,
        uid=uuid("pod", seed, workload.key, 0),
        ordinal=0,
        place=None,
        phase="Pending",
        created_at=fault.began,
    )
    return (pod,)


def _visible_devices(node: NodeSpec, fault: Fault, seed: int) -> Sequence[PodState]:
    value = fault.text("value")
    deviations = Deviations(
        scheduler="default-scheduler", env=(("NVIDIA_VISIBLE_DEVICES", value),), promised=False
    )
    return _running(_workload("all-cards", node, fault), fault, seed, deviations)


def _host_device(node: NodeSpec, fault: Fault, seed: int) -> Sequence[PodState]:
    deviations = Deviations(
        scheduler="default-scheduler", host_path=fault.text("path"), promised=False
    )
    return _running(_workload("raw-device", node, fault), fault, seed, deviations)


def _privileged(node: NodeSpec, fault: Fault, seed: int) -> Sequence[PodState]:
    deviations = Deviations(
        scheduler="default-scheduler", privileged=True, runtime_class="nvidia", promised=False
    )
    return _running(_workload("debug-shell", node, fault), fault, seed, deviations)


def _second_promise(node: NodeSpec, fault: Fault, seed: int) -> Sequence[PodState]:
    """All that the card has to give, once more."""
    workload = _workload(
        "promised-twice",
        node,
        fault,
        cards=(fault.spec.card or 0,),
        ask=Ask(memory_mib=node.schedulable_mib),
        memory_mib=_CONTEXT_MIB,
    )
    return _running(workload, fault, seed, Deviations())


def _promise_of_nothing(node: NodeSpec, fault: Fault, seed: int) -> Sequence[PodState]:
    workload = _workload("stale-promise", node, fault, ask=Ask(memory_mib=_SMALL_MIB))
    card = f"GPU-{uuid('no card', seed, node.name)}"
    return _running(workload, fault, seed, Deviations(promised_card=card))


def _stuck(node: NodeSpec, fault: Fault, seed: int) -> Sequence[PodState]:
    workload = _workload(
        "stuck", node, fault, cards=(fault.spec.card or 0,), ask=Ask(memory_mib=_SMALL_MIB)
    )
    bound = fault.began - fault.number("minutes") * _MINUTE
    pod = PodState(
        workload=workload,
        name=service_pod_name(workload, 0, 0, seed),
        uid=uuid("pod", seed, workload.key, 0),
        ordinal=0,
        place=workload.places[0],
        phase="Pending",
        created_at=bound,
        deviations=Deviations(bind_phase="allocating", bound_at=bound),
    )
    return (pod,)


def _rejected(node: NodeSpec, fault: Fault, seed: int) -> Sequence[PodState]:
    """The pods of a job that the device plugin refuses, one after the other."""
    workload = _workload(
        "rejected", node, fault, kind="Job", cards=(0,), ask=Ask(memory_mib=_SMALL_MIB)
    )
    first = fault.began - _MINUTE
    newest = int((fault.at - first) // _RETRY_SECONDS)
    job = JobState(
        namespace=workload.namespace,
        name=workload.name,
        uid=uuid("job", seed, workload.key),
        cron_job="",
        created_at=first,
        finished_at=None,
        failed=False,
        pods=1,
    )
    return tuple(
        PodState(
            workload=workload,
            name=f"{workload.name}-{name_suffix(5, seed, workload.key, number)}",
            uid=uuid("pod", seed, workload.key, number),
            ordinal=0,
            place=workload.places[0],
            phase="Failed",
            created_at=first + number * _RETRY_SECONDS,
            finished_at=first + number * _RETRY_SECONDS,
            job=job,
            deviations=Deviations(
                bind_phase="failed", reason="UnexpectedAdmissionError", message=_REJECTED
            ),
        )
        for number in range(max(0, newest - _KEPT + 1), newest + 1)
    )


PODS: Final[tuple[FaultKind, ...]] = (
    FaultKind(
        name="pod-unadmitted",
        description="a pod that asks for a card runs on the node, and HAMi's webhook never saw it",
        sharing=HAMI,
        adds_pods=_unadmitted,
    ),
    FaultKind(
        name="pod-unschedulable",
        description="a pod that asks for HAMi's memory waits for the default scheduler, which "
        "knows no such resource",
        sharing=HAMI,
        adds_pods=_unschedulable,
    ),
    FaultKind(
        name="pod-sees-cards",
        description="a pod without an allocation sets NVIDIA_VISIBLE_DEVICES on a shared node",
        options={"value": "all"},
        sharing=_SHARED,
        adds_pods=_visible_devices,
    ),
    FaultKind(
        name="pod-mounts-device",
        description="a pod without an allocation mounts a card's device file on a shared node",
        options={"path": "/dev/nvidia0"},
        sharing=_SHARED,
        adds_pods=_host_device,
    ),
    FaultKind(
        name="pod-privileged",
        description="a privileged pod with NVIDIA's runtime and no allocation is on a shared node",
        sharing=_SHARED,
        adds_pods=_privileged,
    ),
    FaultKind(
        name="double-allocation",
        description="a second scheduler promised the whole card to one more pod",
        sharing=HAMI,
        needs_card=True,
        adds_pods=_second_promise,
    ),
    FaultKind(
        name="promise-of-unknown-card",
        description="a pod was promised memory of a card that the node has not registered",
        sharing=HAMI,
        adds_pods=_promise_of_nothing,
    ),
    FaultKind(
        name="allocation-stuck",
        description="a pod that HAMi has bound to the card waits for its device plugin",
        options={"minutes": 15},
        sharing=HAMI,
        needs_card=True,
        adds_pods=_stuck,
    ),
    FaultKind(
        name="admission-errors",
        description="HAMi's device plugin refuses a job's pods, one every ten minutes",
        sharing=HAMI,
        adds_pods=_rejected,
    ),
)
