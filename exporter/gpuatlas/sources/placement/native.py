"""Kubernetes' own gangs: scheduling.k8s.io Workload and PodGroup, 1.35 to 1.37. Pure.

1.35 (v1alpha1) has the policy in Workload.spec.podGroups[].policy, and pods name the Workload;
from 1.36 (v1alpha2, v1alpha3, v1beta1) it is in PodGroup.spec.schedulingPolicy, and pods name the
PodGroup. A group with the basic policy is no gang (facts/k8s.md 3.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.model.placement import GangTemplates, PodGroup, Waiting
from gpuatlas.sources.kubernetes.metadata import condition, read_metadata
from gpuatlas.sources.kubernetes.shape import fields, items, shared, text
from gpuatlas.sources.placement.raw import (
    filled,
    present,
    read_count,
    trim_conditions,
    trim_metadata,
    waiting,
)

SYSTEM: Final = "native"
_SCHEDULED: Final = "PodGroupInitiallyScheduled"
_REASONS: Final = frozenset({"Unschedulable", "SchedulerError"})
# Kubernetes allows 8.
_MAX_TEMPLATES: Final = 64
# List of groups → where the policy stands in each.
_LISTS: Final = (("podGroups", "policy"), ("podGroupTemplates", "schedulingPolicy"))


def project_group(raw: object) -> PodGroup:
    """A PodGroup.

    Raises:
        MalformedError: it cannot be identified, or `minCount` is no number of pods.
    """
    metadata = read_metadata(raw)
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    where = f"podgroup {metadata.namespace}/{metadata.name}"
    return PodGroup(
        system=SYSTEM,
        uid=metadata.uid,
        namespace=metadata.namespace,
        name=metadata.name,
        queue="",
        minimum=_minimum(fields(spec.get("schedulingPolicy")), where),
        waiting=_waiting(condition(status, _SCHEDULED)),
    )


def _waiting(scheduled: Mapping[str, object]) -> Waiting:
    if scheduled.get("status") != "False":
        return Waiting()
    reason = text(scheduled.get("reason"))
    word = f"Group{reason}" if reason in _REASONS else "GroupUnschedulable"
    return waiting(word, scheduled.get("message"))


def _minimum(policy: Mapping[str, object], where: str) -> int | None:
    return read_count(fields(policy.get("gang")).get("minCount"), f"{where} gang.minCount")


def trim_group(raw: object) -> dict[str, object]:
    """The fields of a PodGroup that `project_group` reads."""
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    return filled(
        metadata=trim_metadata(raw),
        spec=filled(schedulingPolicy=_trim_policy(spec.get("schedulingPolicy"))),
        status=filled(conditions=trim_conditions(status.get("conditions"), (_SCHEDULED,))),
    )


def project_workload(raw: object) -> GangTemplates:
    """A Workload: the groups, or the templates of groups, that it describes.

    Raises:
        MalformedError: it cannot be identified, or a `minCount` is no number of pods.
    """
    metadata = read_metadata(raw)
    spec = fields(fields(raw).get("spec"))
    where = f"workload {metadata.namespace}/{metadata.name}"
    minimums: dict[str, int | None] = {}
    for listed, policy in _LISTS:
        for group in map(fields, items(spec.get(listed))[:_MAX_TEMPLATES]):
            if name := text(group.get("name")):
                minimums[shared(name)] = _minimum(fields(group.get(policy)), where)
    return GangTemplates(
        uid=metadata.uid, namespace=metadata.namespace, name=metadata.name, minimums=minimums
    )


def trim_workload(raw: object) -> dict[str, object]:
    """The fields of a Workload that `project_workload` reads."""
    spec = fields(fields(raw).get("spec"))
    lists = {
        listed: [
            filled(name=text(group.get("name")), **{policy: _trim_policy(group.get(policy))})
            for group in map(fields, items(spec.get(listed)))
        ]
        for listed, policy in _LISTS
    }
    return filled(metadata=trim_metadata(raw), spec=filled(**lists))


def _trim_policy(policy: object) -> dict[str, object]:
    gang = fields(fields(policy).get("gang"))
    return filled(gang=present(gang, "minCount"))
