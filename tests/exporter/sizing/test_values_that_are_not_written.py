"""Where no value can be written, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.model.sizing import Proposal, Verdict
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas.sizing.patch_assumed import assumed
from gpuatlas.sizing.patch_places import Asked
from gpuatlas.sizing.patch_quantities import CannotPatchError
from gpuatlas.sizing.patch_values import changes
from gpuatlas_harness.patch_changes import GIB, changed, of_cards, of_memory
from gpuatlas_harness.sizing_reports import a_proposal, a_reservation, of_compute

SMALLER = of_memory(20_000 * MIB, 15_872 * MIB)


@pytest.mark.parametrize(
    ("proposal", "reservation", "asked", "said"),
    [
        # Somebody halved it since: taken for a setting of the layer, it would be halved again.
        (SMALLER, {}, {"limits": {"nvidia.com/gpumem": 10000}}, "is 10000 and its pods are prom"),
        (SMALLER, {}, {"limits": {"nvidia.com/gpumem": 15872}}, "look again when both agree"),
        (SMALLER, {}, {"limits": {"nvidia.com/gpumem": "lots"}}, "no whole number"),
        (SMALLER, {}, {"limits": {"nvidia.com/gpumem": 0}}, "no whole number"),
        (SMALLER, {}, {"limits": {"nvidia.com/gpumem": True}}, "no whole number"),
        (SMALLER, {}, {"limits": {"nvidia.com/gpumem": -1}}, "no whole number"),
        (SMALLER, {}, {"limits": {"nvidia.com/gpu": 1}}, r"it asks for nvidia.com/gpu\)"),
        (SMALLER, {}, {}, "it asks for no device"),
        (SMALLER, {}, {"limits": {"metax-tech.com/vmemory": "20Gi"}}, "written with a suffix"),
        (SMALLER, {}, {"limits": {"nvidia.com/gpumem-percentage": 50}}, "promised 87% of a card"),
        (SMALLER, {}, {"limits": {"nvidia.com/gpumem-percentage": 101}}, "is no percentage"),
        (
            SMALLER,
            {"card_memory": None},
            {"limits": {"nvidia.com/gpumem-percentage": 87}},
            "the size of its cards",
        ),
        (
            SMALLER,
            {"card_memory": None},
            {"annotations": {"gpu-fraction": "0.5"}},
            "the size of its cards",
        ),
        (of_compute(), {}, {"limits": {"nvidia.com/gpucores": 30}}, "promised 70% of a card"),
        (of_compute(), {}, {"limits": {"nvidia.com/gpucores": "?"}}, "no whole number"),
        (
            of_compute(),
            {"compute": None},
            {"limits": {"huawei.com/Ascend910B3-core": 14}},
            "how many",
        ),
        (of_compute(), {}, {"limits": {"nvidia.com/gpumem": 20000}}, "how much compute it has"),
        (of_cards(4, 2), {}, {"limits": {"nvidia.com/gpu": 2}}, "is 2 and its pods have 4"),
        (
            of_cards(1, 1),
            {},
            {"limits": {"nvidia.com/gpu": 1, "amd.com/gpu": 1}},
            "several kinds of cards",
        ),
        (
            of_memory(39 * GIB, 19 * GIB, target="2g.20gb"),
            {},
            {"limits": {"nvidia.com/gpu": 1}},
            "takes a node that is divided so",
        ),
        (
            of_memory(32 * GIB, 31 * GIB),
            {"memory": 32 * GIB},
            {"limits": {"mthreads.com/sgpu-memory": 64}},
            "is the one that it has",
        ),
    ],
)
def test_nothing_is_written(
    proposal: Proposal, reservation: dict[str, Any], asked: dict[str, Any], said: str
) -> None:
    with pytest.raises(CannotPatchError, match=said):
        changes([proposal], a_reservation(**reservation), Asked(**asked))


def test_pods_that_ask_for_the_same_number_prove_another_unit() -> None:
    """HAMi's memoryFactor, and Volcano's gpu-memory-factor."""
    reservation = a_reservation(resources={"volcano.sh/vgpu-memory": 200})
    found = changed(SMALLER, reservation, limits={"volcano.sh/vgpu-memory": 200})
    assert found == [("volcano.sh/vgpu-memory", 200, 159, False)]


@pytest.mark.parametrize("verdict", [Verdict.FITS, Verdict.CANNOT])
def test_other_verdicts_change_nothing(verdict: Verdict) -> None:
    proposal = a_proposal(verdict=verdict, proposed=None)
    assert changes([proposal], a_reservation(), Asked(limits={"nvidia.com/gpumem": 20000})) == []


@pytest.mark.parametrize(
    ("changes_", "found"),
    [
        (
            {},
            {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 20000, "nvidia.com/gpucores": 70},
        ),
        (
            {"sharing": Sharing.VOLCANO, "resources": {"volcano.sh/vgpu-number": 1}},
            {
                "volcano.sh/vgpu-number": 1,
                "volcano.sh/vgpu-memory": 20000,
                "volcano.sh/vgpu-cores": 70,
            },
        ),
        ({"sharing": Sharing.PLAIN}, {"nvidia.com/gpu": 1}),
        ({"memory": None, "compute": None}, {"nvidia.com/gpu": 1}),
        ({"resources": None}, {}),
    ],
)
def test_limits_of_an_object_that_was_not_read(
    changes_: dict[str, Any], found: dict[str, int]
) -> None:
    asked = assumed(a_reservation(**changes_))
    assert (asked.limits, asked.annotations, asked.read) == (found, {}, False)


@pytest.mark.parametrize(
    ("changes_", "found"),
    [
        ({"resources": {"gpu-memory": 1}}, {"gpu-memory": "20000"}),
        ({"resources": {"gpu-fraction": 1}}, {"gpu-fraction": "0.87"}),
        ({"resources": {"gpu-fraction": 1}, "card_memory": None}, {}),
        ({"resources": {"gpu-memory": 1}, "memory": None}, {}),
    ],
)
def test_annotations_of_an_object_that_was_not_read(
    changes_: dict[str, Any], found: dict[str, str]
) -> None:
    asked = assumed(a_reservation(sharing=Sharing.KAI, **changes_))
    assert (asked.limits, asked.annotations) == ({}, found)
