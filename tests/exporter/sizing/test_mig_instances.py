"""Which profile an instance's container should have."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.model.sizing import CannotReason, Proposal, Reservation, Resource, Verdict
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas.sizing.judge import judge
from gpuatlas_harness.truth.sizing_build import (
    GIB,
    a_history,
    an_instance,
    days,
    said_of,
)


def said(reservation: Reservation, peak: float, p95: float | None) -> tuple[Proposal, Proposal]:
    """Of its memory and its compute."""
    week = days(memory_peak=int(peak * GIB), compute_p95=p95)
    history = a_history(week, reservation)
    return said_of(Resource.MEMORY, history), said_of(Resource.COMPUTE, history)


def test_a_smaller_profile_is_less_of_both() -> None:
    memory, compute = said(an_instance("3g.40gb", 40_192), 6, 0.05)
    assert (memory.verdict, memory.target) == (Verdict.SMALLER, "nvidia.com/mig-1g.10gb")
    assert memory.proposed == 9_728 * MIB
    assert memory.saving == (40_192 - 9_728) * MIB
    text = "Peak 6 GiB of 39.25 GiB; with a margin it needs 6.75 GiB: a 1g.10gb has 9.5 GiB."
    assert memory.text == text
    assert (compute.verdict, compute.target) == (Verdict.SMALLER, "nvidia.com/mig-1g.10gb")
    assert (compute.present, compute.proposed) == (3 / 7, 1 / 7)
    text = "p95 5 % of a card; its instance is 43 % of one, a 1g.10gb is 14 %."
    assert compute.text == text


def test_its_own_profile_is_no_smaller_one() -> None:
    """Two instances on one card are one promise: what both use fits one of them."""
    memory, _ = said(an_instance("3g.40gb", 2 * 40_192, cards=2), 31, 0.05)
    assert (memory.verdict, memory.proposed, memory.target) == (Verdict.FITS, None, "")


def test_what_takes_the_least_of_the_card_is_chosen() -> None:
    """19 GiB and little compute fit a 1g.20gb as well as a 2g.20gb."""
    memory, _ = said(an_instance("3g.40gb", 40_192), 16, 0.05)
    assert memory.target == "nvidia.com/mig-1g.20gb"
    memory, _ = said(an_instance("3g.40gb", 40_192), 16, 0.2)
    assert memory.target == "nvidia.com/mig-2g.20gb"


def test_compute_can_keep_an_instance() -> None:
    memory, compute = said(an_instance("3g.40gb", 40_192), 6, 0.35)
    assert (memory.verdict, compute.verdict) == (Verdict.FITS, Verdict.FITS)
    assert memory.text == (
        "Peak 6 GiB of 39.25 GiB; with a margin it needs 6.75 GiB, but its compute, p95 35 % of a "
        "card, takes this one."
    )


def test_memory_can_keep_an_instance_and_the_compute_be_less() -> None:
    memory, compute = said(an_instance("4g.40gb", 40_192), 35, 0.1)
    assert memory.verdict is Verdict.FITS
    assert (compute.verdict, compute.target) == (Verdict.SMALLER, "nvidia.com/mig-3g.40gb")


def test_an_instance_that_fits() -> None:
    memory, compute = said(an_instance("1g.10gb", 9_728), 8, 0.1)
    assert (memory.verdict, compute.verdict) == (Verdict.FITS, Verdict.FITS)
    assert memory.text == "Peak 8 GiB of 9.5 GiB; with a margin it needs 9 GiB."
    assert compute.text == "p95 10 % of a card; its instance is 14 % of one."


def test_a_full_instance_needs_the_next_one() -> None:
    """An instance's memory is a limit that always holds."""
    memory, _ = said(an_instance("1g.10gb", 9_728), 9.4, 0.05)
    assert (memory.verdict, memory.target) == (Verdict.LARGER, "nvidia.com/mig-1g.20gb")
    assert memory.proposed == 19_968 * MIB
    assert memory.text == "It reached its limit, 9.4 GiB of 9.5 GiB; a 1g.20gb has 19.5 GiB."
    memory, compute = said(an_instance("2g.20gb", 19_968), 19.4, 0.2)
    assert memory.target == "nvidia.com/mig-3g.40gb"
    assert (compute.verdict, compute.target) == (Verdict.LARGER, "nvidia.com/mig-3g.40gb")
    memory, _ = said(an_instance("7g.80gb", 80_640), 78.5, 0.2)
    assert memory.verdict is Verdict.FITS


def test_an_instance_at_the_end_of_its_compute_needs_more_of_it() -> None:
    memory, compute = said(an_instance("1g.10gb", 9_728), 6, 0.142)
    assert (memory.verdict, compute.verdict) == (Verdict.FITS, Verdict.LARGER)
    assert compute.target == "nvidia.com/mig-2g.20gb"


def test_less_memory_takes_knowledge_of_the_compute() -> None:
    memory, compute = said(an_instance("3g.40gb", 40_192), 6, None)
    assert (memory.reason, compute.reason) == (CannotReason.NOT_MEASURED,) * 2
    assert memory.text == (
        "Peak 6 GiB of 39.25 GiB; with a margin it needs 6.75 GiB, and a smaller instance has "
        "less compute. Nobody measured its compute."
    )
    memory, _ = said(an_instance("1g.10gb", 9_728), 6, None)
    assert memory.verdict is Verdict.FITS


@pytest.mark.parametrize(
    ("peak", "verdict", "text"),
    [
        (
            10.0,
            Verdict.CANNOT,
            "Peak 10 GiB of 21 GiB; with a margin it needs 11 GiB. The sizes of this card model's "
            "MIG profiles are not on record.",
        ),
        (18.0, Verdict.FITS, "Peak 18 GiB of 21 GiB; with a margin it needs 20 GiB."),
    ],
)
def test_a_model_that_is_not_on_record(peak: float, verdict: Verdict, text: str) -> None:
    reservation = an_instance(
        "1g.23gb", 21 * 1024, card_model="NVIDIA B200", card_memory=183_359 * MIB
    )
    memory, compute = said(reservation, peak, 0.05)
    assert (memory.verdict, memory.text) == (verdict, text)
    assert compute.reason is CannotReason.NOT_PROMISED


def test_guards_come_first() -> None:
    history = a_history(days(2), an_instance("3g.40gb", 40_192))
    assert {p.reason for p in judge(history)} == {CannotReason.SHORT_WINDOW}


@pytest.mark.parametrize(
    ("fields", "target"),
    [
        ({"resources": {"nvidia.com/gpu": 1}}, "1g.10gb"),  # equal instances of every card
        ({"resources": None}, "1g.10gb"),
        ({"sharing": Sharing.DRA, "resources": {}}, "1g.10gb"),
        ({"resources": {"nvidia.com/mig-3g.40gb.me": 1}}, "nvidia.com/mig-1g.10gb"),
    ],
)
def test_targets_are_what_can_be_asked_for(fields: dict[str, Any], target: str) -> None:
    memory, _ = said(an_instance("3g.40gb", 40_192, **fields), 6, 0.05)
    assert memory.target == target
