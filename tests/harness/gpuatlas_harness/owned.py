"""Small builders of owners and of what can be read of the objects between pods and workloads."""

from __future__ import annotations

from collections.abc import Mapping

from gpuatlas.join.owners import Identity, identify
from gpuatlas.model.objects import Owner, OwnerLink
from gpuatlas.model.snapshot import WorkloadId
from gpuatlas_harness.observed import a_pod

Kind = tuple[str, str]  # API group, kind


def an_owner(kind: Kind, name: str) -> Owner:
    """A controller reference."""
    return Owner(api_group=kind[0], kind=kind[1], name=name, uid=f"{kind[1]}/{name}")


def links(*chain: tuple[Kind, str], end: Owner | None = None) -> dict[str, OwnerLink]:
    """What can be read of a chain: each object's own controller, `end` above the last one."""
    owners = [an_owner(kind, name) for kind, name in chain]
    above: list[Owner | None] = [*owners[1:], end]
    return {
        owner.uid: OwnerLink(
            uid=owner.uid,
            api_group=owner.api_group,
            kind=owner.kind,
            namespace="team-a",
            name=owner.name,
            controller=controller,
        )
        for owner, controller in zip(owners, above, strict=True)
    }


def owned(
    first: tuple[Kind, str],
    labels: Mapping[str, str] | None = None,
    known: Mapping[str, OwnerLink] | None = None,
    told: tuple[Owner, ...] = (),
) -> Identity:
    """The workload of a pod in team-a with this controller."""
    pod = a_pod(controller=an_owner(*first), labels=labels or {})
    return identify(pod, known or {}, told=told)


def is_named(kind: Kind, name: str, source: str) -> Identity:
    """A workload in team-a."""
    workload = WorkloadId(namespace="team-a", api_group=kind[0], kind=kind[1], name=name)
    return Identity(workload=workload, source=source)
