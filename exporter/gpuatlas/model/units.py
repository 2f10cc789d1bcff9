"""Units and the bounds beyond which a number is nonsense rather than a measurement."""

from __future__ import annotations

import math
from typing import Final

MIB: Final = 1024 * 1024

# The largest card sold in 2026 has under 300 GB. Two tebibytes leaves room for unified memory and
# for a sharing layer's scaled figures; the 17 TB of HAMi issue 1181 and every DCGM sentinel
# (1.4e14, 2^47, 9.22e18) stay outside.
MAX_CARD_BYTES: Final = 2 * 1024**4
MAX_CARDS_PER_NODE: Final = 1024
MAX_TENANTS_PER_CARD: Final = 4096
# Sharing layers may promise more compute than a card has (deviceCoreScaling); 100 cards is absurd.
MAX_COMPUTE_RATIO: Final = 100.0
MAX_TEXT: Final = 200


def plausible_bytes(value: float) -> int | None:
    """Card memory in whole bytes, or None when it is negative, not finite or absurd."""
    if not math.isfinite(value) or value < 0 or value > MAX_CARD_BYTES:
        return None
    return int(value)


def plausible_ratio(value: float, *, upper: float = 1.0) -> float | None:
    """A share in 0..upper, or None. Rounding errors above it (0.1 %) are cut, not refused."""
    if not math.isfinite(value) or value < 0 or value > upper * 1.001:
        return None
    return min(value, upper)


def clean_text(text: str, *, limit: int = MAX_TEXT) -> str:
    """Text fit for a label value: one line, no control characters, at most `limit` characters.

    A text that was cut ends with an ellipsis.
    """
    kept = text if len(text) <= limit else f"{text[: limit - 1]}…"
    if kept.isprintable():
        return kept
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in kept)
