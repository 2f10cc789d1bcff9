"""A started exporter on a free port, and a small cluster for it to read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest
import requests

from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.live import LiveObserver
from gpuatlas.runtime.refresh import Builder
from gpuatlas.runtime.settings import RefreshSettings, ServerSettings, Settings
from gpuatlas.runtime.static import StaticObserver
from gpuatlas.runtime.web.address import ListenAddress
from gpuatlas_harness.fake_cluster import FakeCluster, api_node, api_pod, dcgm_page
from gpuatlas_harness.http import loopback_session
from gpuatlas_harness.live_exporter import Watch
from gpuatlas_harness.observed import a_device, a_node, a_pod, a_promise, a_registration, uuid
from gpuatlas_harness.observed import observations as build_observations

# Fast enough that no test waits for the loop.
QUICK = RefreshSettings(min_interval_seconds=0.01, tick_seconds=0.02)


@pytest.fixture
def changed() -> threading.Event:
    """What a thread sets when there is something new."""
    return threading.Event()


class Serve(Protocol):
    def __call__(
        self,
        observer: StaticObserver | None = None,
        *,
        web_config: Path | None = None,
        builder: Builder | None = None,
        settings: Settings | None = None,
        clock: Callable[[], float] | None = None,
    ) -> Exporter: ...


@pytest.fixture
def observer() -> StaticObserver:
    """One HAMi node with one card and one tenant."""
    node = a_node("gpu-a", a_registration(a_device(1)))
    pod = a_pod("chat-0", "gpu-a", a_promise(uuid(1), 12_000))
    return StaticObserver(build_observations([node], [pod]))


@pytest.fixture
def serve(observer: StaticObserver) -> Iterator[Serve]:
    """Starts exporters that end with the test."""
    default_observer = observer
    with ExitStack() as running:

        def start(
            observer: StaticObserver | None = None,
            *,
            web_config: Path | None = None,
            builder: Builder | None = None,
            settings: Settings | None = None,
            clock: Callable[[], float] | None = None,
        ) -> Exporter:
            server = ServerSettings(
                listen=ListenAddress("127.0.0.1", 0), web_config_file=web_config
            )
            chosen = replace(settings or Settings(refresh=QUICK), server=server)
            extra = {"clock": clock} if clock else {}
            exporter = Exporter(chosen, observer or default_observer, builder=builder, **extra)
            return running.enter_context(exporter)

        yield start


@pytest.fixture
def watch() -> Iterator[Watch]:
    """Starts exporters of live clusters that end with the test."""
    with ExitStack() as running:

        def start(settings: Settings) -> Exporter:
            return running.enter_context(Exporter(settings, LiveObserver(settings)))

        yield start


@pytest.fixture
def http() -> Iterator[requests.Session]:
    with loopback_session(headers={"Accept-Encoding": "identity"}) as session:
        yield session


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[FakeCluster]:
    """A plain node with one card, a pod that has it, and a dcgm-exporter."""
    fake = FakeCluster(tmp_path)
    try:
        fake.add("/api/v1/nodes", api_node("gpu-a"))
        fake.add("/api/v1/pods", api_pod("train-0", "gpu-a", limits={"nvidia.com/gpu": "1"}))
        fake.add(
            "/api/v1/pods",
            api_pod("dcgm-x1", "gpu-a", labels={"app": "nvidia-dcgm-exporter"}, port=fake.port),
        )
        fake.page = dcgm_page(used_mib=1000)
        yield fake
    finally:
        fake.close()
