"""Which of the cards that MIG divides a reservation is of, and which of its profiles. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from gpuatlas.model.card_models import is_called
from gpuatlas.model.mig_profiles import MIG_CARDS, MigCard, Profile
from gpuatlas.model.sizing import Reservation

# Drivers before 510 leave out what they reserve, about a hundredth (facts/dcgm.md 5, T4). The
# nearest two sizes of one model lie a sixth apart.
_SAME_MEMORY: Final = 0.05
# Variants with media engines or graphics have the same sizes (the guide's tables).
_VARIANT: Final = re.compile(r"[+-].*")


def mig_card(reservation: Reservation) -> MigCard | None:
    """What its cards can be divided into; None where that is not on record or not certain.

    A model has cards of several sizes: it takes the memory of the card or the profile to tell them
    apart.
    """
    rows = [row for row in MIG_CARDS if is_called(reservation.card_model, row.name)]
    if reservation.profile:
        rows = [row for row in rows if profile_of(row, reservation.profile) is not None]
    if len(rows) != 1 or not reservation.profile:
        rows = [row for row in rows if _same(reservation.card_memory, row.memory)]
    return rows[0] if len(rows) == 1 else None


def profile_of(card: MigCard, name: str) -> Profile | None:
    """The profile by its name, whatever its variant."""
    plain = _VARIANT.sub("", name)
    return next((profile for profile in card.profiles if profile.name == plain), None)


def smallest(profiles: Sequence[Profile], *, memory: int, compute: float) -> Profile | None:
    """The profile that takes the least of the card and has room for both; None for none."""
    fitting = (p for p in profiles if p.memory >= memory and p.compute >= compute)
    return next(fitting, None)


def _same(measured: int | None, memory: int) -> bool:
    return measured is not None and abs(measured - memory) <= _SAME_MEMORY * memory
