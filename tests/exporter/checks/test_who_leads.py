"""S14, two-leaders and no-leader."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.books import inconsistent
from gpuatlas.model.checks import CheckResult, Finding
from gpuatlas.model.layer import LayerObjects, SchedulerLease
from gpuatlas.model.objects import Pod
from gpuatlas.model.pages import SchedulerPage
from gpuatlas_harness.checked_books import (
    ROLE,
    a_book,
    a_layer,
    a_lease,
    a_scheduler_pod,
    in_books,
)
from gpuatlas_harness.checked_layers import (
    COMPONENT,
    a_checked_cluster,
    a_daemon_set,
    a_plugin_pod,
    a_scheduler_deployment,
    a_shared_node,
    signals,
    the_finding,
)
from gpuatlas_harness.observed import NOW

BOOK = a_book(in_books(0))
FOLLOWER = {COMPONENT: "hami-scheduler", ROLE: "follower"}


def judge(
    *pods: Pod, books: tuple[SchedulerPage, ...] = (BOOK,), layer: LayerObjects | None = None
) -> CheckResult:
    return inconsistent(
        a_checked_cluster(
            [a_shared_node()],
            [a_plugin_pod(), *pods],
            layer=layer or a_layer(),
            schedulers=books,
        )
    )


def test_two_ready_leaders_are_named() -> None:
    result = judge(a_scheduler_pod("s-0"), a_scheduler_pod("s-1"))
    assert the_finding(result) == Finding(
        check="S14",
        signal="two-leaders",
        object="Deployment/kube-system/hami-scheduler",
        namespace="kube-system",
        source="pod label hami.io/scheduler-role",
        record="hami.io/scheduler-role=leader on s-0, s-1",
    )


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(a_scheduler_pod("s-1", labels=FOLLOWER), id="a follower"),
        pytest.param(a_scheduler_pod("s-1", ready=False), id="not ready"),
        pytest.param(a_scheduler_pod("s-1", deleting=True), id="leaving"),
        pytest.param(a_scheduler_pod("s-1", namespace="team-a"), id="a tenant's imitation"),
        pytest.param(
            a_scheduler_pod(
                "s-1",
                labels={
                    COMPONENT: "hami-scheduler",
                    ROLE: "leader",
                    "app.kubernetes.io/instance": "b",
                },
            ),
            id="another installation's",
        ),
    ],
)
def test_one_leader(other: Pod) -> None:
    assert signals(judge(a_scheduler_pod("s-0"), other)) == []


def test_two_pages_that_both_show_a_card_are_two_leaders() -> None:
    books = (BOOK, replace(BOOK, target="kube-system/s-1"))
    found = the_finding(judge(books=books))
    assert (found.signal, found.source, found.object) == (
        *("two-leaders", "metric hami_gpu_memory_limit_bytes"),
        "Deployment/kube-system/hami-scheduler",
    )
    assert found.record.endswith("on the pages of kube-system/hami-scheduler-0, kube-system/s-1")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(a_book(target="s-1"), id="a follower"),
        pytest.param(a_book(in_books(0), target="s-1", version="v2.8.3"), id="2.8: replicas do"),
        pytest.param(a_book(in_books(0), target="s-1", version=""), id="2.7: replicas do"),
        pytest.param(a_book(in_books(0), target="s-1", at=NOW - 61), id="who led before"),
        pytest.param(a_book(in_books(0, node="gpu-z"), target="s-1"), id="of other nodes"),
        pytest.param(BOOK, id="the same scheduler, scraped twice"),
    ],
)
def test_one_page_with_books(other: SchedulerPage) -> None:
    assert signals(judge(books=(BOOK, other))) == []


def test_the_same_two_leaders_are_told_once() -> None:
    books = (BOOK, replace(BOOK, target="kube-system/s-1"))
    result = judge(a_scheduler_pod("s-0"), a_scheduler_pod("s-1"), books=books)
    assert signals(result) == ["two-leaders"]


def test_a_lease_that_nobody_renews() -> None:
    result = judge(layer=a_layer(leases=(a_lease(61.0),)))
    assert the_finding(result) == Finding(
        check="S14",
        signal="no-leader",
        object="Deployment/kube-system/hami-scheduler",
        namespace="kube-system",
        source="Lease/kube-system/hami-scheduler",
        record="holderIdentity: hami-scheduler-0_1f2e, renewTime: 2027-01-15T07:58:59Z, "
        "leaseDurationSeconds: 15",
    )


@pytest.mark.parametrize(
    ("lease", "expected"),
    [
        pytest.param(a_lease(60.0), [], id="four times its duration"),
        pytest.param(a_lease(60.0, duration_seconds=2.0), [], id="never less than a minute"),
        pytest.param(a_lease(200.0, duration_seconds=60.0), [], id="a long duration"),
        pytest.param(a_lease(241.0, duration_seconds=60.0), ["no-leader"], id="longer yet"),
        pytest.param(a_lease(61.0, duration_seconds=None), ["no-leader"], id="default duration"),
        pytest.param(a_lease(None, holder=""), ["no-leader"], id="never renewed"),
        pytest.param(a_lease(-5.0), [], id="the API server's clock is ahead"),
        pytest.param(a_lease(999.0, namespace="other"), [], id="of a scheduler that is gone"),
    ],
)
def test_when_a_lease_is_abandoned(lease: SchedulerLease, expected: list[str]) -> None:
    assert signals(judge(layer=a_layer(leases=(lease,)))) == expected


def test_a_lease_is_as_old_as_it_was_when_it_was_read() -> None:
    """While the API server is away nobody sees renewals; that is no lost leader."""
    layer = a_layer(leases=(a_lease(302.0),), read_at=NOW - 300)
    assert signals(judge(layer=layer)) == []


def test_a_scheduler_that_was_scaled_down_on_purpose_leads_nothing() -> None:
    controllers = (a_daemon_set(), a_scheduler_deployment(desired=0))
    layer = a_layer(leases=(a_lease(999.0),), controllers=controllers)
    assert signals(judge(layer=layer)) == []


def test_a_lease_of_a_scheduler_that_is_scaled_to_zero_beside_one_that_runs() -> None:
    new = a_scheduler_deployment(flags={"leader-elect-resource-name": "hami-scheduler"})
    old = a_scheduler_deployment(
        name="hami-old", desired=0, flags={"leader-elect-resource-name": "hami-old"}
    )
    leases = (a_lease(), a_lease(9000.0, name="hami-old"))
    layer = a_layer(controllers=(a_daemon_set(), new, old), leases=leases)
    assert signals(judge(layer=layer)) == []
    running = a_layer(controllers=(a_daemon_set(), new, replace(old, desired=1)), leases=leases)
    assert the_finding(judge(layer=running)).object == old.object
