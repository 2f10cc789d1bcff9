"""What contention counted, with every grade of suspicion."""

from __future__ import annotations

from gpuatlas.model.contention import ContentionCounts, Grade, SlowedBy

from .build import a_workload_id
from .snapshot_page import H100


def counted_contention() -> ContentionCounts:
    """Two cards, a victim with two suspects, one whose cause nobody knows, one never slowed."""
    chat, train = a_workload_id(), a_workload_id(kind="Job", api_group="batch")
    other = a_workload_id(namespace="research", kind="Deployment", name="batch")
    slowed = {
        SlowedBy(victim=chat, suspect=other, grade=Grade.SATURATED): 600.0,
        SlowedBy(victim=chat, suspect=other, grade=Grade.SUSPECT): 120.5,
        SlowedBy(victim=chat, suspect=train, grade=Grade.SUPPORTED): 60.0,
        SlowedBy(victim=train, suspect=None, grade=Grade.NONE): 30.0,
        SlowedBy(victim=other, suspect=None, grade=Grade.NONE): 0.0,
    }
    card = "GPU-00000000-0000-4000-8000-00000000000a"
    return ContentionCounts(
        cards={("gpu-a", card, "0"): 720.5, ("gpu-b", H100, "0"): 0.0}, slowed=slowed
    )
