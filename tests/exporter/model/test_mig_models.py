"""Which models MIG can divide, however they are spelled."""

from __future__ import annotations

import pytest

from gpuatlas.model.mig_models import MIG_MODELS, compute_of, mig_model
from gpuatlas.model.units import MIB


@pytest.mark.parametrize(
    ("spelling", "name", "instances"),
    [
        ("NVIDIA A100-SXM4-80GB", "A100", 7),
        ("NVIDIA-A100-SXM4-80GB-SHARED", "A100", 7),
        ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "A100", 7),
        ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb-SHARED", "A100", 7),
        ("NVIDIA-NVIDIA A100 80GB PCIe", "A100", 7),
        ("nvidia-tesla-a100", "A100", 7),
        ("NVIDIA A30", "A30", 4),
        ("NVIDIA H100 80GB HBM3", "H100 80GB", 7),
        ("NVIDIA H100 PCIe", "H100", 7),
        ("NVIDIA H200 NVL", "H200 NVL", 7),
        ("NVIDIA H200", "H200", 7),
        ("NVIDIA GH200 480GB", "GH200", 7),
        (
            "NVIDIA RTX PRO 6000 Blackwell Server Edition",
            "RTX PRO 6000 Blackwell Server Edition",
            4,
        ),
        ("Tesla T4", "T4", 0),
        ("NVIDIA A10", "A10", 0),
        ("NVIDIA A10G", "A10G", 0),
        ("NVIDIA L40S", "L40S", 0),
    ],
)
def test_spellings_of_one_model(spelling: str, name: str, instances: int) -> None:
    row = mig_model(spelling)
    assert row is not None
    assert (row.name, row.instances) == (name, instances)


@pytest.mark.parametrize(
    "model", ["", "NVIDIA", "NVIDIA Graphics Device", "A100X", "GRID A100-10C"]
)
def test_others_are_on_no_record(model: str) -> None:
    assert mig_model(model) is None


def test_no_row_hides_another() -> None:
    assert [row.name for row in MIG_MODELS if mig_model(row.name) is not row] == []


def test_sizes_are_those_that_a_driver_printed() -> None:
    row = mig_model("NVIDIA H100 80GB HBM3")
    assert row is not None
    assert row.profiles == {"1g.10gb": 9984 * MIB, "2g.20gb": 20096 * MIB, "3g.40gb": 40448 * MIB}


@pytest.mark.parametrize(
    ("profile", "share"),
    [("1g.10gb", 1 / 7), ("3g.40gb", 3 / 7), ("1c.3g.40gb", 3 / 7), ("", 0.0), ("odd", 0.0)],
)
def test_compute_of_an_instance(profile: str, share: float) -> None:
    assert compute_of(profile, mig_model("NVIDIA H100 PCIe")) == share


def test_compute_of_an_instance_of_an_unknown_card() -> None:
    assert compute_of("1g.10gb", None) == 0.0
