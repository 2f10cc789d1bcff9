"""Labels that all series must have and none has: that is said, and not that nothing is scraped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.doctor.examine import examine
from gpuatlas.doctor.results import Area, Result, State
from gpuatlas.model.doctor import PrometheusFacts
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas_harness.doctored import (
    healthy_prometheus,
    unmatched_cluster,
    unmatched_prometheus,
    without_prometheus,
)
from gpuatlas_harness.examined import found

Labels = Mapping[str, str]

CHANGE = "--prometheus-matcher to a value that is there (in the chart: prometheus.matchers)"
LEAVE_OUT = (
    "no --prometheus-matcher where this Prometheus has one cluster alone (in the chart: no "
    "prometheus.matchers); else --prometheus-url to what it sends its series to, which has them "
    "with its external_labels"
)


def examined(**changes: Any) -> list[Result]:
    server = replace(unmatched_prometheus(), **changes)
    return list(examine(unmatched_cluster(), server, load_catalogue()))


def of_area(results: list[Result], area: Area) -> list[tuple[str, State, str]]:
    return [(one.word, one.state, one.text) for one in results if one.area is area]


def numbered(count: int) -> tuple[Labels, ...]:
    return tuple({"cluster": f"c{number}"} for number in range(count))


@pytest.mark.parametrize(
    ("matchers", "labelled", "text", "remedy"),
    [
        (
            {"cluster": "prd"},
            ({"cluster": ""}, {"cluster": "dev"}, {"cluster": "prod"}),
            "no up, gpuatlas or DCGM series has cluster=prd (--prometheus-matcher); there are "
            "cluster=dev, cluster=prod",
            CHANGE,
        ),
        (
            {"cluster": "c"},
            numbered(1007),
            "no up, gpuatlas or DCGM series has cluster=c (--prometheus-matcher); there are "
            "cluster=c0, cluster=c1, cluster=c2, cluster=c3, cluster=c4 and 1,002 more",
            CHANGE,
        ),
        (
            {"cluster": "prd"},
            ({"cluster": ""},),
            "no up, gpuatlas or DCGM series has cluster=prd (--prometheus-matcher), and none has "
            "the label cluster",
            LEAVE_OUT,
        ),
        (
            {"tenant": "a", "cluster": "prd"},
            ({"cluster": "", "tenant": ""},),
            "no up, gpuatlas or DCGM series has cluster=prd tenant=a (--prometheus-matcher), and "
            "none has the labels cluster and tenant",
            LEAVE_OUT,
        ),
        (
            {"tenant": "a", "cluster": "prod"},
            ({"cluster": "prod", "tenant": ""},),
            "no up, gpuatlas or DCGM series has cluster=prod tenant=a (--prometheus-matcher), and "
            "none has the label tenant",
            LEAVE_OUT,
        ),
        (
            {"tenant": "a", "cluster": "prod"},
            ({"cluster": "dev", "tenant": "a"}, {"cluster": "prod", "tenant": ""}),
            "no up, gpuatlas or DCGM series has cluster=prod tenant=a (--prometheus-matcher); "
            "there are cluster=dev tenant=a, cluster=prod",
            CHANGE,
        ),
        # Only those without the label.
        (
            {"cluster": ""},
            ({"cluster": "prod"},),
            "no up, gpuatlas or DCGM series has cluster= (--prometheus-matcher); there are "
            "cluster=prod",
            CHANGE,
        ),
    ],
)
def test_the_matcher_is_named_with_what_is_there(
    matchers: Labels, labelled: tuple[Labels, ...], text: str, remedy: str
) -> None:
    results = examined(matchers=matchers, labelled=labelled)
    (finding,) = [one for one in results if one.word == "matcher"]
    assert (finding.area, finding.state, finding.text) == (Area.PROMETHEUS, State.TODO, text)
    assert finding.remedy is not None
    assert finding.remedy.text == remedy


def test_nothing_else_is_to_do_before_it_is_mended() -> None:
    results = examined()
    assert [one.word for one in results if one.state is State.TODO] == ["matcher"]
    why = "nothing is known of it while no series has cluster=prd"
    for area in (Area.SCRAPE, Area.RULES, Area.HISTORY, Area.EXPORTER):
        assert of_area(results, area) == [("blocked", State.UNKNOWN, why)]
    assert of_area(results, Area.SOURCES)[2:] == [
        (
            "pages",
            State.UNKNOWN,
            "which pages there are: no series in http://prometheus:9090 has cluster=prd",
        )
    ]


def test_pages_of_the_pods_are_not_touched_by_it() -> None:
    results = examine(without_prometheus(), unmatched_prometheus(), load_catalogue())
    assert [(word, state) for word, state, _ in of_area(list(results), Area.SOURCES)] == [
        ("cards", State.OK),
        ("layers", State.OK),
        ("dcgm", State.OK),
        ("hami-monitor", State.OK),
        ("hami-scheduler", State.OK),
    ]


@pytest.mark.parametrize(
    "labelled",
    [
        ({"cluster": "dev"}, {"cluster": "prd"}),
        (),  # there is no series at all, whatever its labels
    ],
)
def test_where_it_is_not_the_matcher_nothing_is_scraped(labelled: tuple[Labels, ...]) -> None:
    results = examined(labelled=labelled)
    assert [one for one in results if one.word == "matcher"] == []
    assert of_area(results, Area.SCRAPE)[0] == (
        "gpuatlas",
        State.TODO,
        "there is no gpuatlas_build_info: this Prometheus does not scrape gpuatlas serve",
    )
    assert of_area(results, Area.SOURCES)[2][:2] == ("hami-monitor", State.OPTIONAL)


def test_what_could_not_be_asked_is_unknown() -> None:
    results = examined(labelled=None, unread={"labelled": "HTTP 422 from http://p: too many"})
    assert of_area(results, Area.PROMETHEUS)[2:] == [
        (
            "matcher",
            State.UNKNOWN,
            "whether any series has cluster=prd (--prometheus-matcher): HTTP 422 from http://p: "
            "too many",
        )
    ]
    assert of_area(results, Area.SCRAPE)[0][1] is State.TODO


def test_a_matcher_that_matches_is_not_spoken_of() -> None:
    matched: PrometheusFacts = replace(healthy_prometheus(), matchers={"cluster": "prod"})
    assert found(prometheus=matched) == []
