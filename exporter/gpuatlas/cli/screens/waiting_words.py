"""The fixed words for why something waits, said in a sentence.

The words come from `join.waiting` and the placement sources (facts/k8s.md 5.1 and 3.2); a word that
is not here stands for itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_SENTENCES: Final[Mapping[str, str]] = {
    # Kubernetes
    "Unscheduled": "no scheduler has looked at it yet",
    "Unschedulable": "no node fits",
    "InsufficientDevices": "no node has enough free cards",
    "InsufficientNodeResources": "no node has enough CPU, memory or room for pods",
    "UntoleratedTaint": "it does not tolerate the taints of the nodes",
    "NodeAffinity": "no node has the labels that it asks for",
    "NodesCordoned": "the nodes that fit are cordoned",
    "ClaimsNotAllocated": "no free device satisfies its claims",
    "SchedulerError": "the scheduler failed on it",
    "BindingError": "the scheduler could not bind it",
    "Gated": "a scheduling gate holds it back",
    "GatedByKueue": "Kueue has not admitted it",
    "GatedByVolcano": "Volcano's queue has not admitted it",
    "GatedByGrove": "Grove holds it back until its group is complete",
    "GroupUnschedulable": "its gang does not fit as a whole",
    "GroupSchedulerError": "the scheduler failed on its gang",
    # HAMi
    "HamiCardInsufficientMemory": "no card has enough memory left to hand out",
    "HamiCardInsufficientCore": "no card has enough compute left to hand out",
    "HamiCardTimeSlicingExhausted": "all shares of the cards are taken",
    "HamiNodeInsufficientDevice": "no node has as many cards as it asks for",
    "HamiExclusiveDeviceAllocateConflict": "it wants a whole card and others are on all of them",
    "HamiResourceQuotaNotFit": "it is beyond the namespace's quota of card memory or compute",
    "HamiCardMigTopologyInfeasible": "no card can be cut into the MIG instances that it asks for",
    "HamiCardUuidMismatch": "the cards that it names are not free",
    "HamiCardTypeMismatch": "no card of the type that it asks for",
    "HamiCardNotHealth": "the cards that fit are unhealthy",
    "HamiCardCordoned": "the cards that fit are cordoned",
    "HamiNumaNotFit": "no node has enough free cards on one NUMA node",
    "HamiModeNotFit": "no card runs in the sharing mode that it asks for",
    # Kueue
    "KueueWaitingForQuota": "its queue has no quota left",
    "KueueNoMatchingFlavor": "no flavor of its queue fits",
    "KueueExceedsMaxQuota": "it asks for more than its queue may ever have",
    "KueueTopologyPlacementFailed": "no place in the topology fits it as a whole",
    "KueueWaitingForPreemptedWorkloads": "it waits for those that it preempted to go",
    "KueueMisconfigured": "its queue is not set up right",
    "KueueSuspended": "its queue is stopped",
    "KueuePendingEvaluation": "Kueue has not looked at it yet",
    "KueueWaitingForPodsReady": "it waits until those admitted before it run",
    "KueuePending": "it waits in its queue",
    "KueueOnHold": "its queue is on hold",
    "KueueWaiting": "it waits in its queue",
    "KueueAdmissionGated": "an admission gate holds it back",
    "KueueInadmissible": "its queue cannot admit it as things stand",
    "KueueNoReservation": "no quota is reserved for it",
    "KueueUnsatisfiedAdmissionChecks": "checks before admission are not done",
    "KueuePendingDelayedTopologyRequests": "its place in the topology is not decided",
    "KueueNotAdmitted": "it has quota and is not admitted yet",
    "KueueDeactivated": "it was deactivated in its queue",
    # Volcano
    "VolcanoUnschedulable": "its gang does not fit as a whole",
    "VolcanoNotEnoughResources": "there is not enough for its whole gang",
    "VolcanoNotEnoughTasks": "pods of its gang are missing",
    "VolcanoNotEnoughPodsOfTask": "pods of one task of its gang are missing",
    "VolcanoPodFailed": "a pod of its gang failed",
    "VolcanoPodDeleted": "a pod of its gang was deleted",
    "VolcanoNotEnqueued": "its queue has not let the gang in",
    # KAI
    "KaiUnschedulable": "its gang does not fit as a whole",
    "KaiNonPreemptibleOverQuota": "it may not be preempted, and its queue's quota is used up",
    "KaiOverLimit": "its queue is at its limit",
    "KaiQueueDoesNotExist": "the queue that it names does not exist",
}


def waiting_words(reason: str) -> str:
    """The sentence, with the word behind it for searches: "no node fits (Unschedulable)"."""
    sentence = _SENTENCES.get(reason)
    return f"{sentence} ({reason})" if sentence else reason
