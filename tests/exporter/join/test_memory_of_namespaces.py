"""A namespace is joined again when its own objects change, and only then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from gpuatlas.join.by_namespace import ByNamespace
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.claims import Claim
from gpuatlas.model.objects import Owner, OwnerLink, PodClaim
from gpuatlas.model.observations import Observations
from gpuatlas.model.placement import PlacementObjects, QueuedWorkload, Waiting
from gpuatlas_harness.observed import NOW, a_container, a_node, a_pod, observations
from gpuatlas_harness.owned import an_owner
from gpuatlas_harness.placed import (
    Placeable,
    a_bind,
    a_group,
    a_queue,
    a_queued,
    objects,
)

JOB = ("batch", "Job")
ADMITTED = a_queued(waiting=Waiting(), cluster_queue="shared")


def a_link(namespace: str, controller: Owner | None = None) -> OwnerLink:
    return OwnerLink(
        uid="Job/train",
        api_group="batch",
        kind="Job",
        namespace=namespace,
        name="train",
        controller=controller,
    )


TRAIN = an_owner(JOB, "train")
PODS = (
    a_pod("a", controller=TRAIN),
    a_pod("b", controller=replace(TRAIN, uid="other"), namespace="team-b"),
)


def cluster(*given: Placeable, **changes: object) -> Observations:
    """Running pods in team-a and team-b, of a Job each: the same objects every time."""
    return observations([a_node()], PODS, placement=objects(*given), **changes)


def rebuilt(before: Observations, after: Observations) -> dict[str, bool]:
    """Namespace → whether it is new in the second snapshot."""
    joiner = Joiner()
    first, second = joiner.build(before), joiner.build(after)
    assert second == Joiner().build(after)
    return {
        name: space is not first.namespaces.get(name) for name, space in second.namespaces.items()
    }


@pytest.mark.parametrize(
    "added",
    [
        ADMITTED,
        a_queue("LocalQueue", "research", "shared"),
        a_group("volcano"),
        a_bind("a"),
    ],
    ids=["Workload", "LocalQueue", "PodGroup", "BindRequest"],
)
def test_an_object_of_placement_changes_its_namespace_only(added: Placeable) -> None:
    assert rebuilt(cluster(), cluster(added)) == {"team-a": True, "team-b": False}


def test_the_same_objects_in_new_mappings_change_nothing() -> None:
    found = (ADMITTED, a_group("kai"), a_queue("LocalQueue", "research", "shared"))
    later = replace(cluster(*found), now=NOW + 60)
    assert rebuilt(cluster(*found), later) == {"team-a": False, "team-b": False}


def test_an_owner_changes_its_namespace_only() -> None:
    before = cluster(owners={"Job/train": a_link("team-a")})
    cron = an_owner(("batch", "CronJob"), "nightly")
    after = replace(before, owners={"Job/train": a_link("team-a", cron)})
    assert rebuilt(before, after) == {"team-a": True, "team-b": False}


def test_an_owner_in_another_namespace_owns_nothing_here() -> None:
    link = a_link("team-b", an_owner(("batch", "CronJob"), "nightly"))
    space = Joiner().build(cluster(owners={link.uid: link})).namespaces["team-a"]
    assert [w.id.kind for w in space.workloads] == ["Job"]


def test_a_claim_changes_its_namespace_only() -> None:
    pod = a_pod("c", containers=(a_container(limits={}),), claims=(PodClaim(name="g", claim="c"),))
    before = cluster()
    before = replace(before, pods={**before.pods, pod.uid: pod})
    claim = Claim(uid="c", namespace="team-a", name="c")
    after = replace(before, claims={claim.uid: claim})
    assert rebuilt(before, after) == {"team-a": True, "team-b": False}


def test_only_what_waits_is_made_again_when_time_passes() -> None:
    held = a_queued("job-next", owner=an_owner(JOB, "next"), waiting_since=NOW - 10)
    obs = cluster(ADMITTED, held)
    joiner = Joiner()
    first, second = joiner.build(obs), joiner.build(replace(obs, now=NOW + 5))
    old, new = first.namespaces["team-a"], second.namespaces["team-a"]
    assert second == Joiner().build(replace(obs, now=NOW + 5))
    assert [w.id.name for w in new.workloads] == ["next", "train"]
    assert [w.waiting for w in new.workloads] == [{"KueueWaitingForQuota": 15.0}, {}]
    assert new.workloads[1] is old.workloads[1]
    assert second.namespaces["team-b"] is first.namespaces["team-b"]


def test_a_namespace_without_pods_comes_and_goes_with_its_queue() -> None:
    held = a_queued(namespace="team-c")
    joiner = Joiner()
    assert "team-c" not in joiner.build(cluster()).namespaces
    space = joiner.build(cluster(held)).namespaces["team-c"]
    assert [w.id.name for w in space.workloads] == ["train"]
    assert "team-c" not in joiner.build(cluster()).namespaces


def test_a_part_is_the_same_object_until_one_of_its_own_changes() -> None:
    sorter: ByNamespace[QueuedWorkload] = ByNamespace()
    a, b = a_queued("a"), a_queued("b", namespace="team-b")

    def parts(*given: QueuedWorkload) -> Mapping[str, Mapping[str, QueuedWorkload]]:
        return sorter.split(PlacementObjects(workloads={w.uid: w for w in given}).workloads)

    first, second = parts(a, b), parts(a, replace(b, queue="x"))
    assert first == {"team-a": {"wl-a": a}, "team-b": {"wl-b": b}}
    assert second["team-a"] is first["team-a"]
    assert second["team-b"] == {"wl-b": replace(b, queue="x")}
    assert parts(b) == {"team-b": {"wl-b": b}}
    assert parts() == {}
