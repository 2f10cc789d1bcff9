from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import replace

import pytest

from gpuatlas.families.exposition import Format, write_families
from gpuatlas.families.page import Page, PageCache
from gpuatlas.families.sizing import FAMILIES
from gpuatlas.families.spec import Series
from gpuatlas.model.checks import CheckReport
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.sizing import Proposal, Resource, SizedContainer, SizingReport, Verdict
from gpuatlas.model.snapshot import Snapshot
from gpuatlas_harness.build import NOW
from gpuatlas_harness.sizing_page import a_sizing_report

CONTAINER_BUDGET = 12
EMPTY = SizingReport(at=NOW, window_days=14)
OF = SizedContainer(cluster="", namespace="a", kind="Job", name="b", container="c")


def series(report: SizingReport) -> dict[str, list[Series]]:
    found = {family.name: list(family.samples(report)) for family in FAMILIES}
    return {name: samples for name, samples in found.items() if samples}


def said(resource: Resource, **changes: object) -> Proposal:
    fields: dict[str, object] = {"verdict": Verdict.FITS, "text": "x", "window_days": 14.0}
    return Proposal(of=OF, resource=resource, **(fields | changes))  # type: ignore[arg-type]


def report(*proposals: Proposal) -> SizingReport:
    return replace(EMPTY, proposals=proposals)


def test_nothing_is_said_of_nothing() -> None:
    assert series(EMPTY) == {}


def test_what_nobody_knows_has_no_series() -> None:
    assert series(report(said(Resource.MEMORY))) == {
        "gpuatlas_sizing_verdict_info": [(("a", "Job", "b", "c", "memory", "fits", ""), 1)],
        "gpuatlas_sizing_window_seconds": [(("a", "Job", "b", "c"), 14 * 86_400.0)],
    }


def test_bytes_are_whole() -> None:
    (found,) = series(report(said(Resource.MEMORY, proposed=1.5)))[
        "gpuatlas_sizing_memory_proposed_bytes"
    ]
    assert repr(found) == "(('a', 'Job', 'b', 'c'), 1)"


def test_the_window_is_that_of_the_first_resource() -> None:
    found = series(
        report(
            said(Resource.MEMORY, window_days=7.5, coverage=None),
            said(Resource.COMPUTE, window_days=14.0, coverage=0.96),
        )
    )
    assert found["gpuatlas_sizing_window_seconds"] == [(("a", "Job", "b", "c"), 7.5 * 86_400)]
    assert found["gpuatlas_sizing_coverage_ratio"] == [(("a", "Job", "b", "c"), 0.96)]


def test_series_of_a_container_stay_within_their_budget() -> None:
    full = {"present": 1.0, "peak": 1.0, "proposed": 1.0, "saving": 1.0, "coverage": 1.0}
    shares = report(said(Resource.MEMORY, **full), said(Resource.COMPUTE, **full))
    cards = report(said(Resource.CARDS, **full))
    both = report(said(Resource.CARDS, **full), said(Resource.MEMORY, **full))
    counts = [sum(map(len, series(each).values())) for each in (shares, cards, both)]
    assert counts == [11, 5, 10]
    assert max(counts) <= CONTAINER_BUDGET


def test_a_missing_recording_is_named_without_its_cluster() -> None:
    told = replace(EMPTY, missing=("cluster west: a:b: c", "cluster west: d:e: f: g"))
    found = [labels for labels, _ in series(told)["gpuatlas_sizing_missing_info"]]
    assert found == [("a:b", "c"), ("d:e", "f: g")]


def test_a_missing_recording_is_named_by_itself() -> None:
    told = replace(EMPTY, missing=("a:b: c: d", "no recording at all", "x\n: " + "y" * 300))
    found = [labels for labels, _ in series(told)["gpuatlas_sizing_missing_info"]]
    assert found[:2] == [("a:b", "c: d"), ("no recording at all", "")]
    assert (found[2][0], len(found[2][1])) == ("x\N{REPLACEMENT CHARACTER}", 200)


def test_a_number_that_is_none_is_no_line() -> None:
    bad = report(said(Resource.COMPUTE, proposed=float("nan"), coverage=float("inf")))
    text = write_families(FAMILIES, [bad], Format.TEXT)
    names = Counter(line.split(b"{")[0] for line in text.splitlines() if line[:1] != b"#")
    assert names == {b"gpuatlas_sizing_verdict_info": 1, b"gpuatlas_sizing_window_seconds": 1}


def text(page: Page, form: Format = Format.TEXT) -> bytes:
    return b"".join(page.body(form).chunks)


@pytest.mark.parametrize("form", list(Format))
def test_it_stands_behind_the_checks_in_one_gzip_member(
    form: Format, snapshot: Snapshot, report: CheckReport, layer: LayerObjects
) -> None:
    cache = PageCache()
    page = cache.with_checks(cache.update(snapshot), report, layer)
    whole = cache.with_sizing(page, a_sizing_report())
    own = write_families(FAMILIES, [a_sizing_report()], form)
    assert text(whole, form) == text(page, form) + own
    packed = whole.body(form, gzip=True, tail=b"# tail\n")
    stream = b"".join(packed.chunks)
    assert len(stream) == packed.length
    assert gzip.decompress(stream) == text(page, form) + own + b"# tail\n"


def test_the_same_report_is_not_rendered_again(snapshot: Snapshot) -> None:
    walks = 0

    class Counted(tuple[Proposal, ...]):
        def __iter__(self) -> object:  # type: ignore[override]
            nonlocal walks
            walks += 1
            return super().__iter__()

    once = report(said(Resource.MEMORY))
    counted = replace(once, proposals=Counted(once.proposals))
    cache = PageCache()
    first = text(cache.with_sizing(cache.update(snapshot), counted))
    before = walks
    again = text(cache.with_sizing(cache.update(snapshot), counted))
    assert (before > 0, walks, again) == (True, before, first)
    cache.with_sizing(cache.update(snapshot), replace(counted, at=0.0))
    assert walks > before
