"""What a page says of contention, minute by minute."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace

from gpuatlas.families.exposition import Format
from gpuatlas.join.snapshot import Joiner
from gpuatlas.runtime.observe import Observed
from gpuatlas.runtime.refresh import RefreshLoop
from gpuatlas.runtime.scope import Scope
from gpuatlas.runtime.settings import RefreshSettings
from gpuatlas_harness.neighbours import Servers, seen
from gpuatlas_harness.observed import NOW, uuid

CONTENDED, SLOWED = (
    "gpuatlas_card_contended_seconds_total",
    "gpuatlas_workload_slowed_seconds_total",
)


class Cluster:
    """An observer whose input and clock a test moves on."""

    def __init__(self, servers: Servers | None = None) -> None:
        self.changed = threading.Event()
        self.servers = servers
        self.observed = Observed(observations=seen(NOW, {}), statuses=(), services=servers)

    def start(self) -> None:
        """Nothing runs."""

    def close(self) -> None:
        """Nothing runs."""

    def observe(self, now: float) -> Observed:
        del now
        return self.observed

    def show(self, at: float, shares: Mapping[str, float], **changes: float) -> None:
        if self.servers is not None:
            self.servers.go_on(at)
        inputs = seen(at, shares, **changes)  # type: ignore[arg-type]
        self.observed = replace(self.observed, observations=inputs)


class Played:
    """A refresh loop over a cluster, moved on in steps of half a minute."""

    def __init__(self, cluster: Cluster, scope: Scope | None = None) -> None:
        self.at = NOW
        self.cluster = cluster
        self.loop = RefreshLoop(
            observer=cluster,
            builder=Joiner(),
            settings=RefreshSettings(min_interval_seconds=0.0),
            scope=scope,
            clock=lambda: self.at,
            monotonic=lambda: self.at,
        )

    def minutes(self, number: float, shares: Mapping[str, float], **changes: float) -> None:
        for _ in range(int(2 * number)):
            self.at += 30.0
            self.cluster.show(self.at, shares, **changes)
            self.loop.refresh(changed=True)

    def series(self, name: str) -> dict[str, float]:
        """Labels as they stand → the number."""
        page = self.loop.published.page
        assert page is not None
        lines = b"".join(page.body(Format.TEXT).chunks).decode().splitlines()
        found = [line.rpartition(" ") for line in lines if line.startswith(name + "{")]
        return {labels.removeprefix(name): float(value) for labels, _, value in found}


def test_the_page_counts_contended_seconds_of_a_card() -> None:
    played = Played(Cluster())
    played.minutes(1, {"chat": 0.5, "train": 0.45})
    assert played.series(CONTENDED) == {}
    played.minutes(10, {"chat": 0.5, "train": 0.45})
    label = f'{{node="gpu-a",card="{uuid(1)}",index="0"}}'
    assert played.series(CONTENDED) == {label: 600.0}
    played.minutes(10, {"chat": 0.5, "train": 0.0})
    # Half a minute of it came after the last full one.
    assert played.series(CONTENDED) == {label: 630.0}
    played.minutes(10, {"chat": 0.5, "train": 0.45}, busy=0.6)
    assert played.series(CONTENDED) == {label: 630.0}


def test_a_noisy_neighbour_is_named_on_the_page() -> None:
    servers = Servers()
    played = Played(Cluster(servers))
    played.minutes(61, {"chat": 0.35, "train": 0.05}, busy=0.4)
    for _ in range(4):
        servers.rate = 40.0
        played.minutes(12, {"chat": 0.2, "train": 0.75})
        servers.rate = 100.0
        played.minutes(20, {"chat": 0.35, "train": 0.05}, busy=0.4)
    slowed = played.series(SLOWED)
    pair = (
        '{namespace="team-a",workload_kind="Pod",workload="chat-gpu-a",suspect_namespace="team-a",'
        'suspect_kind="Pod",suspect="train-gpu-a",grade="3"}'
    )
    assert slowed[pair] > 600
    assert not any('suspect="chat-gpu-a"' in label and 'grade="3"' in label for label in slowed)
    assert [t.pod for t in servers.targets.targets] == [("team-a", "chat-gpu-a")]


def test_a_picture_that_is_withdrawn_takes_no_counter_back() -> None:
    played = Played(Cluster())
    played.minutes(11, {"chat": 0.5, "train": 0.45})
    (before,) = played.series(CONTENDED).values()
    played.cluster.observed = replace(played.cluster.observed, missing=("kubernetes-pods",))
    played.minutes(2, {"chat": 0.5, "train": 0.45})
    assert played.loop.published.page is None
    played.cluster.observed = replace(played.cluster.observed, missing=())
    played.minutes(0.5, {"chat": 0.5, "train": 0.45})
    assert list(played.series(CONTENDED).values()) == [before]


def test_a_round_that_fails_forgets_nothing() -> None:
    servers = Servers()
    played = Played(Cluster(servers))
    played.minutes(11, {"chat": 0.5, "train": 0.45})
    (before,) = played.series(CONTENDED).values()
    servers.error = RuntimeError("a fault of ours")
    played.minutes(1, {"chat": 0.5, "train": 0.45})
    assert played.loop.published.counts.failures == 2
    servers.error = None
    played.minutes(3, {"chat": 0.5, "train": 0.45})
    (after,) = played.series(CONTENDED).values()
    assert before < after <= before + 270


def test_workloads_of_excluded_namespaces_are_not_named() -> None:
    servers = Servers()
    scope = Scope(excluded_namespaces=frozenset({"team-a"}))
    played = Played(Cluster(servers), scope)
    played.minutes(20, {"chat": 0.5, "train": 0.45})
    assert played.series(SLOWED) == {}
    assert sum(played.series(CONTENDED).values()) > 0
