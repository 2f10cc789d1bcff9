"""What a card can be divided into by MIG: the profiles of each model that were seen printed. Pure.

Names and parts are those of NVIDIA's MIG user guide, "Supported MIG Profiles"
(docs.nvidia.com/datacenter/tesla/mig-user-guide). It gives no sizes. Those are of
`nvidia-smi mig -lgip`, the least that a driver was seen to print (facts/dcgm.md 5; public logs of
A30, A100, H100, GH200, H200 and RTX PRO 6000), so that nothing is put into an instance that has no
room for it. A model of which no print was seen has no row: B200, B300, GB200, H20 and others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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
class MigCard:
    """A model of one size: it has cards of several.

    `name` begins the model's name without the brand; `memory` in bytes is the whole card's.
    `profiles` are in the order of `card`, then of memory; the last one is the whole card.
    """

    name: str
    memory: int
    profiles: tuple[Profile, ...]


# Sizes are whole sixteenths of a GiB, and printed with two digits.
_SIXTEENTH: Final = 64 * MIB
# Name, parts of the card's compute and of its memory, GiB as printed.
_Row = tuple[str, int, int, float]


def _card(name: str, mebibytes: int, slices: int, *rows: _Row) -> MigCard:
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
    return MigCard(name=name, memory=mebibytes * MIB, profiles=tuple(ordered))


MIG_CARDS: Final[tuple[MigCard, ...]] = (
    _card(
        *("A30", 24_576, 4),
        ("1g.6gb", 1, 1, 5.81),
        ("2g.12gb", 2, 2, 11.69),
        ("4g.24gb", 4, 4, 23.44),
    ),
    _card(
        *("A100", 40_960, 7),
        ("1g.5gb", 1, 1, 4.75),
        ("1g.10gb", 1, 2, 9.62),
        ("2g.10gb", 2, 2, 9.62),
        ("3g.20gb", 3, 4, 19.50),
        ("4g.20gb", 4, 4, 19.50),
        ("7g.40gb", 7, 8, 39.25),
    ),
    _card(
        *("A100", 81_920, 7),
        ("1g.10gb", 1, 1, 9.50),
        ("1g.20gb", 1, 2, 19.50),
        ("2g.20gb", 2, 2, 19.50),
        ("3g.40gb", 3, 4, 39.25),
        ("4g.40gb", 4, 4, 39.25),
        ("7g.80gb", 7, 8, 78.75),
    ),
    _card(
        *("H100", 81_559, 7),
        ("1g.10gb", 1, 1, 9.75),
        ("1g.20gb", 1, 2, 19.62),
        ("2g.20gb", 2, 2, 19.62),
        ("3g.40gb", 3, 4, 39.50),
        ("4g.40gb", 4, 4, 39.50),
        ("7g.80gb", 7, 8, 79.25),
    ),
    _card(
        *("H100", 95_830, 7),
        ("1g.12gb", 1, 1, 10.75),
        ("1g.24gb", 1, 2, 21.62),
        ("2g.24gb", 2, 2, 21.62),
        ("3g.47gb", 3, 4, 46.38),
        ("4g.47gb", 4, 4, 46.38),
        ("7g.94gb", 7, 8, 93.12),
    ),
    _card(
        *("GH200", 97_871, 7),
        ("1g.12gb", 1, 1, 11.00),
        ("1g.24gb", 1, 2, 23.00),
        ("2g.24gb", 2, 2, 23.00),
        ("3g.48gb", 3, 4, 46.50),
        ("4g.48gb", 4, 4, 46.50),
        ("7g.96gb", 7, 8, 93.00),
    ),
    _card(
        *("H200", 143_771, 7),
        ("1g.18gb", 1, 1, 16.00),
        ("1g.35gb", 1, 2, 32.50),
        ("2g.35gb", 2, 2, 32.50),
        ("3g.71gb", 3, 4, 69.75),
        ("4g.71gb", 4, 4, 69.75),
        ("7g.141gb", 7, 8, 140.00),
    ),
    _card(
        *("RTX PRO 6000 BLACKWELL", 97_887, 4),
        ("1g.24gb", 1, 1, 23.12),
        ("2g.48gb", 2, 2, 46.50),
        ("4g.96gb", 4, 4, 93.38),
    ),
)
