"""The resource that stands in the manifest is the one that changes, rounded up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.sizing import CannotReason, Proposal, Reservation, Resource, Verdict
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas.sizing.patch_assumed import assumed
from gpuatlas.sizing.patch_places import Asked
from gpuatlas.sizing.patch_quantities import CannotPatchError, whole_number
from gpuatlas.sizing.patch_values import Change, changes
from gpuatlas_harness.sizing_reports import a_proposal, a_reservation, of_compute

GIB = 1024 * MIB


def memory(present: float, proposed: float, **more: Any) -> Proposal:
    verdict = Verdict.SMALLER if proposed < present else Verdict.LARGER
    return a_proposal(present=present, proposed=proposed, verdict=verdict, **more)


def cards(present: float, proposed: float, **more: Any) -> Proposal:
    return a_proposal(resource=Resource.CARDS, present=present, proposed=proposed, **more)


def change(proposal: Proposal, reservation: Reservation, **asked: Any) -> list[tuple[Any, ...]]:
    made = changes([proposal], reservation, Asked(**asked))
    return [(each.name, each.old, each.new, each.annotation) for each in made]


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
    found = change(memory(promised, proposed), reservation, limits={"cpu": "4", **limits})
    assert found == [(name, old, new, False)]


def test_memory_that_was_not_asked_for_by_name_is_added() -> None:
    proposal = memory(23_028 * MIB, 15_872 * MIB, target="nvidia.com/gpumem")
    found = change(proposal, a_reservation(memory=23_028 * MIB), limits={"nvidia.com/gpu": 1})
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
    found = change(proposal, a_reservation(compute=compute), limits=limits)
    assert found == [(name, old, new, False)]


def test_fewer_cards() -> None:
    assert change(cards(4, 2), a_reservation(), limits={"nvidia.com/gpu": "4"}) == [
        ("nvidia.com/gpu", "4", "2", False)
    ]


@pytest.mark.parametrize("target", ["1g.10gb", "nvidia.com/mig-1g.10gb"])
def test_a_profile_in_place_of_a_card(target: str) -> None:
    found = change(cards(1, 1, target=target), a_reservation(), limits={"nvidia.com/gpu": 1})
    assert found == [
        ("nvidia.com/gpu", 1, None, False),
        ("nvidia.com/mig-1g.10gb", None, 1, False),
    ]


def test_a_smaller_profile() -> None:
    found = change(
        memory(39 * GIB, 19 * GIB, target="nvidia.com/mig-2g.20gb"),
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
        memory(39 * GIB, 19 * GIB, target="nvidia.com/mig-2g.20gb"),
        cards(2, 1),
    ]
    made = changes(both, a_reservation(), Asked(limits={"nvidia.com/mig-3g.40gb": 2}))
    assert [(each.name, each.old, each.new) for each in made] == [
        ("nvidia.com/mig-3g.40gb", 2, None),
        ("nvidia.com/mig-2g.20gb", None, 1),
    ]


def test_a_size_is_added_to_nothing_that_has_no_card() -> None:
    """HAMi's webhook would add a card to it: the head of a cluster has none."""
    share = memory(80 * GIB, 20 * GIB, target="nvidia.com/gpumem")
    with pytest.raises(CannotPatchError, match="no device"):
        change(share, a_reservation(), limits={"cpu": "4"})


def test_a_profile_with_extensions_is_a_resource_with_a_dot() -> None:
    found = change(cards(1, 1, target="1g.10gb+me"), a_reservation(), limits={"nvidia.com/gpu": 1})
    assert found[1][0] == "nvidia.com/mig-1g.10gb.me"


def test_kai_by_memory() -> None:
    found = change(
        memory(20_000 * MIB, 15_872 * MIB), a_reservation(), annotations={"gpu-memory": "20000"}
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
    every = [memory(40 * GIB, 20.25 * GIB), *others]
    found = changes(every, FRACTION, Asked(annotations={"gpu-fraction": "0.5"}))
    assert found == [Change(name="gpu-fraction", old="0.5", new=new, annotation=True)]


def test_a_fraction_whose_compute_fits_stays() -> None:
    every = [
        memory(40 * GIB, 20.25 * GIB),
        of_compute(present=0.5, proposed=None, verdict=Verdict.FITS),
    ]
    with pytest.raises(CannotPatchError, match="is the one that it has"):
        changes(every, FRACTION, Asked(annotations={"gpu-fraction": "0.5"}))


def test_a_fraction_whose_compute_was_not_seen_enough_stays() -> None:
    """It may need all that it has of it."""
    every = [memory(40 * GIB, 20.25 * GIB), cannot(CannotReason.COVERAGE)]
    with pytest.raises(CannotPatchError, match="is the one that it has"):
        changes(every, FRACTION, Asked(annotations={"gpu-fraction": "0.5"}))


def test_a_fraction_of_a_whole_card_is_none() -> None:
    with pytest.raises(CannotPatchError, match="ask for a whole card"):
        change(memory(40 * GIB, 80 * GIB), FRACTION, annotations={"gpu-fraction": "0.5"})


SMALLER = memory(20_000 * MIB, 15_872 * MIB)


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
        (cards(4, 2), {}, {"limits": {"nvidia.com/gpu": 2}}, "is 2 and its pods have 4"),
        (
            cards(1, 1),
            {},
            {"limits": {"nvidia.com/gpu": 1, "amd.com/gpu": 1}},
            "several kinds of cards",
        ),
        (
            memory(39 * GIB, 19 * GIB, target="2g.20gb"),
            {},
            {"limits": {"nvidia.com/gpu": 1}},
            "takes a node that is divided so",
        ),
        (
            memory(32 * GIB, 31 * GIB),
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
    found = change(SMALLER, reservation, limits={"volcano.sh/vgpu-memory": 200})
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


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from(["nvidia.com/gpumem", "cambricon.com/mlu.smlu.vmemory"]),
    st.integers(1, 300_000),
    st.integers(1, 300_000 * MIB),
)
def test_never_below_what_was_proposed(name: str, mebibytes: int, proposed: int) -> None:
    unit = MIB if name.startswith("nvidia") else 256 * MIB
    reservation = a_reservation(memory=mebibytes * unit)
    proposal = memory(mebibytes * unit, proposed)
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
