"""Whole cards: fewer of them, an instance of one by MIG, or a share of its memory. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from gpuatlas.model.mig_profiles import Profile
from gpuatlas.model.sizing import CannotReason, Day, History, Proposal, Resource
from gpuatlas.model.snapshot import Sharing
from gpuatlas.sizing.case import Case
from gpuatlas.sizing.compute import compute_need
from gpuatlas.sizing.margins import (
    AT_LIMIT,
    COMPUTE_MARGIN,
    LEAST_SAVING_SHARE,
    worth_less_memory,
)
from gpuatlas.sizing.memory import memory_case
from gpuatlas.sizing.mig import mig_card, smallest
from gpuatlas.sizing.names import profile_resource, share_resource
from gpuatlas.sizing.need import MemoryNeed, memory_need
from gpuatlas.sizing.window import Window, look
from gpuatlas.sizing.wording import gib, percent


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole:
    """One of its cards, with the bytes that it needs of it."""

    history: History
    need: MemoryNeed
    card: int
    amount: int


def judge_number(history: History) -> Proposal | None:
    """Fewer cards (or instances) where some were never used; None where nobody can tell."""
    held = history.reservation.cards
    window = look(history, _cards_counted)
    if window.gap is not None or held <= 1:
        return None
    # Older days that were seen count all the same, as for memory.
    used = max(1, *(day.cards_used or 0 for day in (*window.before, *window.days)))
    case = _case(history, window, peak=used)
    if used >= held:
        return case.fits(f"It used all of its {held} cards.")
    return case.change(used, f"Of its {held} cards it never used more than {used}.")


def judge_whole(history: History) -> tuple[Proposal, ...]:
    """What is said of whole cards; of their memory too, where a share of it would do."""
    fewer = judge_number(history)
    if fewer is not None and fewer.proposed is not None:
        return (fewer,)
    reserved = history.reservation
    card = reserved.card_memory or reserved.memory
    need = memory_need(history, seen=card)
    case = _case(history, need.window, peak=fewer.peak if fewer is not None else None)
    if need.gap is not None:
        return (case.cannot(need.gap.reason, need.gap.text),)
    if not card or need.amount is None:
        text = "The memory of its cards is not known, or differs."
        return (case.cannot(CannotReason.NOT_PROMISED, text),)
    return _part(case, _Whole(history=history, need=need, card=card, amount=need.amount))


def _part(case: Case, whole: _Whole) -> tuple[Proposal, ...]:
    """A part of a card instead, if it would do."""
    need, card = whole.need, whole.card
    if not need.own_fill and (need.peak or 0) >= AT_LIMIT * card:
        return (case.fits(f"{need.beside(card)}: it fills the card."),)
    text = f"{need.beside(card)}; with a margin it needs {gib(whole.amount)}"
    if not worth_less_memory(card, whole.amount, whole.history.reservation.containers):
        return (case.fits(f"{text}."),)
    compute = compute_need(whole.history)
    if compute.gap is not None:
        text = f"{text}, and a part of a card has less compute. {compute.gap.text}"
        return (case.cannot(compute.gap.reason, text),)
    return _instead(case, whole, text, compute.p95 or 0.0)


def _instead(case: Case, whole: _Whole, text: str, p95: float) -> tuple[Proposal, ...]:
    """An instance, or a share, for what needs so little memory."""
    text = f"{text}, and {percent(p95)} of its compute at p95"
    if p95 * COMPUTE_MARGIN > 1 - LEAST_SAVING_SHARE:
        return (case.fits(f"{text}: that takes the whole card."),)
    profile = _profile(whole, p95 * COMPUTE_MARGIN)
    if profile is not None:
        target = profile_resource(whole.history.reservation, profile.name)
        text = f"{text}: a {profile.name} has {gib(profile.memory)}."
        return (case.replace(1, 1 - profile.card, text, target=target),)
    resource = _share_resource(whole.history)
    if not resource:
        return (case.fits(f"{text}; nothing divides such a card."),)
    said = f"{text}: a share would do, where a layer hands out shares."
    memory = memory_case(whole.history, whole.need, whole.card)
    return memory.change(whole.amount, said, target=resource), case.fits(f"{text}: see memory.")


def _profile(whole: _Whole, compute: float) -> Profile | None:
    """The instance that has room for it. A program uses one at most (NVIDIA's MIG guide)."""
    card = mig_card(whole.history.reservation)
    if card is None or whole.history.reservation.cards > 1:
        return None
    found = smallest(card.profiles, memory=whole.amount, compute=compute)
    return found if found is not None and found.card < 1 else None


def _share_resource(history: History) -> str:
    return "" if history.reservation.sharing is Sharing.DRA else share_resource(history.reservation)


def _case(history: History, window: Window, *, peak: float | None) -> Case:
    reserved = history.reservation
    cards = max(reserved.cards, 1)
    return Case(
        of=history.of,
        resource=Resource.CARDS,
        window=window,
        present=cards,
        peak=peak,
        number=max(reserved.containers, 1) / cards,
    )


def _cards_counted(day: Day) -> bool:
    return day.cards_used is not None
