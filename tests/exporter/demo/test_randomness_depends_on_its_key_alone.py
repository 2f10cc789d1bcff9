from __future__ import annotations

import re
import uuid as standard_uuid

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.demo import randomness

KEYS = st.lists(st.one_of(st.text(max_size=8), st.integers()), min_size=1, max_size=3)


@settings(deadline=None, max_examples=50)
@given(KEYS)
def test_a_fraction_is_below_one_and_always_the_same(key: list[str | int]) -> None:
    value = randomness.fraction(*key)
    assert 0 <= value < 1
    assert randomness.fraction(*key) == value


def test_parts_of_a_key_do_not_run_together() -> None:
    assert randomness.fraction("ab", "c") != randomness.fraction("a", "bc")


@settings(deadline=None, max_examples=50)
@given(KEYS)
def test_a_uuid_is_of_version_four(key: list[str | int]) -> None:
    text = randomness.uuid(*key)
    parsed = standard_uuid.UUID(text)
    assert str(parsed) == text
    assert parsed.version == 4
    assert parsed.variant == standard_uuid.RFC_4122


def test_a_name_suffix_is_what_kubernetes_would_make() -> None:
    assert re.fullmatch("[bcdfghjklmnpqrstvwxz2456789]{5}", randomness.name_suffix(5, "pod", 1))


@settings(deadline=None, max_examples=50)
@given(st.floats(min_value=1.7e9, max_value=1.9e9), st.floats(min_value=10, max_value=90_000))
def test_a_wave_is_smooth_and_within_its_bounds(at: float, period: float) -> None:
    here = randomness.wave(at, period, "key")
    assert 0 <= here <= 1
    # Half a cosine climbs at most pi/2 of its height per period.
    soon = randomness.wave(at + period / 100, period, "key")
    assert abs(soon - here) <= 0.016 + 1e-6
