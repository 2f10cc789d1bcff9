"""Which of a model's cards a reservation is of, and the smallest profile that has room."""

from __future__ import annotations

import pytest

from gpuatlas.model.units import MIB
from gpuatlas.sizing.mig import mig_card, smallest
from gpuatlas_harness.truth.sizing_build import GIB, a_reservation


@pytest.mark.parametrize(
    ("model", "mebibytes", "profile", "smallest_profile"),
    [
        ("NVIDIA A100-SXM4-40GB", 40_960, "", "1g.5gb"),
        ("NVIDIA A100-SXM4-80GB", 81_920, "", "1g.10gb"),
        ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", 81_920, "1g.10gb", "1g.10gb"),
        ("A100-SXM4-40GB", 40_537, "", "1g.5gb"),  # an old driver
        ("NVIDIA A100-PCIE-40GB", None, "1g.5gb+me", "1g.5gb"),
        ("NVIDIA A100-PCIE-40GB", None, "1g.10gb", None),  # both sizes have it
        ("NVIDIA A100-PCIE-40GB", None, "", None),
        ("NVIDIA H100 80GB HBM3", 81_559, "", "1g.10gb"),
        ("NVIDIA H100 NVL", 95_830, "", "1g.12gb"),
        ("NVIDIA GH200 480GB", 97_871, "", "1g.12gb"),
        ("NVIDIA H200", 143_771, "", "1g.18gb"),
        ("NVIDIA A30", 24_576, "", "1g.6gb"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", 97_887, "", "1g.24gb"),
        ("NVIDIA B200", 183_359, "", None),
        ("NVIDIA A10G", 23_028, "", None),
        ("NVIDIA A100X", 81_920, "", None),
        ("NVIDIA GH200 144G HBM3e", 146_831, "", None),
        ("", 81_920, "", None),
    ],
)
def test_models_are_told_apart(
    model: str, mebibytes: int | None, profile: str, smallest_profile: str | None
) -> None:
    memory = None if mebibytes is None else mebibytes * MIB
    found = mig_card(a_reservation(card_model=model, card_memory=memory, profile=profile))
    assert (found.profiles[0].name if found else None) == smallest_profile


def test_none_has_room_for_more_than_the_card() -> None:
    card = mig_card(a_reservation())
    assert card is not None
    assert smallest(card.profiles, memory=100 * GIB, compute=0.0) is None
