"""How a workload came where it is, in words: runtime, scheduler, queue and gang. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from gpuatlas.cli.screens.wording import count, percent
from gpuatlas.model.snapshot import Workload


def placement_line(workload: Workload, dot: str) -> str:
    """All of it in one sentence, for screens that have no columns for it."""
    said = [f"runtime {runtime_words(workload)}"]
    if workload.scheduler:
        said.append(f"scheduler {workload.scheduler}")
    if workload.queue:
        said.append(f"queue {queue_words(workload)}")
    if workload.gang_min_members is not None:
        said.append(f"gang of {gang_words(workload)}")
    return f" {dot} ".join((*said, *remarks(workload)))


def runtime_words(workload: Workload) -> str:
    """The runtime, with the share of its memory that it is told to take: "vllm (90% ahead)"."""
    if not workload.memory_ahead:
        return workload.runtime
    return f"{workload.runtime} ({percent(workload.memory_ahead)} ahead)"


def queue_words(workload: Workload) -> str:
    """The queue that admits, with the one that leads there: "shared-h100 by research"."""
    local = workload.local_queue
    return f"{workload.queue} by {local}" if local not in {"", workload.queue} else workload.queue


def gang_words(workload: Workload) -> str:
    """The least number of pods that start together, and who sees to it: "4 (volcano)"."""
    if workload.gang_min_members is None:
        return ""
    several = f", {count(workload.gangs, 'gang')}" if workload.gangs > 1 else ""
    system = f" ({workload.gang_system}{several})" if workload.gang_system else ""
    return f"{workload.gang_min_members}{system}"


def remarks(workload: Workload) -> Iterator[str]:
    """What has no column of its own on any screen."""
    if workload.placeholders:
        yield f"{count(workload.placeholders, 'placeholder pod')} among its pods"
    if workload.source == "label":
        yield "owner told by a label"
