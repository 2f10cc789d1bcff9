"""The Leases by which a layer's schedulers elect their leader. Pure. facts/hami.md 6.1 and 6.5."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from gpuatlas.model.layer import LayerController, SchedulerLease
from gpuatlas.sources.kubernetes.metadata import label_text, read_time
from gpuatlas.sources.kubernetes.shape import fields
from gpuatlas.sources.layer.asks import SCHEDULER
from gpuatlas.sources.layer.records import name_of, read_count

# Go reads switches by strconv.ParseBool.
_FALSE: Final = frozenset({"0", "f", "F", "false", "False", "FALSE"})


def lease_places(controllers: Iterable[LayerController]) -> Iterator[tuple[str, str]]:
    """(namespace, name) of the Leases that schedulers elect by, each once.

    In the scheduler's own namespace, as the chart has it: where else an option may point to is not
    looked at, since whoever can make a Deployment could have any Lease shown.
    """
    seen: set[tuple[str, str]] = set()
    for controller in controllers:
        flags = controller.flags
        if controller.component != SCHEDULER or flags.get("leader-elect") in _FALSE:
            continue
        name = flags.get("leader-elect-resource-name") or flags.get("scheduler-name", "")
        place = (controller.namespace, name)
        if name and place not in seen:
            seen.add(place)
            yield place


def read_lease(raw: object) -> SchedulerLease:
    """One Lease.

    Raises:
        MalformedError: "no-name", "bad-time", "bad-number".
    """
    namespace, name = name_of(raw)
    spec = fields(fields(raw).get("spec"))
    duration = read_count(spec.get("leaseDurationSeconds"), "spec.leaseDurationSeconds")
    return SchedulerLease(
        namespace=namespace,
        name=name,
        holder=label_text(spec.get("holderIdentity")),
        renewed_at=read_time(spec.get("renewTime")) or None,
        duration_seconds=float(duration) if duration else None,
    )
