"""The pods of node_exporter, as kube-prometheus-stack installs them."""

from __future__ import annotations

from collections.abc import Iterator

from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import DEFAULT_PORTS, SYSTEM_NODE, Addresses
from gpuatlas.demo.wire.controllers import Controller, SystemContainer, SystemPod
from gpuatlas.demo.wire.node_exporter import VERSION


def node_exporter_pods(world: World, addresses: Addresses) -> Iterator[SystemPod]:
    """One on every node, on the node's own network."""
    yield SystemPod(controller=_node_exporter(DEFAULT_PORTS["node-exporter"]), node=SYSTEM_NODE)
    for endpoint in world.endpoints:
        if endpoint.kind == "node-exporter":
            address = addresses[endpoint.key]
            controller = _node_exporter(DEFAULT_PORTS["node-exporter"])
            yield SystemPod(
                controller=controller,
                node=endpoint.subject,
                containers=_node_exporter(address.port).containers,
                endpoint=endpoint.key,
                host=address.host,
                runs=endpoint.behaviour != "gone",
            )


def _node_exporter(port: int) -> Controller:
    name = "kube-prometheus-stack-prometheus-node-exporter"
    return Controller(
        kind="DaemonSet",
        namespace="monitoring",
        name=name,
        labels={
            "app.kubernetes.io/instance": "kube-prometheus-stack",
            "app.kubernetes.io/name": "prometheus-node-exporter",
        },
        containers=(
            SystemContainer(
                name="node-exporter",
                image=f"quay.io/prometheus/node-exporter:{VERSION}",
                args=(f"--web.listen-address=[$(HOST_IP)]:{port}",),
                ports=(("http-metrics", port),),
            ),
        ),
        host_pid=True,
        host_network=True,
    )
