"""KAI: PodGroup (v2alpha2), Queue (v2) and BindRequest (v1alpha2). Pure.

Facts: facts/k8s.md 1.9, 3.2 and 3.3; the grouper of KAI for the annotation with the top owner,
which is YAML with one plain scalar a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.model.objects import Owner
from gpuatlas.model.placement import BindRequest, PodGroup, Queue, Waiting
from gpuatlas.sources.kubernetes.metadata import read_metadata
from gpuatlas.sources.kubernetes.shape import fields, items, shared, text
from gpuatlas.sources.placement.raw import (
    MAX_MESSAGE,
    filled,
    holds,
    present,
    read_count,
    trim_metadata,
    waiting,
)

SYSTEM: Final = "kai"
TOP_OWNER: Final = "kai.scheduler/top-owner-metadata"
_BLOCKED: Final = "UnschedulableOnNodePool"
_REASONS: Final = frozenset({"NonPreemptibleOverQuota", "OverLimit", "QueueDoesNotExist"})
# Names and group of an object have at most 253 characters each.
_MAX_TOP_OWNER: Final = 2_048
# As many as are looked at; a node pool each, a reason each, a level of pods each.
_MAX_ITEMS: Final = 64
_MAX_GROUPS: Final = 1_024


def project_group(raw: object) -> PodGroup:
    """A PodGroup. With sub-groups the minimum is the sum of those that hold pods themselves.

    Raises:
        MalformedError: it cannot be identified, or a minimum is no number of pods.
    """
    metadata = read_metadata(raw)
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    return PodGroup(
        system=SYSTEM,
        uid=metadata.uid,
        namespace=metadata.namespace,
        name=metadata.name,
        queue=shared(text(spec.get("queue"))),
        minimum=_minimum(spec, f"podgroup {metadata.namespace}/{metadata.name}"),
        waiting=_waiting(status),
        top_owner=read_top_owner(text(fields(metadata.annotations).get(TOP_OWNER))),
    )


def _minimum(spec: Mapping[str, object], where: str) -> int | None:
    groups = [fields(item) for item in items(spec.get("subGroups"))[:_MAX_GROUPS]]
    parents = {text(group.get("parent")) for group in groups}
    leaves = [group for group in groups if text(group.get("name")) not in parents]
    if not leaves:
        return read_count(spec.get("minMember"), f"{where} spec.minMember")
    # The scheduler wants at least one pod of each.
    at = f"{where} spec.subGroups[].minMember"
    return sum(max(read_count(group.get("minMember"), at) or 0, 1) for group in leaves)


def _waiting(status: Mapping[str, object]) -> Waiting:
    for condition in map(fields, items(status.get("schedulingConditions"))[:_MAX_ITEMS]):
        if condition.get("type") != _BLOCKED or not holds(condition):
            continue
        for explanation in map(fields, items(condition.get("reasons"))[:_MAX_ITEMS]):
            if (reason := text(explanation.get("reason"))) in _REASONS:
                return waiting(f"Kai{reason}", explanation.get("message"))
        return waiting("KaiUnschedulable", condition.get("message"))
    return Waiting()


def read_top_owner(written: str) -> Owner | None:
    """The owner in the annotation, None where it is not there or not whole.

    Tenants who may write PodGroups can write it: it is a hint, no proof.
    """
    if not written or len(written) > _MAX_TOP_OWNER:
        return None
    values: dict[str, str] = {}
    for line in written.splitlines():
        key, colon, value = line.partition(": ")
        if colon:
            values[key] = value.strip().strip("\"'")
    if not values.get("name") or not values.get("kind"):
        return None
    return Owner(
        api_group=values.get("group", ""),
        kind=values["kind"],
        name=values["name"],
        uid=values.get("uid", ""),
    )


def trim_group(raw: object) -> dict[str, object]:
    """The fields of a PodGroup that `project_group` reads."""
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    return filled(
        metadata=trim_metadata(raw, annotations=(TOP_OWNER,)),
        spec=filled(
            queue=text(spec.get("queue")),
            subGroups=[
                present(fields(group), "name", "minMember", "parent")
                for group in items(spec.get("subGroups"))
            ],
        )
        | present(spec, "minMember"),
        status=filled(
            schedulingConditions=[
                _trim_condition(fields(condition))
                for condition in items(status.get("schedulingConditions"))
            ]
        ),
    )


def _trim_condition(condition: Mapping[str, object]) -> dict[str, object]:
    return filled(
        type=text(condition.get("type")),
        status=text(condition.get("status")),
        message=text(condition.get("message"))[:MAX_MESSAGE],
        reasons=[
            filled(
                reason=text(explanation.get("reason")),
                message=text(explanation.get("message"))[:MAX_MESSAGE],
            )
            for explanation in map(fields, items(condition.get("reasons")))
        ],
    )


def project_queue(raw: object) -> Queue:
    """A Queue.

    Raises:
        MalformedError: it cannot be identified.
    """
    metadata = read_metadata(raw)
    return Queue(
        kind="KaiQueue",
        uid=metadata.uid,
        namespace="",
        name=metadata.name,
        parent=shared(text(fields(fields(raw).get("spec")).get("parentQueue"))),
        open=True,
    )


def trim_queue(raw: object) -> dict[str, object]:
    """The fields of a Queue that `project_queue` reads."""
    parent = text(fields(fields(raw).get("spec")).get("parentQueue"))
    return filled(metadata=trim_metadata(raw), spec=filled(parentQueue=parent))


def project_bind_request(raw: object) -> BindRequest | None:
    """A BindRequest; None where it names no pod or no node, since then it decides nothing.

    Raises:
        MalformedError: it cannot be identified.
    """
    metadata = read_metadata(raw)
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    pod, node = text(spec.get("podName")), text(spec.get("selectedNode"))
    if not pod or not node:
        return None
    groups = (text(group) for group in items(spec.get("selectedGPUGroups"))[:_MAX_GROUPS])
    return BindRequest(
        uid=metadata.uid,
        namespace=metadata.namespace,
        pod=pod,
        node=shared(node),
        phase=shared(text(status.get("phase"))),
        resource_type=shared(text(spec.get("receivedResourceType"))),
        groups=tuple(group for group in groups if group),
    )


def trim_bind_request(raw: object) -> dict[str, object]:
    """The fields of a BindRequest that `project_bind_request` reads."""
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    names = ("podName", "selectedNode", "receivedResourceType")
    return filled(
        metadata=trim_metadata(raw),
        spec=filled(
            **{name: text(spec.get(name)) for name in names},
            selectedGPUGroups=[text(group) for group in items(spec.get("selectedGPUGroups"))],
        ),
        status=filled(phase=text(status.get("phase"))),
    )
