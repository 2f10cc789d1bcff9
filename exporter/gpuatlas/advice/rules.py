"""What speaks for and against each strategy: the table. A new rule is a new row.

The rows stand by verdict, in `rules_impossible.py` and its like. Every row is asked of every pool.
Of the rows that hold, the gravest verdict wins (`model.advice.Verdict` has the order): a strategy
is as good as the worst that is known of it, what is impossible or unsafe by its nature is said
without measurements, and nothing is recommended while a row says that there is not enough data.
Pure.
"""

from __future__ import annotations

from typing import Final

from gpuatlas.advice import (
    rules_impossible,
    rules_no_advice,
    rules_possible,
    rules_suits,
    rules_unsafe,
)
from gpuatlas.advice.rule import Rule

RULES: Final[tuple[Rule, ...]] = (
    *rules_impossible.RULES,
    *rules_unsafe.RULES,
    *rules_no_advice.RULES,
    *rules_possible.RULES,
    *rules_suits.RULES,
)
