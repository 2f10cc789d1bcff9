"""What is said of the compute of a container that shares a card, with its whole text."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.model.sizing import CannotReason, Proposal, Resource, Verdict
from gpuatlas_harness.truth.sizing_build import a_history, a_reservation, changed, days, said_of


def said(p95: float | None, present: float | None = 0.5, week: Any = (), **more: Any) -> Proposal:
    found = week or days(compute_p95=p95)
    return said_of(Resource.COMPUTE, a_history(found, a_reservation(compute=present, **more)))


def test_less_is_proposed_with_a_margin() -> None:
    proposal = said(0.2, 0.5, containers=2)
    assert (proposal.verdict, proposal.present, proposal.peak) == (Verdict.SMALLER, 0.5, 0.2)
    assert proposal.proposed == 0.25
    assert proposal.saving == 0.5
    text = "p95 20 % of a card, promised 50 %; with a margin it needs 25 %."
    assert proposal.text == text


@pytest.mark.parametrize(
    ("p95", "present", "verdict", "proposed"),
    [
        (0.25, 0.5, Verdict.SMALLER, 0.3),
        (0.375, 0.5, Verdict.FITS, None),  # 45 %: 10 % less
        (0.04, 0.1, Verdict.FITS, None),  # half of it, but a twentieth of a card
        (0.48, 0.5, Verdict.FITS, None),  # no margin left, and not at its limit either
        (0.49, 0.5, Verdict.LARGER, 0.6),
        (0.5, 0.5, Verdict.LARGER, 0.6),
        (0.55, 0.5, Verdict.LARGER, 0.7),
        (0.56, 0.5, Verdict.FITS, None),  # others left it
        (1.0, 1.0, Verdict.FITS, None),  # there is no more
        (0.95, 0.96, Verdict.LARGER, 1.0),
    ],
)
def test_verdicts(p95: float, present: float, verdict: Verdict, proposed: float | None) -> None:
    proposal = said(p95, present)
    assert (proposal.verdict, proposal.proposed) == (verdict, proposed)


def test_what_is_above_its_promise_is_no_need() -> None:
    text = "p95 90 % of a card, promised 50 %; what is above its promise others left it."
    assert said(0.9).text == text


def test_at_its_limit() -> None:
    assert said(0.5).text == "p95 50 % of a card, promised 50 %: it is at its limit."


def test_the_busiest_day_counts() -> None:
    assert said(0, 0.5, changed(days(), 9, compute_p95=0.3)).peak == 0.3


def test_a_day_that_was_seen_in_part_counts_with_what_was_seen() -> None:
    proposal = said(0, 0.5, changed(days(), 10, compute_p95=0.45, measured=0.5))
    assert (proposal.verdict, proposal.peak) == (Verdict.FITS, 0.45)


@pytest.mark.parametrize(
    ("present", "week", "reason", "text"),
    [
        (0.5, days(compute_p95=None), "not-measured", "Nobody measured its compute."),
        (0.5, days(3), "short-window", "Seen for 3 days; 7 are needed."),
        (None, days(), "not-promised", "It is promised no share of a card's compute."),
        (0.0, days(), "not-promised", "It is promised no share of a card's compute."),
    ],
)
def test_reasons(present: float | None, week: Any, reason: str, text: str) -> None:
    proposal = said(0, present, week)
    assert (proposal.verdict, proposal.reason) == (Verdict.CANNOT, CannotReason(reason))
    assert proposal.text == text


def test_compute_has_its_own_coverage() -> None:
    """A day without it is no day for it, and one for the memory."""
    history = a_history(changed(days(), 3, compute_p95=None))
    assert said_of(Resource.COMPUTE, history).reason is CannotReason.COVERAGE
    assert said_of(Resource.MEMORY, history).verdict is Verdict.SMALLER
