from __future__ import annotations

from gpuatlas.contention.observe import ContentionState, counts, observe
from gpuatlas.model.contention import CardMoment, Grade, SlowedBy, TenantMoment
from gpuatlas_harness.contended import AT, a_moment, a_tenant, workload

CARD = ("gpu-a", "GPU-1", "0")
TWO = [a_tenant("a", 0.5), a_tenant("b", 0.45)]


def after(
    *looks: tuple[float, CardMoment | None], state: ContentionState | None = None
) -> ContentionState:
    state = state or ContentionState()
    for at, moment in looks:
        state = observe(state, (moment,) if moment else (), AT + at)
    return state


def every(seconds: float, moment: CardMoment, number: int) -> list[tuple[float, CardMoment]]:
    return [(n * seconds, moment) for n in range(number + 1)]


def contended(state: ContentionState) -> float | None:
    return counts(state).cards.get(CARD)


def test_seconds_count_by_full_minutes() -> None:
    full = a_moment(TWO)
    assert contended(after(*every(30.0, full, 1))) is None
    assert contended(after(*every(30.0, full, 2))) == 60.0
    assert contended(after(*every(30.0, full, 7))) == 180.0
    assert contended(after(*every(25.0, full, 3))) == 75.0


def test_a_card_with_room_has_a_counter_of_0_and_one_that_nobody_measures_has_none() -> None:
    assert contended(after(*every(60.0, a_moment(TWO, full=False), 5))) == 0.0
    assert contended(after(*every(60.0, a_moment(TWO, full=None), 5))) is None
    unknown = a_moment([a_tenant("a", 0.5), a_tenant("b")])
    assert contended(after(*every(60.0, unknown, 5))) is None


def test_a_gap_counts_as_nothing_and_starts_a_new_minute() -> None:
    full = a_moment(TWO)
    assert contended(after((0, full), (60, full), (151, full), (211, full))) == 120.0
    assert contended(after((0, full), (60, full), (150, full), (210, full))) == 210.0
    assert contended(after((0, full), (60, full), (100, full), (400, full), (430, full))) == 60.0


def test_a_clock_that_was_set_back_starts_a_new_minute() -> None:
    full = a_moment(TWO)
    state = after((0, full), (60, full))
    assert contended(after((10, full), (70, full), state=state)) == 120.0


def test_a_look_right_after_another_is_not_counted_twice() -> None:
    full = a_moment(TWO)
    looks = [(n * 5.0, full) for n in range(25)]
    assert contended(after(*looks)) == 120.0


def test_longer_intervals_are_counted_as_they_are() -> None:
    full = a_moment(TWO)
    state = ContentionState()
    for n in range(4):
        state = observe(state, (full,), AT + n * 300.0, longest_step=900.0)
    assert contended(state) == 900.0


def test_instances_of_a_card_count_as_the_card_once() -> None:
    moments = tuple(a_moment(TWO, instance=instance) for instance in ("gi-1", "gi-2"))
    state = ContentionState()
    for n in range(3):
        state = observe(state, moments, AT + n * 60.0)
    assert counts(state).cards == {CARD: 120.0}


def slow_state(*cards: str) -> ContentionState:
    """A victim on these cards with an hour of good minutes and ten of bad ones on all."""
    good = [service(25.0), a_tenant("n", 0.2, 0.25)]
    bad = [service(10.0), a_tenant("n", 0.6, 0.25)]
    state = ContentionState()
    for n in range(71):
        tenants, full = (good, False) if n < 61 else (bad, True)
        moments = tuple(a_moment(tenants, full=full, card=card) for card in cards)
        state = observe(state, moments, AT + n * 60.0)
    return state


def service(speed: float) -> TenantMoment:
    return a_tenant("victim", 0.3, running=4.0, rate=4 * speed, speed=speed, active=True)


def pair(name: str | None, grade: Grade, victim: str = "victim") -> SlowedBy:
    suspect = None if name is None else workload(name)
    return SlowedBy(victim=workload(victim), suspect=suspect, grade=grade)


def test_a_second_of_a_victim_counts_once_on_however_many_cards() -> None:
    for cards in (("GPU-1",), ("GPU-1", "GPU-2", "GPU-3")):
        slowed = counts(slow_state(*cards)).slowed
        assert slowed[pair("n", Grade.SATURATED)] == 600.0


def test_who_is_judged_has_a_counter_before_anything_happens() -> None:
    state = after(*every(60.0, a_moment(TWO), 1))
    assert counts(state).slowed == {
        pair(None, Grade.NONE, "a"): 0.0,
        pair(None, Grade.NONE, "b"): 0.0,
    }
    unknown = after(*every(60.0, a_moment([a_tenant("a"), a_tenant("b")]), 3))
    assert counts(unknown).slowed == {}


def test_a_victim_has_three_suspects_and_a_higher_grade_takes_a_place() -> None:
    names = [f"n{number}" for number in range(6)]

    def moments(speed: float, *loud: str) -> CardMoment:
        others = [a_tenant(n, 0.5 if n in loud else 0.12, 0.1) for n in names]
        return a_moment([service(speed), *others], full=speed < 25.0)

    state, at = ContentionState(), AT

    def minutes(number: int, moment: CardMoment) -> None:
        nonlocal state, at
        for _ in range(number):
            at += 60.0
            state = observe(state, (moment,), at)

    minutes(61, moments(25.0))
    minutes(1, moments(10.0))
    suspects = {p.suspect for p in counts(state).slowed if p.victim == workload("victim")}
    assert suspects == {None, workload("n0"), workload("n1"), workload("n2")}
    for _ in range(4):
        minutes(20, moments(25.0))
        minutes(12, moments(10.0, "n5"))
    slowed = counts(state).slowed
    assert slowed[pair("n5", Grade.SUSPECT)] > 600.0
    suspects = {p.suspect for p in slowed if p.victim == workload("victim") and p.suspect}
    assert len(suspects) == 3
    assert workload("n5") in suspects


def test_what_was_not_seen_for_a_day_is_forgotten() -> None:
    state = slow_state("GPU-1")
    assert len(state.cards) == 1
    for n in range(3):
        state = observe(state, (), AT + 2 * 86_400 + n * 60.0)
    assert (state.cards, counts(state).cards, counts(state).slowed) == ({}, {}, {})


def test_the_counters_of_a_card_that_is_not_seen_for_an_hour_stay() -> None:
    state = slow_state("GPU-1")
    before = counts(state)
    for n in range(30):
        state = observe(state, (), AT + 71 * 60.0 + n * 60.0)
    assert counts(state) == before
