"""MIG instances: the profile that has room for what a container uses. Pure.

A profile is memory and compute at once: what needs little of one keeps it for the sake of the
other, and a change for one of them is a change of both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gpuatlas.model.mig_profiles import MigCard, Profile
from gpuatlas.model.sizing import CannotReason, History, Proposal, Reservation
from gpuatlas.sizing.case import Case
from gpuatlas.sizing.compute import ComputeNeed, compute_case, compute_need
from gpuatlas.sizing.margins import (
    AT_LIMIT,
    COMPUTE_MARGIN,
    worth_less_compute,
    worth_less_memory,
)
from gpuatlas.sizing.memory import STILL_REACHED, memory_case
from gpuatlas.sizing.mig import mig_card, profile_of, smallest
from gpuatlas.sizing.names import profile_resource
from gpuatlas.sizing.need import MemoryNeed, memory_need, reached_limit
from gpuatlas.sizing.wording import gib, percent


@dataclass(frozen=True, slots=True, kw_only=True)
class _Instance:
    """An instance of a known profile and what was used of it."""

    reservation: Reservation
    card: MigCard
    profile: Profile
    need: MemoryNeed
    compute: ComputeNeed

    def target(self, profile: Profile) -> str:
        return profile_resource(self.reservation, profile.name)

    def saves(self, profile: Profile | None, present: int, number: int) -> bool:
        """Whether another profile is worth a word.

        Of several instances on one card the memory is known together, and is more than one has.
        """
        if profile is None or profile == self.profile:
            return False
        return worth_less_memory(present, profile.memory, number)


def judge_instance(history: History) -> tuple[Proposal, Proposal]:
    """What is said of the memory and of the compute of an instance."""
    reserved = history.reservation
    card = mig_card(reserved)
    profile = profile_of(card, reserved.profile) if card is not None else None
    present = reserved.memory or (profile.memory if profile is not None else None)
    need = memory_need(history, seen=present)
    compute = compute_need(history)
    memory_of, compute_of = memory_case(history, need, present), compute_case(history, compute)
    if card is None or profile is None:
        return _memory_unknown(memory_of, need, present), _compute_unknown(compute_of, compute)
    instance = _Instance(
        reservation=reserved, card=card, profile=profile, need=need, compute=compute
    )
    memory, chosen = _memory(memory_of, instance, present or profile.memory)
    compute_of = replace(compute_of, present=profile.compute)
    return memory, _compute(compute_of, instance, chosen)


def _memory(case: Case, its: _Instance, present: int) -> tuple[Proposal, Profile | None]:
    """The answer, and the profile that it proposes."""
    need, gap = its.need, its.need.gap
    full = reached_limit(need, present, limited=True)
    if gap is not None and not (full and gap.reason in STILL_REACHED):
        return case.cannot(gap.reason, gap.text), None
    amount = need.amount or 0
    if full:
        return _larger(case, its, present, full)
    text = f"{need.beside(present)}; with a margin it needs {gib(amount)}"
    least = smallest(its.card.profiles, memory=amount, compute=0.0)
    if not its.saves(least, present, round(case.number)):
        return case.fits(f"{text}."), None
    if its.compute.gap is not None:
        text = f"{text}, and a smaller instance has less compute. {its.compute.gap.text}"
        return case.cannot(its.compute.gap.reason, text), None
    found = smallest(its.card.profiles, memory=amount, compute=_compute_amount(its.compute))
    if found is None or not its.saves(found, present, round(case.number)):
        used = percent(its.compute.p95 or 0.0)
        return case.fits(f"{text}, but its compute, p95 {used} of a card, takes this one."), None
    text = f"{text}: a {found.name} has {gib(found.memory)}."
    return case.change(found.memory, text, target=its.target(found)), found


def _larger(case: Case, its: _Instance, present: int, full: str) -> tuple[Proposal, Profile | None]:
    memory = max(its.need.amount or 0, present + 1)
    found = smallest(its.card.profiles, memory=memory, compute=its.profile.compute)
    if found is None:
        return case.fits(f"{full}, and no instance of its card has more."), None
    text = f"{full}; a {found.name} has {gib(found.memory)}."
    return case.change(found.memory, text, target=its.target(found)), found


def _compute(case: Case, its: _Instance, chosen: Profile | None) -> Proposal:
    """As the profile that its memory is given has it, or else one with the same memory."""
    need, present = its.compute, its.profile.compute
    if need.gap is not None or need.p95 is None:
        return _compute_unknown(case, need)
    text = f"p95 {percent(need.p95)} of a card; its instance is {percent(present)} of one"
    at_limit = need.p95 >= AT_LIMIT * present
    found = chosen or smallest(
        its.card.profiles, memory=its.profile.memory, compute=_compute_amount(need)
    )
    if found is None or found.compute == present:
        return case.fits(f"{text}.")
    less = worth_less_compute(present, found.compute, round(case.number))
    more = found.compute > present and at_limit
    if not (less or more or chosen):
        return case.fits(f"{text}.")
    text = f"{text}, a {found.name} is {percent(found.compute)}."
    return case.change(found.compute, text, target=its.target(found))


def _compute_amount(need: ComputeNeed) -> float:
    return min((need.p95 or 0.0) * COMPUTE_MARGIN, 1.0)


def _memory_unknown(case: Case, need: MemoryNeed, present: int | None) -> Proposal:
    """Of an instance whose card's other profiles are not on record."""
    if need.gap is not None:
        return case.cannot(need.gap.reason, need.gap.text)
    if present is None or need.amount is None:
        return case.cannot(CannotReason.NOT_PROMISED, "The size of its instance is not known.")
    text = f"{need.beside(present)}; with a margin it needs {gib(need.amount)}"
    if worth_less_memory(present, need.amount, round(case.number)):
        text = f"{text}. The sizes of this card model's MIG profiles are not on record."
        return case.cannot(CannotReason.NOT_PROMISED, text)
    return case.fits(f"{text}.")


def _compute_unknown(case: Case, need: ComputeNeed) -> Proposal:
    if need.gap is not None:
        return case.cannot(need.gap.reason, need.gap.text)
    text = "The MIG profiles of this card model are not on record."
    return case.cannot(CannotReason.NOT_PROMISED, text)
