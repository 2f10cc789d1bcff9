"""Proposals, and what a patch changes because of them."""

from __future__ import annotations

from typing import Any

from gpuatlas.model.sizing import Proposal, Reservation, Resource, Verdict
from gpuatlas.model.units import MIB
from gpuatlas.sizing.patch_places import Asked
from gpuatlas.sizing.patch_values import changes
from gpuatlas_harness.sizing_reports import a_proposal

GIB = 1024 * MIB


def of_memory(present: float, proposed: float, **more: Any) -> Proposal:
    verdict = Verdict.SMALLER if proposed < present else Verdict.LARGER
    return a_proposal(present=present, proposed=proposed, verdict=verdict, **more)


def of_cards(present: float, proposed: float, **more: Any) -> Proposal:
    return a_proposal(resource=Resource.CARDS, present=present, proposed=proposed, **more)


def changed(proposal: Proposal, reservation: Reservation, **asked: Any) -> list[tuple[Any, ...]]:
    made = changes([proposal], reservation, Asked(**asked))
    return [(each.name, each.old, each.new, each.annotation) for each in made]
