"""The state of a card at this instant. Worse news wins; no signal is never shown as healthy."""

from __future__ import annotations

from typing import Final

from gpuatlas.join.inventory import CardFacts
from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.snapshot import CardState

# GPU_UTIL is a whole percent: anything under one is its zero.
IDLE_BELOW_RATIO: Final = 0.01
# Driver and firmware take some memory on a card without any process (3 MiB on a T4, several hundred
# with ECC and persistence on large cards: our own margin). More than this means a process.
HELD_ABOVE_BYTES: Final = 1024 * 1024 * 1024

# Bits of DCGM_FI_DEV_CLOCKS_EVENT_REASONS (facts/dcgm.md 1.6). A software power cap (bit 2) is
# normal under load and is left out.
_SLOWED_BITS: Final = {
    5: "software thermal slowdown",
    6: "hardware thermal slowdown",
    7: "power brake",
}
# DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION (facts/dcgm.md 1.4): 0 is none.
_RECOVERY: Final = {
    1: "GPU reset",
    2: "node reboot",
    3: "drain P2P",
    4: "drain and reset",
    5: "recover IMEX domain",
    6: "bus reset",
    7: "system reboot",
}

# facts/k8s.md 1.11: the card fell off the bus. The taint gpu.nvidia.com/xid carries any XID, those
# of applications too.
LOST_TAINTS: Final = frozenset({"gpu.nvidia.com/gpu-lost"})


def failure_of(card: CardFacts) -> str:
    """Why the card cannot be trusted with work, or ""."""
    if card.device is not None and not card.device.healthy:
        return f"the {card.layer} device plugin registered it as unhealthy"
    lost = _lost_device(card)
    if lost:
        return lost
    fields = card.reading.fields if card.reading is not None else {}
    action = int(fields.get("DEV_GET_GPU_RECOVERY_ACTION", 0))
    if action:
        return f"the driver asks for recovery: {_RECOVERY.get(action, f'action {action}')}"
    if fields.get("DEV_ROW_REMAP_FAILURE") == 1:
        return "a row remap failed"
    if fields.get("DEV_MEMORY_UNREPAIRABLE_FLAG") == 1:
        return "its memory has unrepairable errors"
    return ""


def _lost_device(card: CardFacts) -> str:
    """The DRA driver's word for a card that is gone; its other taints are no proof of that."""
    whole = card.published.whole if card.published is not None else None
    for taint in whole.taints if whole is not None else ():
        if taint.key in LOST_TAINTS:
            return f"its DRA driver set the taint {taint.key}"
    return ""


def slowdown_of(card: CardFacts) -> str:
    """Why the card runs below its clocks, or ""."""
    fields = card.reading.fields if card.reading is not None else {}
    reasons = int(fields.get("DEV_CLOCKS_EVENT_REASONS", 0))
    return ", ".join(text for bit, text in _SLOWED_BITS.items() if reasons >> bit & 1)


def _occupied(tenants: Reading[int], resident: Reading[int], *, reserved: bool) -> bool | None:
    """Whether somebody holds the card: True, False, or None when nobody can tell."""
    if reserved or (isinstance(tenants, Known) and tenants.value > 0):
        return True
    if isinstance(resident, Known) and resident.value > HELD_ABOVE_BYTES:
        return True
    return False if isinstance(tenants, Known) else None


def state_of(
    card: CardFacts,
    *,
    utilization: Reading[float],
    tenants: Reading[int],
    resident: Reading[int],
    reserved: bool = False,
    doubt: str = "",
) -> tuple[CardState, str]:
    """The state and, in words, what it was decided by.

    `reserved`: held although nobody uses it. `doubt` says why a card without tenants is not free
    for certain.
    """
    failure = failure_of(card)
    if failure:
        return CardState.FAILED, failure
    busy = isinstance(utilization, Known) and utilization.value >= IDLE_BELOW_RATIO
    if busy:
        slowdown = slowdown_of(card)
        return (CardState.SLOWED, slowdown) if slowdown else (CardState.WORKING, "")
    occupied = _occupied(tenants, resident, reserved=reserved)
    if occupied is False:
        return (CardState.UNKNOWN, doubt) if doubt else (CardState.FREE, "")
    if isinstance(utilization, Unknown):
        return CardState.UNKNOWN, utilization.reason
    if occupied is None:
        reason = tenants.reason if isinstance(tenants, Unknown) else ""
        return CardState.UNKNOWN, f"no work, and its tenants are not known: {reason}"
    return CardState.IDLE, ""
