"""What speaks for and against each strategy: the table. A new rule is a new row.

Every row is asked of every pool. Of the rows that hold, the gravest verdict wins (`model.advice.
Verdict` has the order): a strategy is as good as the worst that is known of it, what is impossible
or unsafe by its nature is said without measurements, and nothing is recommended while a row says
that there is not enough data.

`text` may name the figures of `wording.figures`, all of them counted or measured in the pool; it
holds no number of its own. `source` is where the fact is written down. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gpuatlas.advice.conditions import (
    busy_alone,
    computes_known,
    couples_teams,
    mig_can,
    mig_is_new,
    mostly_busy,
    needs_known,
    no_pair_fits,
    none_divides,
    one_program,
    pair_fits,
    purpose_known,
    serving,
    size_unknown,
    too_many,
)
from gpuatlas.advice.facts import MPS_CLIENTS, PoolFacts, covers
from gpuatlas.advice.work import Work
from gpuatlas.model.advice import Strategy, Verdict
from gpuatlas.model.snapshot import Sharing

WHOLE, MIG, LIMITED = Strategy.WHOLE, Strategy.MIG, Strategy.MEMORY_LIMITED
MPS, SLICING = Strategy.MPS, Strategy.TIME_SLICING
IMPOSSIBLE, UNSAFE, NO_ADVICE = Verdict.IMPOSSIBLE, Verdict.UNSAFE, Verdict.NO_ADVICE
POSSIBLE, SUITS = Verdict.POSSIBLE, Verdict.SUITS


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: if `holds`, `verdict` on each of `strategies`, because of `text`."""

    strategies: tuple[Strategy, ...]
    word: str
    verdict: Verdict
    holds: Callable[[PoolFacts], bool]
    text: str
    source: str


SHARED: Final = (MIG, LIMITED, MPS, SLICING)
EVERY: Final = (WHOLE, *SHARED)

RULES: Final[tuple[Rule, ...]] = (
    # --- what cannot be, whatever runs there
    Rule(
        (MIG, MPS, SLICING),
        "not-nvidia",
        IMPOSSIBLE,
        lambda f: f.vendor not in {"nvidia", ""},
        "it is made for NVIDIA cards, and these are of {vendor}",
        "facts/k8s.md 1.0",
    ),
    Rule(
        (MIG,),
        "model-without-mig",
        IMPOSSIBLE,
        lambda f: f.mig is not None and f.mig.instances == 0,
        "{model} has no MIG",
        "facts/dcgm.md 5",
    ),
    Rule(
        (MIG,),
        "driver-too-old",
        IMPOSSIBLE,
        lambda f: bool(f.old_driver),
        "the driver {old_driver} is older than MIG on {model}",
        "facts/dcgm.md 5",
    ),
    Rule(
        (MPS,),
        "not-on-mig",
        IMPOSSIBLE,
        lambda f: Sharing.MIG in f.in_use,
        "the device plugin offers no MPS on MIG instances, and cards of this pool are divided by "
        "MIG",
        "facts/k8s.md 1.2",
    ),
    Rule(
        (MPS,),
        "too-many-clients",
        IMPOSSIBLE,
        lambda f: f.fullest > MPS_CLIENTS,
        "the fullest card has {fullest_pods}: more than MPS admits",
        "facts/k8s.md 1.3",
    ),
    Rule(
        (MPS, SLICING),
        "gke-one-share",
        IMPOSSIBLE,
        lambda f: f.platform == "gke" and f.several_cards > 0,
        "GKE refuses a container that asks for more than one share, as these would: "
        "{several_cards}",
        "facts/k8s.md 1.13",
    ),
    # --- what would hurt those who run there
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
    # --- what is missing
    Rule(
        EVERY,
        "no-card-named",
        NO_ADVICE,
        lambda f: not f.cards,
        "no source names a card of {nodes}: run dcgm-exporter or a sharing layer there",
        "facts/k8s.md 1.0",
    ),
    Rule(
        EVERY,
        "no-driver-metrics",
        NO_ADVICE,
        lambda f: bool(f.cards) and not f.measured,
        "no card's memory and work are measured: {unmeasured_because}",
        "DESIGN 7",
    ),
    Rule(
        EVERY,
        "few-cards-seen",
        NO_ADVICE,
        lambda f: (
            f.measured > 0
            and not (
                covers(f.measured, len(f.cards))
                and covers(f.nodes - f.nodes_without_cards, f.nodes)
            )
        ),
        "only {measured} of {cards} on {nodes} are measured; nodes that name no card: "
        "{nodes_without_cards}",
        "DESIGN 7",
    ),
    Rule(
        EVERY,
        "nobody-runs",
        NO_ADVICE,
        lambda f: bool(f.cards) and not f.tenants and not f.holders_unknown,
        "no pod holds a card now",
        "DESIGN 7",
    ),
    Rule(
        EVERY,
        "holders-unknown",
        NO_ADVICE,
        lambda f: bool(f.holders_unknown) and not f.tenants,
        "who holds the cards is not known: {holders_unknown}",
        "DESIGN 7",
    ),
    Rule(
        EVERY,
        "attribution-unknown",
        NO_ADVICE,
        lambda f: not covers(len(f.tenants) - f.unplaced, len(f.tenants)),
        "nothing names the cards of {unplaced} of {pods}",
        "facts/k8s.md 1.6",
    ),
    Rule(
        SHARED,
        "nobody-to-share-with",
        NO_ADVICE,
        lambda f: bool(f.tenants) and len(f.single) < 2,  # noqa: PLR2004 it takes two
        "fewer than two pods could share: no more than one card is held by {single} of {pods}",
        "DESIGN 7",
    ),
    Rule(
        (MPS, SLICING),
        "purpose-unknown",
        NO_ADVICE,
        lambda f: not purpose_known(f),
        "what {unknown} of {pods} do is not known: one may have to answer in time",
        "facts/k8s.md 4",
    ),
    Rule(
        (MIG, LIMITED, MPS),
        "memory-taken-ahead",
        NO_ADVICE,
        lambda f: not needs_known(f) and bool(f.ahead),
        "what they hold is a setting and not a need: {ahead}",
        "facts/k8s.md 4.1, DESIGN 7",
    ),
    Rule(
        SHARED,
        "memory-use-unknown",
        NO_ADVICE,
        lambda f: not needs_known(f) and not f.ahead,
        "memory use is known of {needs_known} of {single_pods} that could share",
        "DESIGN 7",
    ),
    Rule(
        (MIG,),
        "model-not-on-record",
        NO_ADVICE,
        lambda f: bool(f.cards) and f.mig is None and f.vendor == "nvidia",
        "whether MIG can divide {model} is not on record",
        "facts/dcgm.md 5",
    ),
    # --- what to think of
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
    # --- what speaks for it
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
