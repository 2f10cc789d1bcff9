"""Who holds what on one node: each container's claim on a card, with the evidence that names it.

Order of trust: the layer's annotation or the claim, the pod's own status, KAI's reservation, DCGM's
labels, "the node has but one". Where none of them answers the holding stays without a card, with
the reason.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpuatlas.join.claimed import claimed_holdings, unread_claims
from gpuatlas.join.disagreement import with_conflicts
from gpuatlas.join.fractions import fraction_holdings, oversubscribed, unnamed_reservations
from gpuatlas.join.holding import RANK, ClaimShare, Holding
from gpuatlas.join.inventory import CardFacts, NodeInputs
from gpuatlas.join.places import NodeView
from gpuatlas.join.plugin_holdings import plugin_holdings
from gpuatlas.join.promised import promised_holdings
from gpuatlas.model.objects import Pod
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import Evidence, PartitionKind


def _claimed_twice(holdings: list[Holding]) -> dict[str, str]:
    """Whole cards that two pods claim → the uid of the pod that has the better evidence, or "".

    One of the sources lies; where both are as good, we cannot tell which.
    """
    claims: dict[str, dict[str, int]] = defaultdict(dict)
    whole = {h.card for h in holdings if h.card and h.kind is PartitionKind.WHOLE}
    for holding in holdings:
        if holding.card in whole:
            best = claims[holding.card].get(holding.pod.uid, len(RANK))
            claims[holding.card][holding.pod.uid] = min(best, RANK[holding.evidence])
    twice = {}
    for card, ranks in claims.items():
        best = min(ranks.values())
        winners = [uid for uid, rank in ranks.items() if rank == best]
        if len(ranks) > 1:
            twice[card] = winners[0] if len(winners) == 1 else ""
    return twice


def _without_conflicts(holdings: list[Holding]) -> tuple[list[Holding], list[Rejection]]:
    twice = _claimed_twice(holdings)
    if not twice:
        return holdings, []
    kept, rejections = [], []
    for holding in holdings:
        if holding.card not in twice or twice[holding.card] == holding.pod.uid:
            kept.append(holding)
            continue
        where = f"pod {holding.pod.namespace}/{holding.pod.name} card {holding.card}"
        text = f"another pod claims whole card {holding.card} too ({holding.evidence})"
        rejections.append(Rejection("join", "card-claimed-twice", where, text))
        kept.append(
            replace(
                holding, card="", partition="", evidence=Evidence.UNKNOWN, reason=text, claims=()
            )
        )
    return kept, rejections


def _merged(holdings: list[Holding]) -> list[Holding]:
    """One holding per (pod, container, card): the identity of an allocation's series.

    A container with two partitions of one card keeps both ids, joined by a comma.

    Holdings without a card of one container become one; two vendors' do not meet in one container.
    """
    merged: dict[tuple[str, str, str, str], Holding] = {}
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for holding in holdings:
        key = (holding.pod.uid, holding.container, holding.card, "" if holding.card else "?")
        counts[key] += holding.count
        first = merged.setdefault(key, holding)
        if first is not holding and holding.card:
            merged[key] = replace(
                first,
                partition=",".join(dict.fromkeys((*first.partition.split(","), holding.partition))),
                memory_bytes=_sum(first.memory_bytes, holding.memory_bytes),
                cores=_sum(first.cores, holding.cores),
                claims=(*first.claims, *holding.claims),
            )
    return [h if h.card else replace(h, count=counts[k]) for k, h in merged.items()]


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Who holds what on a node, by pod.

    `idle` are shares of claims that no pod uses, `doubtful` says why a card's promises do not add
    up; both by card. `reserved` are KAI's reservations of cards that nothing names.
    """

    holdings: Sequence[Holding]
    idle: Mapping[str, Sequence[ClaimShare]] = field(default_factory=dict)
    doubtful: Mapping[str, str] = field(default_factory=dict)
    reserved: Sequence[Holding] = ()
    rejections: Sequence[Rejection] = ()


def _unread(pod: Pod, view: NodeView) -> list[Holding]:
    """A pod's claims where nobody may read claims: its status names devices, or nothing does."""
    found = list(unread_claims(view, pod))
    if found or not (pod.claims or pod.extended_claim) or not view.inputs.dra.devices:
        return found
    return [
        Holding(
            pod=pod,
            container="",
            init=False,
            vendor=next(iter(view.inputs.dra.devices.values())).vendor,
            card="",
            kind=PartitionKind.DRA,
            partition="",
            evidence=Evidence.UNKNOWN,
            reason=f"its ResourceClaims cannot be read: {view.inputs.claims_silent}",
        )
    ]


def _holdings_of_pod(pod: Pod, view: NodeView, rejections: list[Rejection]) -> Iterator[Holding]:
    """All holdings of a pod but those by claims.

    Its annotations say nothing of what it asks for beside them: a pod cannot hide a card that
    another vendor's plugin, or another resource, gave it. KAI gives fractions to pods that ask for
    no device at all.
    """
    promised: list[Holding] = []
    if pod.promises:
        promised, refused = promised_holdings(pod, view.node.name, view.cards)
        rejections += refused
        yield from promised
    layered = {holding.vendor for holding in promised}
    served = [h for h in plugin_holdings(pod, view) if h.vendor not in layered]
    if pod.fraction is not None and not (promised or served):
        yield from fraction_holdings(pod, pod.fraction, view)
    if view.inputs.claims_silent:
        yield from _unread(pod, view)
    yield from served


def attribute(inputs: NodeInputs, cards: tuple[CardFacts, ...]) -> Attribution:
    """All holdings on the node, and the claims that were refused."""
    view = NodeView(inputs, cards)
    claimed = claimed_holdings(view)
    holdings: list[Holding] = list(claimed.holdings)
    rejections: list[Rejection] = []
    for pod in inputs.pods:
        # KAI holds a card with a reservation pod for others, which are its tenants.
        if pod.holds and pod.reservation is None:
            holdings += _holdings_of_pod(pod, view, rejections)
    resolved, conflicts = _without_conflicts(holdings)
    merged, disagreements = with_conflicts(_merged(resolved), view)
    excess = oversubscribed(merged)
    return Attribution(
        holdings=sorted(merged, key=lambda h: h.pod.key),
        idle=claimed.idle,
        doubtful={card: rejection.message for card, rejection in excess.items()},
        reserved=unnamed_reservations(view),
        rejections=(*rejections, *conflicts, *disagreements, *excess.values()),
    )
