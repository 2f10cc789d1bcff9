"""Makes up the cards of vendors that register nothing, exactly as HAMi does.

The ids are HAMi's inventions (`<node>-cambricon-mlu-0`): they are what pod annotations name, and
they join with nothing that a vendor's own exporter says. A registration made here proves that the
node has the vendor's cards. It proves nothing of a HAMi in the cluster: whole-card resources such
as `amd.com/gpu` are there without one. Who asks "does HAMi share this node" must look at
`Registration.source`, which is a resource here and an annotation elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from gpuatlas.model.devices import RegisteredDevice, Registration
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import MAX_CARDS_PER_NODE, MIB
from gpuatlas.sources.hami import fields
from gpuatlas.sources.hami.families import FAMILIES, Derivation, Family
from gpuatlas.sources.hami.refusals import Refusals


def derive(
    node: str, capacity: Mapping[str, int], *, known: Collection[str], refusals: Refusals
) -> Iterator[Registration]:
    """One registration for each vendor outside `known` whose resource the node has.

    `known` are the vendors that registered cards themselves: making up more would count the same
    cards twice. For the same reason a vendor's first row wins.
    """
    seen = set(known)
    for family in FAMILIES:
        derivation = family.derivation
        if derivation is None or family.vendor in seen or not capacity.get(derivation.resource):
            continue
        seen.add(family.vendor)
        try:
            devices = _devices(node, family, derivation, capacity)
        except MalformedError as error:
            refusals.add_error(error, field=f"capacity {derivation.resource}")
            continue
        yield Registration(
            layer=family.layer,
            vendor=family.vendor,
            family=family.word,
            source=derivation.resource,
            devices=devices,
        )


def _devices(
    node: str, family: Family, derivation: Derivation, capacity: Mapping[str, int]
) -> tuple[RegisteredDevice, ...]:
    amount = capacity[derivation.resource]
    most = MAX_CARDS_PER_NODE * derivation.units_per_card
    units = fields.number(amount, name=derivation.resource, most=most)
    count = -(-units // derivation.units_per_card)
    memory = _memory(derivation, capacity, units=units)
    slots, cores = derivation.slots, derivation.cores
    if derivation.cores_resource:
        per_card = fields.slots(capacity.get(derivation.cores_resource, 0)) // count
        slots, cores = per_card, per_card or None
    return tuple(
        RegisteredDevice(
            card=fields.card_id(derivation.card.format(node=node, index=index)),
            index=index,
            slots=slots,
            memory_bytes=memory,
            cores=cores,
            model=family.word,
            healthy=True,
        )
        for index in range(count)
    )


def _memory(derivation: Derivation, capacity: Mapping[str, int], *, units: int) -> int | None:
    """The share of one card, rounded down to a MiB as HAMi does; None where nobody says."""
    if not derivation.memory:
        return None
    total = capacity.get(derivation.memory, 0) * derivation.memory_unit // MIB
    return fields.memory(total * derivation.units_per_card // units, unit=MIB)
