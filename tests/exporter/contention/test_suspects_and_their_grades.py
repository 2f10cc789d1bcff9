from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from gpuatlas.contention.observe import ContentionState, counts, observe
from gpuatlas.model.contention import CardMoment, Grade, SlowedBy
from gpuatlas_harness.contended import AT, a_moment, a_tenant, workload

NOBODY = ("", 0)


@dataclass
class Card:
    """A card that is looked at each minute; a victim with 4 requests at once, and neighbours."""

    state: ContentionState = field(default_factory=ContentionState)
    at: float = AT

    def minutes(self, number: int, *moments: CardMoment) -> None:
        for _ in range(number):
            self.at += 60.0
            self.state = observe(self.state, moments, self.at)

    def slowed(self) -> dict[tuple[str, int], float]:
        """(suspect, grade) → seconds of the victim that are more than none."""
        return dict(_slowed(counts(self.state).slowed))

    def grown(self, number: int, *moments: CardMoment) -> dict[tuple[str, int], float]:
        """What so many minutes add."""
        before = self.slowed()
        self.minutes(number, *moments)
        after = self.slowed()
        return {k: s - before.get(k, 0.0) for k, s in after.items() if s > before.get(k, 0.0)}


def _slowed(slowed: Mapping[SlowedBy, float]) -> Iterator[tuple[tuple[str, int], float]]:
    for pair, seconds in slowed.items():
        if pair.victim == workload("victim") and seconds:
            yield (pair.suspect.name if pair.suspect else "", int(pair.grade)), seconds


def victim(speed: float = 25.0, share: float | None = 0.3, **values: Any) -> Any:
    given: dict[str, Any] = {"running": 4.0, "rate": 4 * speed, "speed": speed, "active": True}
    return a_tenant("victim", share, 0.5, **(given | values))


def neighbours(shares: Mapping[str, float | None], entitlement: float = 0.25) -> Iterable[Any]:
    return [a_tenant(name, share, entitlement) for name, share in shares.items()]


def good(full: bool = False, **shares: float | None) -> CardMoment:  # noqa: FBT001, FBT002
    return a_moment([victim(), *neighbours(shares)], full=full)


def bad(full: bool | None = True, **shares: float | None) -> CardMoment:  # noqa: FBT001, FBT002
    return a_moment([victim(speed=10.0), *neighbours(shares)], full=full)


@pytest.fixture
def card() -> Card:
    """A card with an hour of good minutes behind it, in which two neighbours did little."""
    found = Card()
    found.minutes(61, good(loud=0.1, busy=0.3))
    return found


def test_who_was_there_on_a_full_card_is_a_fact_of_grade_2(card: Card) -> None:
    card.minutes(1, bad(loud=0.6, busy=0.3))
    assert card.slowed() == {("loud", 2): 60.0, ("busy", 2): 60.0}


def test_where_nobody_sees_whether_the_card_is_full_it_is_grade_1(card: Card) -> None:
    card.minutes(1, bad(full=None, loud=0.6, busy=0.3))
    assert card.slowed() == {("loud", 1): 60.0, ("busy", 1): 60.0}


def test_neighbours_that_do_nothing_are_no_suspects(card: Card) -> None:
    card.minutes(1, bad(loud=0.6, busy=0.0))
    assert card.slowed() == {("loud", 2): 60.0}


def test_slowed_beside_neighbours_of_whom_nothing_is_known_has_no_cause(card: Card) -> None:
    card.minutes(1, bad(loud=None, busy=None))
    assert card.slowed() == {NOBODY: 60.0}


def test_a_pair_that_met_just_now_proves_nothing(card: Card) -> None:
    moment = bad(new=0.6)
    card.minutes(15, moment)
    assert card.slowed() == {NOBODY: 900.0}
    card.minutes(1, moment)
    assert card.slowed() == {NOBODY: 900.0, ("new", 2): 60.0}


def episodes(card: Card, number: int, minutes: int, moment: CardMoment) -> None:
    for _ in range(number):
        card.minutes(minutes, moment)
        card.minutes(20, good(loud=0.1, busy=0.3))


def test_a_suspect_rose_in_thirty_bad_minutes_of_three_episodes(card: Card) -> None:
    episodes(card, 2, 12, bad(loud=0.6, busy=0.3))
    assert card.slowed() == {("loud", 2): 1440.0, ("busy", 2): 1440.0}
    # 24 minutes are behind it: the sixth of the third episode is the thirtieth.
    assert card.grown(5, bad(loud=0.6, busy=0.3)) == {("loud", 2): 300.0, ("busy", 2): 300.0}
    assert card.grown(3, bad(loud=0.6, busy=0.3)) == {("loud", 3): 180.0, ("busy", 2): 180.0}


def test_full_memory_alone_makes_no_suspect(card: Card) -> None:
    """A server fills the memory at its start: that is so in its good minutes, too."""
    moment = replace(bad(loud=0.6, busy=0.3), saturated=frozenset({"memory"}))
    episodes(card, 5, 12, moment)
    assert card.grown(3, moment) == {("loud", 2): 180.0, ("busy", 2): 180.0}


def test_thirty_minutes_of_two_episodes_are_not_enough(card: Card) -> None:
    episodes(card, 1, 40, bad(loud=0.6, busy=0.3))
    grown = card.grown(40, bad(loud=0.6, busy=0.3))
    assert grown == {("loud", 2): 2400.0, ("busy", 2): 2400.0}


def test_three_short_episodes_are_not_enough(card: Card) -> None:
    episodes(card, 3, 6, bad(loud=0.6, busy=0.3))
    assert card.grown(6, bad(loud=0.6)) == {("loud", 2): 360.0}


def test_blips_are_no_episodes(card: Card) -> None:
    episodes(card, 20, 2, bad(loud=0.6, busy=0.3))
    assert ("loud", 3) not in card.slowed()


def test_a_neighbour_that_is_always_above_its_part_is_no_suspect(card: Card) -> None:
    for _ in range(5):
        card.minutes(20, good(loud=0.6, busy=0.3))
        card.minutes(12, bad(loud=0.6, busy=0.3))
    assert {grade for _, grade in card.slowed()} == {2}


def test_on_a_card_that_was_full_before_who_pushed_and_who_gave_way_cannot_be_told(
    card: Card,
) -> None:
    """The neighbour took more than its part all the time, and takes what the victim leaves."""
    for _ in range(5):
        card.minutes(20, good(full=True, loud=0.5))
        card.minutes(12, bad(loud=0.7))
    assert {grade for _, grade in card.slowed()} == {2}


def test_on_a_card_with_room_a_neighbour_may_have_had_more_than_its_part(card: Card) -> None:
    for _ in range(4):
        card.minutes(20, good(full=False, loud=0.5))
        card.minutes(12, bad(loud=0.7))
    assert card.slowed()["loud", 3] > 0


def test_others_may_be_in_the_way_at_other_times(card: Card) -> None:
    for _ in range(4):
        card.minutes(12, bad(loud=0.6, busy=0.1))
        card.minutes(20, good(loud=0.1, busy=0.1))
        card.minutes(12, bad(loud=0.1, busy=0.7))
        card.minutes(20, good(loud=0.1, busy=0.1))
    grown = card.grown(3, bad(loud=0.6, busy=0.1))
    assert grown == {("loud", 3): 180.0, ("busy", 2): 180.0}
    assert card.grown(3, bad(loud=0.1, busy=0.7)) == {("busy", 3): 180.0, ("loud", 2): 180.0}


def test_a_neighbour_within_its_entitlement_is_no_suspect(card: Card) -> None:
    episodes(card, 5, 12, bad(loud=0.25, busy=0.2))
    assert {grade for _, grade in card.slowed()} == {2}


def test_a_suspect_that_does_not_overshoot_now_is_none_now(card: Card) -> None:
    episodes(card, 3, 12, bad(loud=0.6, busy=0.3))
    assert card.grown(3, bad(loud=0.2, busy=0.3)) == {("loud", 2): 180.0, ("busy", 2): 180.0}
    assert card.grown(3, bad(loud=0.6, busy=0.3)) == {("loud", 3): 180.0, ("busy", 2): 180.0}


def test_a_supported_suspect_stopped_and_came_back_with_the_slowdown(card: Card) -> None:
    def cycle() -> dict[tuple[str, int], float]:
        found = card.grown(12, bad(loud=0.6, busy=0.3))
        card.minutes(20, good(loud=0.0, busy=0.3))
        return found

    card.minutes(20, good(loud=0.0, busy=0.3))
    seen = [cycle() for _ in range(4)]
    assert [max(grade for name, grade in found if name == "loud") for found in seen] == [
        2,
        2,
        4,
        4,
    ]
    assert seen[3] == {("loud", 4): 720.0, ("busy", 2): 720.0}


def test_a_neighbour_whose_pod_comes_and_goes_is_tested_without_a_measured_share() -> None:
    card = Card()
    card.minutes(40, a_moment([victim(share=None)], full=False))
    seen = []
    for _ in range(4):
        slow = a_moment([victim(speed=10.0, share=None), a_tenant("loud")])
        seen.append(card.grown(16, slow))
        card.minutes(20, a_moment([victim(share=None)], full=False))
    assert seen[0] == {NOBODY: 960.0}
    assert seen[1] == {NOBODY: 960.0}
    assert seen[3] == {("loud", 4): 960.0}


def test_a_slowdown_that_stays_when_the_neighbour_stops_speaks_against_it(card: Card) -> None:
    for _ in range(6):
        card.minutes(10, good(loud=0.0, busy=0.3))
        card.minutes(8, bad(loud=0.6, busy=0.3))
        card.minutes(8, bad(loud=0.0, busy=0.3))
        card.minutes(8, bad(loud=0.6, busy=0.3))
    assert ("loud", 4) not in card.slowed()


def test_hardware_limits_of_its_own_and_idleness_are_not_slowed(card: Card) -> None:
    slow = victim(speed=10.0)
    others = neighbours({"loud": 0.6, "busy": 0.3})
    card.minutes(9, a_moment([slow, *others], hardware="slowed by heat"))
    card.minutes(9, a_moment([victim(speed=10.0, at_own_limit=True), *others]))
    card.minutes(9, a_moment([victim(speed=10.0, held=True), *others]))
    card.minutes(9, a_moment([a_tenant("victim", 0.0, active=False), *others]))
    assert card.slowed() == {}


def test_a_victim_without_a_service_signal_is_never_more_than_grade_2() -> None:
    card = Card()
    quiet = a_moment([a_tenant("victim", 0.6), a_tenant("loud", 0.1, 0.25)], full=False)
    short = a_moment([a_tenant("victim", 0.2), a_tenant("loud", 0.75, 0.25)])
    card.minutes(40, quiet)
    for _ in range(8):
        card.minutes(12, short)
        card.minutes(20, quiet)
    assert card.slowed() == {("loud", 2): 8 * 720.0}


def test_what_is_slower_for_a_whole_day_is_how_it_is_now(card: Card) -> None:
    card.minutes(24 * 60, bad(loud=0.6, busy=0.3))
    assert card.grown(60, bad(loud=0.6, busy=0.3)) != {}
    assert card.grown(60, bad(loud=0.6, busy=0.3)) == {}


def test_the_grade_of_none_is_zero_and_the_highest_four() -> None:
    assert [int(grade) for grade in Grade] == [0, 1, 2, 3, 4]
