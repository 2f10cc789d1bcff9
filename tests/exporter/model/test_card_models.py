"""One model has several spellings, and another model none of them."""

from __future__ import annotations

import pytest

from gpuatlas.model.card_models import is_called, plain_model


def test_one_model_has_one_plain_name() -> None:
    names = {"NVIDIA A100-SXM4-80GB", "NVIDIA-A100-SXM4-80GB", "NVIDIA-A100-SXM4-80GB-SHARED"}
    assert {plain_model(name) for name in names} == {"A100 SXM4 80GB"}


@pytest.mark.parametrize(
    ("model", "name", "called"),
    [
        ("NVIDIA A100-SXM4-80GB", "A100", True),
        ("nvidia-tesla-a100", "A100", True),
        ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb-SHARED", "A100 SXM4 80GB", True),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000 Blackwell", True),
        ("NVIDIA A100X", "A100", False),
        ("NVIDIA H100", "H100 80GB", False),
        ("GRID A100-10C", "A100", False),
        ("", "A100", False),
    ],
)
def test_names_are_compared_by_whole_words(model: str, name: str, called: object) -> None:
    assert is_called(model, name) is called
