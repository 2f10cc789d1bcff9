"""What is not known well enough: the rows of `Verdict.NO_ADVICE`. Pure."""

from __future__ import annotations

from typing import Final

from gpuatlas.advice.conditions import needs_known, purpose_known
from gpuatlas.advice.facts import covers
from gpuatlas.advice.rule import EVERY, LIMITED, MIG, MPS, NO_ADVICE, SHARED, SLICING, Rule

RULES: Final[tuple[Rule, ...]] = (
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
)
