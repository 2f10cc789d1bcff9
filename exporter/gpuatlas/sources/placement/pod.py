"""What a pod's spec and status say of its placement, and what a capture keeps of it. Pure.

For every pod: `read_scheduling` of the pod with spec and status replaced by what `trim_scheduling`
keeps of them is the same, as long as labels and annotations are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.model.pod_spec import PodScheduling
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.units import MAX_TEXT, clean_text
from gpuatlas.sources.kubernetes.metadata import condition
from gpuatlas.sources.kubernetes.shape import fields, items, shared, text
from gpuatlas.sources.placement.gangs import read_gangs
from gpuatlas.sources.placement.messages import read_cause
from gpuatlas.sources.placement.raw import MAX_MESSAGE, filled

SOURCE: Final = "kubernetes"
_SCHEDULED: Final = "PodScheduled"
# Each gate is one controller's; more is damage.
_MAX_GATES: Final = 16


def read_scheduling(
    spec: Mapping[str, object],
    status: Mapping[str, object],
    labels: Mapping[str, str],
    annotations: Mapping[str, str],
    where: str,
) -> tuple[PodScheduling, tuple[Rejection, ...]]:
    """The pod's part in its placement; `where` names the pod in rejections.

    `labels` and `annotations` are those that were kept of the pod.
    """
    gangs, refused = read_gangs(labels, annotations)
    cause, message = read_cause(_message(status))
    workload = fields(spec.get("workloadRef"))
    scheduling = PodScheduling(
        gates=_gates(spec),
        cause=cause,
        message=message,
        native_group=_name(fields(spec.get("schedulingGroup")).get("podGroupName")),
        native_workload=_name(workload.get("name")),
        native_template=_name(workload.get("podGroup")),
        gangs=gangs,
        placeholder=any(
            "yunikorn" in key and key.endswith("placeholder") and value == "true"
            for key, value in annotations.items()
        ),
    )
    at = clean_text(where)
    return scheduling, tuple(
        Rejection(SOURCE, error.reason, at, clean_text(str(error))) for error in refused
    )


def _message(status: Mapping[str, object]) -> str:
    """The scheduler's message, "" once the pod has a node."""
    scheduled = condition(status, _SCHEDULED)
    return text(scheduled.get("message")) if scheduled.get("status") == "False" else ""


def _gates(spec: Mapping[str, object]) -> tuple[str, ...]:
    names = (_name(fields(gate).get("name")) for gate in items(spec.get("schedulingGates")))
    return tuple(name for name in names if name)[:_MAX_GATES]


def _name(value: object) -> str:
    return shared(clean_text(text(value), limit=MAX_TEXT))


def trim_scheduling(
    spec: Mapping[str, object], status: Mapping[str, object]
) -> tuple[dict[str, object], dict[str, object]]:
    """The fields of spec and of status that `read_scheduling` reads.

    The condition keeps type, status and message only: who trims more of it merges the two.
    """
    workload = fields(spec.get("workloadRef"))
    group = text(fields(spec.get("schedulingGroup")).get("podGroupName"))
    scheduled = condition(status, _SCHEDULED)
    kept_spec = filled(
        schedulingGates=[
            {"name": text(fields(gate).get("name"))} for gate in items(spec.get("schedulingGates"))
        ],
        schedulingGroup=filled(podGroupName=group),
        workloadRef=filled(
            name=text(workload.get("name")), podGroup=text(workload.get("podGroup"))
        ),
    )
    message = _message(status)[:MAX_MESSAGE]
    if not message:
        return kept_spec, {}
    said = {"type": _SCHEDULED, "status": text(scheduled.get("status")), "message": message}
    return kept_spec, {"conditions": [said]}
