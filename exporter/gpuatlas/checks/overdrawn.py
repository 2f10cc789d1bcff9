"""S14, promises against registrations: more than a card has, a card that nobody knows, forgeries.

Facts: facts/hami.md 6.4 (A7, A9), 9 nos. 11, 12, 52. A hard partition's size is the template's, and
those of a card add up to more than the registered memory (two of 40,960 MiB on an H100 of 81,559):
cards in mode `mig` are the hardware's matter. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from gpuatlas.checks.configs import memory_factor
from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.pledges import Place, Pledge, Pledges, held, least
from gpuatlas.checks.pod_finding import pod_finding
from gpuatlas.checks.quote import Quote
from gpuatlas.model.checks import Finding
from gpuatlas.model.devices import Promise, RegisteredDevice, Registration
from gpuatlas.model.objects import Container, Node, Pod
from gpuatlas.model.snapshot import PartitionKind
from gpuatlas.model.units import MIB
from gpuatlas.model.vendors import VENDORS, memory_unit

CHECK: Final = "S14"
MIG_MODE: Final = str(PartitionKind.MIG)
# Percentages and the vendors' own units are rounded to whole MiB (facts/hami.md 3.2).
ROUNDING: Final = MIB
# Other vendors round requests up to templates (Ascend, Kunlunxin: facts/hami.md 4.1).
_EXACT_VENDOR: Final = "nvidia"


class _Excess(NamedTuple):
    what: str
    promised: int
    limit: int


def over_schedulable(context: CheckContext, node: Node, pledges: Pledges) -> Iterator[Finding]:
    """Cards of which more is promised than their layer registered."""
    for registration, device in _soft_devices(node):
        place = Place(registration.layer, node.name, device.card)
        own = held(place, pledges.get(place, ()))
        if any(pledge.promise.partition for pledge in own):
            continue
        excess = next(_excesses(device, own), None)
        if excess is not None:
            yield Finding(
                check=CHECK,
                signal="over-schedulable",
                object=f"Node/{node.name}",
                node=node.name,
                card=device.card,
                source=f"pod annotations {own[0].promise.source}",
                record=f"{excess.what} {excess.promised} of {excess.limit}: {_listed(own)}",
            )


def _soft_devices(node: Node) -> Iterator[tuple[Registration, RegisteredDevice]]:
    for registration in node.registrations:
        for device in registration.devices:
            if device.mode != MIG_MODE:
                yield registration, device


def _excesses(device: RegisteredDevice, own: tuple[Pledge, ...]) -> Iterator[_Excess]:
    memory, cores = least(own, _memory), least(own, _cores)
    tenants = len({pledge.pod.uid for pledge in own})
    if device.memory_bytes is not None and memory > device.memory_bytes:
        yield _Excess("MiB", memory // MIB, device.memory_bytes // MIB)
    if device.cores is not None and cores > device.cores:
        yield _Excess("cores", cores, device.cores)
    if device.slots is not None and tenants > device.slots:
        yield _Excess("tenants", tenants, device.slots)


def _memory(promise: Promise) -> int | None:
    return promise.memory_bytes


def _cores(promise: Promise) -> int | None:
    return promise.cores


def _listed(own: tuple[Pledge, ...]) -> str:
    return "; ".join(f"{p.pod.namespace}/{p.pod.name} {p.record}" for p in own)


def unknown_cards(context: CheckContext, node: Node, pledges: Pledges) -> Iterator[Finding]:
    """Promises of cards that the layer did not register on the pod's node.

    Without any registration of the vendor the registration is what is missing (S12), and with an
    unreadable record nobody knows what it names.
    """
    if node.rejections:
        return
    known: dict[tuple[str, str], set[str]] = {}
    for registration in node.registrations:
        cards = known.setdefault((registration.layer, registration.vendor), set())
        cards |= {device.card for device in registration.devices}
    for pod in context.pods_by_node.get(node.name, ()):
        for promise in pod.promises if pod.holds else ():
            registered = known.get((promise.layer, promise.vendor))
            if registered and promise.card not in registered:
                yield _of_pod(context, "unknown-card", Pledge(pod, promise))


def forged(context: CheckContext, node: Node) -> Iterator[Finding]:
    """Promises of more memory than the container itself asks for: HAMi never writes such a one."""
    hard = {d.card for r in node.registrations for d in r.devices if d.mode == MIG_MODE}
    for pod in context.pods_by_node.get(node.name, ()):
        for promise in pod.promises if pod.holds else ():
            if promise.vendor != _EXACT_VENDOR or promise.partition or promise.card in hard:
                continue
            asked, promised = _asked(pod, promise), promise.memory_bytes or 0
            if asked is None or promised <= asked + ROUNDING:
                continue
            asked *= memory_factor(context, promise.layer)
            if promised > asked + ROUNDING:
                note = f"; its container asks for {asked // MIB} MiB"
                yield _of_pod(context, "forged", Pledge(pod, promise), note)


def _asked(pod: Pod, promise: Promise) -> int | None:
    """Bytes of each card that the container asks for, in units of a MiB; None where it does not.

    Where nobody can tell the container, the largest counts, if all that ask for cards state it.
    """
    asking = [c for c in pod.containers if c.limits]
    if promise.container:
        asking = [c for c in asking if c.name == promise.container]
    stated = [_stated(container) for container in asking]
    known = [amount for amount in stated if amount is not None]
    if not known or len(known) < len(stated):
        return None
    return max(known)


def _stated(container: Container) -> int | None:
    vendor = VENDORS[_EXACT_VENDOR]
    for resource, amount in container.limits.items():
        unit = memory_unit(vendor, resource)
        if unit is not None and amount > 0:
            return amount * unit
    return None


def _of_pod(context: CheckContext, signal: str, pledge: Pledge, note: str = "") -> Finding:
    pod, promise, _ = pledge
    said = Quote(f"pod annotation {promise.source}", f"{pledge.record}{note}")
    return pod_finding(context, CHECK, signal, pod, said, card=promise.card)
