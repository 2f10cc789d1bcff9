from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from gpuatlas.demo.server import SimulatedCluster

Document = dict[str, Any]
Query = dict[str, str | int]
JSON = "application/json"
PARTIAL = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
HOUR = 3600


class Api:
    """Asks one simulated cluster."""

    def __init__(self, cluster: SimulatedCluster, session: requests.Session) -> None:
        self.cluster, self.session = cluster, session

    def get(
        self, path: str, query: Query | None = None, *, status: int = 200, accept: str = JSON
    ) -> Document:
        answer = self.session.get(
            self.cluster.api_url + path, params=query, headers={"Accept": accept}, timeout=30
        )
        assert answer.status_code == status, answer.text
        assert answer.headers["Content-Type"] == "application/json"
        document: Document = answer.json()
        return document

    def watch(
        self, path: str, query: Query | None = None, *, accept: str = JSON
    ) -> Iterator[Document]:
        query = {"watch": "true", "allowWatchBookmarks": "true", **(query or {})}
        with self.session.get(
            self.cluster.api_url + path,
            params=query,
            headers={"Accept": accept},
            timeout=30,
            stream=True,
        ) as answer:
            assert answer.status_code == 200
            for line in answer.iter_lines():
                yield json.loads(line)

    def pages(self, path: str, limit: int) -> Iterator[Document]:
        token = ""
        while True:
            page = self.get(path, {"limit": limit} | ({"continue": token} if token else {}))
            yield page
            token = page["metadata"].get("continue", "")
            if not token:
                return


@pytest.fixture
def api(cluster: SimulatedCluster, session: requests.Session) -> Api:
    return Api(cluster, session)


def names(page: Document) -> list[str]:
    return [item["metadata"]["name"] for item in page["items"]]


def test_a_list_is_in_the_servers_form(api: Api) -> None:
    page = api.get("/api/v1/nodes")
    assert (page["kind"], page["apiVersion"]) == ("NodeList", "v1")
    assert len(page["items"]) == 13
    assert int(page["metadata"]["resourceVersion"]) > 0
    assert not {"kind", "apiVersion"} & page["items"][0].keys()
    assert page["items"][0]["metadata"]["resourceVersion"].isdigit()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api/v1/pods", "PodList"),
        ("/apis/apps/v1/replicasets", "ReplicaSetList"),
        ("/apis/batch/v1/jobs", "JobList"),
    ],
)
def test_every_resource_is_listed(api: Api, path: str, kind: str) -> None:
    page = api.get(path)
    assert page["kind"] == kind
    assert len(page["items"]) > 10


def test_a_namespace_is_listed_alone(api: Api) -> None:
    page = api.get("/api/v1/namespaces/lab/pods")
    assert "scratch" in names(page)
    assert {item["metadata"]["namespace"] for item in page["items"]} == {"lab"}


def test_one_object_is_read_by_its_name(api: Api) -> None:
    pod = api.get("/api/v1/namespaces/lab/pods/scratch")
    assert (pod["kind"], pod["metadata"]["name"]) == ("Pod", "scratch")
    missing = api.get("/api/v1/namespaces/lab/pods/nobody", status=404)
    assert (missing["kind"], missing["reason"]) == ("Status", "NotFound")
    assert missing["message"] == 'pods "nobody" not found'


@pytest.mark.parametrize("limit", [1, 7, 50])
def test_pages_make_up_the_whole_list(api: Api, limit: int) -> None:
    whole = api.get("/api/v1/pods")
    pages = list(api.pages("/api/v1/pods", limit))
    assert [name for page in pages for name in names(page)] == names(whole)
    left = [page["metadata"].get("remainingItemCount", 0) for page in pages]
    assert left == [max(0, len(whole["items"]) - limit * (n + 1)) for n in range(len(pages))]
    assert {page["metadata"]["resourceVersion"] for page in pages} == {
        whole["metadata"]["resourceVersion"]
    }


def test_pages_of_a_namespace_stay_in_it(api: Api) -> None:
    pages = list(api.pages("/api/v1/namespaces/lab/pods", 2))
    assert [name for page in pages for name in names(page)] == names(
        api.get("/api/v1/namespaces/lab/pods")
    )


def test_pages_show_the_moment_of_the_first_one(api: Api, cluster: SimulatedCluster) -> None:
    before = names(api.get("/api/v1/pods"))
    pages = api.pages("/api/v1/pods", 40)
    got = names(next(pages))
    cluster.advance(2 * HOUR)
    for page in pages:
        got += names(page)
    assert got == before
    assert names(api.get("/api/v1/pods")) != before


def test_an_expired_page_is_410(api: Api, cluster: SimulatedCluster) -> None:
    token = api.get("/api/v1/pods", {"limit": 5})["metadata"]["continue"]
    cluster.store.forget_history()
    gone = api.get("/api/v1/pods", {"limit": 5, "continue": token}, status=410)
    assert (gone["reason"], gone["code"]) == ("Expired", 410)


@pytest.mark.parametrize("token", ["nonsense", "eyJ4IjoxfQ", "W10", "\u00e4"])
def test_a_token_of_nobody_is_410(api: Api, token: str) -> None:
    api.get("/api/v1/pods", {"limit": 5, "continue": token}, status=410)


def test_an_exact_version_that_is_not_kept_is_410(api: Api) -> None:
    query: Query = {"resourceVersion": 5, "resourceVersionMatch": "Exact"}
    api.get("/api/v1/pods", query, status=410)


def test_only_metadata_is_given_when_only_metadata_is_asked_for(api: Api) -> None:
    page = api.get("/apis/apps/v1/replicasets", accept=PARTIAL)
    assert (page["kind"], page["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    for item in page["items"]:
        assert item.keys() == {"kind", "apiVersion", "metadata"}
        assert item["kind"] == "PartialObjectMetadata"
        assert item["metadata"]["ownerReferences"][0]["kind"] == "Deployment"


def test_selectors_are_refused_rather_than_overlooked(api: Api) -> None:
    refused = api.get("/api/v1/pods", {"fieldSelector": "spec.nodeName=a100-1"}, status=400)
    assert "no fieldSelector" in refused["message"]


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


def test_the_server_tells_its_version(api: Api) -> None:
    version = api.get("/version")
    assert (version["major"], version["minor"]) == ("1", "34")
    assert version["gitVersion"] == "v1.34.2"


def test_unknown_paths_are_404(api: Api) -> None:
    assert api.get("/api/v1/secrets", status=404)["reason"] == "NotFound"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_can_be_written(api: Api, method: str) -> None:
    url = api.cluster.api_url + "/api/v1/namespaces/lab/pods/scratch"
    answer = api.session.request(method, url, json={"metadata": {}}, timeout=30)
    assert answer.status_code == 405
    assert answer.json()["reason"] == "MethodNotAllowed"
    assert "scratch" in names(api.get("/api/v1/namespaces/lab/pods"))


def test_the_server_is_healthy(api: Api) -> None:
    answer = api.session.get(api.cluster.api_url + "/readyz", timeout=30)
    assert (answer.status_code, answer.text) == (200, "ok")
