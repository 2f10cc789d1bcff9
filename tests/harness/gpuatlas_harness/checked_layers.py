"""The sharing layers' own objects for tests: controllers, webhooks, endpoints, probes, a plugin.

A healthy installation of HAMi in kube-system is the default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from gpuatlas.checks.context import CheckContext
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.checks import CheckResult, Finding
from gpuatlas.model.devices import Handshake, RegisteredDevice
from gpuatlas.model.layer import (
    CertificateProbe,
    LayerConfig,
    LayerController,
    LayerObjects,
    LayerWebhook,
    NodeSettings,
    ServiceEndpoints,
)
from gpuatlas.model.objects import Node, Owner, Pod
from gpuatlas_harness.observed import (
    NOW,
    a_container,
    a_device,
    a_node,
    a_pod,
    a_promise,
    a_registration,
    observations,
    uuid,
)

COMPONENT: Final = "app.kubernetes.io/component"
REGISTER: Final = "hami.io/node-nvidia-register"
HANDSHAKE: Final = "hami.io/node-handshake"
DAY: Final = 86_400.0
ADDRESS: Final = ("10.0.0.9", 443)


def a_daemon_set(**changes: object) -> LayerController:
    """HAMi's device plugin: one pod on the one node with gpu=on."""
    values: dict[str, object] = {
        "kind": "DaemonSet",
        "namespace": "kube-system",
        "name": "hami-device-plugin",
        "component": "hami-device-plugin",
        "version": "2.10.0",
        "node_selector": {"gpu": "on"},
        "images": {"device-plugin": "docker.io/projecthami/hami:v2.10.0"},
        "desired": 1,
        "ready": 1,
        "updated": 1,
        "settled": True,
    }
    return LayerController(**(values | changes))  # type: ignore[arg-type]


def a_scheduler_deployment(**changes: object) -> LayerController:
    """HAMi's scheduler."""
    values: dict[str, object] = {
        "kind": "Deployment",
        "name": "hami-scheduler",
        "component": "hami-scheduler",
        "node_selector": {},
    }
    return a_daemon_set(**(values | changes))


def a_webhook(**changes: object) -> LayerWebhook:
    """HAMi's webhook, whose caBundle ends in a hundred years."""
    values: dict[str, object] = {
        "configuration": "hami-webhook",
        "webhook": "vgpu.hami.io",
        "service": ("kube-system", "hami-scheduler"),
        "url": "",
        "port": 443,
        "path": "/webhook",
        "failure_policy": "Ignore",
        "ca_bundle": b"-----BEGIN CERTIFICATE-----",
        "ca_not_after": NOW + 36_500 * DAY,
        "ca_error": "",
        "admits_pods": True,
    }
    return LayerWebhook(**(values | changes))  # type: ignore[arg-type]


def some_endpoints(**changes: object) -> ServiceEndpoints:
    """One ready endpoint of the scheduler's Service."""
    values: dict[str, object] = {
        "namespace": "kube-system",
        "service": "hami-scheduler",
        "port": 443,
        "ready": 1,
        "total": 1,
        "addresses": (ADDRESS,),
    }
    return ServiceEndpoints(**(values | changes))  # type: ignore[arg-type]


def a_probe(**changes: object) -> CertificateProbe:
    """A handshake that showed a certificate for the next hundred years."""
    values: dict[str, object] = {
        "configuration": "hami-webhook",
        "webhook": "vgpu.hami.io",
        "address": "10.0.0.9:443",
        "at": NOW,
        "reached": True,
        "verified": True,
        "not_after": NOW + 36_500 * DAY,
        "subject": "CN=hami-scheduler",
    }
    return CertificateProbe(**(values | changes))  # type: ignore[arg-type]


def a_config(*hidden: str, node: str = "gpu-a") -> LayerConfig:
    """The device plugin's configuration, which hides these cards of a node."""
    return LayerConfig(
        namespace="kube-system",
        name="hami-device-plugin",
        key="config.json",
        component="hami-device-plugin",
        defaults=NodeSettings(name=""),
        nodes=(NodeSettings(name=node, hidden=hidden),),
    )


def installed(**changes: object) -> LayerObjects:
    """Everything that a healthy HAMi has, read just now."""
    values: dict[str, object] = {
        "read_at": NOW,
        "controllers": (a_daemon_set(), a_scheduler_deployment()),
        "webhooks": (a_webhook(),),
        "endpoints": (some_endpoints(),),
        "probes": (a_probe(),),
    }
    return LayerObjects(**(values | changes))  # type: ignore[arg-type]


def daemon_set_owner(name: str = "hami-device-plugin") -> Owner:
    """A DaemonSet as the controller of a pod."""
    return Owner(api_group="apps", kind="DaemonSet", name=name, uid=f"ds-{name}")


def a_plugin_pod(node: str = "gpu-a", **changes: object) -> Pod:
    """HAMi's device plugin on a node, with its monitor."""
    values: dict[str, object] = {
        "uid": f"plugin-{node}",
        "namespace": "kube-system",
        "labels": {COMPONENT: "hami-device-plugin"},
        "containers": (
            a_container("device-plugin", limits={}),
            a_container("vgpu-monitor", limits={}),
        ),
        "controller": daemon_set_owner(),
    }
    return a_pod(f"hami-device-plugin-{node}", node, **(values | changes))  # type: ignore[arg-type]


def a_shared_node(
    name: str = "gpu-a",
    *devices: RegisteredDevice,
    handshake: tuple[str, Handshake] | None = None,
    register: str | None = None,
    annotations: Mapping[str, str] | None = None,
    **changes: object,
) -> Node:
    """A node whose cards HAMi registered; `handshake` is its text and what it means."""
    held = devices or (a_device(1),)
    text, shake = handshake or (
        "Requesting_2026-01-01 10:00:00",
        Handshake(state="requesting", at=NOW),
    )
    values: dict[str, object] = {
        "labels": {"gpu": "on"},
        "capacity": {"nvidia.com/gpu": 10 * len(held)},
    }
    node = a_node(name, a_registration(*held, handshake=shake), **(values | changes))  # type: ignore[arg-type]
    listed = "".join(
        f"{d.card},10,34542,100,NVIDIA A10G,0,{str(d.healthy).lower()},{d.index},hami-core:"
        for d in held
    )
    return _annotated(
        node,
        {
            REGISTER: listed if register is None else register,
            HANDSHAKE: text,
            **(annotations or {}),
        },
    )


def _annotated(node: Node, annotations: Mapping[str, str]) -> Node:
    return replace(node, annotations={**node.annotations, **annotations})


def a_shared_pod(name: str = "chat-0", node: str = "gpu-a", **changes: object) -> Pod:
    """A tenant that HAMi placed on the node's first card."""
    values: dict[str, object] = {
        "annotations": {"hami.io/vgpu-node": node},
        "containers": (a_container(limits={"nvidia.com/gpu": 1, "nvidia.com/gpumem": 8192}),),
    }
    return a_pod(
        name,
        node,
        a_promise(uuid(1), 8192, 30),
        **(values | changes),  # type: ignore[arg-type]
    )


def a_checked_cluster(
    nodes: Iterable[Node], pods: Iterable[Pod] = (), **changes: object
) -> CheckContext:
    """These nodes and pods beside a healthy HAMi, joined as `serve` joins them."""
    changes.setdefault("layer", installed())
    seen = observations(nodes, pods, **changes)
    return CheckContext(observations=seen, snapshot=Joiner().build(seen))


def the_finding(result: CheckResult) -> Finding:
    """The only one."""
    assert len(result.findings) == 1, result.findings
    return result.findings[0]


def signals(result: CheckResult) -> list[str]:
    """The signals of all findings, in their order."""
    return [finding.signal for finding in result.findings]
