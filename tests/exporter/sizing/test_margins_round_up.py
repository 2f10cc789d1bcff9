from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.units import MIB
from gpuatlas.sizing.margins import (
    GIB,
    GRANT_UNIT,
    needed_compute,
    needed_memory,
    worth_less_compute,
    worth_less_memory,
)

BYTES = st.integers(0, 300 * GIB)
RATIO = st.floats(0, 1)


@pytest.mark.parametrize(
    ("peak_mib", "needed_mib"),
    [
        (0, 512),  # the least margin alone
        (1, 768),
        (256, 768),  # 256 + 512, a whole grant
        (4_096, 4_608),  # 512 MiB is more than a tenth
        (5_120, 5_632),  # a tenth is 512 MiB
        (5_121, 5_888),
        (10_240, 11_264),  # 10 GiB and 1
        (10_000, 11_008),  # 11,000 up to 43 grants
    ],
)
def test_memory_has_a_tenth_or_512_mib_above_its_peak_in_whole_grants(
    peak_mib: int, needed_mib: int
) -> None:
    assert needed_memory(peak_mib * MIB) == needed_mib * MIB


@pytest.mark.parametrize(
    ("p95", "needed"),
    [
        (0.0, 0.05),
        (0.01, 0.05),
        (0.041, 0.05),
        (0.042, 0.1),
        (0.25, 0.3),  # 0.25 × 1.2 is just below 0.3 in binary
        (0.125, 0.15),  # and this just above 0.15
        (0.5, 0.6),
        (0.51, 0.65),
        (1.0, 1.2),
    ],
)
def test_compute_has_a_fifth_above_its_p95_in_steps_of_five_percent(
    p95: float, needed: float
) -> None:
    assert needed_compute(p95) == needed


@given(BYTES, BYTES)
@settings(deadline=None)
def test_memory_never_falls_below_the_peak_and_grows_with_it(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert needed_memory(low) <= needed_memory(high)
    assert needed_memory(high) >= high + max(high // 10, 512 * MIB)
    assert needed_memory(high) % GRANT_UNIT == 0
    # No more than a grant above what is asked for.
    assert needed_memory(high) < high + max(high // 10 + 1, 512 * MIB) + GRANT_UNIT


@given(RATIO, RATIO)
@settings(deadline=None)
def test_compute_never_falls_below_the_p95_and_grows_with_it(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert needed_compute(low) <= needed_compute(high)
    assert needed_compute(high) >= high
    assert needed_compute(high) <= max(high * 1.2 + 0.05, 0.05)


@pytest.mark.parametrize(
    ("present", "proposed", "promises", "worth"),
    [
        (10.0, 8.0, 1, True),  # 20 % and 2 GiB, both exactly
        (10.0, 8.25, 1, False),  # 17.5 %
        (4.0, 2.25, 1, False),  # 44 %, but 1.75 GiB
        (4.0, 2.25, 2, True),  # 3.5 GiB over both
        (40.0, 33.0, 9, False),  # 63 GiB over all, but 17.5 % of each
        (4.0, 6.0, 1, False),
    ],
)
def test_less_memory_is_spoken_of_from_a_fifth_and_two_gib_on(
    present: float, proposed: float, promises: int, *, worth: bool
) -> None:
    assert worth_less_memory(int(present * GIB), int(proposed * GIB), promises) is worth


@pytest.mark.parametrize(
    ("present", "proposed", "promises", "worth"),
    [
        (0.5, 0.4, 1, True),  # 20 % and a tenth of a card, both exactly
        (0.5, 0.45, 1, False),
        (0.25, 0.2, 1, False),  # 20 %, but a twentieth of a card
        (0.25, 0.2, 2, True),
        (1.0, 0.85, 4, False),
        (0.1, 0.3, 1, False),
    ],
)
def test_less_compute_is_spoken_of_from_a_fifth_and_a_tenth_of_a_card_on(
    present: float, proposed: float, promises: int, *, worth: bool
) -> None:
    assert worth_less_compute(present, proposed, promises) is worth
