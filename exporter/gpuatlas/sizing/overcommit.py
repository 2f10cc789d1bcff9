"""How far a node's memory may be promised (DESIGN 8, facts/hami.md 5.6). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.sizing import NodeDemand, NodeRatio
from gpuatlas.sizing.wording import days

NEEDED_DAYS: Final = 7.0
_DAYS_ROUNDING: Final = 0.05
DEMAND_KEPT: Final = 0.9
"""A tenth of what the highest demand leaves is kept free."""
HOST_USED: Final = 0.5
"""No more than half of the host memory that was free may be needed by what is moved to it."""

Workload = tuple[str, str, str]


def node_ratio(demand: NodeDemand, promises: Mapping[Workload, int]) -> NodeRatio:
    """The safe ratio of a node beside its present one, and what would still fit.

    Args:
        demand: its inputs. One that is unknown, or less than 7 days, makes the ratio unknown.
        promises: by (namespace, kind, name) of each workload on it the memory of one promise, in
            bytes; the largest where they differ.

    Returns:
        The ratios, the room between them in bytes, and how many more such promises it holds. The
        safe ratio's source says which term of the formula it is.
    """
    safe = _safe(demand)
    room = _room(demand, safe)
    known = room.value if isinstance(room, Known) else None
    fits = {
        workload: _on_cards(demand, safe, known, promise)
        for workload, promise in promises.items()
        if known is not None and promise > 0
    }
    return NodeRatio(demand=demand, present=_present(demand), safe=safe, room=room, fits=fits)


def _safe(demand: NodeDemand) -> Reading[float]:
    if not demand.days >= NEEDED_DAYS - _DAYS_ROUNDING:
        return Unknown(f"{days(max(demand.days, 0.0))} were measured; 7 are needed")
    inputs = _inputs(demand)
    if isinstance(inputs, Unknown):
        return inputs
    allocated, highest, physical, host = inputs
    terms = [(1 + HOST_USED * host / physical, "1 + 0.5 × host memory available / physical")]
    if highest > 0:
        terms.append((DEMAND_KEPT * allocated / highest, "0.9 × allocated / demand"))
    ratio, term = min(terms)
    if ratio < 1:
        ratio, term = 1.0, "at least 1"
    return Known(ratio, demand.demand.at if isinstance(demand.demand, Known) else 0.0, term)


def _inputs(demand: NodeDemand) -> tuple[int, int, int, int] | Unknown:
    values: list[int] = []
    named = {
        "allocated memory": demand.allocated,
        "highest demand": demand.demand,
        "physical memory": demand.physical,
        "host memory": demand.host_available,
    }
    for name, reading in named.items():
        if isinstance(reading, Unknown):
            return Unknown(f"{name}: {reading.reason}")
        if reading.value < 0 or (name == "physical memory" and reading.value == 0):
            return Unknown(f"{name}: {reading.value} bytes")
        values.append(reading.value)
    allocated, highest, physical, host = values
    return allocated, highest, physical, host


def _on_cards(demand: NodeDemand, safe: Reading[float], room: int, promise: int) -> int:
    """How many such promises the cards hold: one lies on one card, whatever the others leave."""
    if not demand.cards or isinstance(safe, Unknown):
        return room // promise
    rooms = (int(safe.value * physical) - promised for physical, promised in demand.cards)
    return min(room // promise, sum(max(each, 0) // promise for each in rooms))


def _present(demand: NodeDemand) -> Reading[float]:
    allocated, physical = demand.allocated, demand.physical
    if isinstance(allocated, Unknown):
        return Unknown(f"allocated memory: {allocated.reason}")
    if isinstance(physical, Unknown):
        return Unknown(f"physical memory: {physical.reason}")
    if physical.value <= 0:
        return Unknown(f"physical memory: {physical.value} bytes")
    return Known(allocated.value / physical.value, allocated.at, "allocated / physical")


def _room(demand: NodeDemand, safe: Reading[float]) -> Reading[int]:
    if isinstance(safe, Unknown):
        return safe
    if isinstance(demand.allocated, Unknown) or isinstance(demand.physical, Unknown):
        return Unknown("the memory allocated or physical")  # not reached: the ratio needs both
    room = int(safe.value * demand.physical.value) - demand.allocated.value
    return Known(max(room, 0), safe.at, "safe × physical − allocated")
