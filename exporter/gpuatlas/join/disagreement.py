"""Where two sources name different cards for one container: a fact of its own.

The more trusted source stands. What a source is known to say wrongly never comes here: `places`
leaves it out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from gpuatlas.join.claimed import served_by_claim
from gpuatlas.join.holding import RANK, Holding
from gpuatlas.join.places import CLAIM_RESOURCE, NodeView, claimed_in_status, status_places
from gpuatlas.model.objects import Pod
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import Evidence, EvidenceConflict


def with_conflicts(
    holdings: Sequence[Holding], view: NodeView
) -> tuple[list[Holding], list[Rejection]]:
    """The holdings, each with the other cards that less trusted sources name for its container.

    A source that names fewer cards than another contradicts nothing: pages and labels have gaps.
    """
    grouped: dict[tuple[str, str], list[int]] = defaultdict(list)
    for position, holding in enumerate(holdings):
        if holding.card and holding.container:
            grouped[holding.pod.uid, holding.container].append(position)
    result = list(holdings)
    rejections: list[Rejection] = []
    for positions in grouped.values():
        own = [holdings[position] for position in positions]
        for evidence, cards in _others(own[0], view):
            strange = sorted(cards - {holding.card for holding in own})
            if not strange or RANK[evidence] <= RANK[own[0].evidence]:
                continue
            denied = [p for p in positions if holdings[p].card not in cards] or positions
            conflicts = tuple(EvidenceConflict(card, evidence) for card in strange)
            first = result[denied[0]]
            result[denied[0]] = replace(first, conflicts=(*first.conflicts, *conflicts))
            rejections.append(_rejection(first, evidence, strange))
    return result, rejections


def _others(holding: Holding, view: NodeView) -> Iterable[tuple[Evidence, set[str]]]:
    """(source, cards) that other sources name for the container of a holding."""
    pod, container = holding.pod, holding.container
    if pod.devices:
        yield Evidence.POD_STATUS, _in_status(pod, container, view)
    yield Evidence.DCGM, {place.card for place in view.labels_of(pod, container)}


def _in_status(pod: Pod, name: str, view: NodeView) -> set[str]:
    cards = {view.inputs.dra.card_of[device.key] for device in claimed_in_status(pod, name, view)}
    served = served_by_claim(pod)
    for container in pod.containers:
        if container.name != name:
            continue
        resources = {
            status.resource
            for status in pod.devices
            if not status.resource.startswith(CLAIM_RESOURCE)
            and (name, status.resource) not in served
        }
        for resource in resources:
            cards |= {place.card for place in status_places(pod, container, resource, view)}
    return cards


def _rejection(holding: Holding, evidence: Evidence, cards: Sequence[str]) -> Rejection:
    pod = holding.pod
    return Rejection(
        "join",
        "sources-disagree",
        f"pod {pod.namespace}/{pod.name} container {holding.container}",
        f"{holding.evidence} says card {holding.card}, {evidence} says {', '.join(cards)}; "
        f"{holding.evidence} stands",
    )
