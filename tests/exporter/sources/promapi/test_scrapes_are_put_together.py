"""One scrape of one endpoint out of series, as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.pages import Sample
from gpuatlas.sources.promapi.client import Series
from gpuatlas.sources.promapi.scrapes import Scrape, ScrapeAssembly
from gpuatlas.sources.promapi.targets import original_labels, targets_of

TARGET = {
    "job": "dcgm",
    "instance": "10.0.0.7:9400",
    "namespace": "ops",
    "pod": "exporter-x",
    "container": "exporter",
    "node": "gpu-a",
}


def series(name: str, points: list[tuple[float, float]], **labels: str) -> Series:
    named = {"__name__": name, "job": "dcgm", "instance": "i", **labels}
    return Series(named, {instant: f"{value:g}" for instant, value in points})


def assemble(up: list[Series], *others: Series, max_age: float = 90.0) -> dict[str, Scrape]:
    assembly = ScrapeAssembly(targets_of(up), max_age=max_age)
    assembly.add(others)
    return assembly.scrapes()


def values(scrape: Scrape) -> dict[str, float]:
    return {sample.name: sample.value for sample in scrape.samples}


def test_targets_by_up() -> None:
    targets = targets_of(
        [
            series("up", [(10.0, 1), (20.0, 0)]),
            series("up", [(10.0, 1), (20.0, 1)], instance="j"),
            series("up", [(10.0, 0)], instance="k"),
        ]
    )
    assert [(t.up, t.tried_at, t.scraped_at) for t in targets.values()] == [
        (False, 20.0, 10.0),
        (True, 20.0, 20.0),
        (False, 10.0, None),
    ]


def test_all_samples_are_of_the_scrape_that_up_shows() -> None:
    scrapes = assemble(
        [series("up", [(10.0, 1), (25.0, 1)])],
        series("A", [(10.0, 1), (25.0, 2)]),
        series("B", [(10.0, 3), (25.0, 4), (40.0, 5)]),  # stored between two queries
        series("C", [(10.0, 6)]),  # ended
    )
    assert scrapes["i"].at == 25.0
    assert values(scrapes["i"]) == {"A": 2.0, "B": 4.0}


def test_a_target_that_is_down_is_told_by_its_last_good_scrape() -> None:
    scrapes = assemble(
        [series("up", [(10.0, 1), (25.0, 0)])], series("A", [(10.0, 1)]), series("B", [(10.0, 2)])
    )
    assert (scrapes["i"].at, values(scrapes["i"])) == (10.0, {"A": 1.0, "B": 2.0})


def test_a_target_that_was_never_well_has_no_scrape() -> None:
    assert assemble([series("up", [(10.0, 0)])], series("A", [(10.0, 1)])) == {}


def test_without_up_the_fullest_scrape_is_taken_and_of_such_the_newest() -> None:
    scrapes = assemble(
        [],
        series("A", [(10.0, 1), (25.0, 2)]),
        series("B", [(10.0, 3), (25.0, 4), (40.0, 5)]),
    )
    assert (scrapes["i"].at, values(scrapes["i"])) == (25.0, {"A": 2.0, "B": 4.0})


def test_without_up_an_old_scrape_is_not_taken_for_its_fullness() -> None:
    scrapes = assemble([], series("A", [(10.0, 1), (140.0, 2)]), series("B", [(10.0, 3)]))
    assert (scrapes["i"].at, values(scrapes["i"])) == (140.0, {"A": 2.0})


def test_scrapes_that_are_too_old_are_left_out() -> None:
    scrapes = assemble(
        [series("up", [(10.0, 1)]), series("up", [(101.0, 1)], instance="j")],
        series("A", [(10.0, 1)]),
        series("A", [(101.0, 1)], instance="j"),
    )
    assert list(scrapes) == ["j"]


def test_an_endpoint_scraped_by_two_jobs_gives_its_newest_scrape() -> None:
    scrapes = assemble(
        [series("up", [(10.0, 1)]), series("up", [(12.0, 1)], job="other")],
        series("A", [(10.0, 1)]),
        series("A", [(12.0, 2)], job="other"),
    )
    assert (scrapes["i"].at, values(scrapes["i"])) == (12.0, {"A": 2.0})


def test_two_replicas_of_one_prometheus_are_not_mixed() -> None:
    scrapes = assemble(
        [series("up", [(10.0, 1)], replica="0"), series("up", [(10.0, 1)], replica="1")],
        series("A", [(10.0, 1)], replica="0"),
        series("A", [(10.0, 2)], replica="1"),
        series("B", [(10.0, 3)], replica="1"),
    )
    assert values(scrapes["i"]) == {"A": 2.0, "B": 3.0}


def test_series_without_an_instance_are_kept_apart() -> None:
    assembly = ScrapeAssembly({}, max_age=90.0)
    assembly.add([Series({"__name__": "A", "x": "1"}, {10.0: "1", 25.0: "2"})])
    assembly.add([Series({"__name__": "A", "x": "2"}, {200.0: "3"})])
    assert assembly.scrapes() == {}
    assert (assembly.mixed(), assembly.newest) == ([Sample("A", {"x": "2"}, 3.0)], 200.0)


def test_clusters_are_noted() -> None:
    up = [series("up", [(1.0, 1)], cluster="a"), series("up", [(1.0, 1)], cluster="b")]
    assembly = ScrapeAssembly(targets_of(up), max_age=90.0)
    assembly.add([series("A", [(1.0, 1)], cluster="a"), series("A", [(1.0, 1)], cluster="b")])
    assert assembly.clusters == {"a", "b"}


def test_a_pod_label_named_like_the_scrapers_moves_nothing() -> None:
    assembly = ScrapeAssembly(targets_of([series("up", [(10.0, 1)])]), max_age=90.0)
    assembly.add([series("A", [(10.0, 1), (25.0, 2)])])
    assembly.add([series("B", [(10.0, 1), (25.0, 2)], cluster="x", replica="y", prometheus="z")])
    assert assembly.clusters == set()
    (scrape,) = assembly.scrapes().values()
    assert (scrape.at, values(scrape)) == (10.0, {"A": 1.0, "B": 1.0})


def test_an_endpoint_with_up_is_told_by_it() -> None:
    scrapes = assemble(
        [series("up", [(10.0, 1)])],
        series("A", [(10.0, 1)]),
        series("A", [(25.0, 2)], job="a rule's"),
        series("B", [(25.0, 2)], job="a rule's"),
    )
    assert (scrapes["i"].at, values(scrapes["i"])) == (10.0, {"A": 1.0})


def test_the_node_is_the_scrape_configurations() -> None:
    up = [series("up", [(10.0, 1)], node="gpu-a"), series("up", [(10.0, 1)], instance="j")]
    scrapes = assemble(
        up,
        series("A", [(10.0, 1)], node="gpu-a", exported_node="gpu-z"),
        series("A", [(10.0, 1)], instance="j", node="a-tenants-label"),
        series("A", [(10.0, 1)], instance="k", node="gpu-c"),
    )
    assert {name: scrape.node for name, scrape in scrapes.items()} == {
        "i": "gpu-a",
        "j": "",
        "k": "gpu-c",
    }
    assert scrapes["i"].samples[0].labels["node"] == "gpu-z"


TENANT = {"namespace": "red", "pod": "chat-0", "container": "server"}


def renamed(labels: dict[str, str]) -> dict[str, str]:
    return {f"exported_{name}": value for name, value in labels.items()}


def pod_of(labels: dict[str, str]) -> dict[str, str]:
    return {name: labels[name] for name in TENANT if name in labels}


@pytest.mark.parametrize(
    ("stored", "pod"),
    [
        pytest.param({**TARGET, **renamed(TENANT)}, TENANT, id="renamed"),
        pytest.param({**TARGET, **TENANT}, TENANT, id="honoured"),
        pytest.param(TARGET, {}, id="no tenant"),
        pytest.param(
            {**TARGET, "namespace": "red", "pod": "chat-0"},
            {"namespace": "red", "pod": "chat-0"},
            id="no container of its own",
        ),
        pytest.param(
            {**TARGET, "pod": "other", "container": "server"},
            {"namespace": "ops", "pod": "other", "container": "server"},
            id="a tenant in the exporter's namespace",
        ),
        pytest.param(
            {**TARGET, **renamed(TARGET), "instance": TARGET["instance"]},
            {name: TARGET[name] for name in TENANT},
            id="the endpoint speaks of itself",
        ),
        pytest.param(
            {
                **TARGET,
                "exported_exported_pod": "chat-0",
                "exported_pod": "victim-0",
                "exported_namespace": "red",
                "exported_container": "server",
            },
            TENANT,
            id="a tenant labelled its pod exported_pod",
        ),
    ],
)
def test_labels_of_the_target_are_taken_off(stored: dict[str, str], pod: dict[str, str]) -> None:
    original = original_labels({"__name__": "A", **stored}, TARGET)
    assert pod_of(original) == pod
    assert "__name__" not in original


def test_labels_are_left_alone_where_the_target_is_unknown() -> None:
    stored = {**TARGET, **renamed(TENANT)}
    assert original_labels({"__name__": "A", **stored}, {}) == stored


TARGET_NAMES = st.sampled_from(["namespace", "pod", "container", "node", "x"])
NAMES = TARGET_NAMES | st.just("exported_x")
# A page with `exported_x` alone is stored as one with `x` alone would be.
LABELS = st.dictionaries(NAMES, st.sampled_from(["a", "b", "c"]), max_size=6).filter(
    lambda page: "x" in page or "exported_x" not in page
)


def scraped(page: dict[str, str], target: dict[str, str]) -> dict[str, str]:
    """What Prometheus stores with `honor_labels: false`."""
    stored = dict(target)
    for name, value in page.items():
        new = name
        while new in target or (new != name and new in page):
            new = f"exported_{new}"
        stored[new] = value
    return stored


@settings(max_examples=200, deadline=None)
@given(LABELS, st.dictionaries(TARGET_NAMES, st.just("t"), max_size=4))
def test_what_prometheus_renamed_gets_its_name_back(
    page: dict[str, str], target: dict[str, str]
) -> None:
    original = original_labels({"__name__": "A", **scraped(page, target)}, target)
    assert {name: original.get(name) for name in page} == page


@settings(max_examples=100, deadline=None)
@given(*[st.dictionaries(NAMES | st.just("exported_exported_x"), st.sampled_from("at"))] * 2)
def test_no_labels_raise(stored: dict[str, str], target: dict[str, str]) -> None:
    original = original_labels({"__name__": "A", **stored}, target)
    assert set(original.values()) <= set(stored.values())


POINTS = st.dictionaries(
    st.sampled_from([10.0, 25.0, 40.0]), st.sampled_from(["0", "1", "2"]), min_size=1
).map(lambda points: dict(sorted(points.items())))
STORED = st.lists(
    st.builds(
        Series,
        st.fixed_dictionaries(
            {"__name__": st.sampled_from(["A", "B", "C"])},
            optional={
                "instance": st.sampled_from(["i", "j"]),
                "job": st.sampled_from(["a", "b"]),
                "cluster": st.just("x"),
            },
        ),
        POINTS,
    ),
    max_size=8,
)


@settings(max_examples=150, deadline=None)
@given(STORED, STORED)
def test_a_scrape_has_samples_of_one_instant_only(up: list[Series], stored: list[Series]) -> None:
    assembly = ScrapeAssembly(targets_of(up), max_age=90.0)
    assembly.add(stored)
    written = {
        (one.labels.get("instance", ""), one.labels["__name__"], instant, float(value))
        for one in stored
        for instant, value in one.points.items()
    }
    for instance, scrape in assembly.scrapes().items():
        assert {(instance, s.name, scrape.at, s.value) for s in scrape.samples} <= written
