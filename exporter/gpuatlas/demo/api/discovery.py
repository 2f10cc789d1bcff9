"""What the API says that it serves: group by group, and all at once (aggregated discovery)."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final

from gpuatlas.demo.api.answers import JSON, Answer, encode, json_answer
from gpuatlas.demo.api.kinds import KINDS, Kind

Document = dict[str, Any]

_DISCOVERY: Final = "apidiscovery.k8s.io"
_LIST: Final = "APIGroupDiscoveryList"
_AGGREGATED: Final = f"g={_DISCOVERY};v=v2;as={_LIST}"
_VERBS: Final = ("get", "list", "watch")


def discovery(parts: tuple[str, ...], git_version: str, accept: str = "") -> Answer | None:
    """The answers that tell what is served; None for any other path."""
    if parts in {("healthz",), ("livez",), ("readyz",)}:
        return Answer(HTTPStatus.OK, b"ok", "text/plain; charset=utf-8")
    if parts in {("api",), ("apis",)} and _wants_aggregated(accept):
        return Answer(HTTPStatus.OK, encode(_aggregated(parts)), f"{JSON};{_AGGREGATED}")
    document = _documents(git_version).get(parts)
    return None if document is None else json_answer(document)


def _wants_aggregated(accept: str) -> bool:
    """Whether the aggregated form is what the caller named first, as kubectl does."""
    first = accept.split(",", maxsplit=1)[0]
    asked = {part.strip() for part in first.split(";")}
    return {f"g={_DISCOVERY}", "v=v2", f"as={_LIST}"} <= asked


def _documents(git_version: str) -> dict[tuple[str, ...], Document]:
    documents: dict[tuple[str, ...], Document] = {
        ("version",): _version(git_version),
        ("api",): {"kind": "APIVersions", "versions": ["v1"]},
        ("apis",): {
            "kind": "APIGroupList",
            "apiVersion": "v1",
            "groups": [_group(name) for name in _groups() if name],
        },
    }
    for kind in KINDS:
        root = ("apis", kind.group) if kind.group else ("api",)
        documents[*root, kind.version] = _resources(kind.group, kind.version)
        if kind.group:
            documents[root] = {"kind": "APIGroup", "apiVersion": "v1", **_group(kind.group)}
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


def _groups() -> Iterable[str]:
    return dict.fromkeys(kind.group for kind in KINDS)


def _versions(group: str) -> Iterable[str]:
    return dict.fromkeys(kind.version for kind in KINDS if kind.group == group)


def _kinds(group: str, version: str) -> list[Kind]:
    return [kind for kind in KINDS if (kind.group, kind.version) == (group, version)]


def _group(name: str) -> Document:
    versions = [
        {"groupVersion": f"{name}/{version}", "version": version} for version in _versions(name)
    ]
    return {"name": name, "versions": versions, "preferredVersion": versions[0]}


def _resources(group: str, version: str) -> Document:
    kinds = _kinds(group, version)
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": kinds[0].api_version,
        "resources": [
            {
                "name": kind.resource,
                "singularName": kind.singular,
                "namespaced": kind.namespaced,
                "kind": kind.kind,
                "shortNames": list(kind.short),
                "verbs": list(_VERBS),
            }
            for kind in kinds
        ],
    }


def _aggregated(parts: tuple[str, ...]) -> Document:
    """`/api` has the core group alone, `/apis` all others."""
    names = [name for name in _groups() if bool(name) is (parts == ("apis",))]
    return {
        "kind": _LIST,
        "apiVersion": f"{_DISCOVERY}/v2",
        "metadata": {},
        "items": [
            {
                # The core group has no name.
                "metadata": ({"name": name} if name else {}) | {"creationTimestamp": None},
                "versions": [_aggregated_version(name, version) for version in _versions(name)],
            }
            for name in names
        ],
    }


def _aggregated_version(group: str, version: str) -> Document:
    resources = [
        {
            "resource": kind.resource,
            "responseKind": {"group": group, "version": version, "kind": kind.kind},
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "singularResource": kind.singular,
            "shortNames": list(kind.short),
            "verbs": list(_VERBS),
        }
        for kind in _kinds(group, version)
    ]
    return {"version": version, "resources": resources, "freshness": "Current"}
