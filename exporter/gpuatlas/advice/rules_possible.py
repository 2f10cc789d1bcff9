"""What to think of before: the rows of `Verdict.POSSIBLE`. Pure."""

from __future__ import annotations

from typing import Final

from gpuatlas.advice.conditions import (
    busy_alone,
    computes_known,
    couples_teams,
    mig_can,
    mig_is_new,
    mostly_busy,
    no_pair_fits,
    one_program,
    pair_fits,
    size_unknown,
    too_many,
)
from gpuatlas.advice.rule import LIMITED, MIG, MPS, POSSIBLE, SHARED, SLICING, WHOLE, Rule
from gpuatlas.advice.work import Work

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        (LIMITED, MPS, SLICING),
        "busy",
        POSSIBLE,
        mostly_busy,
        "{busy} of {works} work too much to be shared without slowing somebody",
        "facts/peers.md D2",
    ),
    Rule(
        SHARED,
        "gang-on-one-card",
        POSSIBLE,
        lambda f: f.ganged > 1,
        "nothing keeps pods of one gang off one card, where they gain nothing and NCCL refuses "
        "to run two ranks: of gangs are {ganged}",
        "facts/k8s.md 3.3, NVIDIA's NCCL guide",
    ),
    Rule(
        (WHOLE,),
        "room-left",
        POSSIBLE,
        lambda f: pair_fits(f) and not busy_alone(f) and not f.several_cards,
        "two pods would fit on a card: the two smallest need {pair}, it has {physical}; working "
        "little: {low} of {works}",
        "facts/peers.md D2",
    ),
    Rule(
        (LIMITED,),
        "no-two-fit",
        POSSIBLE,
        no_pair_fits,
        "nothing to gain: the two smallest pods need {pair}, a card has {physical}",
        "the snapshot",
    ),
    Rule(
        (LIMITED,),
        "soft-limits",
        POSSIBLE,
        lambda f: f.namespaces > 1,
        "its limits are kept by a library in the container and not by the card, and faults are "
        "not kept apart: only for teams that trust one another, here {namespaces}",
        "facts/k8s.md 1.3, facts/hami.md 6.3",
    ),
    Rule(
        (LIMITED,),
        "promised-beyond-memory",
        POSSIBLE,
        lambda f: f.overcommitted > 0,
        "promised beyond their memory: {overcommitted}; the layer moves nothing to host memory, so "
        "pods that use what they were promised run out of it",
        "facts/hami.md 5.6",
    ),
    Rule(
        (MIG,),
        "aks-new-pool",
        POSSIBLE,
        lambda f: f.platform == "aks" and mig_is_new(f),
        "AKS sets the profile when a pool is created, one for all its cards: it takes a new pool",
        "facts/k8s.md 1.12",
    ),
    Rule(
        (MIG,),
        "several-cards",
        POSSIBLE,
        lambda f: f.several_cards > 0,
        "an instance is a part of one card, so some must stay whole: {several_cards}",
        "facts/k8s.md 1.3",
    ),
    Rule(
        (MIG,),
        "some-stay-whole",
        POSSIBLE,
        lambda f: bool(f.dividing) and f.oversized > 0,
        "{oversized} of {pods} need more than any instance that leaves room for another, so their "
        "cards must stay whole",
        "facts/dcgm.md 5, NVIDIA's MIG guide",
    ),
    Rule(
        (MIG,),
        "sizes-not-on-record",
        POSSIBLE,
        size_unknown,
        "the size of a large enough instance is not on record: compare what `nvidia-smi mig -lgip` "
        "lists with {largest} and {most_compute}",
        "facts/dcgm.md 5",
    ),
    Rule(
        (MIG,),
        "compute-use-unknown",
        POSSIBLE,
        lambda f: mig_can(f) and not computes_known(f),
        "an instance is a share of compute too, and use of compute is known of {computes_known} of "
        "{single_pods} that could share",
        "facts/dcgm.md 5",
    ),
    Rule(
        (MIG,),
        "static-profiles",
        POSSIBLE,
        lambda f: "" not in {f.profile, f.least_profile} and f.profile != f.least_profile,
        "pods differ, the layout stays as it was cut: the smallest fits {least_profile}, the "
        "largest {profile}; cutting anew stops {pods}",
        "facts/k8s.md 1.4, facts/peers.md B3 AK1",
    ),
    Rule(
        (MIG,),
        "too-few-instances",
        POSSIBLE,
        too_many,
        "the fullest card has {fullest_pods}: more than it has instances of {profile}",
        "facts/k8s.md 1.12",
    ),
    Rule(
        (MPS,),
        "crash-coupling",
        POSSIBLE,
        lambda f: not couples_teams(f) and not one_program(f),
        "a fault of one pod ends all pods on its card, and they are {workloads} of {namespaces}",
        "facts/k8s.md 1.3",
    ),
    Rule(
        (SLICING,),
        "nothing-limits-memory",
        POSSIBLE,
        lambda f: f.namespaces > 1 or bool(f.doing(Work.BATCH)),
        "they can wait for one another, but nothing limits memory: one pod can end those of "
        "{namespaces}",
        "facts/k8s.md 1.3",
    ),
)
