"""Who we are and what we may do: answers of any kind, and those of a real API server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest
import yaml

from gpuatlas.model.doctor import Purpose, Right
from gpuatlas.sources.errors import NotFoundError, SourceError, UnreachableError
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.kinds import KINDS
from gpuatlas.sources.kubernetes.rbac import rules
from gpuatlas.sources.kubernetes.reviews import read_user, read_version, reviewed
from gpuatlas.sources.kubernetes.rights import PROXY, needed
from gpuatlas.sources.kubernetes.served import Served
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas_harness.kube import KubeServer

Object = dict[str, Any]
EVERYTHING = Served(
    versions={kind.qualified: kind.versions for kind in KINDS if kind.discovered}
    | {name: ("v1",) for kind in KINDS for name in kind.beside}
)
V1, BETA = (f"/apis/authentication.k8s.io/{v}/selfsubjectreviews" for v in ("v1", "v1beta1"))


@dataclass
class Scripted:
    """An API server whose answers a function gives."""

    answer: Callable[[str, Mapping[str, object]], object]
    asked: list[Mapping[str, Any]] = field(default_factory=list)
    address: str = "https://kube"

    def get(self, path: str) -> Object:
        return self.review(path, {})

    def review(self, path: str, question: Mapping[str, object]) -> Object:
        self.asked.append(question)
        found = self.answer(path, question)
        if isinstance(found, SourceError):
            raise found
        assert isinstance(found, dict)
        return found


def a_right(**changes: Any) -> Right:
    values: Object = {
        "group": "apps",
        "resource": "daemonsets",
        "verb": "list",
        "purpose": Purpose.LAYER,
        "source": "kubernetes-daemonsets.apps",
    }
    return Right(**(values | changes))


def answered(status: object, right: Right | None = None) -> Right:
    (result,) = reviewed(Scripted(lambda *_: {"status": status}), [right or a_right()])
    return result


# What is needed


def test_everything_that_is_served_is_what_the_role_of_the_chart_grants() -> None:
    granted = {
        (group, resource, verb)
        for rule in rules()
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    asked = needed(EVERYTHING, ["hami-system"], proxied=False)
    assert {(right.group, right.resource, right.verb) for right in asked} == granted


def test_a_cluster_with_nothing_needs_little() -> None:
    asked = needed(Served(versions={}), (), proxied=True)
    assert [f"{right.verb} {right.resource}" for right in asked] == [
        *("list nodes", "watch nodes", "list pods", "watch pods"),
        *("list replicasets", "watch replicasets", "list jobs", "watch jobs"),
        *("list daemonsets", "list deployments", "list mutatingwebhookconfigurations"),
        *("list services", "list endpointslices", "get pods/proxy"),
    ]
    assert {r.resource for r in asked if r.required} == {"nodes", "pods"}


def test_what_is_got_by_name_is_asked_for_where_the_layer_is() -> None:
    asked = needed(None, ["b", "a"], proxied=False)
    assert [(r.resource, r.namespace) for r in asked if r.verb == "get"] == [
        *(("leases", "a"), ("leases", "b"), ("configmaps", "a"), ("configmaps", "b")),
    ]


# Answers


def test_a_review_asks_for_one_right() -> None:
    server = Scripted(lambda *_: {"status": {"allowed": True}})
    rights = [a_right(), PROXY, a_right(verb="get", namespace="hami")]
    assert [right.allowed for right in reviewed(server, rights)] == [True, True, True]
    asked = [question["spec"]["resourceAttributes"] for question in server.asked]
    assert sorted(asked, key=str) == sorted(
        [
            {"group": "apps", "resource": "daemonsets", "verb": "list"},
            {"resource": "pods", "subresource": "proxy", "verb": "get"},
            {"group": "apps", "resource": "daemonsets", "verb": "get", "namespace": "hami"},
        ],
        key=str,
    )
    assert {question["kind"] for question in server.asked} == {"SelfSubjectAccessReview"}


def test_no_is_no() -> None:
    assert answered({"allowed": False, "reason": ""}).allowed is False


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ({"allowed": False, "evaluationError": "webhook timed out"}, "webhook timed out"),
        ({}, "the answer has no status.allowed"),
        ({"allowed": "yes"}, "the answer has no status.allowed"),
        (None, "the answer has no status.allowed"),
        ([], "the answer has no status.allowed"),
    ],
)
def test_what_is_no_answer_is_neither_yes_nor_no(status: object, reason: str) -> None:
    right = answered(status)
    assert right.allowed is None
    assert reason in right.reason


def test_a_review_that_fails_costs_itself_only() -> None:
    def answer(_path: str, question: Mapping[str, Any]) -> object:
        if question["spec"]["resourceAttributes"]["resource"] == "pods":
            return UnreachableError("cut off")
        return {"status": {"allowed": True}}

    pods, daemons = reviewed(Scripted(answer), [PROXY, a_right()])
    assert (pods.allowed, pods.reason) == (None, "cut off")
    assert daemons.allowed is True


@pytest.mark.parametrize("served", [V1, BETA])
def test_who_we_are(served: str) -> None:
    who = {"status": {"userInfo": {"username": "ann"}}}
    server = Scripted(lambda path, _: who if path == served else NotFoundError(path))
    assert read_user(server) == "ann"


@pytest.mark.parametrize(
    "answer", [NotFoundError("404"), {}, {"status": {"userInfo": {"username": 3}}}]
)
def test_a_server_that_does_not_say_who_we_are(answer: object) -> None:
    with pytest.raises(SourceError, match="has no SelfSubjectReview"):
        read_user(Scripted(lambda *_: answer))


@pytest.mark.parametrize(
    ("answer", "version"), [({"gitVersion": "v1.33.4+k3s1"}, "v1.33.4+k3s1"), ({}, "")]
)
def test_the_version(answer: Object, version: str) -> None:
    assert read_version(Scripted(lambda *_: answer)) == version


# A real API server

SOME = [
    {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "watch"]},
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
]


@pytest.fixture
def connection(kube: KubeServer) -> Iterator[Connection]:
    kubeconfig = kube.service_account_kubeconfig("half", SOME)
    with closing(Connection.open(KubernetesSettings(kubeconfig=kubeconfig))) as opened:
        yield opened


def test_a_real_server_says_what_an_account_may(connection: Connection, kube: KubeServer) -> None:
    assert read_version(connection) == kube.version()
    assert read_user(connection) == "system:serviceaccount:default:half"
    rights = reviewed(connection, needed(EVERYTHING, ["default"], proxied=True))
    assert {f"{right.verb} {right.resource}" for right in rights if right.allowed} == {
        *("list nodes", "watch nodes", "list pods"),
    }
    assert {right.allowed for right in rights} == {True, False}


def test_a_review_with_a_wrong_token(kube: KubeServer, connection: Connection) -> None:
    document = yaml.safe_load(kube.service_account_kubeconfig("other", SOME).read_text())
    document["users"][0]["user"]["token"] = "wrong"
    path = kube.work_dir / "wrong.kubeconfig"
    path.write_text(yaml.safe_dump(document))
    with (
        closing(Connection.open(KubernetesSettings(kubeconfig=path))) as opened,
        pytest.raises(SourceError, match=r"refused the credentials \(401\)"),
    ):
        read_user(opened)
