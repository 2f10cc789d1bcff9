"""Inference servers on shared cards are asked in rounds of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from gpuatlas.cli.serve import serve as serve_command
from gpuatlas.cli.serve_settings import read_settings
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.services import ServiceReading
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.contending import Contender
from gpuatlas.runtime.live import LiveObserver
from gpuatlas.runtime.scope import Scope
from gpuatlas.runtime.service_rounds import ServiceRounds
from gpuatlas.runtime.settings import RefreshSettings, Settings
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.services.round import ServiceRound, service_status
from gpuatlas.sources.services.settings import ServiceSettings
from gpuatlas.sources.services.targets import ServiceTargets
from gpuatlas_harness.neighbours import Servers, seen
from gpuatlas_harness.observed import NOW
from gpuatlas_harness.polling import poll


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
            lambda: rounds.statuses or None, deadline_seconds=60, waiting_for="a round of services"
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
            lambda: rounds.statuses or None, deadline_seconds=60, waiting_for="a round of services"
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
        (reading,) = poll(read, deadline_seconds=60, waiting_for="a page of a server")
        assert (reading.namespace, reading.pod, reading.running) == ("team-a", "chat-0", 3.0)
        statuses = {status.source: status for status in observer.observe(time.time()).statuses}
        assert statuses["services"].targets == {"up": 1, "down": 0, "left-out": 0}
    finally:
        observer.close()
