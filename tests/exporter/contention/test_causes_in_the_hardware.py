from __future__ import annotations

import pytest

from gpuatlas.contention.hardware import CardMemory, hardware_cause, remembered
from gpuatlas.model.snapshot import CardState
from gpuatlas_harness import build

AT = 1_800_000_000.0


def cause(
    fields: dict[str, float],
    memory: CardMemory | None = None,
    *,
    busy: float = 0.9,
    state: CardState = CardState.WORKING,
) -> str:
    card = build.a_card(state=state, state_reason="fell off the bus")
    return hardware_cause(card, fields, memory or CardMemory(), busy=busy, at=AT)


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        (64, "slowed by heat"),
        (128, "slowed by the power brake"),
        (32, "slowed by heat (software)"),
        (8, "slowed by the hardware"),
        (8 + 64, "slowed by heat"),
        (4, ""),  # the software's power cap is normal under load
        (1 + 2 + 16 + 256, ""),
        (0, ""),
    ],
)
def test_reasons_of_the_clocks(reasons: int, words: str) -> None:
    assert cause({"DEV_CLOCKS_EVENT_REASONS": reasons}) == words


def test_a_failed_card() -> None:
    assert cause({}, state=CardState.FAILED) == "fell off the bus"


def test_an_old_error_is_no_news_and_a_new_one_is_for_ten_minutes() -> None:
    first = remembered(None, {"DEV_XID_ERRORS": 31}, busy=0.5, at=AT - 900)
    assert cause({"DEV_XID_ERRORS": 31}, first) == ""
    second = remembered(first, {"DEV_XID_ERRORS": 79}, busy=0.5, at=AT - 600)
    assert cause({"DEV_XID_ERRORS": 79}, second) == "XID 79 600 s ago"
    third = remembered(second, {"DEV_XID_ERRORS": 79}, busy=0.5, at=AT)
    assert third.xid_at == AT - 600
    old = CardMemory(xid=79, xid_at=AT - 601)
    assert cause({"DEV_XID_ERRORS": 79}, old) == ""


def test_the_first_error_of_a_card_without_the_series_is_new() -> None:
    first = remembered(None, {}, busy=None, at=AT - 60)
    second = remembered(first, {"DEV_XID_ERRORS": 48}, busy=None, at=AT)
    assert cause({"DEV_XID_ERRORS": 48}, second) == "XID 48 0 s ago"


def test_a_clock_that_was_halved_under_load() -> None:
    memory = remembered(None, {"DEV_SM_CLOCK": 1710}, busy=0.8, at=AT - 60)
    slow = {"DEV_SM_CLOCK": 855.0}
    memory = remembered(memory, slow, busy=0.9, at=AT)
    expected = "its clock is at 855 MHz, under load it was at 1710 MHz"
    assert cause(slow, memory) == expected
    assert cause({"DEV_SM_CLOCK": 856}, memory) == ""
    assert cause(slow, memory, busy=0.4) == ""
    # Where the driver gives its reasons, these decide.
    assert cause({**slow, "DEV_CLOCKS_EVENT_REASONS": 4}, memory) == ""


def test_clocks_of_an_idle_card_are_not_remembered() -> None:
    first = remembered(None, {"DEV_SM_CLOCK": 1980}, busy=0.0, at=AT - 60)
    second = remembered(first, {"DEV_SM_CLOCK": 1500}, busy=0.7, at=AT)
    assert second.clock == 1500
