"""What an answer about a labelled history was worth: below the truth or not, and what it saves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from gpuatlas.model.sizing import Proposal, Resource, Verdict
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas.sizing.margins import needed_memory, worth_less_memory
from gpuatlas.sizing.mig import mig_card, profile_of
from gpuatlas_harness.truth.references import REFERENCES
from gpuatlas_harness.truth.sizing_histories import Labelled
from gpuatlas_harness.truth.sizing_shapes import WINDOW


@dataclass(kw_only=True)
class Tally:
    """Of one method: how many values it gave, how good they were, and what they save.

    `answers` are new values of memory, `below` those below the true peak of the window that they
    rest on, `below_fortnight` below that of all 14 days. `below_next` are smaller values that are
    below the need of the 7 days after, `needless` those where the truth is not worth a word.
    `saved` is in bytes over all containers, `found` the part of `savable` that is safe. `larger`
    are larger values, `larger_enough` those that end what held it back. `compute` are new values of
    compute, `below_compute` those below the p95 of a day of their window.
    """

    histories: int = 0
    answers: int = 0
    below: int = 0
    below_fortnight: int = 0
    below_next: int = 0
    needless: int = 0
    saved: int = 0
    found: int = 0
    savable: int = 0
    larger: int = 0
    larger_enough: int = 0
    compute: int = 0
    below_compute: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)

    def count(self, labelled: Labelled, given: int | None, first: int) -> None:
        """Count a value that rests on the days from `first` on; None leaves all as it is."""
        self.histories += 1
        self.savable += safely_savable(labelled)
        if given is None:
            return
        self.answers += 1
        self.below += given < max(labelled.used[first:WINDOW])
        self.below_fortnight += given < _true_peak(labelled)
        saved = ((labelled.history.reservation.memory or 0) - given) * _containers(labelled)
        self.saved += saved
        if saved > 0:
            self._count_smaller(labelled, given, saved)
        else:
            self.larger += 1
            self.larger_enough += given >= max(labelled.needed[labelled.since : WINDOW])

    def _count_smaller(self, labelled: Labelled, given: int, saved: int) -> None:
        self.below_next += given < max(labelled.needed[WINDOW:])
        if labelled.history.reservation.sharing is Sharing.HAMI and given >= _true_peak(labelled):
            self.found += min(saved, safely_savable(labelled))
            self.needless += _worth_saving(labelled) == 0

    def count_compute(self, labelled: Labelled, proposed: float, first: int) -> None:
        """Count a new value of compute."""
        self.compute += 1
        true = labelled.past.compute
        there = [true[day] for day in range(first, WINDOW) if labelled.used[day]]
        self.below_compute += proposed < max(there)


def safely_savable(labelled: Labelled) -> int:
    """What one who saw everything would save by the rules, in bytes over all containers.

    Of shares alone: an instance or a whole card saves in steps that are another question.
    """
    shared = labelled.history.reservation.sharing is Sharing.HAMI
    return _worth_saving(labelled) if labelled.safe and shared else 0


def _worth_saving(labelled: Labelled) -> int:
    present, needed = labelled.history.reservation.memory or 0, needed_memory(_true_peak(labelled))
    number = _containers(labelled)
    return (present - needed) * number if worth_less_memory(present, needed, number) else 0


def _true_peak(labelled: Labelled) -> int:
    return max(labelled.used[labelled.since : WINDOW])


def _containers(labelled: Labelled) -> int:
    return labelled.history.reservation.containers


def count_ours(tally: Tally, labelled: Labelled, proposals: Iterable[Proposal]) -> None:
    """Count what was said of the memory, be it as an instance instead of a whole card."""
    given: int | None = None
    rests_on = 0
    for proposal in proposals:
        changed = proposal.verdict in {Verdict.SMALLER, Verdict.LARGER}
        first = max(WINDOW - math.ceil(proposal.window_days - 1e-6), 0)
        first = 0 if labelled.history.of.group else first
        if proposal.resource is Resource.COMPUTE:
            if changed:
                tally.count_compute(labelled, proposal.proposed or 0.0, first)
            continue
        tally.verdicts[proposal.reason or proposal.verdict] += 1
        if changed:
            given, rests_on = _bytes_given(labelled, proposal), first
    tally.count(labelled, given, rests_on)


def count_references(tallies: dict[str, Tally], labelled: Labelled) -> None:
    """Count what the others say of the same: a value for each, whatever is known."""
    seen = labelled.seen()
    for name, reference in REFERENCES.items():
        value = reference(seen)
        given = None if value is None else round(value * MIB)
        tallies[name].count(labelled, given, labelled.since)


def _bytes_given(labelled: Labelled, proposal: Proposal) -> int:
    if proposal.resource is Resource.MEMORY:
        return int(proposal.proposed or 0)
    card = mig_card(labelled.history.reservation)
    profile = profile_of(card, proposal.target.rpartition("mig-")[2]) if card else None
    return profile.memory if profile is not None else 0
