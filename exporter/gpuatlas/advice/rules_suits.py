"""What speaks for a strategy: the rows of `Verdict.SUITS`. Pure."""

from __future__ import annotations

from typing import Final

from gpuatlas.advice.conditions import busy_alone, no_pair_fits, one_program, pair_fits
from gpuatlas.advice.rule import LIMITED, MIG, MPS, SLICING, SUITS, WHOLE, Rule
from gpuatlas.advice.work import Work

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        (WHOLE,),
        "several-cards",
        SUITS,
        lambda f: f.several_cards > 0,
        "whole cards are what some need: {several_cards}",
        "the snapshot",
    ),
    Rule(
        (WHOLE,),
        "no-two-fit",
        SUITS,
        no_pair_fits,
        "no two pods fit on a card: the two smallest need {pair}, it has {physical}",
        "the snapshot",
    ),
    Rule(
        (WHOLE,),
        "busy-alone",
        SUITS,
        busy_alone,
        "{busy_alone} of {works} are kept busy by one pod each",
        "facts/peers.md D2",
    ),
    Rule(
        (MIG,),
        "fits-instances",
        SUITS,
        lambda f: bool(f.profile),
        "memory and faults are kept apart by the card, and {dividing} of {pods} fit {profile}: the "
        "largest of them needs {largest} and {most_compute}",
        "facts/k8s.md 1.3, facts/dcgm.md 5",
    ),
    Rule(
        (LIMITED,),
        "limits-memory",
        SUITS,
        pair_fits,
        "pods fit together, each within its limit: the two smallest need {pair}, a card has "
        "{physical}",
        "facts/k8s.md 1.3",
    ),
    Rule(
        (MPS,),
        "one-workload",
        SUITS,
        lambda f: one_program(f) and pair_fits(f),
        "a fault ends only pods of the same workload, and they fit together: the two smallest need "
        "{pair}, a card has {physical}",
        "facts/k8s.md 1.3, facts/peers.md B3",
    ),
    Rule(
        (SLICING,),
        "interactive",
        SUITS,
        lambda f: bool(f.doing(Work.INTERACTIVE)) and pair_fits(f),
        "sessions can wait for one another, and they fit together: the two smallest need {pair}, a "
        "card has {physical}; {interactive}",
        "facts/k8s.md 1.3, facts/peers.md B3 AK2",
    ),
)
