"""Why a pod has no node yet: one fixed word and a text (facts/k8s.md 5.1).

The words are label values, so all of them come from the tables here and in the sources. Words of
Kubernetes stand as they are, those of other systems begin with the system's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpuatlas.model.objects import Pod
from gpuatlas.model.placement import PodGroup, QueuedWorkload, Waiting

# Whose gate it is, by the domain of the gate's name.
_GATES: Final = (
    ("kueue.x-k8s.io", "GatedByKueue"),
    ("scheduling.volcano.sh", "GatedByVolcano"),
    ("grove.io", "GatedByGrove"),
)
_GATED: Final = "Gated"
# Reasons of PodScheduled=False that say all there is to say.
_ERRORS: Final = frozenset({"SchedulerError", "BindingError"})
# Words that only say that nothing fits: a word that says why is better.
_GENERAL: Final = frozenset(
    {
        "Unschedulable",
        "KaiUnschedulable",
        "VolcanoUnschedulable",
        "VolcanoNotEnoughResources",
        "GroupUnschedulable",
    }
)
UNSCHEDULED: Final = "Unscheduled"


def is_unplaced(pod: Pod) -> bool:
    """Whether the pod waits for a node."""
    return pod.phase == "Pending" and not pod.node


def waiting_of(pod: Pod, queued: QueuedWorkload | None, groups: Sequence[PodGroup]) -> Waiting:
    """Why an unplaced pod waits. Its queue comes first, then its group, then the nodes."""
    if queued is not None and queued.waiting.reason:
        return queued.waiting
    scheduling = pod.scheduling
    if scheduling.gates:
        return _gated(scheduling.gates)
    if pod.waiting_reason in _ERRORS:
        return Waiting(reason=pod.waiting_reason, text=scheduling.message)
    said = [group.waiting for group in groups if group.waiting.reason]
    if pod.waiting_reason == "Unschedulable":
        cause = scheduling.cause or pod.waiting_reason
        said.append(Waiting(reason=cause, text=scheduling.message))
    for waiting in said:
        if waiting.reason not in _GENERAL:
            return waiting
    return said[0] if said else Waiting(reason=UNSCHEDULED, text=scheduling.message)


def _gated(gates: Sequence[str]) -> Waiting:
    text = ", ".join(gates)
    for domain, word in _GATES:
        if any(gate.partition("/")[0] == domain for gate in gates):
            return Waiting(reason=word, text=text)
    return Waiting(reason=_GATED, text=text)
