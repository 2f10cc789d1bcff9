"""Why no node fits: one fixed word from the scheduler's message. Pure.

Messages are aggregated ("0/5 nodes are available: 2 Insufficient nvidia.com/gpu, 3 node(s) had
untolerated taint {…}."), their order changes, and the numbers count nodes, not cards
(facts/k8s.md 5.1). So one part decides: the shortage of cards, where there is one, since every
cluster also has nodes that were never meant. Codes of HAMi: facts/k8s.md 1.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gpuatlas.model.units import MAX_TEXT, clean_text
from gpuatlas.sources.kubernetes.resources import is_accelerator
from gpuatlas.sources.placement.raw import MAX_MESSAGE

UNSCHEDULABLE: Final = "Unschedulable"

_HAMI: Final = (
    "CardInsufficientMemory",
    "CardInsufficientCore",
    "CardTimeSlicingExhausted",
    "NodeInsufficientDevice",
    "ExclusiveDeviceAllocateConflict",
    "ResourceQuotaNotFit",
    "CardMigTopologyInfeasible",
    "CardUuidMismatch",
    "CardTypeMismatch",
    "CardNotHealth",
    "CardCordoned",
    "NumaNotFit",
    "ModeNotFit",
)
# Text of a part → word, behind the shortages.
_PARTS: Final = (
    ("cannot allocate all claims", "ClaimsNotAllocated"),
    ("Insufficient ", "InsufficientNodeResources"),
    ("Too many pods", "InsufficientNodeResources"),
    ("untolerated taint", "UntoleratedTaint"),
    ("node affinity/selector", "NodeAffinity"),
    ("were unschedulable", "NodesCordoned"),
)
_RESOURCE: Final = re.compile(r"Insufficient ([^\s,;()]+)")
_PART: Final = re.compile(r", |: |\. |; |\n")


def read_cause(message: str) -> tuple[str, str]:
    """A fixed word and the text for people; both "" for an empty message.

    The text is the beginning of the message, or the part that decided where that lies further
    behind.
    """
    said = message[:MAX_MESSAGE]
    if not said.strip():
        return "", ""
    # What follows is why nobody can be put out for the pod, with the same words.
    tried = said.partition("preemption:")[0]
    word, part = next(_causes(_PART.split(tried)), (UNSCHEDULABLE, ""))
    begins = part in said[:MAX_TEXT]
    return word, clean_text(said if begins else part)


def _causes(parts: list[str]) -> Iterator[tuple[str, str]]:
    """All causes, the most telling first."""
    for code in _HAMI:
        yield from ((f"Hami{code}", part) for part in parts if code in part)
    for part in parts:
        match = _RESOURCE.search(part)
        if match is not None and is_accelerator(match[1].rstrip(".")):
            yield "InsufficientDevices", part
    for words, word in _PARTS:
        yield from ((word, part) for part in parts if words in part)
