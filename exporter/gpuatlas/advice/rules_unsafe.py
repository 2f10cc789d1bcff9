"""What would hurt those who run there: the rows of `Verdict.UNSAFE`. Pure."""

from __future__ import annotations

from typing import Final

from gpuatlas.advice.conditions import couples_teams, no_pair_fits, none_divides, serving
from gpuatlas.advice.rule import LIMITED, MIG, MPS, SLICING, UNSAFE, Rule

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        (SLICING,),
        "serving-without-isolation",
        UNSAFE,
        serving,
        "nothing keeps a neighbour from taking the memory or the time of a pod that must answer in "
        "time: {serving}",
        "facts/k8s.md 1.3, facts/peers.md B3 AK2",
    ),
    Rule(
        (SLICING,),
        "memory-taken-ahead",
        UNSAFE,
        lambda f: bool(f.ahead),
        "nothing limits memory, and the first pod that takes it ahead leaves none: {ahead}",
        "facts/k8s.md 1.3 and 4.1",
    ),
    Rule(
        (MPS,),
        "crash-coupling",
        UNSAFE,
        couples_teams,
        "a fault of one pod ends all pods on its card, and they are {workloads} of {namespaces}",
        "facts/k8s.md 1.3, facts/peers.md B3 AK3",
    ),
    Rule(
        (MPS, SLICING),
        "shares-are-not-cards",
        UNSAFE,
        lambda f: f.several_cards > 0,
        "two shares may be of one card, and give no more compute than one: {several_cards}",
        "facts/k8s.md 1.2",
    ),
    Rule(
        (MPS, SLICING),
        "no-two-fit",
        UNSAFE,
        no_pair_fits,
        "no two pods fit on a card: the two smallest need {pair}, it has {physical}",
        "the snapshot",
    ),
    Rule(
        (MIG,),
        "no-instance-fits",
        UNSAFE,
        none_divides,
        "no pod could take an instance that leaves room for another: they need {smallest} or more "
        "where a card has {physical}",
        "facts/dcgm.md 5, NVIDIA's MIG guide",
    ),
    Rule(
        (LIMITED,),
        "kai-without-isolation",
        UNSAFE,
        lambda f: f.kai > 0,
        "KAI's fractions, by which {kai} of {cards} are shared, are book-keeping: unless its "
        "isolator runs, which the API does not tell, each pod on them can take all memory",
        "facts/k8s.md 1.3, facts/errata.md",
    ),
)
