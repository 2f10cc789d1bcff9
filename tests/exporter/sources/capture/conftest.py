"""HAMi's own objects as an API server gives them, and what a capture of them looks like."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

Object = dict[str, Any]

COMPONENT = "app.kubernetes.io/component"
HOME = "acme-gpu"
UUID = "GPU-0000000a-00aa-4000-8000-00000000000a"
CA_ENDS = datetime(2027, 3, 4, 5, 6, 7, tzinfo=UTC)


def an_object(api_version: str, kind: str, name: str, component: str = "", **more: Any) -> Object:
    """In HAMi's namespace, with what a cluster adds and nobody reads."""
    labels = {"helm.sh/chart": "hami-2.9.0", "team.example.com/owner": "ann"}
    labels |= {COMPONENT: component, "app.kubernetes.io/version": "2.9.0"} if component else {}
    metadata = {
        "name": name,
        "namespace": HOME,
        "uid": f"{kind}-{name}",
        "resourceVersion": "7",
        "labels": labels,
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "secret words"},
        **more.pop("metadata", {}),
    }
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def a_controller(kind: str, name: str, component: str, containers: list[Object]) -> Object:
    template = {
        "metadata": {"labels": {COMPONENT: component}},
        "spec": {
            "nodeSelector": {"gpu": "on", "acme.example.com/pool": "acme-cards"},
            "serviceAccountName": "secret-account",
            "containers": copy.deepcopy(containers),
            "volumes": [
                {"name": "device", "configMap": {"name": f"{HOME}-device"}},
                {"name": "nodes", "configMap": {"name": f"{HOME}-nodes"}},
                {"name": "tls", "secret": {"secretName": "secret-tls"}},
            ],
        },
    }
    counted = {"desiredNumberScheduled": 2, "numberReady": 1, "updatedNumberScheduled": 2}
    status = counted if kind == "DaemonSet" else {"readyReplicas": 1, "updatedReplicas": 2}
    spec = {"template": template, **({"replicas": 2} if kind == "Deployment" else {})}
    return an_object(
        "apps/v1",
        kind,
        name,
        component,
        metadata={"generation": 3},
        spec=spec,
        status={**status, "observedGeneration": 3},
    )


def a_config_map(name: str, key: str, text: str, **more: Any) -> Object:
    write = {
        "manager": "secret-hand",
        "operation": "Update",
        "time": "2026-08-21T09:00:00Z",
        "fieldsV1": {"f:data": {".": {}, f"f:{key}": {}}, "f:metadata": {"f:labels": {}}},
    }
    metadata = {"managedFields": [write]}
    return an_object("v1", "ConfigMap", name, metadata=metadata, data={key: text, **more})


@cache
def a_bundle() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "acme-authority")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name)
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(datetime(2026, 1, 1, tzinfo=UTC)).not_valid_after(CA_ENDS)
    pem = builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)
    return base64.b64encode(pem).decode()


SCHEDULER_CONTAINERS: list[Object] = [
    {
        "name": "kube-scheduler",
        "image": "registry.acme.example/kube-scheduler:v1.31.0",
        "command": [
            "kube-scheduler",
            "--leader-elect=true",
            "--leader-elect-resource-name=acme-scheduler",
            "--kubeconfig=/secret/path",
        ],
    },
    {
        "name": "vgpu-scheduler-extender",
        "image": "registry.acme.example/hami:v2.9.0",
        "command": ["scheduler", "--scheduler-name=acme-scheduler", "--token=secret"],
        "env": [{"name": "PASSWORD", "value": "secret"}],
    },
]
PLUGIN_CONTAINERS: list[Object] = [
    {"name": "device-plugin", "image": "registry.acme.example/hami:v2.8.1"},
    {"name": "vgpu-monitor", "image": "registry.acme.example/hami:v2.9.0"},
]
DEVICE_CONFIG = """\
# secret remark
nvidia:
  resourceCountName: nvidia.com/gpu
  deviceSplitCount: 10
  deviceMemoryScaling: 1.5
acme:
  secret: yes
"""
NODE_CONFIG = json.dumps(
    {
        "nodeconfig": [
            {
                "name": "acme-node-1",
                "operatingmode": "hami-core",
                "devicesplitcount": 4,
                "filterdevices": {"uuid": [UUID], "index": [1]},
                "remark": "secret",
            },
            {"name": "acme-node-9", "devicememoryscaling": 2},
        ]
    },
    indent=2,
)


def a_webhook(name: str, service: Object, **more: Any) -> Object:
    rule = {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"]}
    return {
        "name": name,
        "clientConfig": {"service": service, "caBundle": a_bundle()},
        "failurePolicy": "Ignore",
        "rules": [{**rule, "resources": ["pods"], "scope": "*"}],
        "namespaceSelector": {"matchLabels": {"secret": "label"}},
        **more,
    }


def an_installation() -> list[Object]:
    """HAMi in a namespace of its own, under names of the administrator's."""
    scheduler, plugin = "hami-scheduler", "hami-device-plugin"
    service = {"namespace": HOME, "name": "acme-scheduler", "path": "/webhook", "port": 443}
    port = {"name": "acme-https", "port": 443, "targetPort": "secret"}
    endpoints = [
        {
            "addresses": [f"192.0.2.{n}"],
            "conditions": {"ready": n == 7},
            "nodeName": "acme-node-1",
            "targetRef": {"kind": "Pod", "namespace": HOME, "name": f"acme-scheduler-5d9-{n}"},
        }
        for n in (7, 8)
    ]
    lease = {
        "holderIdentity": "acme-scheduler-5d9-7_0b2c3d4e-0000-4000-8000-00000000000b",
        "leaseDurationSeconds": 15,
        "renewTime": "2026-08-21T10:11:02.123456Z",
        "leaseTransitions": 4,
    }
    registration = an_object(
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
        "acme-webhook",
        webhooks=[a_webhook("vgpu.hami.io", service)],
    )
    del registration["metadata"]["namespace"]
    return [
        a_controller("DaemonSet", "acme-plugin", plugin, PLUGIN_CONTAINERS),
        a_controller("Deployment", "acme-scheduler", scheduler, SCHEDULER_CONTAINERS),
        an_object("v1", "Service", "acme-scheduler", scheduler, spec={"ports": [port]}),
        an_object(
            "discovery.k8s.io/v1",
            "EndpointSlice",
            "acme-scheduler-x2c4v",
            metadata={"labels": {"kubernetes.io/service-name": "acme-scheduler"}},
            addressType="IPv4",
            ports=[{"name": "acme-https", "port": 8443}],
            endpoints=endpoints,
        ),
        registration,
        an_object("coordination.k8s.io/v1", "Lease", "acme-scheduler", spec=lease),
        a_config_map(f"{HOME}-device", "device-config.yaml", DEVICE_CONFIG),
        a_config_map(f"{HOME}-nodes", "config.json", NODE_CONFIG, other="secret"),
    ]


def strangers() -> list[Object]:
    """Objects of the same kinds that are nobody's business."""
    foreign = an_object(
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
        "mesh",
        webhooks=[a_webhook("mesh.acme.example", {"namespace": "mesh", "name": "mesh"})],
    )
    return [
        a_controller("DaemonSet", "log-agent", "logging", PLUGIN_CONTAINERS),
        an_object("v1", "Service", "web", spec={"ports": [{"port": 80}]}),
        an_object(
            "discovery.k8s.io/v1",
            "EndpointSlice",
            "web-abcde",
            metadata={"labels": {"kubernetes.io/service-name": "web"}},
        ),
        foreign,
        an_object("coordination.k8s.io/v1", "Lease", "web"),
        a_config_map("web-secrets", "device-config.yaml", "nvidia: {deviceSplitCount: 99}"),
    ]


@pytest.fixture(scope="session")
def installation() -> Callable[[], list[Object]]:
    """Fresh objects of HAMi."""
    return an_installation


@pytest.fixture(scope="session")
def other_objects() -> Callable[[], list[Object]]:
    """Fresh objects of others, of the same kinds."""
    return strangers
