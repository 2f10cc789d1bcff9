"""What a card can be divided into by MIG: the profiles of each model that were seen printed. Pure.

Names and parts are those of NVIDIA's MIG user guide, "Supported MIG Profiles"
(docs.nvidia.com/datacenter/tesla/mig-user-guide). It gives no sizes. Those are of
`nvidia-smi mig -lgip`, the least that a driver was seen to print (facts/dcgm.md 5; public logs of
A30, A100, H100, GH200, H200 and RTX PRO 6000), so that nothing is put into an instance that has no
room for it. A model of which no print was seen has no row: B200, B300, GB200, H20 and others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.sizing import Reservation
from gpuatlas.model.units import MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One kind of instance, `memory` in bytes.

    `compute` is its share of the card's multiprocessors, `card` the share of the card that is gone
    with it: the larger of its parts of compute and of memory.
    """

    name: str
    memory: int
    compute: float
    card: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MigModel:
    """`name` begins the model's name without the brand; `memory` in bytes is the whole card's.

    `profiles` are in the order of `card`, then of memory; the last one is the whole card.
    """

    name: str
    memory: int
    profiles: tuple[Profile, ...]


# Sizes are whole sixteenths of a GiB, and printed with two digits.
_SIXTEENTH: Final = 64 * MIB
# Name, parts of the card's compute and of its memory, GiB as printed.
_Row = tuple[str, int, int, float]


def _model(name: str, mebibytes: int, slices: int, *rows: _Row) -> MigModel:
    """`slices` is the number of equal parts of compute; of memory there are 8, of four slices 4."""
    parts = 8 if slices == 7 else slices  # noqa: PLR2004 NVIDIA's guide, "GPU partitioning"
    profiles = [
        Profile(
            name=profile,
            memory=round(printed * 16) * _SIXTEENTH,
            compute=compute / slices,
            card=max(compute / slices, memory / parts),
        )
        for profile, compute, memory, printed in rows
    ]
    ordered = sorted(profiles, key=lambda profile: (profile.card, profile.memory))
    return MigModel(name=name, memory=mebibytes * MIB, profiles=tuple(ordered))


MIG_MODELS: Final[tuple[MigModel, ...]] = (
    _model(
        *("A30", 24_576, 4),
        ("1g.6gb", 1, 1, 5.81),
        ("2g.12gb", 2, 2, 11.69),
        ("4g.24gb", 4, 4, 23.44),
    ),
    _model(
        *("A100", 40_960, 7),
        ("1g.5gb", 1, 1, 4.75),
        ("1g.10gb", 1, 2, 9.62),
        ("2g.10gb", 2, 2, 9.62),
        ("3g.20gb", 3, 4, 19.50),
        ("4g.20gb", 4, 4, 19.50),
        ("7g.40gb", 7, 8, 39.25),
    ),
    _model(
        *("A100", 81_920, 7),
        ("1g.10gb", 1, 1, 9.50),
        ("1g.20gb", 1, 2, 19.50),
        ("2g.20gb", 2, 2, 19.50),
        ("3g.40gb", 3, 4, 39.25),
        ("4g.40gb", 4, 4, 39.25),
        ("7g.80gb", 7, 8, 78.75),
    ),
    _model(
        *("H100", 81_559, 7),
        ("1g.10gb", 1, 1, 9.75),
        ("1g.20gb", 1, 2, 19.62),
        ("2g.20gb", 2, 2, 19.62),
        ("3g.40gb", 3, 4, 39.50),
        ("4g.40gb", 4, 4, 39.50),
        ("7g.80gb", 7, 8, 79.25),
    ),
    _model(
        *("H100", 95_830, 7),
        ("1g.12gb", 1, 1, 10.75),
        ("1g.24gb", 1, 2, 21.62),
        ("2g.24gb", 2, 2, 21.62),
        ("3g.47gb", 3, 4, 46.38),
        ("4g.47gb", 4, 4, 46.38),
        ("7g.94gb", 7, 8, 93.12),
    ),
    _model(
        *("GH200", 97_871, 7),
        ("1g.12gb", 1, 1, 11.00),
        ("1g.24gb", 1, 2, 23.00),
        ("2g.24gb", 2, 2, 23.00),
        ("3g.48gb", 3, 4, 46.50),
        ("4g.48gb", 4, 4, 46.50),
        ("7g.96gb", 7, 8, 93.00),
    ),
    _model(
        *("H200", 143_771, 7),
        ("1g.18gb", 1, 1, 16.00),
        ("1g.35gb", 1, 2, 32.50),
        ("2g.35gb", 2, 2, 32.50),
        ("3g.71gb", 3, 4, 69.75),
        ("4g.71gb", 4, 4, 69.75),
        ("7g.141gb", 7, 8, 140.00),
    ),
    _model(
        *("RTX PRO 6000 BLACKWELL", 97_887, 4),
        ("1g.24gb", 1, 1, 23.12),
        ("2g.48gb", 2, 2, 46.50),
        ("4g.96gb", 4, 4, 93.38),
    ),
)

_BRANDS: Final = frozenset({"NVIDIA", "TESLA"})
# Drivers before 510 leave out what they reserve, about a hundredth (facts/dcgm.md 5, T4). The
# nearest two sizes of one model lie a sixth apart.
_SAME_MEMORY: Final = 0.05
# Variants with media engines or graphics have the same sizes (the guide's tables).
_VARIANT: Final = re.compile(r"[+-].*")


def mig_model(reservation: Reservation) -> MigModel | None:
    """What its cards can be divided into; None where that is not on record or not certain.

    A model has cards of several sizes: it takes the memory of the card or the profile to tell them
    apart.
    """
    rows = [row for row in MIG_MODELS if _is_called(reservation.card_model, row.name)]
    if reservation.profile:
        rows = [row for row in rows if profile_of(row, reservation.profile) is not None]
    if len(rows) != 1 or not reservation.profile:
        rows = [row for row in rows if _same(reservation.card_memory, row.memory)]
    return rows[0] if len(rows) == 1 else None


def profile_of(model: MigModel, name: str) -> Profile | None:
    """The profile by its name, whatever its variant."""
    plain = _VARIANT.sub("", name)
    return next((profile for profile in model.profiles if profile.name == plain), None)


def smallest(profiles: Sequence[Profile], *, memory: int, compute: float) -> Profile | None:
    """The profile that takes the least of the card and has room for both; None for none."""
    fitting = (p for p in profiles if p.memory >= memory and p.compute >= compute)
    return next(fitting, None)


def _is_called(model: str, name: str) -> bool:
    words = re.sub(r"[^A-Z0-9]+", " ", model.upper()).split()
    while words and words[0] in _BRANDS:
        words.pop(0)
    return f"{' '.join(words)} ".startswith(f"{name} ")


def _same(measured: int | None, memory: int) -> bool:
    return measured is not None and abs(measured - memory) <= _SAME_MEMORY * memory
