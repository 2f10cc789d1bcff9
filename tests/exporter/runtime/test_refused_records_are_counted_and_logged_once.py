from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from gpuatlas.model.pages import DcgmPage
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.runtime.ledger import LINES_WINDOW_SECONDS, MAX_LINES, RejectionLedger
from gpuatlas_harness import build
from gpuatlas_harness.observed import a_dcgm_page, a_node, a_pod, observations

BAD = Rejection("hami-annotations", "not-json", "pod team-a/app-0 annotation x", "expected JSON")
OTHER = Rejection("hami-annotations", "empty-id", "pod team-a/app-0 annotation y", "no UUID")
NOTHING = build.a_snapshot()


def totals(ledger: RejectionLedger) -> dict[str, dict[str, int]]:
    return {status.source: dict(status.rejected) for status in ledger.merge(())}


def joined(*rejections: Rejection) -> Snapshot:
    return build.a_snapshot([build.a_node(rejections=rejections)])


def test_an_object_counts_once_for_each_of_its_versions() -> None:
    ledger = RejectionLedger()
    pod = a_pod(rejections=(BAD, OTHER))
    for _ in range(3):
        ledger.record(observations([], [pod]), NOTHING)
    assert totals(ledger) == {"hami-annotations": {"empty-id": 1, "not-json": 1}}

    ledger.record(observations([], [replace(pod, rejections=(BAD,))]), NOTHING)
    assert totals(ledger) == {"hami-annotations": {"empty-id": 1, "not-json": 2}}


def test_nodes_and_pods_count_apart_although_their_uids_could_be_equal() -> None:
    ledger = RejectionLedger()
    node = replace(a_node(), uid="same", rejections=(BAD,))
    pod = a_pod(uid="same", rejections=(BAD,))
    for _ in range(2):
        ledger.record(observations([node], [pod]), NOTHING)
    assert totals(ledger) == {"hami-annotations": {"not-json": 2}}


def test_a_record_that_the_join_refuses_counts_each_time_it_appears() -> None:
    ledger = RejectionLedger()
    twice = Rejection("join", "card-claimed-twice", "node gpu-a", "two pods hold GPU-1")
    for snapshot in (joined(twice), joined(twice), joined(), joined(twice)):
        ledger.record(observations([]), snapshot)
    assert totals(ledger) == {"join": {"card-claimed-twice": 2}}


def test_pages_are_left_to_the_scraper() -> None:
    ledger = RejectionLedger()
    page = replace(a_dcgm_page(), rejections=(Rejection("dcgm", "bad-line", "page", "x"),))
    ledger.record(observations([], dcgm=(page,)), NOTHING)
    assert totals(ledger) == {}


def test_totals_join_those_of_the_source_itself() -> None:
    ledger = RejectionLedger()
    ledger.record(observations([], [a_pod(rejections=(BAD,))]), NOTHING)
    own = build.a_source(source="hami-annotations", rejected={"not-json": 4, "bad-text": 1})
    dcgm = build.a_source(source="dcgm", rejected={"bad-line": 2})

    merged = {status.source: status for status in ledger.merge((dcgm, own))}

    assert merged["hami-annotations"].rejected == {"bad-text": 1, "not-json": 5}
    assert merged["hami-annotations"].up is True
    assert merged["dcgm"] == dcgm


def test_a_source_that_only_refuses_has_nothing_to_read() -> None:
    ledger = RejectionLedger()
    ledger.record(observations([], [a_pod(rejections=(BAD,))]), NOTHING)
    (status,) = ledger.merge(())
    assert (status.source, status.up, status.last_success_at) == ("hami-annotations", None, None)


def test_it_is_logged_when_it_appears_and_when_it_is_gone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ledger = RejectionLedger()
    pod = a_pod(rejections=(BAD,))
    for pods in ([pod], [pod], [], []):
        ledger.record(observations([], pods), NOTHING)
    assert [(r.message, r.__dict__["where"]) for r in caplog.records] == [
        ("record refused", BAD.where),
        ("refused record is gone", BAD.where),
    ]
    assert caplog.records[0].__dict__["detail"] == "expected JSON"


def test_pages_are_logged_too(caplog: pytest.LogCaptureFixture) -> None:
    ledger = RejectionLedger()
    page = replace(
        a_dcgm_page(), rejections=(Rejection("dcgm", "bad-line", "page of gpu-a", "3 lines"),)
    )
    for pages in ((page,), (page,), ()):
        ledger.record(observations([], dcgm=pages), NOTHING)
    assert [record.message for record in caplog.records] == [
        "record refused",
        "refused record is gone",
    ]


def many_bad_pages(count: int) -> tuple[DcgmPage, ...]:
    rejections = tuple(Rejection("dcgm", "bad-line", f"page {i}", "x") for i in range(count))
    return (replace(a_dcgm_page(), rejections=rejections),)


def test_a_flood_is_one_line_with_its_size(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    ledger = RejectionLedger()
    flood = observations([], dcgm=many_bad_pages(MAX_LINES + 900))

    ledger.record(flood, NOTHING)
    assert len(caplog.records) == MAX_LINES + 1
    assert caplog.records[-1].__dict__["changes"] == 900

    caplog.clear()
    ledger.record(replace(flood, dcgm=(), now=flood.now + 1), NOTHING)
    assert [record.__dict__["changes"] for record in caplog.records] == [MAX_LINES + 900]

    caplog.clear()
    later = replace(flood, dcgm=many_bad_pages(1), now=flood.now + LINES_WINDOW_SECONDS)
    ledger.record(later, NOTHING)
    assert [record.message for record in caplog.records] == ["record refused"]
