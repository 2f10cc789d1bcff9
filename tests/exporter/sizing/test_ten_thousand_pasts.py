"""Ten thousand pasts whose truth is known (`make bench` prints how they were answered)."""

from __future__ import annotations

from collections import defaultdict

import pytest

from gpuatlas.model.sizing import CannotReason, Verdict
from gpuatlas.sizing.judge import size
from gpuatlas_harness.truth.sizing_grades import Tally, count_ours
from gpuatlas_harness.truth.sizing_histories import labelled_histories
from gpuatlas_harness.truth.sizing_patterns import PATTERNS

HISTORIES = 10_000
Tallies = dict[str, Tally]


@pytest.fixture(scope="module")
def tallies() -> Tallies:
    """By pattern, and of all under ""."""
    found: defaultdict[str, Tally] = defaultdict(Tally)
    for labelled in labelled_histories(HISTORIES):
        said = size([labelled.history])
        count_ours(found[""], labelled, said)
        count_ours(found[labelled.pattern], labelled, said)
    return found


def test_no_value_is_below_the_truth(tallies: Tallies) -> None:
    total = tallies[""]
    assert total.histories == HISTORIES
    assert total.answers > 0.4 * HISTORIES
    assert total.compute > 0.3 * HISTORIES
    # Of the window that it rests on, and of all 14 days since the last rollout, watched or not.
    assert (total.below, total.below_fortnight, total.below_compute) == (0, 0, 0)


def test_most_of_what_is_safe_to_save_is_found(tallies: Tallies) -> None:
    assert tallies[""].found >= 0.95 * tallies[""].savable


@pytest.mark.parametrize("pattern", sorted(PATTERNS))
def test_no_pattern_is_left_out(tallies: Tallies, pattern: str) -> None:
    tally = tallies[pattern]
    if pattern == "limit hit":
        assert (tally.savable, tally.answers) == (0, tally.larger)
        assert tally.larger == tally.verdicts[Verdict.LARGER] > 0.9 * tally.histories
    else:
        least = 0.6 if pattern == "unwatched gaps" else 0.85
        assert tally.found >= least * tally.savable > 0


def test_it_is_silent_when_right(tallies: Tallies) -> None:
    assert tallies[""].needless == 0


def test_what_its_own_setting_fills_is_never_full(tallies: Tallies) -> None:
    tally = tallies["pre-allocation"]
    assert tally.verdicts[Verdict.LARGER] == 0
    assert tally.verdicts[CannotReason.MEMORY_TAKEN_AHEAD] > 0.3 * tally.histories


def test_values_last_for_the_next_week_too(tallies: Tallies) -> None:
    """But for what starts only then, and needs more while it does."""
    total = tallies[""]
    assert total.below_next < 0.01 * total.answers
    assert tallies["growing drift"].below_next == 0
