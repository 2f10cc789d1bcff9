"""The objects that a test puts into a cluster, and takes out of it again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .kube_api import HTTP_CONFLICT, HTTP_NOT_FOUND, KubeApi, KubeError, Object

FIELD_MANAGER = "gpuatlas-harness"


class KubeObjects(KubeApi):
    """An API that remembers what was applied to it."""

    def __init__(self, url: str, *, ca: Path, admin_token: str) -> None:
        super().__init__(url, ca=ca, admin_token=admin_token)
        self._namespaces: set[str] = set()
        # The paths of what apply() has made, in that order.
        self._applied: dict[str, None] = {}

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
        return self._server_side_apply(f"{path}/status", _status_of(doc)) if separate else answer

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


def _status_of(doc: Object) -> Object:
    """The object reduced to its identity and its status."""
    identity = {k: v for k, v in doc["metadata"].items() if k in {"name", "namespace"}}
    return {
        "apiVersion": doc["apiVersion"],
        "kind": doc["kind"],
        "metadata": identity,
        "status": doc["status"],
    }
