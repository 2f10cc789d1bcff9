"""The inverse of forgetting: a raw object with exactly the fields that `project` reads.

For `gpuatlas capture`: what leaves the cluster is what the sources use and nothing else: of
commands only words that tell the runtime (`sources.runtimes.reduce`), no environment beyond
`KEPT_ENV` and the names that tell it, no managed fields. For every object `x`,
`project(trim(x)) == project(x)`, wrong types included. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

from gpuatlas.model.units import clean_text
from gpuatlas.sources.kubernetes.claims import (
    trim_container_claims,
    trim_extended,
    trim_pod_claims,
)
from gpuatlas.sources.kubernetes.containers import MAX_ENV_VALUE, MAX_VARIABLES, STATUS_LISTS
from gpuatlas.sources.kubernetes.kept import (
    KEPT_ENV,
    NODE_ANNOTATIONS,
    NODE_LABELS,
    OWNER_LABELS,
    POD_ANNOTATIONS,
    POD_LABELS,
    KeyTable,
)
from gpuatlas.sources.kubernetes.reach import mounted_devices, trim_access
from gpuatlas.sources.kubernetes.reach import trim_container as trim_reach
from gpuatlas.sources.kubernetes.resources import is_extended
from gpuatlas.sources.kubernetes.shape import fields, items, text
from gpuatlas.sources.placement.pod import trim_scheduling
from gpuatlas.sources.runtimes.spec import trim_container as trim_program

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
    scheduling, explained = trim_scheduling(spec, status)
    devices = mounted_devices(spec)
    return _filled(
        metadata=_metadata(raw, POD_LABELS, POD_ANNOTATIONS),
        spec=_filled(
            **scheduling,
            nodeName=text(spec.get("nodeName")),
            schedulerName=text(spec.get("schedulerName")),
            hostNetwork=spec.get("hostNetwork") is True,
            initContainers=[_container(c, devices) for c in items(spec.get("initContainers"))],
            containers=[_container(c, devices) for c in items(spec.get("containers"))],
            **trim_access(spec),
            resourceClaims=trim_pod_claims(spec.get("resourceClaims")),
        ),
        status=_filled(
            phase=text(status.get("phase")),
            reason=text(status.get("reason")),
            message=clean_text(text(status.get("message"))),
            startTime=_scalar(status.get("startTime")),
            podIP=text(status.get("podIP")),
            conditions=_explained(_conditions(status), explained.get("conditions")),
            resourceClaimStatuses=trim_pod_claims(status.get("resourceClaimStatuses")),
            extendedResourceClaimStatus=trim_extended(status.get("extendedResourceClaimStatus")),
            **{name: _statuses(status.get(name)) for name in STATUS_LISTS},
        ),
    )


def trim_metadata(raw: object) -> dict[str, object]:
    """An object's name, identity, time and controller, and nothing else of it."""
    return _filled(metadata=_metadata(raw, _NOTHING, _NOTHING))


def trim_owner(raw: object) -> dict[str, object]:
    """The fields of a metadata-only object that `project_owner` reads."""
    made_from = text(fields(fields(raw).get("metadata")).get("generateName"))
    kept = _metadata(raw, OWNER_LABELS, _NOTHING)
    return _filled(metadata=kept | _filled(generateName=made_from))


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


def _explained(conditions: list[dict[str, object]], explained: object) -> list[dict[str, object]]:
    """The conditions, with the message that says why no node fits: it is read of the first one."""
    for said in map(fields, items(explained)):
        found = next(c for c in conditions if c["type"] == said["type"])
        found["message"] = said["message"]
    return conditions


def _container(raw: object, devices: frozenset[str]) -> dict[str, object]:
    """`devices` are the volumes of device files that the capture keeps."""
    container = fields(raw)
    resources = fields(container.get("resources"))
    program = trim_program(container)
    return _filled(
        name=text(container.get("name")),
        image=text(container.get("image")),
        restartPolicy=text(container.get("restartPolicy")),
        resources=_filled(
            limits=_resources(resources.get("limits")),
            requests=_resources(resources.get("requests")),
            claims=trim_container_claims(resources.get("claims")),
        ),
        command=program.get("command"),
        env=_env(container.get("env"), program.get("env")),
        ports=[
            {"name": text(port.get("name")), "containerPort": _scalar(port.get("containerPort"))}
            for port in map(fields, items(container.get("ports")))
        ],
        **trim_reach(container, devices),
    )


def _env(value: object, telling: object) -> list[dict[str, object]]:
    """The variables of `KEPT_ENV`, and those that tell the runtime by their names alone."""
    names = {text(fields(item).get("name")) for item in items(telling)}
    kept: list[dict[str, object]] = []
    for variable in map(fields, items(value)[:MAX_VARIABLES]):
        name, literal = text(variable.get("name")), variable.get("value")
        if name not in KEPT_ENV:
            continue
        if isinstance(literal, str) and len(literal) <= MAX_ENV_VALUE:
            kept.append({"name": name, "value": literal})
        elif name in names:
            kept.append({"name": name})
    others = (dict(fields(item)) for item in items(telling))
    return [*kept, *(item for item in others if item["name"] not in KEPT_ENV)]


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
        told = _filled(allocatedResourcesStatus=allocated, restartCount=_count(status))
        if told:
            kept.append({"name": text(status.get("name")), **told})
    return kept


def _count(status: Mapping[str, object]) -> int:
    """How often a container was started again, 0 where that is no number."""
    count = status.get("restartCount")
    return count if isinstance(count, int) and not isinstance(count, bool) else 0


def _scalar(value: object) -> object:
    """The value itself, or an empty container of its type: what it holds is not looked at."""
    if value is None or isinstance(value, str | int | float | date):
        return value
    return type(value)() if isinstance(value, list | dict) else None


def _filled(**named: object) -> dict[str, object]:
    """The entries that say something: an empty value and an absent field read alike."""
    return {name: value for name, value in named.items() if value}
