"""Whole cards: fewer of them, an instance of one, a share of it, or as they are."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.model.sizing import CannotReason, Proposal, Reservation, Resource, Verdict
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas.sizing.judge import judge
from gpuatlas_harness.truth.sizing_build import (
    GIB,
    a_container,
    a_history,
    an_instance,
    changed,
    days,
    whole_cards,
)

A10G: dict[str, Any] = {
    "card_model": "NVIDIA A10G",
    "card_memory": 23_028 * MIB,
    "memory": 23_028 * MIB,
}


def said(reservation: Reservation, **day: Any) -> tuple[Proposal, ...]:
    return judge(a_history(days(**day), reservation))


def test_cards_that_were_never_used_are_too_many() -> None:
    (proposal,) = said(whole_cards(4, containers=8), cards_used=3)
    assert proposal == Proposal(
        of=a_container(),
        resource=Resource.CARDS,
        verdict=Verdict.SMALLER,
        text="Of its 4 cards it never used more than 3.",
        present=4,
        peak=3,
        proposed=3,
        saving=2,  # one of each of two pods
        window_days=14.0,
        coverage=1.0,
    )


def test_the_day_with_the_most_cards_counts() -> None:
    week = changed(days(cards_used=1, memory_peak=78 * GIB), 8, cards_used=4)
    (proposal,) = judge(a_history(week, whole_cards(4)))
    assert (proposal.verdict, proposal.peak) == (Verdict.FITS, 4)


def test_a_day_that_was_seen_in_part_counts_with_what_was_seen() -> None:
    week = changed(days(cards_used=1, memory_peak=78 * GIB), 10, cards_used=4, measured=0.5)
    (proposal,) = judge(a_history(week, whole_cards(4)))
    assert (proposal.verdict, proposal.peak) == (Verdict.FITS, 4)


def test_one_card_is_left_to_it() -> None:
    (proposal,) = said(whole_cards(2), cards_used=0)
    assert proposal.proposed == 1


def test_a_day_of_which_it_is_not_known_leaves_the_number_alone() -> None:
    week = changed(days(cards_used=1, memory_peak=78 * GIB), 3, cards_used=None)
    (proposal,) = judge(a_history(week, whole_cards(4)))
    assert (proposal.verdict, proposal.present, proposal.peak) == (Verdict.FITS, 4, None)


def test_an_instance_is_enough() -> None:
    (proposal,) = said(whole_cards(containers=3), memory_peak=6 * GIB, compute_p95=0.1)
    assert (proposal.resource, proposal.verdict) == (Resource.CARDS, Verdict.SMALLER)
    assert (proposal.present, proposal.proposed) == (1, 1)
    assert proposal.target == "nvidia.com/mig-1g.10gb"
    assert proposal.saving == pytest.approx(3 * 6 / 7)
    assert proposal.text == (
        "Peak 6 GiB of 80 GiB; with a margin it needs 6.75 GiB, and 10 % of its compute at p95: a "
        "1g.10gb has 9.5 GiB."
    )


def test_an_instance_must_have_the_compute_as_well() -> None:
    (proposal,) = said(whole_cards(), memory_peak=6 * GIB, compute_p95=0.3)
    assert proposal.target == "nvidia.com/mig-3g.40gb"


def test_what_is_busy_keeps_its_card() -> None:
    (proposal,) = said(whole_cards(), memory_peak=6 * GIB, compute_p95=0.7)
    assert proposal.verdict is Verdict.FITS
    assert proposal.text == (
        "Peak 6 GiB of 80 GiB; with a margin it needs 6.75 GiB, and 70 % of its compute at p95: "
        "that takes the whole card."
    )


def test_a_share_where_no_instance_has_room() -> None:
    memory, cards = said(whole_cards(containers=2), memory_peak=45 * GIB, compute_p95=0.2)
    assert (memory.resource, memory.verdict) == (Resource.MEMORY, Verdict.SMALLER)
    assert (memory.present, memory.proposed) == (80 * GIB, 49.5 * GIB)
    assert (memory.target, memory.saving) == ("nvidia.com/gpumem", 61 * GIB)
    assert memory.text == (
        "Peak 45 GiB of 80 GiB; with a margin it needs 49.5 GiB, and 20 % of its compute at p95: "
        "a share would do, where a layer hands out shares."
    )
    assert (cards.verdict, cards.proposed) == (Verdict.FITS, None)


def test_a_share_of_what_cannot_be_divided() -> None:
    memory, _ = said(whole_cards(**A10G), memory_peak=5 * GIB, compute_p95=0.5)
    assert (memory.proposed, memory.target) == (5.5 * GIB, "nvidia.com/gpumem")


@pytest.mark.parametrize(
    ("fields", "target"),
    [
        ({"resources": {"amd.com/gpu": 1}, "card_model": "AMD Instinct MI300X"}, "amd.com/gpumem"),
        ({"resources": {"intel.com/other": 1}, "card_model": "Other"}, None),
        ({"resources": {"huawei.com/Ascend910": 1}, "card_model": "Ascend910B3"}, None),
        ({"resources": None, "card_model": "Tesla T4"}, "nvidia.com/gpumem"),
        ({"resources": None, "card_model": "Ascend910B3"}, None),
        ({"sharing": Sharing.DRA, "resources": {}, "card_model": "NVIDIA L40S"}, None),
    ],
)
def test_shares_are_of_cards_of_which_there_are_shares(
    fields: dict[str, Any], target: str | None
) -> None:
    found = said(whole_cards(**fields), memory_peak=5 * GIB, compute_p95=0.1)
    if target is None:
        (cards,) = found
        assert cards.verdict is Verdict.FITS
        assert cards.text.endswith("nothing divides such a card.")
    else:
        assert found[0].target == target


def test_several_cards_are_not_several_instances() -> None:
    """A program uses one instance at most; a share of each card it can have."""
    memory, cards = said(whole_cards(2), memory_peak=6 * GIB, compute_p95=0.1)
    assert (memory.target, cards.verdict) == ("nvidia.com/gpumem", Verdict.FITS)


def test_a_claim_gets_a_profile() -> None:
    reservation = whole_cards(sharing=Sharing.DRA, memory=None, resources={})
    (proposal,) = said(reservation, memory_peak=6 * GIB, compute_p95=0.1)
    assert proposal.target == "1g.10gb"


@pytest.mark.parametrize(
    ("peak", "text"),
    [
        (60, "Peak 60 GiB of 80 GiB; with a margin it needs 66 GiB."),
        (79, "Peak 79 GiB of 80 GiB: it fills the card."),
    ],
)
def test_a_card_that_fits(peak: int, text: str) -> None:
    (proposal,) = said(whole_cards(), memory_peak=peak * GIB, compute_p95=None)
    assert (proposal.verdict, proposal.text) == (Verdict.FITS, text)


def test_a_part_takes_knowledge_of_the_compute() -> None:
    (proposal,) = said(whole_cards(), memory_peak=6 * GIB, compute_p95=None)
    assert proposal.reason is CannotReason.NOT_MEASURED
    assert proposal.text == (
        "Peak 6 GiB of 80 GiB; with a margin it needs 6.75 GiB, and a part of a card has less "
        "compute. Nobody measured its compute."
    )


@pytest.mark.parametrize(
    ("day", "reservation", "reason"),
    [
        ({"memory_peak": None}, whole_cards(), CannotReason.NOT_MEASURED),
        ({"watched": 0.5}, whole_cards(), CannotReason.COVERAGE),
        ({}, whole_cards(memory=None, card_memory=None), CannotReason.NOT_PROMISED),
    ],
)
def test_reasons(day: dict[str, Any], reservation: Reservation, reason: CannotReason) -> None:
    (proposal,) = said(reservation, **day)
    assert (proposal.resource, proposal.reason) == (Resource.CARDS, reason)


def test_instances_can_be_too_many_as_well() -> None:
    reservation = an_instance("1g.10gb", 9_728, cards=2, containers=2)
    memory, compute, cards = said(reservation, memory_peak=8 * GIB, cards_used=1)
    assert [p.verdict for p in (memory, compute)] == [Verdict.FITS, Verdict.FITS]
    assert (cards.verdict, cards.proposed, cards.target) == (Verdict.SMALLER, 1, "")
