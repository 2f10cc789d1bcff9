"""Which page speaks for which node, and whose readings are believed."""

from __future__ import annotations

from dataclasses import replace

from gpuatlas.checks.readings import MonitorReadings, index_readings
from gpuatlas.model.objects import Pod
from gpuatlas.model.pages import MonitorPage
from gpuatlas_harness.checked_tenants import CARD, SECOND, a_page, a_tenant, counted
from gpuatlas_harness.observed import a_node, observations

CARDS = [("gpu-a", CARD), ("gpu-b", SECOND)]


def indexed(*pages: MonitorPage, pods: tuple[Pod, ...] = ()) -> MonitorReadings:
    return index_readings(observations([a_node()], pods, monitors=pages), CARDS)


def test_a_page_speaks_for_the_node_that_serves_it() -> None:
    page = a_page(node="gpu-a", hosts={SECOND: (1, 0.0)})
    assert indexed(page).pages == {"gpu-a": page}


def test_a_page_without_a_node_is_where_its_pods_and_cards_are() -> None:
    pod = a_tenant(node="gpu-a")
    page = a_page(counted(pod), node="", hosts={SECOND: (1, 0.0), "GPU-unknown": (1, 0.0)})
    assert indexed(page, pods=(pod,)).pages == {"gpu-a": page, "gpu-b": page}


def test_an_empty_page_without_a_node_is_nobody_s() -> None:
    assert indexed(a_page(node="")).pages == {}


def test_the_first_of_two_pages_of_a_node_counts() -> None:
    first = a_page(node="gpu-a", version="v1")
    assert indexed(first, a_page(node="gpu-a", version="v2")).pages == {"gpu-a": first}


def test_readings_are_found_by_pod_and_card() -> None:
    pod = a_tenant(cards=(CARD, SECOND))
    index = indexed(
        a_page(counted(pod), counted(pod, container="side"), counted(pod, card=SECOND)),
        pods=(pod,),
    )
    assert [(r.container, r.card) for r in index.of_pod[pod.key]] == [
        ("main", CARD),
        ("main", SECOND),
        ("side", CARD),
    ]
    assert [r.container for r in index.on_card(pod.key, CARD)] == ["main", "side"]
    assert index.on_card(("team-a", "gone"), CARD) == ()


def test_both_pages_of_a_node_have_readings() -> None:
    one, two = a_tenant("one"), a_tenant("two")
    index = indexed(a_page(counted(one)), a_page(counted(two)), pods=(one, two))
    assert set(index.of_pod) == {one.key, two.key}


def test_a_page_says_nothing_of_pods_elsewhere() -> None:
    pod = a_tenant(node="gpu-b")
    assert indexed(a_page(counted(pod), node="gpu-a"), pods=(pod,)).of_pod == {}


def test_regions_of_ended_and_unknown_pods_are_left_over() -> None:
    ended = a_tenant(phase="Succeeded")
    gone = replace(a_tenant("gone"), uid="x")
    index = indexed(a_page(counted(ended), counted(gone)), pods=(ended,))
    assert index.of_pod == {}
