"""What a live observer knows of claims, queues and owners of other systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from gpuatlas.runtime.live import LiveObserver
from gpuatlas.runtime.observe import Observed
from gpuatlas.runtime.settings import RefreshSettings, Settings
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.layer.asks import ASKS
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas_harness.polling import poll_until

Object = dict[str, Any]
Observe = Callable[[Settings], "Watched"]

CLAIMS = "resource.k8s.io/v1/resourceclaims"
SLICES = "resource.k8s.io/v1/resourceslices"
GROUPS = ("scheduling.volcano.sh/v1beta1/podgroups", "scheduling.run.ai/v2alpha2/podgroups")
CLUSTERS = "ray.io/v1/rayclusters"
CLAIMS_SOURCE = "kubernetes-resourceclaims.resource.k8s.io"
NOW = 1_800_000_000.0


def path(resource: str) -> str:
    return f"/apis/{resource}"


def metadata(name: str, **more: object) -> Object:
    return {
        "name": name,
        "namespace": "team-a",
        "uid": f"uid-{name}",
        "resourceVersion": "1",
    } | more


def a_claim(name: str) -> Object:
    requests = [{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}]
    result = {"request": "gpu", "driver": "gpu.nvidia.com", "pool": "gpu-a", "device": "gpu-0"}
    return {
        "metadata": metadata(name),
        "spec": {"devices": {"requests": requests}},
        "status": {"allocation": {"devices": {"results": [result]}}},
    }


def a_slice(name: str) -> Object:
    pool = {"name": "gpu-a", "generation": 1, "resourceSliceCount": 1}
    device = {"name": "gpu-0", "attributes": {"type": {"string": "gpu"}}}
    spec = {"driver": "gpu.nvidia.com", "nodeName": "gpu-a", "pool": pool, "devices": [device]}
    return {"metadata": metadata(name), "spec": spec}


def a_group(name: str, minimum: int) -> Object:
    return {"metadata": metadata(name), "spec": {"minMember": minimum, "queue": "q"}}


class Watched:
    """A started observer whose clock a test moves."""

    def __init__(self, settings: Settings) -> None:
        self.observer = LiveObserver(settings)
        self.observer.start()

    def at(self, now: float = NOW) -> Observed:
        return self.observer.observe(now)

    def until(self, holds: Callable[[Observed], bool], what: str, now: float = NOW) -> Observed:
        return poll_until(lambda: self.at(now), holds, deadline_seconds=60, waiting_for=what)

    def complete(self) -> Observed:
        return self.until(lambda found: found.complete, "a complete picture")


@pytest.fixture
def settings(cluster: Any) -> Settings:
    return Settings(
        kubernetes=KubernetesSettings(
            kubeconfig=cluster.kubeconfig,
            backoff_start_s=0.02,
            backoff_cap_s=0.05,
            refused_pause_s=0.05,
            discovery_interval_s=0.1,
            optional_wait_s=30.0,
        ),
        scrape=ScrapeSettings(timeout=0.5, round_timeout=1.0, page_max_age=0.5),
        refresh=RefreshSettings(scrape_interval_seconds=0.1, outage_seconds=60.0),
    )


@pytest.fixture
def observe() -> Iterator[Observe]:
    with ExitStack() as running:

        def start(settings: Settings) -> Watched:
            watched = Watched(settings)
            running.enter_context(closing(watched.observer))
            return watched

        yield start


def test_the_first_picture_has_the_claims(
    cluster: Any, settings: Settings, observe: Observe
) -> None:
    cluster.served = [SLICES, CLAIMS, *GROUPS, CLUSTERS]
    cluster.add(path(CLAIMS), a_claim("one"))
    cluster.add(path(SLICES), a_slice("gpu-a"))
    cluster.add(path(GROUPS[0]), a_group("volcano-group", 4))
    cluster.add(path(GROUPS[1]), a_group("kai-group", 2))
    cluster.add(path(CLUSTERS), {"metadata": metadata("ray")})
    seen = observe(settings).complete().observations
    (claim,) = seen.claims.values()
    assert [result.device for result in claim.results] == ["gpu-0"]
    (found,) = seen.slices.values()
    assert [device.name for device in found.devices] == ["gpu-0"]
    assert {(g.system, g.minimum) for g in seen.placement.groups.values()} == {
        ("volcano", 4),
        ("kai", 2),
    }
    assert [owner.kind for owner in seen.owners.values()] == ["RayCluster"]
    assert seen.silent == {}


def test_without_any_of_it_the_picture_is_complete_and_nothing_is_wrong(
    cluster: Any, settings: Settings, observe: Observe
) -> None:
    found = observe(settings).complete()
    assert (found.observations.claims, found.observations.silent) == ({}, {})
    assert {status.source: status.up for status in found.statuses} == {
        "kubernetes-nodes": True,
        "kubernetes-pods": True,
        "kubernetes-replicasets": True,
        "kubernetes-jobs": True,
        "kubernetes-discovery": True,
        "dcgm": True,
        "hami-monitor": None,
        "hami-scheduler": None,
        **{ask.source: None for ask in ASKS},
        "webhook-certificate": None,
    }


def test_a_refused_kind_is_down_and_holds_up_nothing(
    cluster: Any, settings: Settings, observe: Observe
) -> None:
    cluster.served = [CLAIMS]
    cluster.forbidden.add(path(CLAIMS))
    found = observe(settings).complete()
    assert {s.source: s.up for s in found.statuses}[CLAIMS_SOURCE] is False
    reason = found.observations.silent[CLAIMS_SOURCE, ""]
    assert 'Grant the verb "list" on "resourceclaims"' in reason


def test_a_broken_discovery_costs_the_optional_kinds_only(
    cluster: Any, settings: Settings, observe: Observe
) -> None:
    cluster.forbidden.add("/apis")
    found = observe(settings).complete()
    assert {s.source: s.up for s in found.statuses}["kubernetes-discovery"] is False
    assert found.observations.nodes.keys() == {"gpu-a"}


def test_the_wait_for_a_kind_that_hangs_has_an_end(
    cluster: Any, settings: Settings, observe: Observe
) -> None:
    cluster.served = [CLAIMS]
    cluster.hanging.add(path(CLAIMS))
    watched = observe(settings)
    waits = (f"{CLAIMS_SOURCE}: first list",)
    watched.until(lambda found: found.missing == waits, "the wait", now=NOW)
    assert watched.at(NOW + 29.9).missing == waits
    found = watched.at(NOW + 30.0)
    assert found.complete
    # Nobody knows who holds the cards: without a reason they would be shown as free.
    reason = "its first list has not come yet"
    assert found.observations.silent == {(CLAIMS_SOURCE, ""): reason}


def test_a_kind_that_appears_later_joins_the_picture(
    cluster: Any, settings: Settings, observe: Observe
) -> None:
    watched = observe(settings)
    watched.complete()
    cluster.add(path(CLAIMS), a_claim("one"))
    cluster.served = [CLAIMS]
    watched.until(lambda found: len(found.observations.claims) == 1, "the claim")


def test_claims_that_nobody_confirms_are_forgotten_and_owners_are_not(
    cluster: Any, settings: Settings, observe: Observe
) -> None:
    cluster.served = [CLAIMS, CLUSTERS]
    cluster.add(path(CLAIMS), a_claim("one"))
    cluster.add(path(CLUSTERS), {"metadata": metadata("ray")})
    watched = observe(settings)
    watched.complete()
    cluster.leave()

    def failed(found: Observed) -> bool:
        ups = {status.source: status.up for status in found.statuses}
        return ups[CLAIMS_SOURCE] is False and ups["kubernetes-rayclusters.ray.io"] is False

    seen = watched.until(failed, "the outage")
    success = max(s.last_success_at or 0.0 for s in seen.statuses if s.source == CLAIMS_SOURCE)
    believed = watched.at(success + 60.0).observations
    assert (len(believed.claims), (CLAIMS_SOURCE, "") in believed.silent) == (1, False)
    later = watched.at(success + 60.1).observations
    assert (len(later.claims), len(later.owners)) == (0, 1)
    assert (CLAIMS_SOURCE, "") in later.silent
    cluster.away = False
    watched.until(lambda found: len(found.observations.claims) == 1, "the claims to return")


def test_unchanged_parts_are_the_same_objects(
    cluster: Any, settings: Settings, observe: Observe
) -> None:
    cluster.served = [CLAIMS, SLICES, *GROUPS]
    cluster.add(path(GROUPS[0]), a_group("one", 4))
    cluster.add(path(GROUPS[1]), a_group("two", 4))
    cluster.add(path(CLAIMS), a_claim("one"))
    watched = observe(settings)
    first = watched.complete().observations
    again = watched.at(NOW + 1.0).observations
    assert again.placement is first.placement
    assert again.claims is first.claims
    assert again.slices is first.slices
    cluster.add(path(GROUPS[0]), a_group("three", 4))
    changed = watched.until(
        lambda found: len(found.observations.placement.groups) == 3, "the group"
    ).observations
    assert changed.claims is first.claims
    assert changed.placement.queues is first.placement.queues
