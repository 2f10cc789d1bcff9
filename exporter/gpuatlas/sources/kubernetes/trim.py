"""The inverse of forgetting: a raw object with exactly the fields that `project` reads.

For `gpuatlas capture`: what leaves the cluster is what the sources use and nothing else, so no
commands, no arguments, no environment beyond `KEPT_ENV`, no managed fields. For every object `x`,
`project(trim(x)) == project(x)`, wrong types included. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

from gpuatlas.sources.kubernetes.containers import STATUS_LISTS
from gpuatlas.sources.kubernetes.kept import (
    KEPT_ENV,
    NODE_ANNOTATIONS,
    NODE_LABELS,
    POD_ANNOTATIONS,
    POD_LABELS,
    KeyTable,
)
from gpuatlas.sources.kubernetes.resources import is_extended
from gpuatlas.sources.kubernetes.shape import fields, items, text

_CONDITIONS: Final = frozenset({"Ready", "PodScheduled"})
_NOTHING: Final = KeyTable(starts=())


def trim_node(raw: object) -> dict[str, object]:
    """The fields of a node that `project_node` reads."""
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    return _filled(
        metadata=_metadata(raw, NODE_LABELS, NODE_ANNOTATIONS),
        spec=_filled(unschedulable=spec.get("unschedulable") is True),
        status=_filled(
            capacity=_resources(status.get("capacity")),
            allocatable=_resources(status.get("allocatable")),
            conditions=_conditions(status),
            nodeInfo=_filled(
                kubeletVersion=text(fields(status.get("nodeInfo")).get("kubeletVersion"))
            ),
        ),
    )


def trim_pod(raw: object) -> dict[str, object]:
    """The fields of a pod that `project_pod` reads."""
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    return _filled(
        metadata=_metadata(raw, POD_LABELS, POD_ANNOTATIONS),
        spec=_filled(
            nodeName=text(spec.get("nodeName")),
            schedulerName=text(spec.get("schedulerName")),
            hostNetwork=spec.get("hostNetwork") is True,
            initContainers=[_container(item) for item in items(spec.get("initContainers"))],
            containers=[_container(item) for item in items(spec.get("containers"))],
            resourceClaims=[_names(item) for item in items(spec.get("resourceClaims"))],
        ),
        status=_filled(
            phase=text(status.get("phase")),
            reason=text(status.get("reason")),
            podIP=text(status.get("podIP")),
            conditions=_conditions(status),
            extendedResourceClaimStatus=_claim(status.get("extendedResourceClaimStatus")),
            **{name: _statuses(status.get(name)) for name in STATUS_LISTS},
        ),
    )


def trim_owner(raw: object) -> dict[str, object]:
    """The fields of a metadata-only object that `project_owner` reads."""
    return _filled(metadata=_metadata(raw, _NOTHING, _NOTHING))


def _metadata(raw: object, labels: KeyTable, annotations: KeyTable) -> dict[str, object]:
    metadata = fields(fields(raw).get("metadata"))
    trimmed = _filled(
        name=text(metadata.get("name")),
        namespace=text(metadata.get("namespace")),
        uid=text(metadata.get("uid")),
        labels=dict(labels.select(metadata.get("labels"))),
        annotations=dict(annotations.select(metadata.get("annotations"))),
        ownerReferences=[
            _reference(item)
            for item in items(metadata.get("ownerReferences"))
            if fields(item).get("controller") is True
        ],
    )
    for name in ("creationTimestamp", "deletionTimestamp"):
        if metadata.get(name) is not None:
            trimmed[name] = _scalar(metadata[name])
    return trimmed


def _reference(raw: object) -> dict[str, object]:
    owner = fields(raw)
    kept = {name: text(owner.get(name)) for name in ("apiVersion", "kind", "name", "uid")}
    return {**kept, "controller": True}


def _names(raw: object) -> dict[str, object]:
    wanted = ("name", "resourceClaimName", "resourceClaimTemplateName")
    return _filled(**{name: text(fields(raw).get(name)) for name in wanted})


def _claim(raw: object) -> dict[str, object]:
    claim = fields(raw)
    # Its presence is what counts, so something must be left of it.
    return {"resourceClaimName": text(claim.get("resourceClaimName"))} if claim else {}


def _resources(raw: object) -> dict[str, object]:
    return {
        name: _scalar(quantity)
        for name, quantity in fields(raw).items()
        if isinstance(name, str) and is_extended(name)
    }


def _conditions(status: Mapping[str, object]) -> list[dict[str, object]]:
    kept: list[dict[str, object]] = []
    for item in items(status.get("conditions")):
        found = fields(item)
        if (kind := text(found.get("type"))) in _CONDITIONS:
            kept.append(
                {
                    "type": kind,
                    **_filled(status=text(found.get("status")), reason=text(found.get("reason"))),
                }
            )
    return kept


def _container(raw: object) -> dict[str, object]:
    container = fields(raw)
    resources = fields(container.get("resources"))
    return _filled(
        name=text(container.get("name")),
        image=text(container.get("image")),
        restartPolicy=text(container.get("restartPolicy")),
        resources=_filled(
            limits=_resources(resources.get("limits")),
            requests=_resources(resources.get("requests")),
        ),
        env=[kept for item in items(container.get("env")) if (kept := _variable(item))],
        ports=[
            {"name": text(port.get("name")), "containerPort": _scalar(port.get("containerPort"))}
            for port in map(fields, items(container.get("ports")))
        ],
    )


def _variable(raw: object) -> dict[str, object]:
    variable = fields(raw)
    name, value = text(variable.get("name")), variable.get("value")
    return {"name": name, "value": value} if name in KEPT_ENV and isinstance(value, str) else {}


def _statuses(raw: object) -> list[dict[str, object]]:
    kept: list[dict[str, object]] = []
    for status in map(fields, items(raw)):
        allocated = [
            {
                "name": text(entry.get("name")),
                "resources": [
                    {
                        "resourceID": text(device.get("resourceID")),
                        "health": text(device.get("health")),
                    }
                    for device in map(fields, items(entry.get("resources")))
                ],
            }
            for entry in map(fields, items(status.get("allocatedResourcesStatus")))
        ]
        if allocated:
            kept.append({"name": text(status.get("name")), "allocatedResourcesStatus": allocated})
    return kept


def _scalar(value: object) -> object:
    """The value itself, or an empty container of its type: what it holds is not looked at."""
    if value is None or isinstance(value, str | int | float | date):
        return value
    return type(value)() if isinstance(value, list | dict) else None


def _filled(**named: object) -> dict[str, object]:
    """The entries that say something: an empty value and an absent field read alike."""
    return {name: value for name, value in named.items() if value}
