"""A HAMi installation as the API server has it: its own objects, with the fields of its chart.

Names and namespaces are made up. Every function gives a fresh object, to be changed at will.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final

Object = dict[str, Any]

NAMESPACE: Final = "gpu-system"
RELEASE: Final = "vgpu-hami"
COMPONENT: Final = "app.kubernetes.io/component"
SERVICE: Final = f"{RELEASE}-scheduler"
WRITTEN_AT: Final = "2026-08-21T10:00:00Z"
WRITTEN: Final = 1_787_306_400.0

DEVICE_CONFIG: Final = """\
nvidia:
  resourceCountName: nvidia.com/gpu
  defaultMemory: 0
  deviceSplitCount: 10
  deviceMemoryScaling: 1.5
  deviceCoreScaling: 1
  knownMigGeometries:
  - models: ["A30"]
    allowedGeometries: []
hygon:
  deviceSplitCount: 3
"""
NODE_CONFIG: Final = """\
{
  "nodeconfig": [
    {
      "name": "gpu-a",
      "operatingmode": "mig",
      "devicememoryscaling": 1,
      "devicesplitcount": 5,
      "migstrategy": "none",
      "filterdevices": {
        "uuid": ["GPU-00000002-0000-4000-8000-000000000000"],
        "index": [3]
      }
    },
    {"name": "gpu-b", "devicecorescaling": 2}
  ]
}
"""


def labels(component: str) -> dict[str, str]:
    return {
        COMPONENT: component,
        "app.kubernetes.io/name": "hami",
        "app.kubernetes.io/instance": RELEASE,
        "app.kubernetes.io/version": "2.10.0",
    }


def _metadata(name: str, component: str = "") -> Object:
    metadata: Object = {"name": name, "namespace": NAMESPACE}
    return {**metadata, "labels": labels(component)} if component else metadata


def _template(component: str, spec: Object) -> Object:
    pod_labels = {COMPONENT: component, "hami.io/webhook": "ignore"}
    return {"metadata": {"labels": pod_labels}, "spec": spec}


def device_plugin() -> Object:
    """Two nodes, one of them ready."""
    component = "hami-device-plugin"
    spec: Object = {
        "nodeSelector": {"gpu": "on"},
        "containers": [
            {
                "name": "device-plugin",
                "image": "projecthami/hami:v2.10.0",
                "command": [
                    "nvidia-device-plugin",
                    "--config-file=/device-config.yaml",
                    "--mig-strategy=none",
                    "--disable-core-limit=false",
                    "-v=4",
                ],
            },
            {
                "name": "vgpu-monitor",
                "image": "projecthami/hami:v2.10.0",
                "command": ["vGPUmonitor"],
            },
        ],
        "volumes": [
            {"name": "hosttmp", "hostPath": {"path": "/tmp"}},
            {"name": "deviceconfig", "configMap": {"name": f"{RELEASE}-device-plugin"}},
            {"name": "device-config", "configMap": {"name": f"{SERVICE}-device"}},
        ],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {**_metadata(f"{RELEASE}-device-plugin", component), "generation": 3},
        "spec": {
            "selector": {"matchLabels": {COMPONENT: component}},
            "template": _template(component, spec),
        },
        "status": {
            "observedGeneration": 3,
            "currentNumberScheduled": 2,
            "numberMisscheduled": 0,
            "desiredNumberScheduled": 2,
            "numberReady": 1,
            "updatedNumberScheduled": 2,
        },
    }


def scheduler() -> Object:
    """Two replicas wanted, one of them ready, and the newest spec not seen yet."""
    component = "hami-scheduler"
    spec: Object = {
        "containers": [
            {
                "name": "kube-scheduler",
                "image": "registry.k8s.io/kube-scheduler:v1.33.1",
                "command": ["kube-scheduler", "--config=/config/config.yaml", "-v=4"],
            },
            {
                "name": "vgpu-scheduler-extender",
                "image": "projecthami/hami:v2.10.0",
                "command": [
                    "scheduler",
                    "--http_bind=0.0.0.0:443",
                    "--cert_file=/tls/tls.crt",
                    "--scheduler-name=hami-scheduler",
                    "--leader-elect=true",
                    "--leader-elect-resource-name=hami-lock",
                    f"--leader-elect-resource-namespace={NAMESPACE}",
                ],
                "args": ["--force-overwrite-default-scheduler"],
            },
        ],
        "volumes": [
            {"name": "tls-config", "secret": {"secretName": f"{SERVICE}-tls"}},
            {"name": "device-config", "configMap": {"name": f"{SERVICE}-device"}},
        ],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**_metadata(SERVICE, component), "generation": 8},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {COMPONENT: component}},
            "template": _template(component, spec),
        },
        "status": {
            "observedGeneration": 7,
            "replicas": 2,
            "readyReplicas": 1,
            "updatedReplicas": 2,
        },
    }


def service() -> Object:
    ports = [
        {"name": "http", "port": 443, "targetPort": 8443, "protocol": "TCP"},
        {"name": "monitor", "port": 31993, "targetPort": 9395, "protocol": "TCP"},
    ]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata(SERVICE, "hami-scheduler"),
        "spec": {"ports": ports, "selector": {"hami.io/scheduler-role": "leader"}},
    }


def endpoint_slice(
    addresses: Mapping[str, bool], *, ports: Mapping[str, int] | None = None, name: str = "a1b2"
) -> Object:
    """IPv4 addresses, and whether each is ready."""
    named = {"http": 8443, "monitor": 9395} if ports is None else ports
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": f"{SERVICE}-{name}",
            "namespace": NAMESPACE,
            "labels": {**labels("hami-scheduler"), "kubernetes.io/service-name": SERVICE},
        },
        "addressType": "IPv4",
        "ports": [{"name": n, "port": port, "protocol": "TCP"} for n, port in named.items()],
        "endpoints": [
            {
                "addresses": [address],
                "conditions": {"ready": ready},
                "targetRef": {
                    "kind": "Pod",
                    "namespace": NAMESPACE,
                    "name": f"{SERVICE}-{address.replace('.', '-')}",
                },
            }
            for address, ready in addresses.items()
        ],
    }


def webhook(ca_bundle: bytes = b"", *, url: str = "", port: int = 443) -> Object:
    called: Object = {"name": SERVICE, "namespace": NAMESPACE, "path": "/webhook", "port": port}
    client: Object = {"url": url} if url else {"service": called}
    if ca_bundle:
        client["caBundle"] = base64.b64encode(ca_bundle).decode()
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": f"{RELEASE}-webhook"},
        "webhooks": [
            {
                "name": "vgpu.hami.io",
                "admissionReviewVersions": ["v1beta1"],
                "clientConfig": client,
                "failurePolicy": "Ignore",
                "sideEffects": "None",
                "rules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE"],
                        "resources": ["pods"],
                        "scope": "*",
                    }
                ],
            }
        ],
    }


def lease(name: str = "hami-lock") -> Object:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "holderIdentity": f"{SERVICE}-7d9c_0f0e",
            "leaseDurationSeconds": 15,
            "renewTime": "2026-08-21T10:11:12.500000Z",
        },
    }


def config_map(name: str, data: Mapping[str, str], component: str = "hami-scheduler") -> Object:
    """Its data were written at `WRITTEN_AT`, its labels an hour later."""
    keys: Object = {f"f:{key}": {} for key in data}
    writes = [
        {"manager": "helm", "time": WRITTEN_AT, "fieldsV1": {"f:data": {".": {}, **keys}}},
        {
            "manager": "kubectl",
            "time": "2026-08-21T11:00:00Z",
            "fieldsV1": {"f:metadata": {"f:labels": {"f:x": {}}}},
        },
    ]
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {**_metadata(name, component), "managedFields": writes},
        "data": dict(data),
    }


def device_config(text: str = DEVICE_CONFIG) -> Object:
    return config_map(f"{SERVICE}-device", {"device-config.yaml": text})


def node_config(text: str = NODE_CONFIG) -> Object:
    return config_map(f"{RELEASE}-device-plugin", {"config.json": text}, "hami-device-plugin")


def installation(ca_bundle: bytes = b"") -> list[Object]:
    """All of it, healthy but for what the functions above say."""
    return [
        device_plugin(),
        scheduler(),
        service(),
        endpoint_slice({"10.0.0.7": True, "10.0.0.8": False}),
        webhook(ca_bundle),
        lease(),
        device_config(),
        node_config(),
    ]
