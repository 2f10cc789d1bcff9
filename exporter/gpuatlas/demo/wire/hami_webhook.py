"""The MutatingWebhookConfigurations of HAMi's installations (facts/hami.md 6.2)."""

from __future__ import annotations

import base64
from typing import Final

from gpuatlas.demo.randomness import uuid
from gpuatlas.demo.state import World
from gpuatlas.demo.state_layer import HamiState
from gpuatlas.demo.wire.certificates import ca_bundle
from gpuatlas.demo.wire.objects import Document, metadata

PATH: Final = "/webhook"
# The chart's own objects, and whoever wants to stay outside.
_NOT_IGNORED: Final = {
    "matchExpressions": [{"key": "hami.io/webhook", "operator": "NotIn", "values": ["ignore"]}]
}


def webhook_documents(world: World) -> list[Document]:
    """One for each installation that has one."""
    return [_configuration(state, world) for state in world.hami if state.configured]


def _configuration(state: HamiState, world: World) -> Document:
    hami = state.release
    client: Document = {
        "service": {
            "name": hami.scheduler_name,
            "namespace": hami.namespace,
            "path": PATH,
            "port": 443,
        }
    }
    if bundle := ca_bundle(state, world):
        client["caBundle"] = base64.b64encode(bundle).decode()
    return {
        "kind": "MutatingWebhookConfiguration",
        "apiVersion": "admissionregistration.k8s.io/v1",
        "metadata": metadata(
            f"{hami.fullname}-webhook",
            uuid("webhook", world.seed, hami.release),
            world.scenario.since,
            labels={"app.kubernetes.io/managed-by": "Helm"},
            manager="kube-webhook-certgen",
        )
        | {"generation": 2},
        "webhooks": [
            {
                "name": "vgpu.hami.io",
                "clientConfig": client,
                "rules": [
                    {
                        "operations": ["CREATE" if state.admits else "UPDATE"],
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "resources": ["pods"],
                        "scope": "*",
                    }
                ],
                "failurePolicy": "Ignore",
                "matchPolicy": "Equivalent",
                "namespaceSelector": _NOT_IGNORED,
                "objectSelector": _NOT_IGNORED,
                "sideEffects": "None",
                "timeoutSeconds": 10,
                "admissionReviewVersions": ["v1beta1"],
                "reinvocationPolicy": "Never",
            }
        ],
    }
