from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.cli.serve import serve as serve_command
from gpuatlas.cli.serve_settings import read_settings
from gpuatlas.families.exposition import Format
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.contention import Grade, SlowedBy
from gpuatlas.model.objects import Container, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.pages import Tenant
from gpuatlas.model.pod_spec import Runtime
from gpuatlas.model.services import ServiceReading
from gpuatlas.model.snapshot import WorkloadId
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.contending import Contender, HiddenSuspects
from gpuatlas.runtime.live import LiveObserver
from gpuatlas.runtime.observe import Observed
from gpuatlas.runtime.refresh import RefreshLoop
from gpuatlas.runtime.scope import Scope, Shard
from gpuatlas.runtime.service_rounds import ServiceRounds
from gpuatlas.runtime.settings import RefreshSettings, Settings
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.services.round import ServiceRound, service_status
from gpuatlas.sources.services.settings import ServiceSettings
from gpuatlas.sources.services.targets import ServiceTargets
from gpuatlas_harness.observed import (
    NOW,
    a_container,
    a_container_reading,
    a_dcgm_page,
    a_device,
    a_monitor_page,
    a_node,
    a_pod,
    a_promise,
    a_reading,
    a_registration,
    observations,
    uuid,
)
from gpuatlas_harness.polling import poll

VLLM = Runtime(name="vllm", evidence="command vllm serve")
CONTENDED, SLOWED = (
    "gpuatlas_card_contended_seconds_total",
    "gpuatlas_workload_slowed_seconds_total",
)


def a_tenant(name: str, node: str, number: int, **changes: object) -> Pod:
    containers: tuple[Container, ...] = (a_container(),)
    pod = a_pod(name, node, a_promise(uuid(number), 8_000, 40), containers=containers)
    return replace(pod, **changes)  # type: ignore[arg-type]


def seen(
    at: float,
    shares: Mapping[str, float],
    *,
    busy: float = 0.97,
    nodes: Mapping[str, int] | None = None,
    **changes: object,
) -> Observations:
    """HAMi nodes with one card each, all with a server "chat" and a job "train" on it."""
    nodes = nodes or {"gpu-a": 1}
    pods = []
    for node, number in nodes.items():
        chat = a_tenant(f"chat-{node}", node, number, runtime=VLLM, **changes)
        pods += [chat, a_tenant(f"train-{node}", node, number)]
    readings = {
        (Tenant("team-a", f"{name}-{node}", "main"), uuid(number)): a_container_reading(
            4_000, utilization=share
        )
        for node, number in nodes.items()
        for name, share in shares.items()
    }
    found = observations(
        [a_node(node, a_registration(a_device(number))) for node, number in nodes.items()],
        pods,
        dcgm=tuple(
            a_dcgm_page(a_reading(number, PROF_SM_ACTIVE=busy, host=node), node=node, at=at)
            for node, number in nodes.items()
        ),
        monitors=tuple(
            a_monitor_page({k: v for k, v in readings.items() if k[1] == uuid(number)}, node=node)
            for node, number in nodes.items()
        ),
    )
    return replace(found, now=at)


class Servers:
    """A watch whose server does what a test says."""

    def __init__(self) -> None:
        self.targets = ServiceTargets()
        self.running, self.rate, self.at, self.tokens = 4.0, 100.0, NOW, 0.0
        self.error: Exception | None = None

    def want(self, targets: ServiceTargets) -> None:
        self.targets = targets

    def go_on(self, at: float) -> None:
        self.tokens += self.rate * (at - self.at)
        self.at = at

    def last(self) -> ServiceRound:
        if self.error is not None:
            raise self.error
        reading = ServiceReading(
            namespace="team-a",
            pod="chat-gpu-a",
            runtime="vllm",
            at=self.at,
            waiting=0.0,
            running=self.running,
            tokens_total=self.tokens,
        )
        return ServiceRound(readings=(reading,))


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


def look_on(contender: Contender, number: int, nodes: Mapping[str, int]) -> set[str]:
    """Nodes of the card counters after so many minutes."""
    counts = None
    for minute in range(number):
        at = NOW + 60.0 * minute
        inputs = seen(at, {"chat": 0.5, "train": 0.45}, nodes=nodes)
        counts = contender.look(inputs, Joiner().build(inputs), at)
    assert counts is not None
    return {node for node, _, _ in counts.cards}


def test_each_shard_counts_the_cards_of_its_own_nodes() -> None:
    nodes = {f"gpu-{letter}": number for number, letter in enumerate("abcdef", start=1)}
    parts = [look_on(Contender(Scope(Shard(i, 3))), 4, nodes) for i in range(3)]
    assert sorted(node for part in parts for node in part) == sorted(nodes)
    assert all(Shard(i, 3).owns(node) for i, part in enumerate(parts) for node in part)


def test_workloads_of_excluded_namespaces_are_not_named() -> None:
    servers = Servers()
    scope = Scope(excluded_namespaces=frozenset({"team-a"}))
    played = Played(Cluster(servers), scope)
    played.minutes(20, {"chat": 0.5, "train": 0.45})
    assert played.series(SLOWED) == {}
    assert sum(played.series(CONTENDED).values()) > 0


def test_a_hidden_suspect_that_gives_up_its_place_takes_no_seconds_back() -> None:
    """A counter that falls is read as one that started over: hours of slowdown in a minute."""

    def who(name: str, namespace: str) -> WorkloadId:
        return WorkloadId(namespace=namespace, api_group="", kind="Pod", name=name)

    def by(name: str) -> SlowedBy:
        return SlowedBy(victim=victim, suspect=who(name, "secret"), grade=Grade.SHARED)

    victim = who("chat", "team-a")
    nobody = SlowedBy(victim=victim, suspect=None, grade=Grade.NONE)
    hidden = HiddenSuspects(frozenset({"secret"}))
    looks: list[dict[SlowedBy, float]] = [
        {by("a"): 5000.0, by("b"): 3000.0},
        {by("b"): 3060.0, nobody: 60.0},
        {by("b"): 3060.0, by("a"): 60.0, nobody: 60.0},
    ]
    assert [hidden.without(look) for look in looks] == [
        {nobody: 5000.0},
        {nobody: 5120.0},
        {nobody: 5180.0},
    ]
    assert hidden.without({}) == {}


def test_a_look_is_due_once_in_an_interval() -> None:
    contender = Contender(Scope(), every_seconds=30.0)
    assert contender.is_due(0.0)
    inputs = seen(NOW, {})
    contender.look(inputs, Joiner().build(inputs), 0.0)
    assert not contender.is_due(29.0)
    assert contender.is_due(30.0)


def test_servers_beyond_the_most_are_told_once(caplog: pytest.LogCaptureFixture) -> None:
    contender = Contender(Scope(), most_servers=1)
    inputs = seen(NOW, {"chat": 0.5, "train": 0.4}, nodes={"gpu-a": 1, "gpu-b": 2})
    servers = Servers()
    for number in range(3):
        contender.look(inputs, Joiner().build(inputs), 30.0 * number, servers)
    assert len(servers.targets.targets) == 1
    assert caplog.messages == ["1 inference servers on shared cards are not read: at most 1 are"]


class Source:
    """A source of rounds that counts them."""

    def __init__(self, read: Callable[[ServiceTargets], ServiceRound]) -> None:
        self._read = read
        self.rounds: list[ServiceTargets] = []
        self.closed = False

    def read(self, targets: ServiceTargets) -> ServiceRound:
        self.rounds.append(targets)
        return self._read(targets)

    def close(self) -> None:
        self.closed = True


def some_targets() -> ServiceTargets:
    servers = Servers()
    inputs = seen(NOW, {})
    Contender(Scope()).look(inputs, Joiner().build(inputs), 0.0, servers)
    return servers.targets


def a_status(up: int) -> SourceStatus:
    return service_status(up=True, targets={"up": up}, rejected={})


def test_rounds_begin_when_somebody_is_wanted() -> None:
    source = Source(lambda targets: ServiceRound(status=a_status(len(targets.targets))))
    rounds = ServiceRounds(source, interval_seconds=0.01)
    rounds.start()
    try:
        rounds.want(ServiceTargets())
        assert (source.rounds, rounds.statuses) == ([], ())
        rounds.want(some_targets())
        poll(
            lambda: rounds.statuses or None, deadline_seconds=10, waiting_for="a round of services"
        )
        assert rounds.last().status.targets == {"up": 1}
    finally:
        rounds.close()
    assert source.closed


def test_an_error_of_a_round_is_raised_once_and_the_rounds_go_on() -> None:
    failing = threading.Event()
    failing.set()

    def read(targets: ServiceTargets) -> ServiceRound:
        if failing.is_set():
            failing.clear()
            message = "a fault of ours"
            raise RuntimeError(message)
        return ServiceRound(status=a_status(len(targets.targets)))

    rounds = ServiceRounds(Source(read), interval_seconds=0.01)
    rounds.start()
    try:
        rounds.want(some_targets())
        poll(
            lambda: rounds.statuses or None, deadline_seconds=10, waiting_for="a round of services"
        )
        with pytest.raises(RuntimeError, match="a fault of ours"):
            rounds.last()
        assert rounds.last().status.targets == {"up": 1}
    finally:
        rounds.close()


def test_rounds_that_never_began_can_be_closed() -> None:
    rounds = ServiceRounds(Source(lambda _: ServiceRound()), interval_seconds=30.0)
    rounds.close()


@pytest.mark.parametrize(
    ("arguments", "services"),
    [
        ([], ServiceSettings(timeout=5.0)),
        (["--scrape-timeout", "2"], ServiceSettings(timeout=2.0)),
        (["--no-service-signals"], None),
    ],
)
def test_service_signals_are_an_option(
    arguments: list[str], services: ServiceSettings | None
) -> None:
    context = serve_command.make_context("serve", arguments)
    settings, problems = read_settings(context.params)
    assert problems == ()
    assert settings is not None
    assert settings.services == services


def test_the_servers_of_a_living_cluster_are_asked(cluster: Any) -> None:
    """A vLLM server and a job on one time-sliced card; the page at hand has its metrics, too."""
    (node,), pods = cluster.objects["/api/v1/nodes"], cluster.objects["/api/v1/pods"]
    node["metadata"]["labels"] = {
        "nvidia.com/gpu.replicas": "4",
        "nvidia.com/gpu.count": "1",
        "nvidia.com/gpu.sharing-strategy": "time-slicing",
    }
    for amount in ("capacity", "allocatable"):
        node["status"][amount] = {"nvidia.com/gpu": "4"}
    chat = deepcopy(pods[0])
    chat["metadata"] |= {"name": "chat-0", "uid": "pod-chat-0"}
    ports = [{"name": "http", "containerPort": cluster.port}]
    chat["spec"]["containers"][0] |= {"command": ["vllm", "serve", "m"], "ports": ports}
    pods.append(chat)
    cluster.page += b"vllm:num_requests_running 3\n"
    refresh = RefreshSettings(scrape_interval_seconds=0.05)
    kubernetes = KubernetesSettings(kubeconfig=cluster.kubeconfig, optional_wait_s=0.1)
    observer = LiveObserver(Settings(kubernetes=kubernetes, refresh=refresh))
    contender = Contender(Scope())
    observer.start()

    def read() -> tuple[ServiceReading, ...] | None:
        observed = observer.observe(time.time())
        if not observed.complete or observed.services is None:
            return None
        snapshot = Joiner().build(observed.observations)
        contender.look(observed.observations, snapshot, 0.0, observed.services)
        return observed.services.last().readings or None

    try:
        (reading,) = poll(read, deadline_seconds=20, waiting_for="a page of a server")
        assert (reading.namespace, reading.pod, reading.running) == ("team-a", "chat-0", 3.0)
        statuses = {status.source: status for status in observer.observe(time.time()).statuses}
        assert statuses["services"].targets == {"up": 1, "down": 0, "left-out": 0}
    finally:
        observer.close()
