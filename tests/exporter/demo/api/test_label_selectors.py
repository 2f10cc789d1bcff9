from __future__ import annotations

from typing import Any

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.demo.api.selectors import BadSelectorError, Requirement, read_selector
from gpuatlas.demo.server import SimulatedCluster

Document = dict[str, Any]
COMPONENT = "app.kubernetes.io/component"


def one_of(key: str, *values: str, wanted: bool = True) -> Requirement:
    return Requirement(key, frozenset(values), wanted)


READ = {
    "": (),
    "  ": (),
    "app=a": (one_of("app", "a"),),
    "app==a": (one_of("app", "a"),),
    "app = a": (one_of("app", "a"),),
    "app=": (one_of("app", ""),),
    "app!=a": (one_of("app", "a", wanted=False),),
    "app in (a,b)": (one_of("app", "a", "b"),),
    "app in ( a , b )": (one_of("app", "a", "b"),),
    "app notin (a)": (one_of("app", "a", wanted=False),),
    "app": (Requirement("app", None, wanted=True),),
    "!app": (Requirement("app", None, wanted=False),),
    f"{COMPONENT} in (hami-scheduler,hami-device-plugin),tier=b,!x": (
        one_of(COMPONENT, "hami-scheduler", "hami-device-plugin"),
        one_of("tier", "b"),
        Requirement("x", None, wanted=False),
    ),
    "in in (in)": (one_of("in", "in"),),
}


@pytest.mark.parametrize(("text", "expected"), READ.items())
def test_selectors_are_read(text: str, expected: tuple[Requirement, ...]) -> None:
    assert read_selector(text) == expected


@pytest.mark.parametrize(
    "text",
    ["a in b", "a in (b", "a=b=c", "a b", ",", "a,,b", "a in (b c)", "-a", "a=-b", "a/b/c", "ä=1"],
)
def test_what_is_no_selector_is_refused(text: str) -> None:
    with pytest.raises(BadSelectorError, match="is no requirement such as"):
        read_selector(text)


@pytest.mark.parametrize(
    ("text", "matching"),
    [
        ("app=a", {"a"}),
        ("app!=a", {"b", "none"}),  # an absent label is not that value either
        ("app in (a,b)", {"a", "b"}),
        ("app notin (a)", {"b", "none"}),
        ("app", {"a", "b"}),
        ("!app", {"none"}),
        ("app,app!=b", {"a"}),
    ],
)
def test_requirements_hold_or_not(text: str, matching: set[str]) -> None:
    labels: dict[str, dict[str, str]] = {"a": {"app": "a"}, "b": {"app": "b"}, "none": {}}
    selector = read_selector(text)
    assert {n for n, found in labels.items() if all(r.holds(found) for r in selector)} == matching


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="ab/.-=!(), \tinot", max_size=25))
def test_a_text_is_a_selector_or_is_refused(text: str) -> None:
    try:
        selector = read_selector(text)
    except BadSelectorError:
        return
    assert all(requirement.key.strip() == requirement.key != "" for requirement in selector)


class Api:
    def __init__(self, cluster: SimulatedCluster, session: requests.Session) -> None:
        self.cluster, self.session = cluster, session

    def get(self, path: str, *, status: int = 200, **query: str | int) -> Document:
        answer = self.session.get(self.cluster.api_url + path, params=query, timeout=30)
        assert answer.status_code == status, answer.text
        document: Document = answer.json()
        return document

    def names(self, path: str, selector: str) -> list[str]:
        return [
            item["metadata"]["name"] for item in self.get(path, labelSelector=selector)["items"]
        ]


@pytest.fixture
def api(cluster: SimulatedCluster, session: requests.Session) -> Api:
    return Api(cluster, session)


def test_the_layers_objects_are_found_by_their_component(api: Api) -> None:
    either = f"{COMPONENT} in (hami-device-plugin,hami-scheduler)"
    assert api.names("/apis/apps/v1/daemonsets", either) == [
        "hami-legacy-device-plugin", "hami-device-plugin",
    ]  # fmt: skip
    assert api.names("/apis/apps/v1/deployments", either) == [
        "hami-legacy-scheduler", "hami-scheduler",
    ]  # fmt: skip
    assert api.names("/api/v1/namespaces/hami-system/services", f"{COMPONENT}=hami-scheduler") == [
        "hami-scheduler"
    ]
    assert api.names("/apis/apps/v1/deployments", "app=nobody") == []


def test_pages_of_a_selection_make_up_the_whole(api: Api) -> None:
    selector = "k8s-app in (kube-proxy,kube-dns)"
    whole = api.names("/api/v1/pods", selector)
    assert len(whole) == 15
    got: list[str] = []
    token = ""
    while True:
        query: dict[str, Any] = {"labelSelector": selector, "limit": 4}
        if token:
            query["continue"] = token
        page = api.get("/api/v1/pods", **query)
        got += [item["metadata"]["name"] for item in page["items"]]
        assert "remainingItemCount" not in page["metadata"]
        token = page["metadata"].get("continue", "")
        if not token:
            break
    assert got == whole


def test_a_bad_selector_is_400(api: Api) -> None:
    refused = api.get("/api/v1/pods", status=400, labelSelector="a in b")
    assert "'a in b' is no requirement" in refused["message"]


def test_a_watch_takes_no_selector(api: Api) -> None:
    refused = api.get("/api/v1/pods", status=400, labelSelector="a=b", watch="true")
    assert "for lists only" in refused["message"]


def test_metadata_can_be_selected_too(api: Api) -> None:
    accept = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}
    answer = api.session.get(
        api.cluster.api_url + "/api/v1/pods",
        params={"labelSelector": "k8s-app=kube-dns"},
        headers=accept,
        timeout=30,
    )
    assert len(answer.json()["items"]) == 2
