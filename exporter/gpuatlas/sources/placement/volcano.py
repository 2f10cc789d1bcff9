"""Volcano: PodGroup and Queue of scheduling.volcano.sh/v1beta1. Pure.

Facts: facts/k8s.md 3.2 and 3.3. Volcano writes the Unschedulable condition anew in every session,
so its time is no start of waiting; and it leaves it True when the group is scheduled at last, so
the later one of the two conditions counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.model.placement import PodGroup, Queue, Waiting
from gpuatlas.sources.kubernetes.metadata import read_metadata
from gpuatlas.sources.kubernetes.shape import fields, shared, text
from gpuatlas.sources.placement.raw import (
    filled,
    holds,
    present,
    read_conditions,
    read_count,
    since,
    trim_conditions,
    trim_metadata,
    waiting,
)

SYSTEM: Final = "volcano"
_CONDITIONS: Final = ("Unschedulable", "Scheduled")
_REASONS: Final = frozenset(
    {
        "NotEnoughResources",
        "NotEnoughTasks",
        "NotEnoughPodsOfTask",
        "PodFailed",
        "PodDeleted",
    }
)
_CLOSED: Final = frozenset({"Closed", "Closing"})


def project_group(raw: object) -> PodGroup:
    """A PodGroup.

    Raises:
        MalformedError: it cannot be identified, or `minMember` is no number of pods.
    """
    metadata = read_metadata(raw)
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    where = f"podgroup {metadata.namespace}/{metadata.name} spec.minMember"
    return PodGroup(
        system=SYSTEM,
        uid=metadata.uid,
        namespace=metadata.namespace,
        name=metadata.name,
        queue=shared(text(spec.get("queue"))),
        minimum=read_count(spec.get("minMember"), where),
        waiting=_waiting(status),
    )


def _waiting(status: Mapping[str, object]) -> Waiting:
    conditions = read_conditions(status.get("conditions"), _CONDITIONS)
    blocked, scheduled = conditions.get("Unschedulable"), conditions.get("Scheduled")
    if holds(blocked) and not (holds(scheduled) and since(scheduled) > since(blocked)):
        said = blocked or {}
        reason = text(said.get("reason"))
        word = f"Volcano{reason}" if reason in _REASONS else "VolcanoUnschedulable"
        return waiting(word, said.get("message"))
    if text(status.get("phase")) == "Pending":
        return waiting("VolcanoNotEnqueued", "the queue has not let the group in yet")
    return Waiting()


def trim_group(raw: object) -> dict[str, object]:
    """The fields of a PodGroup that `project_group` reads."""
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    return filled(
        metadata=trim_metadata(raw),
        spec=filled(queue=text(spec.get("queue"))) | present(spec, "minMember"),
        status=filled(
            phase=text(status.get("phase")),
            conditions=trim_conditions(status.get("conditions"), _CONDITIONS),
        ),
    )


def project_queue(raw: object) -> Queue:
    """A Queue.

    Raises:
        MalformedError: it cannot be identified.
    """
    metadata = read_metadata(raw)
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    return Queue(
        kind="VolcanoQueue",
        uid=metadata.uid,
        namespace="",
        name=metadata.name,
        parent=shared(text(spec.get("parent"))),
        open=text(status.get("state")) not in _CLOSED,
    )


def trim_queue(raw: object) -> dict[str, object]:
    """The fields of a Queue that `project_queue` reads."""
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    return filled(
        metadata=trim_metadata(raw),
        spec=filled(parent=text(spec.get("parent"))),
        status=filled(state=text(status.get("state"))),
    )
