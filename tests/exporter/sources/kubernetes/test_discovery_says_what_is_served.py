from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.errors import BadAnswerError, ForbiddenError, UnreachableError
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.kinds import OPTIONAL_KINDS
from gpuatlas.sources.kubernetes.served import (
    Served,
    groups_of,
    read_aggregated,
    read_groups,
    read_resources,
)
from gpuatlas.sources.kubernetes.survey import survey
from gpuatlas_harness.discovery import aggregated, by_group

if TYPE_CHECKING:
    from tests.exporter.sources.kubernetes.conftest import FakeApiServer

BY_ID: dict[str, Kind[object]] = {kind.id: kind for kind in OPTIONAL_KINDS}
CLAIMS = BY_ID["resourceclaims.resource.k8s.io"]
QUEUED = BY_ID["workloads.kueue.x-k8s.io"]
TEMPLATES = BY_ID["workloads.scheduling.k8s.io"]
RAY = BY_ID["rayclusters.ray.io"]
DEPLOYMENTS = BY_ID["deployments.apps"]


def read_as(served: Served, kind: Kind[object]) -> str:
    """The apiVersion in which a kind is read, "" for none."""
    found = served.readable(kind)
    return "" if found is None else found.api_version


@pytest.mark.parametrize(
    ("resources", "kind", "version"),
    [
        pytest.param(
            ["resource.k8s.io/v1beta1/resourceclaims", "resource.k8s.io/v1/resourceclaims"],
            CLAIMS,
            "resource.k8s.io/v1",
            id="the newest that we read, whatever the server prefers",
        ),
        pytest.param(
            ["resource.k8s.io/v1beta1/resourceclaims", "resource.k8s.io/v1beta2/resourceclaims"],
            CLAIMS,
            "resource.k8s.io/v1beta2",
            id="v1beta2 before v1beta1",
        ),
        pytest.param(
            ["resource.k8s.io/v1beta1/resourceclaims"],
            CLAIMS,
            "resource.k8s.io/v1beta1",
            id="1.32",
        ),
        pytest.param(
            ["resource.k8s.io/v1alpha3/resourceclaims"], CLAIMS, "", id="a version we do not read"
        ),
        pytest.param(
            ["resource.k8s.io/v1/resourceslices"], CLAIMS, "", id="the group without the kind"
        ),
        pytest.param(
            ["kueue.x-k8s.io/v1beta1/workloads"], QUEUED, "kueue.x-k8s.io/v1beta1", id="old Kueue"
        ),
        pytest.param(
            ["kueue.x-k8s.io/v1beta1/workloads"], TEMPLATES, "", id="the same name elsewhere"
        ),
        pytest.param(
            ["scheduling.k8s.io/v1/priorityclasses", "scheduling.k8s.io/v1alpha1/workloads"],
            TEMPLATES,
            "scheduling.k8s.io/v1alpha1",
            id="1.35",
        ),
        pytest.param(
            ["ray.io/v9/rayclusters", "ray.io/v8/rayclusters"],
            RAY,
            "ray.io/v9",
            id="metadata is the same in every version",
        ),
        pytest.param(
            ["ray.io/v1alpha1/rayclusters", "ray.io/v1/rayclusters"],
            RAY,
            "ray.io/v1",
            id="the version that is wanted, where it is there",
        ),
        pytest.param(["apps/v1/deployments"], DEPLOYMENTS, "", id="nothing stands above them"),
        pytest.param(
            ["apps/v1/deployments", "serving.kserve.io/v1beta1/inferenceservices"],
            DEPLOYMENTS,
            "apps/v1",
            id="KServe stands above them",
        ),
        pytest.param([], CLAIMS, "", id="nothing at all"),
    ],
)
@pytest.mark.parametrize("form", ["aggregated", "by group"])
def test_the_version_that_is_read(
    api: FakeApiServer,
    connection: Connection,
    resources: list[str],
    kind: Kind[object],
    version: str,
    form: str,
) -> None:
    if form == "aggregated":
        api.offer(*resources)
    else:
        api.documents = by_group(resources)
    assert read_as(survey(connection, OPTIONAL_KINDS), kind) == version


def test_one_request_is_enough_where_the_server_aggregates(
    api: FakeApiServer, connection: Connection
) -> None:
    api.offer("kueue.x-k8s.io/v1beta2/workloads", "apps/v1/deployments")
    survey(connection, OPTIONAL_KINDS)
    (request,) = api.requests
    assert request.path == "/apis"
    assert "as=APIGroupDiscoveryList" in request.headers["Accept"]


def test_older_servers_are_asked_for_the_groups_that_matter_only(
    api: FakeApiServer, connection: Connection
) -> None:
    api.documents = by_group(
        ["kueue.x-k8s.io/v1beta2/workloads", "policy/v1/poddisruptionbudgets", "ray.io/v1/rayjobs"]
    )
    survey(connection, OPTIONAL_KINDS)
    paths = [request.path for request in api.requests]
    assert paths == ["/apis", "/apis/kueue.x-k8s.io/v1beta2", "/apis/ray.io/v1"]


def test_a_group_that_fails_costs_that_group(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.documents = by_group(
        [
            "kueue.x-k8s.io/v1beta2/workloads",
            "ray.io/v1/rayclusters",
            "resource.k8s.io/v1/resourceclaims",
        ]
    )
    api.reply("/apis/kueue.x-k8s.io/v1beta2", reply(status=503))
    api.reply("/apis/ray.io/v1", reply(status=404))
    served = survey(connection, OPTIONAL_KINDS)
    assert served.unsure == {"kueue.x-k8s.io"}
    assert dict(served.versions) == {"resourceclaims.resource.k8s.io": ("v1",)}


def test_a_group_for_which_nobody_answers_is_unsure() -> None:
    answer = aggregated(["ray.io/v1/rayclusters", "apps/v1/deployments"], stale=["ray.io"])
    assert read_aggregated(answer).unsure == {"ray.io"}


def test_what_cannot_be_listed_and_watched_is_not_served() -> None:
    answer = aggregated(["ray.io/v1/rayclusters"], verbs=["get", "list"])
    assert dict(read_aggregated(answer).versions) == {}


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (403, b"no", ForbiddenError),
        (200, b'{"kind": "Status"}', BadAnswerError),
        (200, b"[]", BadAnswerError),
        (200, b"no JSON", BadAnswerError),
    ],
)
def test_a_discovery_that_fails_says_why(
    api: FakeApiServer,
    connection: Connection,
    reply: Any,
    status: int,
    body: bytes,
    error: type[Exception],
) -> None:
    api.reply("/apis", reply(status=status, body=body))
    with pytest.raises(error, match="/apis"):
        survey(connection, OPTIONAL_KINDS)


def test_an_answer_that_is_cut_is_no_empty_list(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.reply("/apis", reply(body=b'{"kind": "APIGroupList"', then="cut"))
    with pytest.raises(UnreachableError):
        survey(connection, OPTIONAL_KINDS)


def test_groups_that_matter_are_those_of_the_kinds_and_of_what_stands_above() -> None:
    assert groups_of([CLAIMS]) == {"resource.k8s.io"}
    assert "machinelearning.seldon.io" in groups_of([DEPLOYMENTS])


junk = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.sampled_from(["list", "watch", "v1", "apps", "Stale", "deployments"]),
        st.text(max_size=4),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    *("items", "metadata", "name", "versions", "version", "freshness"),
                    *("resources", "resource", "verbs", "groups", "preferredVersion"),
                ]
            ),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=20,
)


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(st.sampled_from(["items", "groups", "resources"]), junk, max_size=3))
def test_whatever_the_server_says_is_read_without_an_error(answer: dict[str, object]) -> None:
    list(read_groups(answer))
    for served in (read_aggregated(answer), read_resources([(("apps", "v1"), answer)])):
        assert all(versions for versions in served.versions.values())
        for kind in OPTIONAL_KINDS:
            found = served.readable(kind)
            assert found is None or found.id == kind.id
