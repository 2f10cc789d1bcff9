"""S15, settings of cards: what a node's registration shows of them, and what it should show. Pure.

Facts: facts/hami.md 2.2. Cards in mode `mig` register sizes and numbers of their own (slots are
instances since v2.10, memory is not scaled since v2.8): of them only the mode is compared. Volcano
counts memory in a unit that its registrations do not name (facts/errata.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from gpuatlas.checks.configs import (
    MEMORY_SCALING,
    MODE,
    SPLIT_COUNT,
    Stated,
    Told,
    is_preconfigured,
)
from gpuatlas.checks.context import HAMI, CheckContext
from gpuatlas.model.checks import Finding, MissingInput
from gpuatlas.model.devices import RegisteredDevice, Registration
from gpuatlas.model.objects import Node
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import PartitionKind
from gpuatlas.model.units import MIB

# The driver's total and the figure that the layer scaled differ by what the driver reserves for
# itself, up to some hundreds of MiB (facts/dcgm.md 1.4), and both are rounded.
MEMORY_TOLERANCE: Final = 0.01
RESERVED_BYTES: Final = 512 * MIB
# A setting for all nodes that none of them took is one cause: so many are named, else counted.
NAMED_NODES: Final = 5
_MIG: Final = str(PartitionKind.MIG)
_VENDOR: Final = "nvidia"  # the settings are for its cards alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A setting that a node's registration does not show. `registered` quotes what it shows."""

    signal: str
    node: str
    stated: Stated
    registered: str


class _Said(NamedTuple):
    """What a node is told about the cards of one layer."""

    modes: tuple[Stated, ...]
    splits: tuple[Stated, ...]
    scalings: tuple[Stated, ...]


def _said(registration: Registration, node: Node, told: Told) -> _Said:
    return _Said(
        told.of(MODE, node.name),
        told.of(SPLIT_COUNT, node.name),
        _scalings(registration, node, told),
    )


def _registrations(node: Node, told: Mapping[str, Told]) -> Iterator[Registration]:
    return (r for r in node.registrations if r.vendor == _VENDOR and r.layer in told)


def drifts_of(context: CheckContext, node: Node, told: Mapping[str, Told]) -> Iterator[Drift]:
    """What the node registered in another way than it is told to; each signal once."""
    seen: set[str] = set()
    for registration in _registrations(node, told):
        said = _said(registration, node, told[registration.layer])
        for device in registration.devices:
            where = f"{registration.source} of node {node.name}: {device.card}"
            for signal, stated, shown in _compared(context, node, device, said):
                if signal not in seen:
                    seen.add(signal)
                    text = f"{where} {shown}"
                    yield Drift(signal=signal, node=node.name, stated=stated, registered=text)


def _compared(
    context: CheckContext, node: Node, device: RegisteredDevice, said: _Said
) -> Iterator[tuple[str, Stated, str]]:
    """(signal, what was told, what is shown) of each setting that differs."""
    if device.mode and said.modes and all(mode.value != device.mode for mode in said.modes):
        yield "mode", said.modes[0], f"mode {device.mode}"
    if _MIG in {device.mode, *(mode.value for mode in said.modes)}:
        return
    slots, splits = device.slots, said.splits
    if slots is not None and splits and all(split.value != slots for split in splits):
        yield "split-count", splits[0], f"count {slots}"
    physical = _physical(context, node, device)
    registered, scalings = device.memory_bytes, said.scalings
    if isinstance(physical, Known) and registered is not None and scalings:
        size = physical.value
        if not any(_is_scaled(registered, size, stated) for stated in scalings):
            shown = f"devmem {registered // MIB} of {size // MIB} MiB ({registered / size:.3g})"
            yield "memory-scaling", scalings[0], shown


def _physical(context: CheckContext, node: Node, device: RegisteredDevice) -> Reading[int]:
    card = context.cards.get((node.name, device.card))
    return card.memory.physical if card is not None else Unknown("no page lists the card")


def _scalings(registration: Registration, node: Node, told: Told) -> tuple[Stated, ...]:
    """What is said of the scaling where it can be compared."""
    if registration.layer != HAMI or is_preconfigured(told.configs, node.name):
        return ()
    return told.of(MEMORY_SCALING, node.name)


def _is_scaled(registered: int, physical: int, stated: Stated) -> bool:
    factor = float(stated.value)
    expected = physical * factor
    slack = max(MEMORY_TOLERANCE * expected, RESERVED_BYTES * max(1.0, factor))
    return abs(registered - expected) <= slack


def unmeasured(
    context: CheckContext, check: str, node: Node, told: Mapping[str, Told]
) -> Iterator[MissingInput]:
    """That nobody knows the real size of a card whose registered size should be compared."""
    for registration in _registrations(node, told):
        if not _scalings(registration, node, told[registration.layer]):
            continue
        for device in registration.devices:
            physical = _physical(context, node, device)
            if isinstance(physical, Unknown) and device.mode != _MIG:
                yield MissingInput(
                    check=check,
                    input="physical memory",
                    node=node.name,
                    reason=f"card {device.card}: {physical.reason}",
                )
                return


def drift_findings(check: str, drifts: Iterable[Drift]) -> Iterator[Finding]:
    """A finding for each node; one for all of them where many nodes differ in the same way."""
    alike: dict[tuple[str, Stated], list[Drift]] = defaultdict(list)
    for drift in drifts:
        alike[drift.signal, drift.stated].append(drift)
    for (signal, stated), found in alike.items():
        if len(found) <= NAMED_NODES:
            yield from (_finding(check, drift, drift.node) for drift in found)
            continue
        first = found[0]
        yield Finding(
            check=check,
            signal=signal,
            object=stated.object,
            source=stated.source,
            record=f"{stated.line}; {first.registered}",
            count=len(found),
        )


def _finding(check: str, drift: Drift, node: str) -> Finding:
    return Finding(
        check=check,
        signal=drift.signal,
        object=drift.stated.object,
        node=node,
        source=drift.stated.source,
        record=f"{drift.stated.line}; {drift.registered}",
    )
