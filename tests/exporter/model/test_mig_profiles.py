"""The table of what cards can be divided into."""

from __future__ import annotations

import pytest

from gpuatlas.model.mig_models import mig_model
from gpuatlas.model.mig_profiles import MIG_CARDS, MigCard
from gpuatlas.model.units import MIB


@pytest.mark.parametrize("row", MIG_CARDS, ids=lambda row: f"{row.name} {row.memory // MIB}")
def test_rows_are_of_models_that_can_be_divided(row: MigCard) -> None:
    known = mig_model(f"{row.name} Server Edition" if "RTX" in row.name else row.name)
    assert known is not None
    assert known.instances == round(1 / row.profiles[0].compute)
    sizes = [(profile.card, profile.memory) for profile in row.profiles]
    assert sizes == sorted(sizes)
    assert row.profiles[-1].card == 1
    assert all(profile.memory < row.memory for profile in row.profiles)


def test_shares_of_a_card() -> None:
    """As NVIDIA's guide has them: a 1g with twice the memory takes a quarter of the card."""
    (row,) = (c for c in MIG_CARDS if (c.name, c.memory) == ("A100", 81_920 * MIB))
    assert [(p.name, round(p.compute, 3), round(p.card, 3)) for p in row.profiles] == [
        ("1g.10gb", 0.143, 0.143),
        ("1g.20gb", 0.143, 0.25),
        ("2g.20gb", 0.286, 0.286),
        ("3g.40gb", 0.429, 0.5),
        ("4g.40gb", 0.571, 0.571),
        ("7g.80gb", 1.0, 1.0),
    ]
