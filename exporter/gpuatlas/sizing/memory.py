"""The memory that a container is promised on a card that it shares. Pure."""

from __future__ import annotations

from gpuatlas.model.sizing import CannotReason, History, Proposal, Resource
from gpuatlas.sizing.case import Case
from gpuatlas.sizing.margins import worth_less_memory
from gpuatlas.sizing.names import memory_resource
from gpuatlas.sizing.need import MemoryNeed, memory_need, reached_limit
from gpuatlas.sizing.wording import gib

# What keeps it from being measured does not unsay that a limit was reached.
STILL_REACHED = frozenset({CannotReason.COVERAGE, CannotReason.REPLICAS})


def memory_case(history: History, need: MemoryNeed, present: int | None) -> Case:
    """What all answers about its memory have in common."""
    return Case(
        of=history.of,
        resource=Resource.MEMORY,
        window=need.window,
        present=present,
        peak=need.peak,
        number=max(history.reservation.containers, 1),
    )


def judge_memory(history: History) -> Proposal:
    """Less, more or the same of it, or why that cannot be said."""
    reserved = history.reservation
    present = reserved.memory if reserved.memory and reserved.memory > 0 else None
    need = memory_need(history, seen=present)
    case = memory_case(history, need, present)
    full = reached_limit(need, present, limited=reserved.limited) if present else ""
    gap = need.gap
    if gap is not None and not (full and gap.reason in STILL_REACHED):
        return case.cannot(gap.reason, gap.text)
    if present is None or need.amount is None:
        text = "It is promised no part of a card's memory"
        text += ", or its runs are promised different parts." if history.of.group else "."
        return case.cannot(CannotReason.NOT_PROMISED, text)
    if full:
        return _larger(case, need.amount, present, reserved.card_memory, full)
    return _smaller_or_same(case, need, need.amount, present, memory_resource(reserved))


def _larger(case: Case, needed: int, present: int, card: int | None, full: str) -> Proposal:
    proposed = min(needed, card) if card else needed
    if proposed <= present:
        return case.fits(f"{full}, and that is all that a card has.")
    return case.change(proposed, f"{full}; {gib(proposed)} leave it a margin.")


def _smaller_or_same(
    case: Case, need: MemoryNeed, needed: int, present: int, target: str
) -> Proposal:
    text = need.beside(present)
    if _was_full(need):
        return case.fits(f"{text}; it reached the limit that it had.")
    if worth_less_memory(present, needed, round(case.number)):
        return case.change(needed, f"{text}; with a margin it needs {gib(needed)}.", target=target)
    return case.fits(f"{text}; with a margin it needs {gib(needed)}.")


def _was_full(need: MemoryNeed) -> bool:
    """Whether a limit kept its peak down: another one than today's, or that of another replica."""
    return not need.own_fill and any(
        day.limit_hit for day in (*need.window.before, *need.window.days)
    )
