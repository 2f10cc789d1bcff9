"""A server and a job on one HAMi card as a refresh sees them, and what the server says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gpuatlas.model.objects import Container, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.pages import Tenant
from gpuatlas.model.pod_spec import Runtime
from gpuatlas.model.services import ServiceReading
from gpuatlas.sources.services.round import ServiceRound
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

VLLM = Runtime(name="vllm", evidence="command vllm serve")


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
