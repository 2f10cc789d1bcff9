"""Small builders of queues, groups and decisions; every argument has a plain default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuatlas.join.placement import HeldWorkload, PlacementInputs, hold, unstarted
from gpuatlas.join.placement_index import index_placement
from gpuatlas.model.objects import Owner, OwnerLink, Pod
from gpuatlas.model.placement import (
    BindRequest,
    GangTemplates,
    PlacementObjects,
    PodGroup,
    PodSet,
    Queue,
    QueuedWorkload,
    Waiting,
)
from gpuatlas_harness.observed import NOW

Placeable = QueuedWorkload | Queue | PodGroup | GangTemplates | BindRequest


def a_pod_set(
    count: int = 1, gpus: int = 1, *, minimum: int | None = None, name: str = "main"
) -> PodSet:
    """Equal pods with `gpus` cards each."""
    limits = {"nvidia.com/gpu": gpus} if gpus else {}
    return PodSet(name=name, count=count, minimum=minimum, limits=limits)


def a_queued(name: str = "job-train-1", *pod_sets: PodSet, **changes: object) -> QueuedWorkload:
    """A Kueue Workload in team-a that has waited a quarter of an hour for quota."""
    values: dict[str, object] = {
        "uid": f"wl-{name}",
        "namespace": "team-a",
        "name": name,
        "owner": Owner(api_group="batch", kind="Job", name="train", uid="Job/train"),
        "queue": "research",
        "cluster_queue": "",
        "pod_sets": pod_sets or (a_pod_set(),),
        "waiting": Waiting(reason="KueueWaitingForQuota", text="24 more needed"),
        "waiting_since": NOW - 900,
    }
    return QueuedWorkload(**(values | changes))  # type: ignore[arg-type]


def a_queue(kind: str, name: str, parent: str = "", namespace: str = "") -> Queue:
    """An open queue; a LocalQueue is in team-a unless told otherwise."""
    namespace = namespace or ("team-a" if kind == "LocalQueue" else "")
    uid = f"{kind}-{namespace}-{name}"
    return Queue(kind=kind, uid=uid, namespace=namespace, name=name, parent=parent, open=True)


def a_group(system: str, name: str = "pg", minimum: int | None = 4, **changes: object) -> PodGroup:
    """A group in team-a that waits for nothing."""
    values: dict[str, object] = {
        "system": system,
        "uid": f"{system}-{name}",
        "namespace": "team-a",
        "name": name,
        "queue": "",
        "minimum": minimum,
        "waiting": Waiting(),
    }
    return PodGroup(**(values | changes))  # type: ignore[arg-type]


def a_bind(pod: str, node: str = "gpu-a") -> BindRequest:
    """KAI's decision for a pod in team-a."""
    return BindRequest(
        uid=f"bind-{pod}",
        namespace="team-a",
        pod=pod,
        node=node,
        phase="Succeeded",
        resource_type="Regular",
        groups=(),
    )


def objects(*given: Placeable) -> PlacementObjects:
    """Objects of all kinds, sorted into their mappings."""

    def of(kind: type[Placeable]) -> dict[str, Placeable]:
        return {item.uid: item for item in given if isinstance(item, kind)}

    return PlacementObjects(
        workloads=of(QueuedWorkload),  # type: ignore[arg-type]
        queues=of(Queue),  # type: ignore[arg-type]
        groups=of(PodGroup),  # type: ignore[arg-type]
        templates=of(GangTemplates),  # type: ignore[arg-type]
        binds=of(BindRequest),  # type: ignore[arg-type]
    )


def inputs(
    *given: Placeable,
    owners: Mapping[str, OwnerLink] | None = None,
    pods: Iterable[Pod] = (),
) -> PlacementInputs:
    """What placement is read from."""
    return PlacementInputs(
        index=index_placement(objects(*given)),
        owners=owners or {},
        pods={pod.uid: pod for pod in pods},
    )


def held_workloads(
    given: PlacementInputs, pods: Iterable[Pod], now: float
) -> tuple[HeldWorkload, ...]:
    """Everything that waits without pods."""
    found = unstarted(given, pods)
    return tuple(hold(i, workloads, given.index, now) for i, workloads in found.items())
