from __future__ import annotations

import threading

import pytest

from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.targets import Target
from gpuatlas.runtime.rounds import EndpointPages, PageRounds
from gpuatlas.runtime.scope import Shard
from gpuatlas.sources.scrape.round import ScrapeRound
from gpuatlas.sources.scrape.scraper import Scraper
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas_harness.observed import a_container, a_node, a_pod
from gpuatlas_harness.polling import poll, poll_until


class Nobody:
    """A cluster of two nodes whose pods each serve a DCGM page, and a HAMi scheduler."""

    settled = True

    def __init__(self) -> None:
        labels = {"app": "nvidia-dcgm-exporter"}
        pods = [a_pod(f"dcgm-{n}", n, labels=labels) for n in ("gpu-a", "gpu-b", "gpu-c")]
        scheduler = a_pod(
            "hami-scheduler-1",
            "cpu-1",
            labels={"app.kubernetes.io/component": "hami-scheduler"},
            containers=(a_container("vgpu-scheduler-extender"),),
        )
        self.nodes: dict[str, Node] = {n: a_node(n) for n in ("gpu-a", "gpu-b", "gpu-c")}
        self.pods: dict[str, Pod] = {pod.uid: pod for pod in (*pods, scheduler)}


class Asked:
    """Remembers who was asked."""

    def __init__(self) -> None:
        self.targets: list[Target] = []

    def fetch(self, target: Target, *, limit_bytes: int, timeout_s: float) -> bytes:
        self.targets.append(target)
        return b"x 1\n"


def asked_by(shard: Shard, namespaces: frozenset[str] = frozenset()) -> list[str]:
    asked = Asked()
    scraper = Scraper(asked, ScrapeSettings(), lambda: 0.0)
    pages = EndpointPages(Nobody(), scraper, shard=shard, namespaces=namespaces)
    pages.read(0.0)
    pages.close()
    return sorted(target.name for target in asked.targets)


def test_shards_ask_each_node_once_and_schedulers_each() -> None:
    scheduler = "team-a/hami-scheduler-1"
    assert asked_by(Shard(0, 3)) == [scheduler]
    assert asked_by(Shard(1, 3)) == ["gpu-b", scheduler]
    assert asked_by(Shard(2, 3)) == ["gpu-a", "gpu-c", scheduler]


def test_exporters_can_be_bound_to_namespaces() -> None:
    assert asked_by(Shard(), frozenset({"gpu-operator"})) == []
    assert len(asked_by(Shard(), frozenset({"team-a"}))) == 4


class BrokenPages:
    """Raises what nobody expects, then works."""

    def __init__(self) -> None:
        self.reads = 0

    def read(self, now: float) -> ScrapeRound:
        self.reads += 1
        if self.reads == 1:
            message = "a fault of ours"
            raise RuntimeError(message)
        return ScrapeRound(silent={("dcgm", ""): "works"})

    def close(self) -> None:
        """Nothing."""


def test_an_unexpected_error_is_told_once_and_the_rounds_go_on() -> None:
    changed = threading.Event()
    source = BrokenPages()
    rounds = PageRounds(source, Nobody(), changed, interval_seconds=0.01, clock=lambda: 0.0)
    rounds.start()
    try:
        poll(lambda: source.reads > 1 or None, deadline_seconds=60, waiting_for="a second round")
        assert rounds.finished
        assert changed.is_set()
        with pytest.raises(RuntimeError, match="a fault of ours"):
            rounds.last()
        poll_until(
            lambda: rounds.last().silent,
            lambda silent: silent == {("dcgm", ""): "works"},
            deadline_seconds=60,
            waiting_for="the round after it",
        )
    finally:
        rounds.close()
