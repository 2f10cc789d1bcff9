"""The source against a real kube-apiserver with etcd."""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuatlas.model.objects import Owner, OwnerLink, Pod
from gpuatlas.sources.errors import ForbiddenError, SourceError, UnauthorizedError
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.kinds import CORE_KINDS, JOBS, KINDS, NODES, PODS, REPLICASETS
from gpuatlas.sources.kubernetes.listing import read_once
from gpuatlas.sources.kubernetes.pages import read_pages
from gpuatlas.sources.kubernetes.reflector import Reflector
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.kubernetes.store import ObjectStore
from gpuatlas_harness import pki
from gpuatlas_harness.kube import KubeServer
from gpuatlas_harness.polling import poll

Object = dict[str, Any]
Recorded = Callable[[str], Object]
NODE_AND_PODS = [{"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": ["list", "watch"]}]


def quiet(_kind: str, _count: int) -> None:
    pass


def settings_of(kubeconfig: Path) -> KubernetesSettings:
    return KubernetesSettings(
        kubeconfig=kubeconfig,
        backoff_start_s=0.05,
        backoff_cap_s=0.5,
        refused_pause_s=0.2,
        page_size=2,
    )


def as_applied(raw: Object, kind: Kind[object]) -> Object:
    """A recorded object as it can be written: what the server itself fills in is left out."""
    trimmed: Object = kind.trim(raw)
    metadata = {
        key: value
        for key, value in trimmed["metadata"].items()
        if key in {"name", "namespace", "labels", "annotations", "ownerReferences"}
    }
    return trimmed | {"metadata": metadata}


@pytest.fixture
def a_pod(recorded: Recorded) -> Callable[[str], Object]:
    def build(name: str) -> Object:
        raw = as_applied(recorded("infer-0"), PODS)
        raw["metadata"]["name"] = name
        del raw["metadata"]["ownerReferences"]
        return raw

    return build


@pytest.fixture
def admin(kube: KubeServer) -> Iterator[Connection]:
    connection = Connection.open(settings_of(kube.kubeconfig), {})
    yield connection
    connection.close()


@pytest.fixture
def follow(kube: KubeServer, admin: Connection) -> Iterator[Callable[..., Reflector[Any]]]:
    started: list[Reflector[Any]] = []

    def start(kind: Kind[Any], store: ObjectStore[Any]) -> Reflector[Any]:
        reflector = Reflector(kind, admin, store, settings_of(kube.kubeconfig))
        started.append(reflector)
        reflector.start()
        return reflector

    yield start
    for reflector in started:
        reflector.stop()


def until(condition: Callable[[], bool], what: str) -> None:
    poll(lambda: condition() or None, deadline_seconds=60, waiting_for=what)


def names(store: ObjectStore[Any]) -> set[str]:
    return {pod.name for pod in store.view().objects.values()}


def test_changes_arrive_and_survive_a_restart_that_forgot_the_history(
    kube: KubeServer,
    a_pod: Callable[[str], Object],
    recorded: Recorded,
    follow: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "gpuatlas")
    kube.apply([a_pod(name) for name in ("a", "b", "c")])
    store: ObjectStore[Pod] = ObjectStore()
    reflector = follow(PODS, store)
    until(lambda: names(store) == {"a", "b", "c"}, "the list")

    kube.apply([a_pod("d")])
    kube.delete("Pod", "a", namespace="team-b")
    until(lambda: names(store) == {"b", "c", "d"}, "the changes")
    (pod,) = (pod for pod in store.view().objects.values() if pod.name == "b")
    assert (pod.node, pod.phase, pod.ip) == ("gpu-hami", "Running", "10.1.0.8")
    assert pod.containers[0].limits["nvidia.com/gpumem"] == 12_000
    assert [promise.memory_bytes for promise in pod.promises] == [12_000 * 1024 * 1024]
    assert pod.created_at > 1_700_000_000

    # A change of another kind, so that the last version of a pod is older than the compaction.
    kube.apply([as_applied(recorded("gpu-hami"), NODES)])
    kube.compact()
    kube.apply([a_pod("e")])
    until(lambda: names(store) == {"b", "c", "d", "e"}, "the changes after the restart")
    (same,) = (pod for pod in store.view().objects.values() if pod.name == "b")
    assert same is pod
    assert "too old (410)" in caplog.text
    status = reflector.status()
    assert (status.up, status.error, status.rejected) == (True, "", {})


def test_an_outage_is_reported_and_ends(kube: KubeServer, recorded: Recorded, follow: Any) -> None:
    kube.apply([as_applied(recorded("gpu-hami"), NODES)])
    store: ObjectStore[Any] = ObjectStore()
    reflector = follow(NODES, store)
    until(lambda: names(store) == {"gpu-hami"}, "the list")
    kube.stop_apiserver()
    try:
        refused = f"{kube.url}: no connection ("
        until(lambda: reflector.status().error.startswith(refused), "the outage")
        assert reflector.status().up is False
        assert names(store) == {"gpu-hami"}
    finally:
        kube.start_apiserver()
    until(lambda: reflector.status().up is True, "the recovery")


def test_commands_read_all_kinds_and_owners_as_metadata(
    kube: KubeServer, admin: Connection, recorded: Recorded, a_pod: Callable[[str], Object]
) -> None:
    labels = {"app": "chat"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "main", "image": "chat:1"}]},
    }
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "chat", "uid": "d-1"}
    replicaset = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": "chat-6d4cf56db6",
            "namespace": "team-a",
            "ownerReferences": [deployment | {"controller": True}],
        },
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }
    kube.apply([as_applied(recorded("gpu-hami"), NODES), replicaset])
    kube.apply([a_pod(f"infer-{n}") for n in range(5)])
    found = read_once(admin, KINDS, quiet, page_size=2)
    assert list(found.objects["nodes"]) == ["gpu-hami"]
    assert len(found.objects["pods"]) == 5
    assert (found.warnings, found.rejected) == ([], {})
    (link,) = found.objects["replicasets"].values()
    assert isinstance(link, OwnerLink)
    assert link.controller == Owner(api_group="apps", kind="Deployment", name="chat", uid="d-1")
    (page,) = read_pages(admin, REPLICASETS, 500)
    (raw,) = page.objects
    assert isinstance(raw, dict)
    assert "spec" not in raw


def test_rights_on_nodes_and_pods_are_enough(kube: KubeServer, recorded: Recorded) -> None:
    kube.apply([as_applied(recorded("gpu-hami"), NODES)])
    kubeconfig = kube.service_account_kubeconfig("nodes-and-pods", NODE_AND_PODS)
    connection = Connection.open(settings_of(kubeconfig), {})
    found = read_once(connection, CORE_KINDS, quiet)
    assert list(found.objects["nodes"]) == ["gpu-hami"]
    first, second = found.warnings
    assert 'Grant the verb "list" on "replicasets.apps"' in first
    assert 'Grant the verb "list" on "jobs.batch"' in second
    owners: Reflector[Any] = Reflector(JOBS, connection, ObjectStore(), settings_of(kubeconfig))
    owners.start()
    until(lambda: owners.settled, "the refusal")
    owners.stop()
    assert 'Grant the verb "list" on "jobs.batch"' in owners.status().error
    connection.close()


def test_without_rights_the_verb_and_the_resource_are_named(kube: KubeServer) -> None:
    kubeconfig = kube.service_account_kubeconfig("nothing", [])
    connection = Connection.open(settings_of(kubeconfig), {})
    with pytest.raises(ForbiddenError, match='Grant the verb "list" on "nodes"'):
        read_once(connection, KINDS, quiet)
    with pytest.raises(ForbiddenError, match='Grant the verb "watch" on "pods"'):
        connection.stream(PODS.path, {"watch": "true"}, read_timeout_s=5)
    path = "/api/v1/namespaces/team-b/pods/infer-0:9400/proxy/metrics"
    with pytest.raises(ForbiddenError, match='Grant the verb "get" on "pods/proxy"'):
        connection.get_bytes(path, 1000, 5.0)
    connection.close()


def test_a_wrong_token_is_told_as_such(kube: KubeServer, tmp_path: Path) -> None:
    config = yaml.safe_load(kube.kubeconfig.read_text(encoding="utf-8"))
    config["users"][0]["user"] = {"token": "wrong"}
    path = tmp_path / "config"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    connection = Connection.open(settings_of(path), {})
    with pytest.raises(UnauthorizedError, match="refused the credentials"):
        connection.get(NODES.path, {"limit": "1"})
    connection.close()


def test_client_certificates_work(kube: KubeServer) -> None:
    kubeconfig = kube.client_certificate_kubeconfig("alice", ["system:masters"])
    connection = Connection.open(settings_of(kubeconfig), {})
    assert connection.get(NODES.path, {"limit": "1"})["kind"] == "NodeList"
    connection.close()


def test_another_authority_is_not_trusted(kube: KubeServer, tmp_path: Path) -> None:
    config = yaml.safe_load(kube.kubeconfig.read_text(encoding="utf-8"))
    data = base64.b64encode(pki.Authority("a stranger").certificate)
    config["clusters"][0]["cluster"]["certificate-authority-data"] = data.decode()
    path = tmp_path / "config"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    connection = Connection.open(settings_of(path), {})
    with pytest.raises(SourceError, match="TLS failed"):
        connection.get(NODES.path)
    connection.close()


def test_a_page_of_a_pod_that_is_not_there_is_an_error(kube: KubeServer, admin: Connection) -> None:
    path = "/api/v1/namespaces/team-b/pods/nobody:9400/proxy/metrics"
    with pytest.raises(SourceError, match='pods "nobody" not found'):
        admin.get_bytes(path, 1000, 5.0)
