from __future__ import annotations

import random

from gpuatlas.sources.kubernetes.backoff import Backoff


class Fixed(random.Random):
    def __init__(self, value: float) -> None:
        super().__init__()
        self._value = value

    def random(self) -> float:
        return self._value


def test_pauses_double_up_to_the_cap_and_start_again_after_a_reset() -> None:
    backoff = Backoff(start_s=1, cap_s=60, random=Fixed(0.0))
    assert [backoff.pause() for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    backoff.reset()
    assert backoff.pause() == 1


def test_chance_takes_up_to_half_of_a_pause() -> None:
    backoff = Backoff(start_s=1, cap_s=60, random=Fixed(1.0))
    assert [backoff.pause() for _ in range(3)] == [0.5, 1, 2]
    assert backoff.jittered(60) == 30


def test_a_thousand_failures_do_not_overflow() -> None:
    backoff = Backoff(start_s=1, cap_s=60, random=Fixed(0.7))
    pauses = [backoff.pause() for _ in range(2000)]
    assert max(pauses) <= 60
    assert min(pauses[10:]) >= 30
