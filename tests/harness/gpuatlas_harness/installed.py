"""The chart in a real cluster: its account and what that did, its pods, its releases."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from . import pki
from .kube import KubeServer
from .kube_accounts import wait_until_allowed

Object = dict[str, Any]

# What the API server writes down about accounts: who did what to what, and whether it was let.
_POLICY: Final = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "Metadata", "userGroups": ["system:serviceaccounts"]},
        {"level": "None"},
    ],
}


def audited(folder: Path) -> list[str]:
    """Arguments for an API server that writes `audit.log` into the folder."""
    policy = folder / "audit.yaml"
    policy.write_text(yaml.safe_dump(_POLICY), encoding="utf-8")
    return [f"--audit-policy-file={policy}", f"--audit-log-path={folder / 'audit.log'}"]


class Account:
    """A service account that is in the cluster already, with the rights that it has there."""

    def __init__(self, kube: KubeServer, folder: Path, *, namespace: str, name: str) -> None:
        self.user = f"system:serviceaccount:{namespace}:{name}"
        self._kube = kube
        self._audit = folder / "audit.log"
        self._path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}"
        self.kubeconfig = folder / f"{namespace}.{name}.kubeconfig"
        pki.write_private(self.kubeconfig, json.dumps(self._configuration()).encode())

    def _configuration(self) -> Object:
        request: Object = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {},
        }
        token = self._kube.request("POST", f"{self._path}/token", body=request)["status"]["token"]
        authority = base64.b64encode(self._kube.ca.read_bytes()).decode()
        cluster = {"server": self._kube.url, "certificate-authority-data": authority}
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": "account", "user": {"token": token}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "account"}}],
            "current-context": "test",
        }

    def wait_until_it_may(
        self, verb: str, resource: str, *, group: str = "", namespace: str = ""
    ) -> None:
        """The API server acts on new roles a little later."""
        asked = {"verb": verb, "group": group, "resource": resource, "namespace": namespace}
        wait_until_allowed(self._kube, self.user, {"resourceAttributes": asked})

    def _events(self) -> Iterator[Object]:
        for line in self._audit.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            if event["user"]["username"] == self.user:
                yield event

    def did(self) -> set[tuple[str, str, str]]:
        """What it asked for of objects: API group, resource, verb."""
        return {
            (event["objectRef"].get("apiGroup", ""), event["objectRef"]["resource"], event["verb"])
            for event in self._events()
            if "resource" in event.get("objectRef", ())
        }

    def denials(self) -> list[str]:
        """What it was refused."""
        return [
            f"{event['verb']} {event['requestURI']}"
            for event in self._events()
            if event["annotations"].get("authorization.k8s.io/decision") != "allow"
        ]


def restricted(kube: KubeServer, name: str) -> str:
    """A namespace that admits only pods of the standard of that name."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    metadata = {"name": f"restricted-{name}", "labels": labels}
    kube.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}])
    return f"restricted-{name}"


def pod_of(deployment: Object) -> Object:
    """What its controller would make."""
    template = deployment["spec"]["template"]
    metadata = {**template["metadata"], "name": deployment["metadata"]["name"]}
    metadata["namespace"] = deployment["metadata"]["namespace"]
    return {"apiVersion": "v1", "kind": "Pod", **template, "metadata": metadata}


def release_bytes(kube: KubeServer, namespace: str) -> int:
    """What Helm keeps of the newest release, as the API server counts it."""
    items = kube.list_objects("Secret", namespace=namespace)["items"]
    newest = max(items, key=lambda item: int(item["metadata"]["labels"]["version"]))
    return len(base64.b64decode(newest["data"]["release"]))
