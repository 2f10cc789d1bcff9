"""S14, books-differ and views-differ: the scheduler's and other sources' word on promises."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.books import inconsistent
from gpuatlas.checks.context import CheckContext
from gpuatlas.model.checks import CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.objects import Pod
from gpuatlas.model.pages import SchedulerPage
from gpuatlas.model.snapshot import Evidence, EvidenceConflict
from gpuatlas_harness import build
from gpuatlas_harness.checked_books import a_book, a_layer, a_tenant, in_books
from gpuatlas_harness.checked_layers import (
    a_checked_cluster,
    a_plugin_pod,
    a_shared_node,
    signals,
    the_finding,
)
from gpuatlas_harness.observed import NOW, a_container, a_device, a_promise, observations, uuid


def judge(*pods: Pod, books: tuple[SchedulerPage, ...], **changes: object) -> CheckResult:
    node = a_shared_node("gpu-a", *(a_device(n, mode="hami-core") for n in range(1, 9)))
    values: dict[str, object] = {"layer": a_layer(), "schedulers": books}
    return inconsistent(a_checked_cluster([node], [a_plugin_pod(), *pods], **(values | changes)))


def test_a_deleted_pod_that_the_scheduler_still_books_is_told_with_the_sample() -> None:
    result = judge(a_tenant("a", 4_000), books=(a_book(in_books(12_000)),))
    metric = "hami_gpu_memory_allocated_bytes"
    assert the_finding(result) == Finding(
        check="S14",
        signal="books-differ",
        object="Deployment/kube-system/hami-scheduler",
        node="gpu-a",
        card=uuid(1),
        source=f"metric {metric}",
        record=f'{metric}{{node="gpu-a",device_uuid="{uuid(1)}"}} 12582912000; '
        "the annotations promise 4194304000",
    )
    assert result.state is InputState.OK


def test_schedulers_before_2_9_have_other_names() -> None:
    found = the_finding(judge(books=(a_book(in_books(1_000), version=""),)))
    assert found.source == "metric GPUDeviceMemoryAllocated"
    assert found.record.startswith(
        f'GPUDeviceMemoryAllocated{{nodeid="gpu-a",deviceuuid="{uuid(1)}'
    )


@pytest.mark.parametrize("booked", [3_999, 4_000, 4_001, None])
def test_books_that_agree(booked: int | None) -> None:
    assert signals(judge(a_tenant("a", 4_000), books=(a_book(in_books(booked)),))) == []


def test_a_pod_that_was_placed_and_is_not_bound_yet_is_booked_already() -> None:
    placed = replace(a_tenant("a", 4_000), node="", phase="Pending")
    assert signals(judge(placed, books=(a_book(in_books(4_000)),))) == []


def test_an_ended_pod_is_not_booked_any_more() -> None:
    ended = a_tenant("a", 4_000, phase="Failed")
    assert signals(judge(ended, books=(a_book(in_books(0)),))) == []
    assert signals(judge(ended, books=(a_book(in_books(4_000)),))) == ["books-differ"]


@pytest.mark.parametrize("booked", [6_000, 10_000])
def test_init_containers_are_added_or_not_by_version(booked: int) -> None:
    containers = (a_container("first", kind="init"), a_container("main"))
    promises = (a_promise(uuid(1), 6_000, container="first"), a_promise(uuid(1), 4_000))
    pod = replace(a_tenant("a", 1, containers=containers), promises=promises)
    assert signals(judge(pod, books=(a_book(in_books(booked)),))) == []


def test_cards_in_mig_mode_are_booked_by_templates() -> None:
    node = a_shared_node("gpu-a", a_device(1, mode="mig"))
    context = a_checked_cluster(
        [node], [a_plugin_pod()], layer=a_layer(), schedulers=(a_book(in_books(9_000)),)
    )
    assert signals(inconsistent(context)) == []


def test_a_node_that_is_gone_from_the_cluster_is_no_difference() -> None:
    assert signals(judge(books=(a_book(in_books(9_000, node="gone"), in_books(0)),))) == []


def test_a_scheduler_that_lost_track_has_few_findings_and_all_are_counted() -> None:
    books = a_book(*(in_books(1_000, card=number) for number in range(1, 9)))
    result = judge(books=(books,))
    named = [(f.node, f.card, f.count) for f in result.findings]
    assert sorted(named) == [
        ("", "", 4),
        *(("gpu-a", uuid(number), 1) for number in range(1, 5)),
    ]


@pytest.mark.parametrize(
    ("books", "silent", "reason"),
    [
        pytest.param((), {}, "no current page of a leading HAMi scheduler", id="none"),
        pytest.param((a_book(),), {}, "no current page of a leading", id="only a follower"),
        pytest.param(
            (a_book(in_books(0), at=NOW - 121),), {}, "no current page of a leading", id="old"
        ),
        pytest.param(
            (),
            {("hami-scheduler", ""): "connection refused by 10.0.0.9:9395"},
            "connection refused by 10.0.0.9:9395: no current page of a leading",
            id="refused",
        ),
    ],
)
def test_without_books_nobody_can_compare_them(
    books: tuple[SchedulerPage, ...], silent: dict[tuple[str, str], str], reason: str
) -> None:
    result = judge(books=books, silent=silent)
    (lack,) = result.missing
    assert (lack.input, lack.node, lack.reason.startswith(reason)) == (
        *("hami-scheduler page", ""),
        True,
    )
    assert result.state is InputState.MISSING
    assert result.nodes == (("gpu-a", InputState.MISSING),)


def test_pods_that_cannot_be_listed_are_missing() -> None:
    silent = {("kubernetes-pods", ""): "403"}
    result = judge(books=(a_book(in_books(0)),), silent=silent)
    assert [(lack.input, lack.node) for lack in result.missing] == [("pods", "")]
    assert result.state is InputState.MISSING


def test_leases_that_cannot_be_read_are_missing() -> None:
    name = "leases.coordination.k8s.io"
    layer = a_layer(leases=(), unread={name: "403: no right"})
    result = judge(books=(a_book(in_books(0)),), layer=layer)
    assert result.missing == (MissingInput(check="S14", input=name, reason="403: no right"),)


def a_contradicted_container(conflict: EvidenceConflict) -> CheckContext:
    held = build.an_allocation(
        node="gpu-a", card=uuid(1), pod="a", container="main", conflicts=(conflict,)
    )
    node = build.a_node(cards=(build.a_card(id=uuid(1)),), allocations=(held,))
    seen = observations(
        [a_shared_node()],
        [a_plugin_pod(), a_tenant("a", 4_000)],
        layer=a_layer(),
        schedulers=(a_book(in_books(4_000)),),
    )
    return CheckContext(observations=seen, snapshot=build.a_snapshot([node]))


def test_two_sources_that_name_different_cards() -> None:
    context = a_contradicted_container(EvidenceConflict(uuid(2), Evidence.DCGM))
    assert the_finding(inconsistent(context)) == Finding(
        check="S14",
        signal="views-differ",
        object="Pod/team-a/a",
        node="gpu-a",
        card=uuid(1),
        namespace="team-a",
        pod="a",
        source="annotation and dcgm",
        record=f"container main: annotation says {uuid(1)}, dcgm says {uuid(2)}",
    )
