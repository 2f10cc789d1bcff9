"""Watches: what changes, bookmarks, and how they end."""

from __future__ import annotations

import contextlib

import pytest
import requests

from gpuatlas.demo.server import SimulatedCluster
from gpuatlas_harness.simulated_api import HOUR, Api, Query, names


def test_a_watch_tells_what_changes_as_time_goes_on(api: Api, cluster: SimulatedCluster) -> None:
    known = {p["metadata"]["uid"]: p for p in api.get("/api/v1/pods")["items"]}
    version = api.get("/api/v1/pods")["metadata"]["resourceVersion"]
    for _ in range(6):
        cluster.advance(HOUR / 2)
    kinds = set()
    for event in api.watch("/api/v1/pods", {"resourceVersion": version}):
        kinds.add(event["type"])
        if event["type"] == "BOOKMARK":
            break
        pod = event["object"]
        assert pod["kind"] == "Pod"
        assert int(pod["metadata"]["resourceVersion"]) > int(version)
        version = pod["metadata"]["resourceVersion"]
        if event["type"] == "DELETED":
            del known[pod["metadata"]["uid"]]
        else:
            assert (pod["metadata"]["uid"] in known) == (event["type"] == "MODIFIED")
            known[pod["metadata"]["uid"]] = pod
    assert kinds == {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"}
    assert known.keys() == {p["metadata"]["uid"] for p in api.get("/api/v1/pods")["items"]}


def test_a_watch_that_is_open_gets_later_changes(api: Api, cluster: SimulatedCluster) -> None:
    version = api.get("/api/v1/nodes")["metadata"]["resourceVersion"]
    events = api.watch("/api/v1/nodes", {"resourceVersion": version})
    assert next(events)["type"] == "BOOKMARK"
    cluster.faults.enable("node-not-ready", node="a100-1")
    event = next(event for event in events if event["type"] != "BOOKMARK")
    assert (event["type"], event["object"]["metadata"]["name"]) == ("MODIFIED", "a100-1")
    assert event["object"]["status"]["conditions"][-1]["status"] == "Unknown"
    events.close()  # type: ignore[attr-defined]


OTHERS = [
    ("/apis/resource.k8s.io/v1/resourceclaims", "ResourceClaim"),
    ("/apis/kueue.x-k8s.io/v1beta2/workloads", "Workload"),
    ("/apis/scheduling.volcano.sh/v1beta1/podgroups", "PodGroup"),
    ("/apis/scheduling.run.ai/v1alpha2/bindrequests", "BindRequest"),
]


@pytest.mark.parametrize(("path", "kind"), OTHERS)
def test_objects_of_other_systems_come_and_go_with_their_pods(
    api: Api, cluster: SimulatedCluster, path: str, kind: str
) -> None:
    first = api.get(path)
    known = {item["metadata"]["uid"] for item in first["items"]}
    cluster.advance(7 * 24 * HOUR)
    seen = set()
    for event in api.watch(path, {"resourceVersion": first["metadata"]["resourceVersion"]}):
        seen.add(event["type"])
        assert event["object"]["kind"] == kind
        uid = event["object"]["metadata"].get("uid", "")
        if event["type"] == "BOOKMARK":
            break
        if event["type"] == "DELETED":
            known.remove(uid)
        known |= {uid} if event["type"] == "ADDED" else set()
    assert {"ADDED", "DELETED"} <= seen
    assert known == {item["metadata"]["uid"] for item in api.get(path)["items"]}


def test_a_watch_can_be_resumed_at_a_bookmark(api: Api, cluster: SimulatedCluster) -> None:
    version = api.get("/api/v1/pods")["metadata"]["resourceVersion"]
    events = api.watch("/api/v1/pods", {"resourceVersion": version})
    bookmark = next(events)["object"]
    events.close()  # type: ignore[attr-defined]
    assert bookmark["kind"] == "Pod"
    assert bookmark["metadata"]["resourceVersion"] == version
    cluster.advance(HOUR)
    resumed = api.watch("/api/v1/pods", {"resourceVersion": version, "timeoutSeconds": 1})
    assert next(resumed)["type"] in {"ADDED", "MODIFIED", "DELETED"}
    resumed.close()  # type: ignore[attr-defined]


def test_a_watch_of_a_namespace_hears_of_no_other(api: Api, cluster: SimulatedCluster) -> None:
    version = api.get("/api/v1/pods")["metadata"]["resourceVersion"]
    cluster.advance(3 * HOUR)
    namespaces = set()
    for event in api.watch("/api/v1/namespaces/batch/pods", {"resourceVersion": version}):
        if event["type"] == "BOOKMARK":
            break
        namespaces.add(event["object"]["metadata"]["namespace"])
    assert namespaces == {"batch"}


def test_a_watch_without_a_version_begins_with_what_is_there(api: Api) -> None:
    added = []
    for event in api.watch("/api/v1/nodes"):
        if event["type"] == "BOOKMARK":
            break
        added.append((event["type"], event["object"]["metadata"]["name"]))
    assert added == [("ADDED", name) for name in names(api.get("/api/v1/nodes"))]


def test_a_watch_of_metadata_has_metadata_only(api: Api) -> None:
    accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
    for event in api.watch("/apis/batch/v1/jobs", accept=accept):
        assert event["object"]["kind"] == "PartialObjectMetadata"
        assert event["object"].keys() == {"kind", "apiVersion", "metadata"}
        if event["type"] == "BOOKMARK":
            break


def test_a_watch_from_too_long_ago_gets_a_410_event(api: Api, cluster: SimulatedCluster) -> None:
    version = api.get("/api/v1/pods")["metadata"]["resourceVersion"]
    cluster.advance(HOUR)
    cluster.store.forget_history()
    (event,) = api.watch("/api/v1/pods", {"resourceVersion": version})
    assert event["type"] == "ERROR"
    assert (event["object"]["code"], event["object"]["reason"]) == (410, "Expired")


def test_a_watch_ends_with_its_time(api: Api) -> None:
    version = api.get("/api/v1/pods")["metadata"]["resourceVersion"]
    query: Query = {
        "resourceVersion": version,
        "allowWatchBookmarks": "false",
        "timeoutSeconds": 1,
    }
    assert list(api.watch("/api/v1/pods", query)) == []


def test_a_watch_ends_with_the_cluster(api: Api, cluster: SimulatedCluster) -> None:
    events = api.watch("/api/v1/pods")
    assert next(events)["type"] == "ADDED"
    cluster.close()
    with contextlib.suppress(requests.RequestException):
        assert {event["type"] for event in events} <= {"ADDED", "BOOKMARK"}
    with pytest.raises(requests.ConnectionError):
        api.get("/version")
