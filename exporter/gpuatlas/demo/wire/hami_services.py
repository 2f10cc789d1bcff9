"""HAMi's Services and what is behind them (facts/hami.md 1.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.demo.installed import HamiRelease
from gpuatlas.demo.randomness import fraction, name_suffix, uuid
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import DEFAULT_PORTS, pod_ip
from gpuatlas.demo.wire.controllers import Labels, SystemPod
from gpuatlas.demo.wire.hami_pods import (
    PLUGIN,
    ROLE_SINCE,
    SCHEDULER,
    https_port,
    object_labels,
    selector_labels,
)
from gpuatlas.demo.wire.objects import Document, metadata, owner

# Two installations cannot have the same ports of the nodes.
_BETWEEN_INSTALLATIONS: Final = 100
_SERVICE_NAME: Final = "kubernetes.io/service-name"
_MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Port:
    """One port of a Service. `target` is the port's name in the pods, `usual` its number there."""

    name: str
    number: int
    node_port: int
    target: str
    usual: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Service:
    """One Service. `role` is what it selects by beside its component."""

    namespace: str
    name: str
    labels: Labels
    component: Labels
    ports: tuple[_Port, ...]
    role: Labels = field(default_factory=dict)

    def uid(self, seed: int) -> str:
        return uuid("Service", seed, self.namespace, self.name)

    def pods(self, pods: Sequence[SystemPod], *, with_role: bool) -> list[SystemPod]:
        """Those of its component, or those that it selects."""
        wanted = {**self.component, **(self.role if with_role else {})}
        return [
            pod
            for pod in pods
            if pod.namespace == self.namespace
            and wanted.items() <= {**pod.controller.labels, **pod.labels}.items()
        ]


def service_documents(pods: Sequence[SystemPod], world: World) -> Mapping[str, list[Document]]:
    """Services and EndpointSlices, by resource."""
    services = [
        service
        for number, state in enumerate(world.hami)
        for service in _services(
            state.release, state.scheduler_version, number * _BETWEEN_INSTALLATIONS
        )
    ]
    return {
        "services": [_service(service, pods, world) for service in services],
        "endpointslices.discovery.k8s.io": [
            document for service in services for document in _slices(service, pods, world)
        ],
    }


def _services(hami: HamiRelease, version: str, shift: int) -> Iterator[_Service]:
    yield _Service(
        namespace=hami.namespace,
        name=hami.scheduler_name,
        labels=object_labels(hami, SCHEDULER, version),
        component=selector_labels(hami, SCHEDULER),
        role={"hami.io/scheduler-role": "leader"} if hami.numbers >= ROLE_SINCE else {},
        ports=(
            _Port(
                name="http",
                number=443,
                node_port=31998 + shift,
                target=https_port(hami),
                usual=DEFAULT_PORTS["hami-webhook"],
            ),
            _metrics_port("monitor", 31993 + shift, "hami-scheduler"),
        ),
    )
    yield _Service(
        namespace=hami.namespace,
        name=f"{hami.plugin_name}-monitor",
        labels=object_labels(hami, PLUGIN),
        component=selector_labels(hami, PLUGIN),
        ports=(_metrics_port("monitorport", 31992 + shift, "hami-monitor"),),
    )


def _metrics_port(name: str, number: int, page: str) -> _Port:
    return _Port(
        name=name,
        number=number,
        node_port=number,
        target="metrics",
        usual=DEFAULT_PORTS[page],
    )


def _service(service: _Service, pods: Sequence[SystemPod], world: World) -> Document:
    behind = service.pods(pods, with_role=False)
    address = _cluster_ip(service)
    return {
        "kind": "Service",
        "apiVersion": "v1",
        "metadata": metadata(
            service.name,
            service.uid(world.seed),
            world.scenario.since,
            namespace=service.namespace,
            labels=service.labels,
            manager="helm",
        ),
        "spec": {
            "type": "NodePort",
            "clusterIP": address,
            "clusterIPs": [address],
            "externalTrafficPolicy": "Cluster",
            "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "sessionAffinity": "None",
            "selector": {**service.component, **service.role},
            "ports": [
                {
                    "name": port.name,
                    "protocol": "TCP",
                    "port": port.number,
                    "targetPort": _target_port(port, behind),
                    "nodePort": port.node_port,
                }
                for port in service.ports
            ],
        },
        "status": {"loadBalancer": {}},
    }


def _cluster_ip(service: _Service) -> str:
    third, fourth = (
        int(250 * fraction("service", part, service.namespace, service.name)) for part in "ab"
    )
    return f"10.96.{third}.{2 + fourth}"


def _target_port(port: _Port, pods: Sequence[SystemPod]) -> int:
    return next((number for pod in pods if (number := pod.port(port.target))), port.usual)


def _slices(service: _Service, pods: Sequence[SystemPod], world: World) -> Iterator[Document]:
    """One for all pods with the same numbers of ports; an empty one where there is no pod."""
    groups: dict[tuple[tuple[str, int], ...], list[SystemPod]] = {}
    for pod in service.pods(pods, with_role=True):
        if pod.exists and pod.runs:
            ports = tuple((p.name, pod.port(p.target) or p.usual) for p in service.ports)
            groups.setdefault(ports, []).append(pod)
    for number, (ports, behind) in enumerate((groups or {(): []}).items()):
        yield _slice(service, number, ports, [_endpoint(pod, world) for pod in behind], world)


def _slice(
    service: _Service,
    number: int,
    ports: Sequence[tuple[str, int]],
    endpoints: Sequence[Document],
    world: World,
) -> Document:
    name = f"{service.name}-{name_suffix(5, world.seed, service.namespace, service.name, number)}"
    return {
        "kind": "EndpointSlice",
        "apiVersion": "discovery.k8s.io/v1",
        "metadata": metadata(
            name,
            uuid("EndpointSlice", world.seed, service.namespace, name),
            world.scenario.since,
            namespace=service.namespace,
            labels={
                **service.labels,
                _SERVICE_NAME: service.name,
                _MANAGED_BY: "endpointslice-controller.k8s.io",
            },
            controller=owner("v1", "Service", service.name, service.uid(world.seed)),
        ),
        "addressType": "IPv4",
        "endpoints": list(endpoints),
        "ports": [{"name": name, "protocol": "TCP", "port": port} for name, port in ports],
    }


def _endpoint(pod: SystemPod, world: World) -> Document:
    uid = pod.uid(world.seed)
    return {
        "addresses": [pod.host or pod_ip(world, pod.node, uid)],
        "conditions": {"ready": pod.ready, "serving": pod.ready, "terminating": False},
        "nodeName": pod.node,
        "targetRef": {
            "kind": "Pod",
            "namespace": pod.namespace,
            "name": pod.name(world.seed),
            "uid": uid,
        },
    }
