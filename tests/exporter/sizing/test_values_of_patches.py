"""The resource that stands in the manifest is the one that changes, rounded up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas.sizing.patch_places import Asked
from gpuatlas.sizing.patch_quantities import CannotPatchError, whole_number
from gpuatlas.sizing.patch_values import changes
from gpuatlas_harness.patch_changes import GIB, changed, of_cards, of_memory
from gpuatlas_harness.sizing_reports import a_reservation, of_compute

# Limits, promise, proposed bytes → the changed resource.
MEMORY: dict[str, tuple[dict[str, Any], int, int, object]] = {
    "hami": ({"nvidia.com/gpumem": 20000}, 20_000 * MIB, 15_872 * MIB, 15872),
    "text stays text": ({"nvidia.com/gpumem": "20000"}, 20_000 * MIB, 15_872 * MIB, "15872"),
    "thousands": ({"nvidia.com/gpumem": "20k"}, 20_000 * MIB, 15_872 * MIB, "15872"),
    "larger": ({"nvidia.com/gpumem": 4000}, 4_000 * MIB, 4_608 * MIB, 4608),
    "percent": ({"nvidia.com/gpumem-percentage": 87}, 20_000 * MIB, 15_872 * MIB, 69),
    "volcano": ({"volcano.sh/vgpu-memory": 20000}, 20_000 * MIB, 15_872 * MIB, 15872),
    "cambricon": ({"cambricon.com/mlu.smlu.vmemory": 80}, 20 * GIB, 15 * GIB + MIB, 61),
    "metax in GiB": ({"metax-tech.com/vmemory": 20}, 20 * GIB, 15 * GIB + MIB, 16),
    "moore threads": ({"mthreads.com/sgpu-memory": 64}, 32 * GIB, 9 * GIB, 32),
    "ascend": ({"huawei.com/Ascend910B3-memory": 32768}, 32 * GIB, 16 * GIB, 16384),
}


@pytest.mark.parametrize("case", MEMORY)
def test_memory(case: str) -> None:
    limits, promised, proposed, new = MEMORY[case]
    ((name, old),) = limits.items()
    reservation = a_reservation(memory=promised)
    found = changed(of_memory(promised, proposed), reservation, limits={"cpu": "4", **limits})
    assert found == [(name, old, new, False)]


def test_memory_that_was_not_asked_for_by_name_is_added() -> None:
    proposal = of_memory(23_028 * MIB, 15_872 * MIB, target="nvidia.com/gpumem")
    found = changed(proposal, a_reservation(memory=23_028 * MIB), limits={"nvidia.com/gpu": 1})
    assert found == [("nvidia.com/gpumem", None, 15872, False)]


@pytest.mark.parametrize(
    ("limits", "compute", "new"),
    [
        ({"nvidia.com/gpucores": 70}, 0.7, 55),
        ({"nvidia.com/gpucores": "70"}, 0.7, "55"),
        ({"volcano.sh/vgpu-cores": 70}, 0.7, 55),
        ({"mthreads.com/sgpu-core": 12}, 0.75, 9),
        ({"huawei.com/Ascend910B3-core": 14}, 0.7, 11),
    ],
)
def test_compute(limits: dict[str, Any], compute: float, new: object) -> None:
    ((name, old),) = limits.items()
    proposal = of_compute(present=compute, proposed=0.55)
    found = changed(proposal, a_reservation(compute=compute), limits=limits)
    assert found == [(name, old, new, False)]


def test_fewer_cards() -> None:
    assert changed(of_cards(4, 2), a_reservation(), limits={"nvidia.com/gpu": "4"}) == [
        ("nvidia.com/gpu", "4", "2", False)
    ]


@pytest.mark.parametrize("target", ["1g.10gb", "nvidia.com/mig-1g.10gb"])
def test_a_profile_in_place_of_a_card(target: str) -> None:
    found = changed(of_cards(1, 1, target=target), a_reservation(), limits={"nvidia.com/gpu": 1})
    assert found == [
        ("nvidia.com/gpu", 1, None, False),
        ("nvidia.com/mig-1g.10gb", None, 1, False),
    ]


def test_a_smaller_profile() -> None:
    found = changed(
        of_memory(39 * GIB, 19 * GIB, target="nvidia.com/mig-2g.20gb"),
        a_reservation(sharing=Sharing.MIG),
        limits={"nvidia.com/mig-3g.40gb": 2},
    )
    assert found == [
        ("nvidia.com/mig-3g.40gb", 2, None, False),
        ("nvidia.com/mig-2g.20gb", None, 2, False),
    ]


def test_a_smaller_profile_and_fewer_of_it_are_one_change() -> None:
    """Else it would ask for instances of both profiles."""
    both = [
        of_memory(39 * GIB, 19 * GIB, target="nvidia.com/mig-2g.20gb"),
        of_cards(2, 1),
    ]
    made = changes(both, a_reservation(), Asked(limits={"nvidia.com/mig-3g.40gb": 2}))
    assert [(each.name, each.old, each.new) for each in made] == [
        ("nvidia.com/mig-3g.40gb", 2, None),
        ("nvidia.com/mig-2g.20gb", None, 1),
    ]


def test_a_size_is_added_to_nothing_that_has_no_card() -> None:
    """HAMi's webhook would add a card to it: the head of a cluster has none."""
    share = of_memory(80 * GIB, 20 * GIB, target="nvidia.com/gpumem")
    with pytest.raises(CannotPatchError, match="no device"):
        changed(share, a_reservation(), limits={"cpu": "4"})


def test_a_profile_with_extensions_is_a_resource_with_a_dot() -> None:
    found = changed(
        of_cards(1, 1, target="1g.10gb+me"), a_reservation(), limits={"nvidia.com/gpu": 1}
    )
    assert found[1][0] == "nvidia.com/mig-1g.10gb.me"


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from(["nvidia.com/gpumem", "cambricon.com/mlu.smlu.vmemory"]),
    st.integers(1, 300_000),
    st.integers(1, 300_000 * MIB),
)
def test_never_below_what_was_proposed(name: str, mebibytes: int, proposed: int) -> None:
    unit = MIB if name.startswith("nvidia") else 256 * MIB
    reservation = a_reservation(memory=mebibytes * unit)
    proposal = of_memory(mebibytes * unit, proposed)
    try:
        (made,) = changes([proposal], reservation, Asked(limits={name: mebibytes}))
    except CannotPatchError:
        assert proposed > (mebibytes - 1) * unit
        return
    assert isinstance(made.new, int)
    # A millionth of a unit is a rounding error.
    assert made.new * unit >= proposed - unit / 1e6


@settings(deadline=None)
@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text())
def test_a_quantity_is_a_whole_number_or_none(raw: object) -> None:
    number = whole_number(raw)
    assert number is None or number >= 0
