from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.claims import Fraction
from gpuatlas.model.objects import Container, Pod
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.units import MAX_CARD_BYTES, MIB
from gpuatlas.sources.kai.fractions import read_fraction

Pods = Mapping[tuple[str, str], Pod]
Make = Callable[..., Pod]

FIRST = "a26d17bc-0000-4000-8000-000000000001"
SECOND = "a26d17bc-0000-4000-8000-000000000002"

EXPECTED = {
    ("v0.4.0", "notebook-0"): Fraction(
        portion=0.5,
        memory_bytes=None,
        devices=1,
        container="notebook",
        mps=False,
        groups=("cfbcb444-0000-4000-8000-000000000001",),
        received="Fraction",
    ),
    # The first main container, not the sidecar before it.
    ("v0.13.0", "chat-0"): Fraction(
        portion=None,
        memory_bytes=2000 * MIB,
        devices=1,
        container="server",
        mps=True,
        groups=(FIRST,),
        received="Fraction",
    ),
    ("v0.13.0", "pair-0"): Fraction(
        portion=0.25,
        memory_bytes=None,
        devices=2,
        container="worker",
        mps=False,
        groups=(FIRST, SECOND),
        received="Fraction",
    ),
    ("v0.13.0", "waiting-0"): Fraction(
        portion=0.7,
        memory_bytes=None,
        devices=1,
        container="worker",
        mps=False,
        groups=(),
        received="",
    ),
}


@pytest.mark.parametrize("key", EXPECTED, ids="/".join)
def test_fractions_are_read_in_every_version(kai_pods: Pods, key: tuple[str, str]) -> None:
    assert read_fraction(kai_pods[key]) == (EXPECTED[key], ())


@pytest.mark.parametrize("name", ["whole-0", "gpu-reservation-kai-a-55dst"])
def test_whole_cards_are_no_fractions(kai_pods: Pods, name: str) -> None:
    assert read_fraction(kai_pods["v0.13.0", name]) == (None, ())


def test_a_group_alone_makes_no_fraction(marked: Make) -> None:
    assert read_fraction(marked(labels={"runai-gpu-group": FIRST})) == (None, ())


@pytest.mark.parametrize(
    ("written", "portion"),
    [("0.5", 0.5), ("1", 1.0), ("1.0", 1.0), (".5", 0.5), ("0.01", 0.01), ("5e-1", 0.5)],
)
def test_the_ways_to_write_a_portion(marked: Make, written: str, portion: float) -> None:
    fraction, rejections = read_fraction(marked({"gpu-fraction": written}))
    assert fraction is not None
    assert (fraction.portion, rejections) == (portion, ())


@pytest.mark.parametrize(
    ("key", "written", "reason"),
    [
        pytest.param("gpu-fraction", "", "not-a-number", id="empty"),
        pytest.param("gpu-fraction", "half", "not-a-number", id="word"),
        pytest.param("gpu-fraction", " 0.5", "not-a-number", id="blank"),
        pytest.param("gpu-fraction", "50%", "not-a-number", id="percent"),
        pytest.param("gpu-fraction", "0,5", "not-a-number", id="comma"),
        pytest.param("gpu-fraction", "-0.5", "not-a-number", id="negative"),
        pytest.param("gpu-fraction", "nan", "not-a-number", id="not a number"),
        pytest.param("gpu-fraction", "inf", "not-a-number", id="infinite"),
        pytest.param("gpu-fraction", "1_0", "not-a-number", id="underscore"),
        pytest.param("gpu-fraction", "٠.٥", "not-a-number", id="digits of another script"),
        pytest.param("gpu-fraction", "0." + "5" * 100_000, "not-a-number", id="endless"),
        pytest.param("gpu-fraction", "0", "out-of-range", id="zero"),
        pytest.param("gpu-fraction", "0e0", "out-of-range", id="zero with exponent"),
        pytest.param("gpu-fraction", "1.01", "out-of-range", id="more than a card"),
        pytest.param("gpu-fraction", "2", "out-of-range", id="two cards"),
        pytest.param("gpu-memory", "", "not-a-number", id="no memory"),
        pytest.param("gpu-memory", "2Gi", "not-a-number", id="quantity"),
        pytest.param("gpu-memory", "-1", "not-a-number", id="negative memory"),
        pytest.param("gpu-memory", "1.5", "not-a-number", id="fraction of a MiB"),
        pytest.param("gpu-memory", "0", "out-of-range", id="zero memory"),
        pytest.param("gpu-memory", "2097153", "out-of-range", id="no card is so large"),
        pytest.param("gpu-memory", "9" * 13, "not-a-number", id="too many digits"),
    ],
)
def test_a_figure_that_is_no_use_leaves_a_sharer_without_figures(
    marked: Make, key: str, written: str, reason: str
) -> None:
    pod = marked({key: written}, {"runai-gpu-group": FIRST})
    fraction, rejections = read_fraction(pod)
    assert fraction == Fraction(
        portion=None,
        memory_bytes=None,
        devices=1,
        container="main",
        mps=False,
        groups=(FIRST,),
        received="",
    )
    (rejection,) = rejections
    assert (rejection.source, rejection.reason) == ("kai", reason)
    assert rejection.where == f"pod team-b/pod-0 annotation {key}"
    assert len(rejection.message) <= 200


def test_both_figures_contradict_each_other(marked: Make) -> None:
    fraction, rejections = read_fraction(marked({"gpu-fraction": "0.5", "gpu-memory": "2000"}))
    assert fraction is not None
    assert (fraction.portion, fraction.memory_bytes) == (None, None)
    assert [rejection.reason for rejection in rejections] == ["contradiction"]


def test_a_fraction_beside_whole_cards_is_not_counted(marked: Make) -> None:
    limits = {"nvidia.com/gpu": 1}
    container = Container(name="main", kind="main", image="x", limits=limits, env={})
    pod = marked({"gpu-memory": "2000"}, containers=(container,))
    assert read_fraction(pod) == (
        None,
        (
            Rejection(
                "kai",
                "contradiction",
                "pod team-b/pod-0 annotation gpu-memory",
                "it asks for nvidia.com/gpu as well; the fraction is not counted",
            ),
        ),
    )


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("two", "not-a-number"),
        ("0", "out-of-range"),
        ("-2", "not-a-number"),
        ("9999", "out-of-range"),
    ],
)
def test_a_bad_number_of_cards_counts_as_one(marked: Make, written: str, reason: str) -> None:
    marks = {"gpu-fraction": "0.5", "gpu-fraction-num-devices": written}
    fraction, rejections = read_fraction(marked(marks))
    assert fraction is not None
    assert (fraction.portion, fraction.devices) == (0.5, 1)
    assert [rejection.reason for rejection in rejections] == [reason]


@pytest.mark.parametrize("named", ["", "other", "x" * 1000])
def test_a_container_that_the_pod_does_not_have_is_unknown(marked: Make, named: str) -> None:
    marks = {"gpu-fraction": "0.5", "gpu-fraction-container-name": named}
    fraction, rejections = read_fraction(marked(marks))
    assert fraction is not None
    assert fraction.container == ""
    assert [rejection.reason for rejection in rejections] == ["unknown-container"]


def test_an_init_container_can_be_named(marked: Make) -> None:
    init = Container(name="prepare", kind="init", image="x", limits={}, env={})
    marks = {"gpu-fraction": "0.5", "gpu-fraction-container-name": "prepare"}
    fraction, rejections = read_fraction(marked(marks, containers=(init,)))
    assert fraction is not None
    assert (fraction.container, rejections) == ("prepare", ())


def test_a_pod_without_main_containers_names_none(marked: Make) -> None:
    fraction, rejections = read_fraction(marked({"gpu-fraction": "0.5"}, containers=()))
    assert fraction is not None
    assert (fraction.container, rejections) == ("", ())


@pytest.mark.parametrize(
    ("labels", "reasons"),
    [
        pytest.param({"runai-gpu-group": ""}, ["bad-text"], id="empty"),
        pytest.param({"runai-gpu-group": "x" * 64}, ["bad-text"], id="too long"),
        pytest.param({"runai-gpu-group": "a\nb"}, ["bad-text"], id="two lines"),
        pytest.param({f"runai-gpu-group/{FIRST}": SECOND}, ["bad-text"], id="another's key"),
        pytest.param(
            {"runai-gpu-group": FIRST, f"runai-gpu-group/{SECOND}": SECOND},
            ["too-many"],
            id="two groups for one card",
        ),
        pytest.param({"runai-gpu-groups": FIRST}, [], id="another label"),
    ],
)
def test_groups_that_kai_did_not_write_are_not_believed(
    marked: Make, labels: dict[str, str], reasons: list[str]
) -> None:
    fraction, rejections = read_fraction(marked({"gpu-fraction": "0.5"}, labels))
    assert fraction is not None
    assert fraction.groups == ()
    assert [rejection.reason for rejection in rejections] == reasons


def test_one_group_written_in_both_ways_is_one(marked: Make) -> None:
    labels = {"runai-gpu-group": FIRST, f"runai-gpu-group/{FIRST}": FIRST}
    fraction, rejections = read_fraction(marked({"gpu-fraction": "0.5"}, labels))
    assert fraction is not None
    assert (fraction.groups, rejections) == ((FIRST,), ())


def test_a_word_that_the_scheduler_does_not_use_says_nothing(marked: Make) -> None:
    marks = {"gpu-fraction": "0.5", "received-resource-type": "Everything", "mps": "yes"}
    fraction, rejections = read_fraction(marked(marks))
    assert fraction is not None
    assert (fraction.received, fraction.mps, rejections) == ("", False, ())


def test_a_flood_of_labels_is_bounded(marked: Make) -> None:
    labels = {f"runai-gpu-group/{n}": "other" for n in range(1000)}
    fraction, rejections = read_fraction(marked({"gpu-fraction": "0.5"}, labels))
    assert fraction is not None
    assert fraction.groups == ()
    assert len(rejections) == 17
    assert rejections[-1].message == "984 more records like this"


keys = st.sampled_from(
    ["gpu-fraction", "gpu-memory", "gpu-fraction-num-devices", "gpu-fraction-container-name", "mps"]
)
values = st.one_of(st.text(max_size=20), st.from_regex(r"[0-9.eE+-]{1,9}"), st.just("0.5"))
groups = st.dictionaries(
    st.sampled_from(["runai-gpu-group", "runai-gpu-group/a", "runai-gpu-group/b"]),
    st.one_of(st.sampled_from(["a", "b"]), st.text(max_size=5)),
)


@settings(deadline=None, max_examples=200)
@given(annotations=st.dictionaries(keys, values), labels=groups)
def test_whatever_a_tenant_writes_the_numbers_are_sound(
    kai_pods: Pods, annotations: dict[str, str], labels: dict[str, str]
) -> None:
    pod = kai_pods["v0.13.0", "waiting-0"]
    fields = {name: getattr(pod, name) for name in Pod.__slots__}
    fraction, rejections = read_fraction(
        Pod(**{**fields, "annotations": annotations, "labels": labels})
    )
    assert all(len(rejection.message) <= 200 for rejection in rejections)
    if fraction is None:
        return
    assert fraction.portion is None or 0 < fraction.portion <= 1
    assert fraction.memory_bytes is None or 0 < fraction.memory_bytes <= MAX_CARD_BYTES
    assert fraction.portion is None or fraction.memory_bytes is None
    assert 1 <= fraction.devices <= 1024
    assert len(fraction.groups) <= fraction.devices
