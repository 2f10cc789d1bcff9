from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.demo.api.kinds import find_kind
from gpuatlas.demo.api.routes import (
    BadQueryError,
    ObjectsRoute,
    ProxyRoute,
    read_query,
    read_route,
    split_path,
)


@pytest.mark.parametrize(
    ("path", "resource", "namespace", "name"),
    [
        ("/api/v1/nodes", "nodes", "", ""),
        ("/api/v1/nodes/a", "nodes", "", "a"),
        ("/api/v1/pods?limit=5", "pods", "", ""),
        ("/api/v1/namespaces/n/pods", "pods", "n", ""),
        ("/api/v1/namespaces/n/pods/p", "pods", "n", "p"),
        ("/apis/apps/v1/replicasets", "replicasets", "", ""),
        ("/apis/batch/v1/namespaces/n/jobs/j", "jobs", "n", "j"),
    ],
)
def test_paths_of_objects(path: str, resource: str, namespace: str, name: str) -> None:
    route = read_route(split_path(path))
    assert isinstance(route, ObjectsRoute)
    assert (route.kind.resource, route.namespace, route.name) == (resource, namespace, name)


@pytest.mark.parametrize(
    ("pod", "name", "port"),
    [("p", "p", ""), ("p:9400", "p", "9400"), ("http:p:metrics", "p", "metrics")],
)
def test_paths_of_a_pods_pages(pod: str, name: str, port: str) -> None:
    route = read_route(split_path(f"/api/v1/namespaces/n/pods/{pod}/proxy/metrics"))
    assert route == ProxyRoute(namespace="n", pod=name, port=port, path="/metrics")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/v1/secrets",
        "/api/v2/pods",
        "/apis/apps/v1/pods",
        "/api/v1/pods/p",
        "/api/v1/namespaces/n/nodes",
        "/api/v1/namespaces/n/pods/p/log",
        "/apis/apps/v1/namespaces/n/pods/p/proxy/metrics",
    ],
)
def test_paths_that_are_not_served(path: str) -> None:
    assert read_route(split_path(path)) is None


@settings(deadline=None, max_examples=100)
@given(st.text(alphabet="/apis:v1%20nodespods?", max_size=60))
def test_no_path_breaks_the_reader(path: str) -> None:
    route = read_route(split_path(path))
    assert route is None or isinstance(route, ObjectsRoute | ProxyRoute)


def test_parameters_of_a_watch() -> None:
    query = read_query(
        "/api/v1/pods?watch=1&resourceVersion=12&allowWatchBookmarks=true&timeoutSeconds=240", ""
    )
    assert (query.watch, query.revision, query.bookmarks) == (True, 12, True)
    assert query.timeout_seconds == 240


def test_parameters_of_a_page() -> None:
    query = read_query("/api/v1/pods?limit=500&continue=abc", "")
    assert (query.limit, query.continue_token, query.watch) == (500, "abc", False)


@pytest.mark.parametrize("text", ["", "?resourceVersion=", "?resourceVersion=0"])
def test_no_version_and_zero_mean_any(text: str) -> None:
    assert read_query(f"/api/v1/pods{text}", "").revision is None


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("application/json", False),
        ("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", True),
        ("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", True),
        ("application/json;as=Table;g=meta.k8s.io;v=v1,application/json", False),
    ],
)
def test_metadata_is_asked_for_by_the_accept_header(accept: str, *, expected: bool) -> None:
    assert read_query("/api/v1/pods", accept).metadata_only is expected


@pytest.mark.parametrize(
    "text",
    [
        "limit=x",
        "limit=-1",
        "resourceVersion=1e3",
        "timeoutSeconds=³",
        "fieldSelector=spec.nodeName%3Da",
        "labelSelector=a%20within%20(b)",
        "watch=true&labelSelector=a%3Db",
    ],
)
def test_parameters_that_cannot_be_served(text: str) -> None:
    with pytest.raises(BadQueryError):
        read_query(f"/api/v1/pods?{text}", "")


def test_a_kind_knows_how_objects_write_its_version() -> None:
    pods, jobs = find_kind("", "v1", "pods"), find_kind("batch", "v1", "jobs")
    assert pods
    assert jobs
    assert (pods.api_version, jobs.api_version) == ("v1", "batch/v1")
