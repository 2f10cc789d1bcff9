"""Which card models MIG can divide: one row each. Source: facts/dcgm.md 5. Pure.

A model in no row is unknown, not incapable. How large instances are stands in `mig_profiles`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.model.card_models import is_called
from gpuatlas.model.mig_profiles import MIG_CARDS
from gpuatlas.model.units import MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class MigModel:
    """One model, or all that begin with the same words.

    `instances` is the most that one card is divided into, 0 for a model without MIG. `driver` is
    the oldest driver branch with MIG for it, None where that is not on record. `profiles` are the
    sizes in bytes of instances as a driver printed them; empty where none was seen.
    """

    name: str
    instances: int
    driver: int | None = None
    profiles: Mapping[str, int] = field(default_factory=dict)


def _sizes(name: str, mebibytes: int, *profiles: str) -> dict[str, int]:
    """Those that `mig_profiles` has of a card."""
    (card,) = (c for c in MIG_CARDS if (c.name, c.memory) == (name, mebibytes * MIB))
    return {p.name: p.memory for p in card.profiles if p.name in profiles}


# A row with more words stands before the row with fewer of them.
MIG_MODELS: Final[tuple[MigModel, ...]] = (
    MigModel(name="A30", instances=4, driver=460),
    MigModel(name="A100", instances=7, driver=450),
    MigModel(
        name="H100 80GB",
        instances=7,
        driver=525,
        profiles=_sizes("H100", 81_559, "1g.10gb", "2g.20gb", "3g.40gb"),
    ),
    MigModel(name="H100", instances=7, driver=525),
    MigModel(name="H20", instances=7),
    MigModel(name="H200 NVL", instances=7, driver=550),
    MigModel(
        name="H200",
        instances=7,
        driver=550,
        profiles=_sizes("H200", 143_771, "1g.18gb", "2g.35gb", "3g.71gb"),
    ),
    MigModel(name="GH200", instances=7),
    MigModel(name="B200", instances=7, driver=570),
    MigModel(name="GB200", instances=7, driver=570),
    MigModel(name="B300", instances=7, driver=580),
    MigModel(name="GB300", instances=7, driver=580),
    MigModel(name="RTX PRO 6000 Blackwell Server Edition", instances=4, driver=575),
    MigModel(name="RTX PRO 5000 Blackwell", instances=2, driver=575),
    MigModel(name="RTX PRO 4500 Blackwell", instances=2, driver=575),
    MigModel(name="P100", instances=0),
    MigModel(name="V100", instances=0),
    MigModel(name="T4", instances=0),
    MigModel(name="A10", instances=0),
    MigModel(name="A10G", instances=0),
    MigModel(name="A40", instances=0),
    MigModel(name="L4", instances=0),
    MigModel(name="L40", instances=0),
    MigModel(name="L40S", instances=0),
    MigModel(name="RTX 6000 Ada Generation", instances=0),
)

_SLICES: Final = re.compile(r"(\d+)g\.")


def mig_model(model: str) -> MigModel | None:
    """The row of a card's model, None for one that is in no row."""
    return next((row for row in MIG_MODELS if is_called(model, row.name)), None)


def compute_of(profile: str, model: MigModel | None) -> float:
    """The share of a card's compute that an instance has, 0 where the profile does not tell.

    A slice is 1/instances of it: what is divided into the most instances has one slice in each.
    """
    match = _SLICES.search(profile)
    most = model.instances if model else 0
    return int(match.group(1)) / most if match and most else 0.0
