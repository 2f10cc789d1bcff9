"""Why a card is slow by itself: a cause that rules its tenants out. Pure.

A card that the driver slows down slows all its tenants, whoever else is on it (facts/peers.md E).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.snapshot import Card, CardState

# Bits of DCGM_FI_DEV_CLOCKS_EVENT_REASONS (facts/dcgm.md 1.6). The software's power cap (4) is no
# cause: it is normal under load.
_REASONS: Final = (
    (64, "slowed by heat"),
    (128, "slowed by the power brake"),
    (32, "slowed by heat (software)"),
    (8, "slowed by the hardware"),
)
_REASONS_FIELD: Final = "DEV_CLOCKS_EVENT_REASONS"
_XID_FIELD: Final = "DEV_XID_ERRORS"
_CLOCK_FIELD: Final = "DEV_SM_CLOCK"
# After an error the driver and the programs recover, and this long nothing is put down to a
# neighbour (our own choice; the exporter's window of XIDs is 5 minutes, facts/dcgm.md 1.5).
_AFTERMATH_SECONDS: Final = 600.0
# A slowdown of the hardware halves the clock at least (facts/dcgm.md 1.6); the power cap of a card
# of few watts does that only against its boost clock, never against its own clock under load.
_HALF: Final = 0.5
_UNDER_LOAD: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMemory:
    """What is remembered of one card.

    `xid` is the last error's number, which the driver goes on showing, `xid_at` when it changed
    before our eyes, None for an old one. `clock` is the highest clock seen under load in MHz.
    """

    xid: float | None = None
    xid_at: float | None = None
    clock: float = 0.0
    seen_at: float = 0.0


def remembered(
    before: CardMemory | None, fields: Mapping[str, float], *, busy: float | None, at: float
) -> CardMemory:
    """The card's memory after one more look at its fields at `at` (Unix seconds)."""
    xid, clock = fields.get(_XID_FIELD), fields.get(_CLOCK_FIELD, 0.0)
    loaded = busy is not None and busy >= _UNDER_LOAD
    if before is None:
        return CardMemory(xid=xid, clock=clock if loaded else 0.0, seen_at=at)
    # Some versions have no such series before the first error (facts/dcgm.md 0, trap 3).
    changed = bool(xid) and xid != before.xid
    return CardMemory(
        xid=before.xid if xid is None else xid,
        xid_at=at if changed else before.xid_at,
        clock=max(before.clock, clock) if loaded else before.clock,
        seen_at=at,
    )


def hardware_cause(
    card: Card, fields: Mapping[str, float], memory: CardMemory, *, busy: float | None, at: float
) -> str:
    """Why the card itself is slow at `at`, "" where nothing says so."""
    if card.state is CardState.FAILED:
        return card.state_reason or "failed"
    reasons = fields.get(_REASONS_FIELD)
    if reasons is not None:
        for bit, words in _REASONS:
            if int(reasons) & bit:
                return words
    if memory.xid_at is not None and at - memory.xid_at <= _AFTERMATH_SECONDS:
        return f"XID {int(memory.xid or 0)} {max(0.0, at - memory.xid_at):.0f} s ago"
    clock = fields.get(_CLOCK_FIELD)
    loaded = busy is not None and busy >= _UNDER_LOAD
    if reasons is None and loaded and clock is not None and 0 < clock <= _HALF * memory.clock:
        return f"its clock is at {clock:.0f} MHz, under load it was at {memory.clock:.0f} MHz"
    return ""
