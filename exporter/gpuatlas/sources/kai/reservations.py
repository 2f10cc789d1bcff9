"""Which card each of KAI's groups has, by its reservation pods. Pure; nothing here raises."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from gpuatlas.model.claims import Reservation
from gpuatlas.model.objects import Pod
from gpuatlas.model.rejections import MalformedError, Rejection
from gpuatlas.model.units import clean_text
from gpuatlas.sources.hami.fields import card_id
from gpuatlas.sources.hami.refusals import Refusals
from gpuatlas.sources.kai import marks
from gpuatlas.sources.kai.fractions import BAD_TEXT, CONTRADICTION, SOURCE

GroupKey = tuple[str, str]

NOT_A_RESERVATION: Final = "not-a-reservation"


def is_reservation(pod: Pod, namespaces: frozenset[str] = marks.RESERVATION_NAMESPACES) -> bool:
    """Whether KAI holds a card with this pod: it is infrastructure, no tenant.

    The namespace is what counts, since tenants cannot create pods there. The label `app` and the
    namespace itself can be set up otherwise; `namespaces` takes the latter.
    """
    return pod.namespace in namespaces and pod.name.startswith(marks.RESERVATION_NAME_START)


def read_reservation(
    pod: Pod, namespaces: frozenset[str] = marks.RESERVATION_NAMESPACES
) -> tuple[Reservation | None, tuple[Rejection, ...]]:
    """The reservation that a pod is, or None; a card named by any other pod is refused."""
    refusals = Refusals(SOURCE, clean_text(f"pod {pod.namespace}/{pod.name}"))
    field = f"annotation {marks.CARD}"
    written = pod.annotations.get(marks.CARD)
    if not is_reservation(pod, namespaces):
        if written is not None:
            where = " and ".join(sorted(namespaces))
            message = f"only KAI's reservation pods, in {where}, may name a card"
            refusals.add(NOT_A_RESERVATION, message, field=field)
        return None, refusals.result()
    group = pod.labels.get(marks.GROUP, "")
    if not group:
        refusals.add(BAD_TEXT, "a reservation without a group", field=f"label {marks.GROUP}")
        return None, refusals.result()
    card = ""
    try:
        card = "" if written is None else _card(written)
    except MalformedError as error:
        refusals.add_error(error, field=field)
    found = Reservation(
        namespace=pod.namespace, pod=pod.name, node=pod.node, group=group, card=card
    )
    return found, refusals.result()


def _card(written: str) -> str:
    card = card_id(written)
    if card.lstrip("-").isdecimal():
        message = f"{card} is the number of a card, expected its UUID"
        raise MalformedError(BAD_TEXT, message)
    return card


def cards_of_groups(
    reservations: Iterable[Reservation],
) -> tuple[Mapping[GroupKey, Reservation], tuple[Rejection, ...]]:
    """(node, group) → the reservation that names the group's card there.

    By node, because a tenant can write any group on its own pod: it counts where the card is. Two
    reservations of one group in different places (facts/errata.md, KAI) are reported; where both
    are on one node the group has no card. `reservations` are those of pods that hold their card
    (`Pod.holds`).
    """
    places: dict[str, dict[tuple[str, str], Reservation]] = defaultdict(dict)
    for found in sorted(reservations, key=lambda r: (r.group, r.namespace, r.pod)):
        if found.card and found.node:
            places[found.group].setdefault((found.node, found.card), found)
    cards: dict[GroupKey, Reservation] = {}
    rejections = []
    for group, found_at in places.items():
        on_node = Counter(node for node, _ in found_at)
        cards |= {(n, group): found for (n, _), found in found_at.items() if on_node[n] == 1}
        if len(found_at) > 1:
            rejections.append(_different_cards(group, found_at.values()))
    return cards, tuple(rejections)


def _different_cards(group: str, reservations: Iterable[Reservation]) -> Rejection:
    pods = ", ".join(f"{found.pod} on {found.node}" for found in reservations)
    message = f"reservations of one group name different cards: {pods}"
    where = clean_text(f"group {group}")
    return Rejection(SOURCE, CONTRADICTION, where, clean_text(message))
