"""Containers whose part of a card is no promise that could be another one. Pure.

Time slicing promises no memory and no compute, and the parts of MPS follow from their number
(facts/k8s.md 1.2).
"""

from __future__ import annotations

from dataclasses import replace

from gpuatlas.model.sizing import History, Proposal
from gpuatlas.sizing.compute import judge_compute
from gpuatlas.sizing.memory import judge_memory


def judge_unsized(history: History) -> tuple[Proposal, Proposal]:
    """Why nothing can be said, in the same order of reasons as for others."""
    reserved = replace(history.reservation, memory=None, compute=None)
    unpromised = replace(history, reservation=reserved)
    return judge_memory(unpromised), judge_compute(unpromised)
