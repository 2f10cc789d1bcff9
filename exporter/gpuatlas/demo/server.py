"""The simulated cluster as a running thing: a Kubernetes API, exporters and webhooks on loopback.

    with SimulatedCluster(load_scenario(), seed=1, speed=60) as cluster:
        cluster.kubeconfig(Path("kubeconfig"))
        cluster.faults.enable("thermal-throttle", node="a100-1", card=0)
        cluster.advance(3600)

It never listens on anything but 127.0.0.1, and it can only be read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import yaml

from gpuatlas.demo.api.answers import Answer, failure
from gpuatlas.demo.api.exporter_front import exporter_answer, exporter_handler
from gpuatlas.demo.api.kubernetes_front import kubernetes_handler
from gpuatlas.demo.api.listeners import LOOPBACK, Listener, Listeners
from gpuatlas.demo.api.routes import ProxyRoute
from gpuatlas.demo.api.store import ObjectStore
from gpuatlas.demo.api.webhook_front import WebhookListener
from gpuatlas.demo.clock import SimulatedClock
from gpuatlas.demo.faults import FaultSwitches
from gpuatlas.demo.pages import page_text
from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.scenario_file import load_scenario
from gpuatlas.demo.state import EndpointState, World
from gpuatlas.demo.tallies import Tallies
from gpuatlas.demo.wire.addresses import Address
from gpuatlas.demo.wire.certificates import Pair, served
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.wire.page_pods import PagePod, page_pods
from gpuatlas.demo.world import build_world

_REFRESH_SECONDS: Final = 1.0  # real time between two looks at the simulated clock
_BOOKMARK_SECONDS: Final = 10.0


class SimulatedCluster:
    """Starts to answer when it is made, stops with `close` or at the end of `with`.

    Args:
        scenario: What the cluster consists of; the built-in one when None.
        seed: Chooses names, identifiers and the small print of the loads.
        start: The first instant in Unix seconds; the present one when None.
        speed: Simulated seconds per real second; 0 stands still until it is moved.
        faults: What is broken at the start; the scenario's own faults when None.
        bookmark_seconds: Real seconds between two bookmarks of a watch.

    Raises:
        ScenarioError: `start` lies before the scenario, or a fault does not fit it.
    """

    def __init__(
        self,
        scenario: Scenario | None = None,
        *,
        seed: int = 1,
        start: float | None = None,
        speed: float = 1.0,
        faults: Sequence[FaultSpec] | None = None,
        bookmark_seconds: float = _BOOKMARK_SECONDS,
    ) -> None:
        self.scenario = scenario or load_scenario()
        self.seed = seed
        self.store = ObjectStore()
        self.bookmark_seconds = bookmark_seconds
        self.git_version = self.scenario.kubernetes
        self._clock = SimulatedClock(time.time() if start is None else start, speed)
        self._guard = threading.RLock()
        self._stopping = threading.Event()
        self._tallies = Tallies()
        self._world: World | None = None
        self._shown: World | None = None
        self.faults = FaultSwitches(
            self.scenario,
            self.scenario.faults if faults is None else faults,
            now=self.now,
            on_change=self._faults_changed,
        )
        world = self.world()
        self._exporters = {
            endpoint.key: Listener(exporter_handler(partial(self.answer, endpoint.key)))
            for endpoint in world.endpoints
        }
        self._webhooks = {
            ("hami-webhook", hami.release): WebhookListener(partial(self._serving, hami.release))
            for hami in self.scenario.hami
        }
        self._addresses = {
            key: Address(LOOPBACK, listener.port)
            for key, listener in {**self._exporters, **self._webhooks}.items()
        }
        self._api = Listener(kubernetes_handler(self))
        self._listeners = Listeners(
            [self._api, *self._exporters.values(), *self._webhooks.values()]
        )
        self.refresh()
        self._listeners.start()
        self._ticker = threading.Thread(target=self._tick, name="simulated-cluster-clock")
        self._ticker.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop answering; running watches end. Calling it again does nothing."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        self.store.close()
        self._ticker.join()
        self._listeners.stop()

    @property
    def api_url(self) -> str:
        """Where the Kubernetes API answers."""
        return f"http://{LOOPBACK}:{self._api.port}"

    @property
    def exporter_urls(self) -> Mapping[tuple[str, str], str]:
        """(kind, subject) of an endpoint → the exporter's or the server's own page."""
        return {
            key: f"http://{address.host}:{address.port}/metrics"
            for key, address in self._addresses.items()
            if key in self._exporters
        }

    def kubeconfig(self, path: Path) -> Path:
        """Write a kubeconfig for this cluster, and give the path back. Any token will do."""
        name = "gpuatlas-demo"
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": {"server": self.api_url}}],
            "users": [{"name": name, "user": {"token": "simulated"}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "current-context": name,
        }
        path.write_text(yaml.safe_dump(config, sort_keys=False), "utf-8")
        path.chmod(0o600)
        return path

    def now(self) -> float:
        """The simulated instant in Unix seconds."""
        return self._clock.now()

    @property
    def speed(self) -> float:
        """Simulated seconds per real second."""
        return self._clock.speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._clock.speed = speed

    def at(self, instant: float) -> None:
        """Move to an instant. Raises ScenarioError when it lies before the scenario."""
        build_world(self.scenario, seed=self.seed, at=float(int(instant)), faults=())
        self._clock.set(instant)
        self.refresh()

    def advance(self, seconds: float) -> None:
        """Move on by so many simulated seconds."""
        self.at(self.now() + seconds)

    def world(self) -> World:
        """The cluster now, to the whole second."""
        at = float(int(self.now()))
        with self._guard:
            if self._world is None or self._world.at != at:
                self._world = build_world(
                    self.scenario, seed=self.seed, at=at, faults=self.faults.so_far()
                )
            return self._world

    def refresh(self) -> None:
        """Bring the objects to the present instant; what changed becomes watch events."""
        with self._guard:
            world = self.world()
            if world is not self._shown:
                self.store.replace(documents(world, self._addresses))
                self._shown = world

    def _faults_changed(self) -> None:
        with self._guard:
            self._world = None
            self.refresh()

    def _tick(self) -> None:
        while not self._stopping.wait(_REFRESH_SECONDS):
            self.refresh()

    def pod_page(self, route: ProxyRoute) -> Answer | None:
        """A page of an exporter's pod through the API server."""
        pod = page_pods(self.world(), self._addresses).get((route.namespace, route.pod))
        if pod:
            return self._proxied(pod, route)
        if self.store.get("pods", (route.namespace, route.pod)) is None:
            return failure(HTTPStatus.NOT_FOUND, f'pods "{route.pod}" not found')
        return _refused(route)

    def _proxied(self, pod: PagePod, route: ProxyRoute) -> Answer | None:
        silent = self._endpoint(pod.endpoint).behaviour in {"gone", "refuses"}
        if silent or route.port not in pod.ports:
            return _refused(route)
        return self.answer(pod.endpoint, route.path)

    def _endpoint(self, key: tuple[str, str]) -> EndpointState:
        return next(endpoint for endpoint in self.world().endpoints if endpoint.key == key)

    def _serving(self, release: str) -> Pair | None:
        """The certificate of an installation's webhook; None while it takes no connections."""
        world = self.world()
        state = next(hami for hami in world.hami if hami.release.release == release)
        return served(state, world) if state.answers else None

    def answer(self, key: tuple[str, str], path: str) -> Answer | None:
        """What the exporter `key` answers now; None cuts the connection."""
        world = self.world()
        endpoint = self._endpoint(key)
        if endpoint.behaviour == "hangs":
            self._stopping.wait()
        if endpoint.behaviour in {"hangs", "gone", "refuses"}:
            return None
        return exporter_answer(
            path, endpoint.behaviour, lambda: page_text(world, endpoint, self._tallies)
        )


def _refused(route: ProxyRoute) -> Answer:
    """How the API server words that nothing listens there."""
    message = f"error trying to reach service: dial {route.pod}:{route.port}: connection refused"
    return failure(HTTPStatus.SERVICE_UNAVAILABLE, message)
