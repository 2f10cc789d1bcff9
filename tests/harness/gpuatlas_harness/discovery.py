"""What an API server answers when it is asked what it serves, for scripted servers.

Resources are written as "group/version/plural", in the server's order of preference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Object = dict[str, Any]

VERBS = ("create", "delete", "get", "list", "patch", "update", "watch")


def aggregated(
    resources: Iterable[str], *, stale: Iterable[str] = (), verbs: Sequence[str] = VERBS
) -> Object:
    """The one document of Kubernetes 1.27 and newer; `stale` are groups that nobody answers for."""
    items = [
        {
            "metadata": {"name": group, "creationTimestamp": None},
            "versions": [
                {
                    "version": version,
                    "freshness": "Stale" if group in stale else "Current",
                    "resources": [
                        {
                            "resource": plural,
                            "responseKind": {"group": "", "version": "", "kind": ""},
                            "scope": "Namespaced",
                            "verbs": list(verbs),
                            "subresources": [{"subresource": "status", "verbs": ["get"]}],
                        }
                        for plural in plurals
                    ],
                }
                for version, plurals in versions.items()
            ],
        }
        for group, versions in _grouped(resources).items()
    ]
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    }


def by_group(resources: Iterable[str]) -> dict[str, Object]:
    """Path → document, as older servers have it."""
    grouped = _grouped(resources)
    groups = [_group(name, tuple(versions)) for name, versions in grouped.items()]
    documents: dict[str, Object] = {
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
    }
    for group, versions in grouped.items():
        for version, plurals in versions.items():
            documents[f"/apis/{group}/{version}"] = {
                "kind": "APIResourceList",
                "apiVersion": "v1",
                "groupVersion": f"{group}/{version}",
                "resources": [
                    resource
                    for plural in plurals
                    for resource in (
                        {"name": plural, "verbs": list(VERBS)},
                        {"name": f"{plural}/status", "verbs": ["get", "patch", "update"]},
                    )
                ],
            }
    return documents


def _group(name: str, versions: Sequence[str]) -> Object:
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def _grouped(resources: Iterable[str]) -> Mapping[str, dict[str, list[str]]]:
    grouped: dict[str, dict[str, list[str]]] = {}
    for resource in resources:
        group, version, plural = resource.split("/")
        grouped.setdefault(group, {}).setdefault(version, []).append(plural)
    return grouped
