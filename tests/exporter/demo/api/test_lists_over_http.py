"""Lists, pages and single objects, as an API server gives them."""

from __future__ import annotations

import pytest

from gpuatlas.demo.server import SimulatedCluster
from gpuatlas_harness.simulated_api import HOUR, PARTIAL, Api, Query, names


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
