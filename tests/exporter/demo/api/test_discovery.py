"""What the API says that it serves, in both of its forms."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from gpuatlas.demo.server import SimulatedCluster

Document = dict[str, Any]


class Api:
    """Asks one simulated cluster."""

    def __init__(self, cluster: SimulatedCluster, session: requests.Session) -> None:
        self.cluster, self.session = cluster, session

    def get(self, path: str, *, status: int = 200) -> Document:
        answer = self.session.get(self.cluster.api_url + path, timeout=30)
        assert answer.status_code == status, answer.text
        document: Document = answer.json()
        return document


@pytest.fixture
def api(cluster: SimulatedCluster, session: requests.Session) -> Api:
    return Api(cluster, session)


def names(page: Document) -> list[str]:
    return [item["metadata"]["name"] for item in page["items"]]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api", "APIVersions"),
        ("/apis", "APIGroupList"),
        ("/apis/apps", "APIGroup"),
        ("/api/v1", "APIResourceList"),
        ("/apis/batch/v1", "APIResourceList"),
    ],
)
def test_what_is_served_can_be_discovered(api: Api, path: str, kind: str) -> None:
    assert api.get(path)["kind"] == kind


def test_discovery_lists_resources_with_their_verbs(api: Api) -> None:
    resources = {r["name"]: r for r in api.get("/api/v1")["resources"]}
    assert resources.keys() == {"nodes", "pods", "services", "configmaps"}
    assert resources["pods"]["verbs"] == ["get", "list", "watch"]
    groups = api.get("/apis")["groups"]
    preferred = [group["preferredVersion"]["groupVersion"] for group in groups]
    assert preferred[:7] == [
        "apps/v1",
        "batch/v1",
        "resource.k8s.io/v1",
        "admissionregistration.k8s.io/v1",
        "coordination.k8s.io/v1",
        "discovery.k8s.io/v1",
        "argoproj.io/v1alpha1",
    ]
    assert len(preferred) == len(set(preferred)) == 19


def test_a_group_can_have_several_versions(api: Api) -> None:
    group = api.get("/apis/scheduling.run.ai")
    assert [version["version"] for version in group["versions"]] == ["v2", "v2alpha2", "v1alpha2"]
    assert group["preferredVersion"]["version"] == "v2"
    listed = {
        version: [r["name"] for r in api.get(f"/apis/scheduling.run.ai/{version}")["resources"]]
        for version in ("v2", "v2alpha2", "v1alpha2")
    }
    assert listed == {"v2": ["queues"], "v2alpha2": ["podgroups"], "v1alpha2": ["bindrequests"]}


AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@pytest.mark.parametrize(("path", "groups"), [("/api", 1), ("/apis", 19)])
def test_discovery_comes_in_one_document_for_those_who_ask(
    api: Api, path: str, groups: int
) -> None:
    accept = {"Accept": f"{AGGREGATED},application/json"}
    answer = api.session.get(api.cluster.api_url + path, headers=accept, timeout=30)
    assert answer.headers["Content-Type"] == AGGREGATED
    document = answer.json()
    assert (document["kind"], document["apiVersion"]) == (
        "APIGroupDiscoveryList", "apidiscovery.k8s.io/v2",
    )  # fmt: skip
    assert len(document["items"]) == groups


def test_the_one_document_and_the_many_say_the_same(api: Api) -> None:
    accept = {"Accept": AGGREGATED}
    document = api.session.get(api.cluster.api_url + "/apis", headers=accept, timeout=30).json()
    once = {
        (group["metadata"]["name"], version["version"], resource["resource"], resource["scope"])
        for group in document["items"]
        for version in group["versions"]
        for resource in version["resources"]
    }
    many = {
        (group["name"], version["version"], resource["name"],
         "Namespaced" if resource["namespaced"] else "Cluster")
        for group in api.get("/apis")["groups"]
        for version in group["versions"]
        for resource in api.get(f"/apis/{version['groupVersion']}")["resources"]
    }  # fmt: skip
    assert once == many
    assert ("resource.k8s.io", "v1", "resourceslices", "Cluster") in once


def test_everything_that_is_served_can_be_listed_whole_and_as_metadata(api: Api) -> None:
    partial = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}
    for group in api.get("/apis")["groups"]:
        for version in group["versions"]:
            path = f"/apis/{version['groupVersion']}"
            for resource in api.get(path)["resources"]:
                page = api.get(f"{path}/{resource['name']}")
                assert page["kind"] == f"{resource['kind']}List"
                assert page["apiVersion"] == version["groupVersion"]
                assert page["items"], resource["name"]
                url = f"{api.cluster.api_url}{path}/{resource['name']}"
                cut = api.session.get(url, headers=partial, timeout=30).json()
                assert cut["kind"] == "PartialObjectMetadataList"
                assert len(cut["items"]) == len(page["items"])
                namespaced = {"namespace" in item["metadata"] for item in page["items"]}
                assert namespaced == {resource["namespaced"]}


def test_resources_of_one_name_in_two_groups_are_kept_apart(api: Api) -> None:
    volcano = names(api.get("/apis/scheduling.volcano.sh/v1beta1/queues"))
    kai = names(api.get("/apis/scheduling.run.ai/v2/queues"))
    assert (volcano, kai) == (["ablations", "root"], ["serving", "serving-department"])
    assert api.get("/apis/scheduling.run.ai/v2alpha2/queues", status=404)["code"] == 404
