"""Pods and their owners in team-a, and the workloads that the join makes of them."""

from __future__ import annotations

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Owner, OwnerLink, Pod
from gpuatlas.model.placement import PlacementObjects
from gpuatlas.model.snapshot import NamespaceSnapshot
from gpuatlas_harness.observed import a_node, observations


def an_owner(kind: str, name: str, group: str = "apps") -> Owner:
    return Owner(api_group=group, kind=kind, name=name, uid=f"{kind}-{name}")


def a_link(kind: str, name: str, controller: Owner | None, group: str = "apps") -> OwnerLink:
    return OwnerLink(
        uid=f"{kind}-{name}",
        api_group=group,
        kind=kind,
        namespace="team-a",
        name=name,
        controller=controller,
    )


def joined_team(
    *pods: Pod,
    links: tuple[OwnerLink, ...] = (),
    placement: PlacementObjects | None = None,
) -> NamespaceSnapshot:
    obs = observations(
        [a_node()],
        pods,
        owners={link.uid: link for link in links},
        placement=placement or PlacementObjects(),
    )
    return Joiner().build(obs).namespaces["team-a"]
