"""The API of a cluster, asked as its administrator."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from .http import loopback_session
from .polling import poll

Object = dict[str, Any]
"""One Kubernetes object, or a part of one, as JSON."""

HTTP_CONFLICT = 409
HTTP_NOT_FOUND = 404
REQUEST_SECONDS = 30.0
# How long the server may take to serve a new kind, or to act on a new role.
SETTLE_SECONDS = 10.0


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


class KubeApi:
    """What an API server answers.

    Attributes:
        url: ``https://127.0.0.1:PORT``.
        ca: file with the certificate of the authority that signed the server's.
        admin_token: bearer token of a member of ``system:masters``.
    """

    def __init__(self, url: str, *, ca: Path, admin_token: str) -> None:
        self.url = url
        self.ca = ca
        self.admin_token = admin_token
        self._resources: dict[tuple[str, str], Resource] = {}
        self._session = self._new_session()
        # A session is not made for several threads; tests that load the server use them.
        self._lock = threading.Lock()

    def _new_session(self) -> requests.Session:
        headers = {"Authorization": f"Bearer {self.admin_token}"}
        return loopback_session(ca=self.ca, headers=headers)

    def disconnect(self) -> None:
        """Close what is open to the server; the next request connects again."""
        self._session.close()

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
        # A session of its own: the events arrive while the test sends other requests.
        with (
            self._new_session() as session,
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


def _content(answer: requests.Response) -> Object:
    try:
        content: Object = answer.json()
    except requests.JSONDecodeError:
        raise KubeError(answer.status_code, answer.text) from None
    if not answer.ok:
        raise KubeError(answer.status_code, str(content.get("message", content)))
    return content
