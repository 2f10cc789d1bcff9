"""The page of a node's dcgm-exporter (facts/dcgm.md 2 and 3).

Versions 4.8.2 and 4.8.3, whole cards, MIG instances and virtual GPUs. The exporter knows nothing of
some layers (facts/dcgm.md 2.4): cards under HAMi, Volcano and DRA have no pod labels, and KAI's
name the pod that reserves the card.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.scenario import Sharing
from gpuatlas.demo.state import CardState, InstanceState, NodeState, TenantState
from gpuatlas.demo.wire.dcgm_fields import FIELDS, Field
from gpuatlas.demo.wire.exposition import Page, label_text
from gpuatlas.demo.wire.reservations import reservation_of

# Fields of which 4.8.2 with virtual GPUs knows each tenant's own value (facts/dcgm.md 2.4).
_PER_TENANT: Final = ("DEV_GPU_UTIL", "DEV_FB_USED")
# Layers whose device ids are none that the exporter knows, or that it was not told to ask.
_NAMELESS: Final = frozenset({Sharing.HAMI, Sharing.VOLCANO, Sharing.DRA})
_XID_WINDOW_MS: Final = "300000"
# What the exporter adds to an XID; its own table has all numbers.
_XID_TEXTS: Final = {
    31: "GPU memory page fault",
    48: "Double Bit ECC Error",
    79: "GPU has fallen off the bus",
}

Attributes = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Series:
    """One series of a field: whose value, and the labels that only this one has."""

    instance: InstanceState | None
    attributes: Attributes
    tenant: TenantState | None = None


def dcgm_page(node: NodeState, at: float) -> str:
    """The text that the exporter of `node` serves at `at`."""
    newer = node.spec.dcgm_exporter == "4.8.3"
    page = Page(by_name=newer)
    cards = [card for card in node.cards if card.present]
    lines = {
        per_tenant: [(card, _lines(card, per_tenant=per_tenant)) for card in cards]
        for per_tenant in (False, True)
    }
    for field in FIELDS:
        kind = field.kind_since_483 if newer and field.kind_since_483 else field.kind
        samples = (
            sample
            for card, written in lines[field.name in _PER_TENANT]
            for sample in _samples(field, card, written, at)
        )
        page.family(f"DCGM_FI_{field.name}", kind, field.help, samples)
    _xid_families(page, cards, newer=newer)
    return page.text


def _lines(card: CardState, *, per_tenant: bool) -> list[tuple[_Series, str]]:
    """The series of most fields, or of those `_PER_TENANT`, with their labels."""
    return [(one, label_text(_labels(card, one))) for one in _series(card, per_tenant=per_tenant)]


def _samples(
    field: Field, card: CardState, lines: list[tuple[_Series, str]], at: float
) -> Iterator[tuple[str, str]]:
    for series, labels in lines:
        if series.instance:
            value = field.of_instance(series.instance, card, at)
        elif series.tenant:
            value = _tenant_value(field, series.tenant)
        else:
            value = field.card(card, at)
        if value is not None:
            yield labels, _number(value, field.digits)


def _tenant_value(field: Field, tenant: TenantState) -> float:
    own = tenant.resident_mib if field.name == "DEV_FB_USED" else round(100 * tenant.compute)
    return float(own)


def _series(card: CardState, *, per_tenant: bool = False) -> Iterator[_Series]:
    """Which series a field has for this card."""
    nameless = card.node.sharing in _NAMELESS
    if card.instances:
        for instance in card.instances:
            yield _Series(instance, {} if nameless else _owner(instance.tenants))
    elif card.node.sharing is Sharing.TIME_SLICING:
        yield from _virtual(card, per_tenant=per_tenant)
    elif nameless:
        yield _Series(None, {})
    elif reservation := reservation_of(card):
        yield _Series(None, reservation.labels)
    else:
        yield _Series(None, _owner(card.tenants))


def _virtual(card: CardState, *, per_tenant: bool) -> Iterator[_Series]:
    """One copy per tenant; a card without tenants has no series at all (facts/errata.md)."""
    if per_tenant and card.tenants:
        yield _Series(None, {})
    for tenant in card.tenants:
        place = tenant.pod.place
        attributes = _owner((tenant,)) | {"vgpu": str(place.slot if place else 0)}
        if per_tenant:
            yield _Series(None, attributes | {"pod_uid": tenant.pod.uid}, tenant)
        else:
            yield _Series(None, attributes)


def _owner(tenants: tuple[TenantState, ...]) -> Attributes:
    if not tenants:
        return {}
    pod = tenants[0].pod
    return {
        "container": pod.container,
        "namespace": pod.workload.namespace,
        "pod": pod.name,
    }


def _labels(card: CardState, series: _Series) -> list[tuple[str, str]]:
    """In the exporter's order: the card, the instance, the host, the driver, then by name."""
    node = card.node
    host = "hostname" if node.dcgm_exporter == "4.8.3" else "Hostname"
    labels = [
        ("gpu", str(card.index)),
        ("UUID", card.uuid),
        ("pci_bus_id", card.pci_bus_id),
        ("device", f"nvidia{card.index}"),
        ("modelName", node.card.model),
    ]
    if series.instance:
        labels += [
            ("GPU_I_PROFILE", series.instance.profile),
            ("GPU_I_ID", str(series.instance.number)),
        ]
    labels += [(host, node.name), ("DCGM_FI_DRIVER_VERSION", node.driver)]
    return labels + sorted(series.attributes.items())


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if digits else str(int(value))


def _xid_families(page: Page, cards: list[CardState], *, newer: bool) -> None:
    """The gauge is absent until a card had its first XID (facts/dcgm.md 0, trap 3).

    Of the count a card without any has one series of 0, without a number (1.5 there).
    """
    last: list[tuple[list[tuple[str, str]], str]] = []
    counted: list[tuple[list[tuple[str, str]], str]] = []
    for card in cards:
        code = card.sensors.xid
        if not code:
            window = {"window_size_in_ms": _XID_WINDOW_MS}
            counted += [
                (_labels(card, _Series(s.instance, s.attributes | window)), "0")
                for s in _series(card)
            ]
        for series in _series(card) if code else ():
            text = _XID_TEXTS.get(code, "Unknown Error")
            named = _Series(
                series.instance, series.attributes | {"err_code": str(code), "err_msg": text}
            )
            last.append((_labels(card, named), str(code)))
            window = {"window_size_in_ms": _XID_WINDOW_MS, "xid": str(code)}
            counted.append(
                (
                    _labels(card, _Series(series.instance, series.attributes | window)),
                    str(card.sensors.xid_count),
                )
            )
    page.family("DCGM_FI_DEV_XID_ERRORS", "gauge", "Number of the last XID error.", last)
    kind = "gauge" if newer else "counter"
    page.family("DCGM_EXP_XID_ERRORS_COUNT", kind, "XID errors in the window.", counted)
