"""ConfigMap objects, with who wrote their data and when: readers tell by that what is new."""

from __future__ import annotations

from collections.abc import Mapping

from gpuatlas.demo.randomness import uuid
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.objects import Document, metadata, timestamp


def config_map_document(
    world: World,
    namespace: str,
    name: str,
    data: Mapping[str, str],
    *,
    labels: Mapping[str, str] | None = None,
    edited_at: float | None = None,
) -> Document:
    """One ConfigMap, as the chart wrote it; `edited_at` is when a person wrote it again."""
    since = world.scenario.since
    head = metadata(
        name,
        uuid("ConfigMap", world.seed, namespace, name),
        since,
        namespace=namespace,
        labels=labels,
    )
    written: Document = {"f:data": {".": {}, **{f"f:{key}": {} for key in sorted(data)}}}
    named: Document = {"f:metadata": {"f:labels": {f"f:{key}": {} for key in sorted(labels or {})}}}
    fields = [_written("helm", since, {**written, **named})]
    if edited_at is not None:
        fields.append(_written("kubectl-edit", edited_at, written))
    return {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": head | {"managedFields": fields},
        "data": dict(sorted(data.items())),
    }


def _written(manager: str, at: float, fields: Document) -> Document:
    return {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": timestamp(at),
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
