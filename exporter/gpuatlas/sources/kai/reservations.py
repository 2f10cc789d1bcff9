"""The pods with which KAI holds cards for groups of fractions. Pure; nothing here raises."""

from __future__ import annotations

from typing import Final

from gpuatlas.model.claims import Reservation
from gpuatlas.model.objects import Pod
from gpuatlas.model.rejections import MalformedError, Rejection
from gpuatlas.model.units import clean_text
from gpuatlas.sources.hami.fields import card_id
from gpuatlas.sources.hami.refusals import Refusals
from gpuatlas.sources.kai import marks
from gpuatlas.sources.kai.fractions import BAD_TEXT, SOURCE

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
