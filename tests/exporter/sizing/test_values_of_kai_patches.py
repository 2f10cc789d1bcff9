"""A share of KAI's has one number for memory and compute: the larger need counts."""

from __future__ import annotations

import pytest

from gpuatlas.model.sizing import CannotReason, Proposal, Verdict
from gpuatlas.model.units import MIB
from gpuatlas.sizing.patch_places import Asked
from gpuatlas.sizing.patch_quantities import CannotPatchError
from gpuatlas.sizing.patch_values import Change, changes
from gpuatlas_harness.patch_changes import GIB, changed, of_memory
from gpuatlas_harness.sizing_reports import a_reservation, of_compute


def test_kai_by_memory() -> None:
    found = changed(
        of_memory(20_000 * MIB, 15_872 * MIB), a_reservation(), annotations={"gpu-memory": "20000"}
    )
    assert found == [("gpu-memory", "20000", "15872", True)]


def cannot(reason: CannotReason) -> Proposal:
    return of_compute(present=0.5, proposed=None, verdict=Verdict.CANNOT, reason=reason)


FRACTION = a_reservation(memory=40 * GIB, compute=0.5, card_memory=80 * GIB)


@pytest.mark.parametrize(
    ("others", "new"),
    [
        ([], "0.26"),
        ([of_compute(present=0.5, proposed=0.35)], "0.35"),
        ([cannot(CannotReason.NOT_MEASURED)], "0.26"),
        ([cannot(CannotReason.NOT_PROMISED)], "0.26"),
    ],
)
def test_kai_by_fraction_takes_the_larger_of_memory_and_compute(
    others: list[Proposal], new: str
) -> None:
    every = [of_memory(40 * GIB, 20.25 * GIB), *others]
    found = changes(every, FRACTION, Asked(annotations={"gpu-fraction": "0.5"}))
    assert found == [Change(name="gpu-fraction", old="0.5", new=new, annotation=True)]


def test_a_fraction_whose_compute_fits_stays() -> None:
    every = [
        of_memory(40 * GIB, 20.25 * GIB),
        of_compute(present=0.5, proposed=None, verdict=Verdict.FITS),
    ]
    with pytest.raises(CannotPatchError, match="is the one that it has"):
        changes(every, FRACTION, Asked(annotations={"gpu-fraction": "0.5"}))


def test_a_fraction_whose_compute_was_not_seen_enough_stays() -> None:
    """It may need all that it has of it."""
    every = [of_memory(40 * GIB, 20.25 * GIB), cannot(CannotReason.COVERAGE)]
    with pytest.raises(CannotPatchError, match="is the one that it has"):
        changes(every, FRACTION, Asked(annotations={"gpu-fraction": "0.5"}))


def test_a_fraction_of_a_whole_card_is_none() -> None:
    with pytest.raises(CannotPatchError, match="ask for a whole card"):
        changed(of_memory(40 * GIB, 80 * GIB), FRACTION, annotations={"gpu-fraction": "0.5"})
