"""One right less than a healthy installation has, one finding: its state, its text, what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.doctor.examine import examine
from gpuatlas.doctor.results import Area, Result, State
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas.sources.kubernetes.rights import PROXY
from gpuatlas_harness.doctored import healthy_cluster, healthy_prometheus
from gpuatlas_harness.examined import found, the_one


def test_a_healthy_installation_is_fine() -> None:
    results = examine(healthy_cluster(), healthy_prometheus(), load_catalogue())
    assert {result.state for result in results} == {State.OK}
    assert {result.area for result in results} == set(Area)


# The API server


def test_an_api_server_that_does_not_answer_leaves_its_areas_unknown() -> None:
    away = replace(healthy_cluster(), access=replace(healthy_cluster().access, error="refused"))
    results = {result.area: result for result in examine(away, None, load_catalogue())}
    assert results[Area.API_SERVER].state is State.FAILED
    blocked = [results[a] for a in (Area.RIGHTS, Area.VERSIONS, Area.SOURCES, Area.FIELDS)]
    assert {result.state for result in blocked} == {State.UNKNOWN}
    assert {r.text for r in blocked} == {"nothing is known of it without the API server"}


def test_a_server_that_does_not_say_who_we_are() -> None:
    access = replace(healthy_cluster().access, user="", user_error="no SelfSubjectReview")
    assert the_one(found(replace(healthy_cluster(), access=access))) == (
        Area.API_SERVER,
        State.UNKNOWN,
        "the server does not say who you are: no SelfSubjectReview",
        "",
    )


# Rights


def denied(*resources: str, verbs: tuple[str, ...] = (), in_pod: bool = True) -> list[Result]:
    """What the absence of these rights is said to mean; the number of rights is left out."""
    before = healthy_cluster()
    rights = tuple(
        replace(r, allowed=False)
        if r.resource in resources and (not verbs or r.verb in verbs)
        else r
        for r in before.rights
    )
    access = replace(before.access, in_pod=in_pod)
    results = found(replace(before, rights=rights, access=access))
    return [r for r in results if (r.area, r.word) == (Area.RIGHTS, "missing")]


def test_a_right_without_which_nothing_can_be_shown() -> None:
    assert the_one(denied("nodes")) == (
        Area.RIGHTS,
        State.TODO,
        "may not list and watch nodes: nothing can be shown without it; add a rule to the "
        "ClusterRole",
        '- {apiGroups: [""], resources: [nodes], verbs: [list, watch]}',
    )


def test_rights_of_one_group_and_one_meaning_are_one_role_line() -> None:
    assert the_one(denied("daemonsets", "deployments")) == (
        Area.RIGHTS,
        State.OPTIONAL,
        "may not list daemonsets, deployments (apps): checks of the sharing layer that need it "
        "are unknown; add a rule to the ClusterRole",
        "- {apiGroups: [apps], resources: [daemonsets, deployments], verbs: [list]}",
    )


def test_what_is_got_by_name_is_granted_where_the_layer_is() -> None:
    _, state, text, line = the_one(denied("leases"))
    assert state is State.OPTIONAL
    assert text.startswith("may not get leases (coordination.k8s.io) in namespace hami-system: ")
    assert text.endswith("; add a rule to the Role in hami-system")
    assert line == "- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get]}"


@pytest.mark.parametrize(
    ("in_pod", "state", "cost"),
    [
        (True, State.TODO, "gpuatlas serve cannot follow changes without it"),
        (False, State.OPTIONAL, "only gpuatlas serve needs it, to follow changes"),
    ],
)
def test_watching_matters_to_the_exporter(*, in_pod: bool, state: State, cost: str) -> None:
    _, said, text, _ = the_one(denied("pods", verbs=("watch",), in_pod=in_pod))
    assert said is state
    assert text == f"may not watch pods: {cost}; add a rule to the ClusterRole"


def test_the_pod_proxy_is_needed_where_pages_come_through_it() -> None:
    before = healthy_cluster()
    proxy = replace(PROXY, allowed=False)
    results = found(replace(before, rights=(*before.rights, proxy)))
    _, state, text, line = the_one([r for r in results if r.word == "missing"])
    assert (state, line) == (
        State.TODO,
        '- {apiGroups: [""], resources: [pods/proxy], verbs: [get]}',
    )
    assert "memory and compute in use are unknown" in text


def test_rights_that_nobody_told_of_are_unknown() -> None:
    before = healthy_cluster()
    rights = tuple(replace(r, allowed=None, reason="HTTP 500") for r in before.rights)
    (result,) = found(replace(before, rights=rights))
    assert result.state is State.UNKNOWN
    assert result.text == (
        "whether you may list nodes, watch nodes, list pods, watch pods and 11 more: HTTP 500"
    )
