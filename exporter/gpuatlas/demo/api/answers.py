"""Answers that need no more than words: JSON, errors in the API's own form, and discovery."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from gpuatlas.demo.api.kinds import KINDS, Kind

JSON: Final = "application/json"
_REASONS: Final = {
    400: "BadRequest",
    404: "NotFound",
    405: "MethodNotAllowed",
    410: "Expired",
    503: "ServiceUnavailable",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole HTTP answer."""

    status: int
    body: bytes
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


def json_answer(document: object, status: int = HTTPStatus.OK) -> Answer:
    """An object or a list."""
    return Answer(status, encode(document))


def encode(document: object) -> bytes:
    """JSON in one line."""
    return json.dumps(document, separators=(",", ":")).encode()


def failure(status: int, message: str) -> Answer:
    """An error as the API server words it: a Status object."""
    return json_answer(failure_document(status, message), status)


def failure_document(status: int, message: str) -> dict[str, Any]:
    """The Status object of an error."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": _REASONS.get(status, "InternalError"),
        "code": status,
    }


def expired(what: str) -> dict[str, Any]:
    """410: the caller has to list again."""
    return failure_document(HTTPStatus.GONE, f"The provided {what} is too old: list again.")


def not_found(path: str) -> Answer:
    """404 for a path that is not served."""
    return failure(HTTPStatus.NOT_FOUND, f"the server could not find the requested resource {path}")


def discovery(parts: tuple[str, ...], version: str) -> Answer | None:
    """The answers that tell what is served; None for any other path."""
    if parts in {("healthz",), ("livez",), ("readyz",)}:
        return Answer(HTTPStatus.OK, b"ok", "text/plain; charset=utf-8")
    document = _discovery_documents(version).get(parts)
    return None if document is None else json_answer(document)


def _discovery_documents(version: str) -> dict[tuple[str, ...], dict[str, Any]]:
    documents: dict[tuple[str, ...], dict[str, Any]] = {
        ("version",): _version(version),
        ("api",): {"kind": "APIVersions", "versions": ["v1"]},
        ("apis",): {"kind": "APIGroupList", "apiVersion": "v1", "groups": _groups()},
    }
    for kind in KINDS:
        root = ("apis", kind.group) if kind.group else ("api",)
        documents[*root, kind.version] = _resources(kind.group, kind.version)
        if kind.group:
            documents[root] = {"kind": "APIGroup", "apiVersion": "v1", **_group(kind)}
    return documents


def _version(git_version: str) -> dict[str, str]:
    major, minor = git_version.removeprefix("v").split(".")[:2]
    return {
        "major": major,
        "minor": minor,
        "gitVersion": git_version,
        "gitTreeState": "clean",
        "goVersion": "go1.24.9",
        "compiler": "gc",
        "platform": "linux/amd64",
    }


def _groups() -> list[dict[str, Any]]:
    seen = {kind.group: kind for kind in KINDS if kind.group}
    return [_group(kind) for kind in seen.values()]


def _group(kind: Kind) -> dict[str, Any]:
    version = {"groupVersion": kind.api_version, "version": kind.version}
    return {"name": kind.group, "versions": [version], "preferredVersion": version}


def _resources(group: str, version: str) -> dict[str, Any]:
    kinds = [kind for kind in KINDS if (kind.group, kind.version) == (group, version)]
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": kinds[0].api_version,
        "resources": [
            {
                "name": kind.resource,
                "singularName": kind.kind.lower(),
                "namespaced": kind.namespaced,
                "kind": kind.kind,
                "shortNames": list(kind.short),
                "verbs": ["get", "list", "watch"],
            }
            for kind in kinds
        ],
    }
