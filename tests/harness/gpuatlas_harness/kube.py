"""A real kube-apiserver with its etcd, and what a test does to the cluster they serve.

There are no controllers and no kubelets: what a test applies is what the cluster holds, a pod runs
because its applied status says so, and nothing is ever garbage-collected.
"""

from __future__ import annotations

import base64
import json
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import requests

from . import pki
from .etcd import Etcd
from .http import loopback_session
from .polling import poll
from .processes import LOOPBACK, Readiness, ServerProcess, free_ports

Object = dict[str, Any]
"""One Kubernetes object, or a part of one, as JSON."""

FIELD_MANAGER = "gpuatlas-harness"
HTTP_CONFLICT = 409
HTTP_NOT_FOUND = 404
REQUEST_SECONDS = 30.0
# How long the server may take to serve a new kind, or to act on a new role.
SETTLE_SECONDS = 10.0
TOKEN_SECONDS = 3600


class KubeError(Exception):
    """The API server refused a request; ``code`` is the HTTP status."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


@dataclass(frozen=True)
class Resource:
    """A kind's place in the API."""

    api_version: str
    plural: str
    namespaced: bool
    has_status: bool

    @property
    def root(self) -> str:
        prefix = "/apis" if "/" in self.api_version else "/api"
        return f"{prefix}/{self.api_version}"

    def collection(self, namespace: str | None) -> str:
        """The path of the collection: one namespace's, or with None the whole cluster's."""
        middle = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{self.root}{middle}/{self.plural}"

    def path(self, namespace: str | None, name: str) -> str:
        where = (namespace or "default") if self.namespaced else None
        return f"{self.collection(where)}/{name}"


class KubeServer:
    """A cluster's API: ``with KubeServer(...) as kube`` starts it and stops it.

    Attributes:
        url: ``https://127.0.0.1:PORT``, the same after a restart.
        ca: file with the certificate of the authority that signed the server's.
        admin_token: bearer token of a member of ``system:masters``.
        kubeconfig: file of that administrator's configuration.
    """

    def __init__(
        self,
        *,
        apiserver: Path,
        etcd: Path,
        work_dir: Path,
        extra_arguments: Sequence[str] = (),
    ) -> None:
        self.work_dir = work_dir
        self.admin_token = secrets.token_hex(16)
        self._port = free_ports(1)[0]
        self.url = f"https://{LOOPBACK}:{self._port}"
        self._authority = pki.Authority("gpuatlas-test-ca")
        self.ca = work_dir / "ca.crt"
        self._write_credentials()
        self.kubeconfig = self._write_kubeconfig("admin", {"token": self.admin_token})
        self.etcd = Etcd(etcd, work_dir)
        self.apiserver = ServerProcess(
            "kube-apiserver",
            [apiserver, *self._arguments(), *extra_arguments],
            # The root path of readiness covers the start-up hooks, such as the default roles.
            readiness=Readiness(
                f"{self.url}/readyz",
                ca=self.ca,
                headers={"Authorization": f"Bearer {self.admin_token}"},
                deadline_seconds=120.0,
            ),
            log_dir=work_dir,
        )
        self._resources: dict[tuple[str, str], Resource] = {}
        self._namespaces: set[str] = set()
        # The paths of what apply() has made, in that order.
        self._applied: dict[str, None] = {}
        self._session = loopback_session(
            ca=self.ca, headers={"Authorization": f"Bearer {self.admin_token}"}
        )
        # A session is not made for several threads; tests that load the server use them.
        self._lock = threading.Lock()

    # Life

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start etcd and the API server, and wait until both are ready."""
        self.etcd.process.start()
        try:
            self.apiserver.start()
        except BaseException:
            self.etcd.process.stop()
            raise

    def stop(self) -> None:
        """Stop both; the data stay in ``work_dir``."""
        self._session.close()
        # Nothing is lost by a kill, and a polite end waits for every open watch.
        self.apiserver.stop(grace_seconds=0)
        self.etcd.process.stop()

    def stop_apiserver(self) -> None:
        """Kill the API server as in a crash; etcd keeps running, ``start_apiserver`` ends it."""
        self._session.close()
        self.apiserver.stop(grace_seconds=0)

    def start_apiserver(self) -> None:
        self.apiserver.start()

    def restart(self) -> None:
        """Kill the API server and start it on the same port with the same data."""
        self.stop_apiserver()
        self.start_apiserver()

    def compact(self, *, drop_watch_cache: bool = True) -> int:
        """Make every older resource version answer 410; returns the oldest one that does not.

        etcd forgets its history, but the API server's watch cache still has the events since the
        server's start and would serve old watches from them. So the server is restarted too, which
        ends running watches; without ``drop_watch_cache`` only etcd is compacted.
        """
        revision = self.etcd.compact()
        if drop_watch_cache:
            self.restart()
        return revision

    # Requests

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Object | None = None,
        parameters: Mapping[str, str] | None = None,
        content_type: str = "application/json",
    ) -> Object:
        """Send one request as the administrator; the JSON answer.

        Raises:
            KubeError: the status is not 2xx.
        """
        with self._lock:
            answer = self._session.request(
                method,
                f"{self.url}{path}",
                params=dict(parameters or {}),
                data=None if body is None else json.dumps(body),
                headers={"Content-Type": content_type},
                timeout=REQUEST_SECONDS,
            )
        return _content(answer)

    def version(self) -> str:
        """The server's version, such as ``v1.36.3``."""
        return str(self.request("GET", "/version")["gitVersion"])

    def get(
        self, kind: str, name: str, *, namespace: str | None = None, api_version: str = "v1"
    ) -> Object:
        """One object; a namespaced kind without ``namespace`` is looked for in ``default``."""
        return self.request("GET", self.resource(api_version, kind).path(namespace, name))

    def list_objects(
        self,
        kind: str,
        *,
        namespace: str | None = None,
        api_version: str = "v1",
        parameters: Mapping[str, str] | None = None,
    ) -> Object:
        """The list object of one namespace, or with None of the cluster."""
        path = self.resource(api_version, kind).collection(namespace)
        return self.request("GET", path, parameters=parameters)

    def watch(
        self,
        kind: str,
        *,
        resource_version: str,
        timeout_seconds: int,
        api_version: str = "v1",
    ) -> Iterator[Object]:
        """The events of a cluster-wide watch with bookmarks, until the server ends it.

        The server sends bookmarks from about two seconds before ``timeout_seconds`` are over, if
        anything at all was written to the cluster since the last event.
        """
        parameters = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(timeout_seconds),
        }
        path = self.resource(api_version, kind).collection(None)
        authorization = {"Authorization": f"Bearer {self.admin_token}"}
        # A session of its own: the events arrive while the test sends other requests.
        with (
            loopback_session(ca=self.ca, headers=authorization) as session,
            session.get(
                f"{self.url}{path}",
                params=parameters,
                stream=True,
                timeout=timeout_seconds + REQUEST_SECONDS,
            ) as answer,
        ):
            if not answer.ok:
                _content(answer)
            for line in answer.iter_lines():
                if line:
                    yield json.loads(line)

    # Objects

    def apply(self, docs: Sequence[Object]) -> list[Object]:
        """Create the objects, or change them to what is given; the objects as the server has them.

        A missing namespace is created. ``status`` goes through the kind's ``/status``. Fields that
        an earlier ``apply`` set and this one leaves out are removed, except a ``status`` that is
        left out whole: it stays.

        Raises:
            KubeError: the server refused an object; those before it stay.
        """
        return [self._apply_one(doc) for doc in docs]

    def _apply_one(self, doc: Object) -> Object:
        resource = self.resource(doc["apiVersion"], doc["kind"])
        metadata = doc["metadata"]
        namespace = metadata.get("namespace")
        if resource.namespaced:
            self._ensure_namespace(namespace or "default")
        path = resource.path(namespace, metadata["name"])
        separate = resource.has_status and "status" in doc
        body = {key: part for key, part in doc.items() if key != "status"} if separate else doc
        answer = self._server_side_apply(path, body)
        if doc["kind"] != "Namespace":
            self._applied[path] = None
        if not separate:
            return answer
        identity = {key: metadata[key] for key in ("name", "namespace") if key in metadata}
        status = {
            "apiVersion": doc["apiVersion"],
            "kind": doc["kind"],
            "metadata": identity,
            "status": doc["status"],
        }
        return self._server_side_apply(f"{path}/status", status)

    def _server_side_apply(self, path: str, doc: Object) -> Object:
        # Server-side apply, not PUT: it keeps the fields that the server filled in and that may
        # not change, such as a Job's selector.
        return self.request(
            "PATCH",
            path,
            body=doc,
            parameters={
                "fieldManager": FIELD_MANAGER,
                "force": "true",
                "fieldValidation": "Strict",
            },
            content_type="application/apply-patch+yaml",
        )

    def _ensure_namespace(self, name: str) -> None:
        if name in self._namespaces:
            return
        body: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        try:
            self.request("POST", "/api/v1/namespaces", body=body)
        except KubeError as error:
            if error.code != HTTP_CONFLICT:
                raise
        self._namespaces.add(name)

    def delete(
        self, kind: str, name: str, *, namespace: str | None = None, api_version: str = "v1"
    ) -> None:
        """Delete one object at once, without the grace that a kubelet would have to end.

        A deleted Namespace stays ``Terminating``: the controller that empties it is not there.

        Raises:
            KubeError: with code 404 when there is no such object.
        """
        self._delete_path(self.resource(api_version, kind).path(namespace, name))

    def _delete_path(self, path: str) -> None:
        options: Object = {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
        self.request("DELETE", path, body=options)
        self._applied.pop(path, None)

    def reset(self) -> None:
        """Delete what ``apply`` has created, newest first; namespaces stay."""
        for path in reversed(list(self._applied)):
            try:
                self._delete_path(path)
            except KubeError as error:
                if error.code != HTTP_NOT_FOUND:
                    raise
        self._applied.clear()

    def resource(self, api_version: str, kind: str) -> Resource:
        """Where the API has a kind; waits a little for one that has just been defined.

        Raises:
            TimeoutError: the server does not serve the kind.
        """

        def look() -> Resource | None:
            if (api_version, kind) not in self._resources:
                self._discover(api_version)
            return self._resources.get((api_version, kind))

        return poll(
            look,
            deadline_seconds=SETTLE_SECONDS,
            waiting_for=f"the API server to serve {api_version} {kind}",
        )

    def _discover(self, api_version: str) -> None:
        prefix = "/apis" if "/" in api_version else "/api"
        try:
            served = self.request("GET", f"{prefix}/{api_version}")["resources"]
        except KubeError as error:
            if error.code == HTTP_NOT_FOUND:
                return
            raise
        names = {entry["name"] for entry in served}
        for entry in served:
            if "/" not in entry["name"]:
                self._resources[api_version, entry["kind"]] = Resource(
                    api_version=api_version,
                    plural=entry["name"],
                    namespaced=entry["namespaced"],
                    has_status=f"{entry['name']}/status" in names,
                )

    # Identities

    def service_account_token(
        self, name: str, rules: Sequence[Object], *, namespace: str = "default"
    ) -> str:
        """A one-hour token of a service account that the RBAC rules allow cluster-wide.

        Returns once the server acts on the rules. Take a new name for other rules: of rules
        taken away it cannot be seen when the server stops acting on them.
        """
        role = f"{namespace}:{name}"
        account: Object = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": name, "namespace": namespace},
        }
        self.apply([account, _cluster_role(role, rules), _role_binding(role, name, namespace)])
        user = f"system:serviceaccount:{namespace}:{name}"
        for attributes in _access_asked_for(rules):
            self._wait_until_allowed(user, attributes)
        request: Object = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": TOKEN_SECONDS},
        }
        path = f"{self.resource('v1', 'ServiceAccount').path(namespace, name)}/token"
        return str(self.request("POST", path, body=request)["status"]["token"])

    def service_account_kubeconfig(
        self, name: str, rules: Sequence[Object], *, namespace: str = "default"
    ) -> Path:
        """A kubeconfig file with the token of ``service_account_token``."""
        token = self.service_account_token(name, rules, namespace=namespace)
        return self._write_kubeconfig(f"{namespace}.{name}", {"token": token})

    def client_certificate_kubeconfig(self, user: str, groups: Sequence[str]) -> Path:
        """A kubeconfig file of a user who shows a client certificate and no token."""
        pair = self._authority.client(user, groups)
        credentials = {
            "client-certificate-data": base64.b64encode(pair.certificate).decode(),
            "client-key-data": base64.b64encode(pair.key).decode(),
        }
        return self._write_kubeconfig(f"certificate.{user}", credentials)

    def _wait_until_allowed(self, user: str, attributes: Object) -> None:
        groups = ["system:serviceaccounts", "system:authenticated"]
        review: Object = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {"user": user, "groups": groups, **attributes},
        }

        def allowed() -> bool | None:
            path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
            return self.request("POST", path, body=review)["status"]["allowed"] or None

        poll(
            allowed,
            deadline_seconds=SETTLE_SECONDS,
            waiting_for=f"the API server to allow {user} {attributes}",
        )

    # Files

    def _write_credentials(self) -> None:
        self.ca.write_bytes(self._authority.certificate)
        serving = self._authority.server(["localhost", "kubernetes.default.svc"], [LOOPBACK])
        (self.work_dir / "apiserver.crt").write_bytes(serving.certificate)
        pki.write_private(self.work_dir / "apiserver.key", serving.key)
        signer = pki.new_key()
        pki.write_private(self.work_dir / "service-accounts.key", pki.private_pem(signer))
        (self.work_dir / "service-accounts.pub").write_bytes(pki.public_pem(signer))
        line = f"{self.admin_token},admin,admin,system:masters\n"
        pki.write_private(self.work_dir / "tokens.csv", line.encode())

    def _arguments(self) -> list[str]:
        folder = self.work_dir
        return [
            f"--etcd-servers={self.etcd.url}",
            # Only compact() makes history go away, so no test depends on how long it took.
            "--etcd-compaction-interval=0",
            f"--bind-address={LOOPBACK}",
            f"--secure-port={self._port}",
            f"--cert-dir={folder}",
            f"--tls-cert-file={folder / 'apiserver.crt'}",
            f"--tls-private-key-file={folder / 'apiserver.key'}",
            f"--client-ca-file={self.ca}",
            f"--token-auth-file={folder / 'tokens.csv'}",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={folder / 'service-accounts.pub'}",
            f"--service-account-signing-key-file={folder / 'service-accounts.key'}",
            "--service-cluster-ip-range=10.0.0.0/24",
            # A loopback address may not be an endpoint of the service `kubernetes`.
            f"--advertise-address={LOOPBACK}",
            "--endpoint-reconciler-type=none",
            # It waits for the `default` account that a controller would make.
            "--disable-admission-plugins=ServiceAccount",
            "--allow-privileged=true",
        ]

    def _write_kubeconfig(self, name: str, credentials: Mapping[str, str]) -> Path:
        certificate = base64.b64encode(self._authority.certificate).decode()
        cluster = {"server": self.url, "certificate-authority-data": certificate}
        config: Object = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": name, "user": dict(credentials)}],
            "contexts": [{"name": name, "context": {"cluster": "test", "user": name}}],
            "current-context": name,
        }
        # JSON is YAML.
        content = json.dumps(config, indent=2).encode()
        return pki.write_private(self.work_dir / f"{name}.kubeconfig", content)


def _content(answer: requests.Response) -> Object:
    try:
        content: Object = answer.json()
    except requests.JSONDecodeError:
        raise KubeError(answer.status_code, answer.text) from None
    if not answer.ok:
        raise KubeError(answer.status_code, str(content.get("message", content)))
    return content


def _cluster_role(name: str, rules: Sequence[Object]) -> Object:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": list(rules),
    }


def _role_binding(role: str, account: str, namespace: str) -> Object:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": role},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": role,
        },
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }


def _access_asked_for(rules: Sequence[Object]) -> Iterator[Object]:
    """What to review so that every part of the rules is seen to be in force."""
    for rule in rules:
        verb = rule["verbs"][0]
        for path in rule.get("nonResourceURLs", ()):
            yield {"nonResourceAttributes": {"path": path, "verb": verb}}
        # With resourceNames only those names are allowed, so the review names the first.
        name = next(iter(rule.get("resourceNames", ())), "")
        for group in rule.get("apiGroups", ()):
            for resource in rule.get("resources", ()):
                plural, _, subresource = resource.partition("/")
                attributes = {
                    "group": group,
                    "resource": plural,
                    "subresource": subresource,
                    "verb": verb,
                    "name": name,
                }
                yield {"resourceAttributes": attributes}
