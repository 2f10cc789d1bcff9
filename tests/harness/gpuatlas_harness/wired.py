"""Objects of the simulated API server, found by their names."""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]
Objects = dict[str, list[Document]]


def one(objects: Objects, resource: str, namespace: str, name: str) -> Document:
    (found,) = [
        d
        for d in objects[resource]
        if d["metadata"]["name"] == name and d["metadata"].get("namespace", "") == namespace
    ]
    return found


def named(objects: Objects, resource: str, name: str) -> Document:
    """The only one of that name."""
    (found,) = [d for d in objects[resource] if d["metadata"]["name"] == name]
    return found


def first_named(objects: Objects, resource: str, name: str) -> Document:
    """The first one whose name begins so."""
    return next(d for d in objects[resource] if d["metadata"]["name"].startswith(name))
