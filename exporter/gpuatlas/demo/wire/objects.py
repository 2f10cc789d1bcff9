"""The parts that all Kubernetes objects share: metadata, owners, conditions and times."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

# An object as JSON: deep, and of too many shapes for a precise type.
Document = dict[str, Any]


def timestamp(at: float) -> str:
    """RFC 3339 in whole seconds, as the API server writes it."""
    return datetime.fromtimestamp(int(at), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def resource_key(api_version: str, kind: str) -> str:
    """Plural and group: "deployments" of a built-in group, "jobs.batch.volcano.sh" of others."""
    group, plural = api_version.rpartition("/")[0], f"{kind.lower()}s"
    return f"{plural}.{group}" if "." in group else plural


def stamp(at: float, day: str) -> str:
    """Date in the form `day` and time, as HAMi and Volcano write them."""
    return datetime.fromtimestamp(int(at), UTC).strftime(f"{day} %H:%M:%S")


def owner(api_version: str, kind: str, name: str, uid: str) -> Document:
    """The reference to a controller."""
    return plain_owner(api_version, kind, name, uid) | {
        "controller": True,
        "blockOwnerDeletion": True,
    }


def plain_owner(api_version: str, kind: str, name: str, uid: str) -> Document:
    """The reference to an owner that controls nothing."""
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid}


def metadata(
    name: str,
    uid: str,
    created_at: float,
    *,
    namespace: str = "",
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    controller: Document | None = None,
    generate_name: str = "",
    manager: str = "kube-controller-manager",
) -> Document:
    """`metadata` without `resourceVersion`: that one belongs to the server's history."""
    result: Document = {"name": name}
    if generate_name:
        result["generateName"] = generate_name
    if namespace:
        result["namespace"] = namespace
    result |= {"uid": uid, "creationTimestamp": timestamp(created_at)}
    if labels:
        result["labels"] = dict(sorted(labels.items()))
    if annotations:
        result["annotations"] = dict(sorted(annotations.items()))
    if controller:
        result["ownerReferences"] = [controller]
    result["managedFields"] = [_managed(manager, created_at, labels or {})]
    return result


def _managed(manager: str, at: float, labels: Mapping[str, str]) -> Document:
    """Who wrote which field: a third of a real object's bytes, and of no use to most readers."""
    fields: Document = {f"f:{key}": {} for key in sorted(labels)}
    return {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": timestamp(at),
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {".": {}, **fields}}, "f:spec": {}},
    }


def condition(
    kind: str, *, holds: bool, at: float, reason: str = "", message: str = ""
) -> Document:
    """One entry of `status.conditions`."""
    result: Document = {
        "type": kind,
        "status": "True" if holds else "False",
        "lastTransitionTime": timestamp(at),
    }
    if reason:
        result["reason"] = reason
    if message:
        result["message"] = message
    return result
