from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from gpuatlas.model.objects import Node, OwnerLink, Pod
from gpuatlas.sources.errors import BadAnswerError, ForbiddenError, GoneError, TooLargeError
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.errors import BusyError
from gpuatlas.sources.kubernetes.kinds import JOBS, KINDS, NODES, PODS, REPLICASETS
from gpuatlas.sources.kubernetes.listing import Listing, read_once
from gpuatlas.sources.kubernetes.settings import KubernetesSettings

if TYPE_CHECKING:
    from tests.exporter.sources.kubernetes.conftest import FakeApiServer

Object = dict[str, Any]
Recorded = Callable[[str], Object]
DENIED = (
    b'{"kind":"Status","code":403,"message":"replicasets.apps is forbidden: User \\"u\\" cannot '
    b'list resource \\"replicasets\\" in API group \\"apps\\" at the cluster scope"}'
)


def quiet(_kind: str, _count: int) -> None:
    pass


def a_pod(recorded: Recorded, number: int) -> Object:
    raw = recorded("infer-0")
    raw["metadata"] |= {"name": f"infer-{number}", "uid": f"uid-{number}"}
    return raw


def test_all_kinds_are_read_page_by_page(
    api: FakeApiServer, connection: Connection, recorded: Recorded
) -> None:
    api.serve(NODES.path, [recorded("gpu-hami"), recorded("plain-cpu")])
    api.serve(PODS.path, [*(a_pod(recorded, n) for n in range(4)), recorded("web-0")])
    api.serve(REPLICASETS.path, [{"metadata": {"name": "r", "namespace": "n", "uid": "u"}}])
    api.serve(JOBS.path, [])
    told: list[tuple[str, int]] = []
    found = read_once(connection, KINDS, lambda *step: told.append(step), page_size=2)
    assert {name: list(objects) for name, objects in found.objects.items()} == {
        "nodes": ["gpu-hami"],
        "pods": ["uid-0", "uid-1", "uid-2", "uid-3"],
        "replicasets": ["u"],
        "jobs": [],
    }
    assert isinstance(found.objects["nodes"]["gpu-hami"], Node)
    assert isinstance(found.objects["pods"]["uid-0"], Pod)
    assert isinstance(found.objects["replicasets"]["u"], OwnerLink)
    assert (found.warnings, found.rejected) == ([], {})
    pods = [("pods", 2), ("pods", 4), ("pods", 5)]
    assert told == [("nodes", 2), *pods, ("replicasets", 1), ("jobs", 0)]
    first, second, _ = api.lists(PODS.path)
    assert first.query == {"limit": "2"}
    assert second.query == {"limit": "2", "continue": "2"}
    owners = api.lists(REPLICASETS.path)[0]
    assert owners.headers["Accept"] == REPLICASETS.list_accept


def test_a_refused_optional_kind_is_a_warning(
    api: FakeApiServer, connection: Connection, recorded: Recorded, reply: Any
) -> None:
    api.serve(NODES.path, [recorded("gpu-hami")])
    api.serve(PODS.path, [])
    api.reply(REPLICASETS.path, reply(status=403, body=DENIED))
    found = read_once(connection, KINDS, quiet)
    assert found.objects["replicasets"] == {}
    refused, missing = found.warnings
    assert refused.startswith("without replicasets.apps: http://127.0.0.1:")
    assert 'Grant the verb "list" on "replicasets.apps"' in refused
    assert missing.startswith("without jobs.batch:")


def test_a_refused_required_kind_is_an_error(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.reply(NODES.path, reply(status=403, body=b"no"))
    with pytest.raises(ForbiddenError, match='Grant the verb "list" on "nodes"'):
        read_once(connection, KINDS, quiet)


def test_a_bad_object_costs_itself_only(
    api: FakeApiServer, connection: Connection, recorded: Recorded
) -> None:
    bad = a_pod(recorded, 1)
    bad["metadata"]["creationTimestamp"] = "yesterday"
    api.serve(PODS.path, [a_pod(recorded, 0), bad, 5, None, a_pod(recorded, 2)])
    found = read_once(connection, [PODS], quiet)
    assert list(found.objects["pods"]) == ["uid-0", "uid-2"]
    assert found.rejected == {"bad-time": 1, "no-name": 2}


def test_an_expired_continue_token_starts_the_kind_again(
    api: FakeApiServer, connection: Connection, recorded: Recorded, reply: Any
) -> None:
    api.serve(PODS.path, [a_pod(recorded, n) for n in range(3)])
    api.reply(PODS.path, api.answer_to(PODS.path, {"limit": "2"}), reply(status=410))
    found = read_once(connection, [PODS], quiet, page_size=2)
    assert list(found.objects["pods"]) == ["uid-0", "uid-1", "uid-2"]
    assert [r.query.get("continue") for r in api.lists(PODS.path)] == [None, "2", None, "2"]


def test_it_gives_up_after_four_expired_tokens(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.serve(PODS.path, [])
    api.reply(PODS.path, *[reply(status=410)] * 4)
    with pytest.raises(GoneError):
        read_once(connection, [PODS], quiet)
    assert len(api.requests) == 4


def test_a_connection_without_patience_asks_a_busy_server_once(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.serve(PODS.path, [])
    api.reply(PODS.path, reply(status=429, headers={"Retry-After": "0"}))
    with pytest.raises(BusyError):
        read_once(connection, [PODS], quiet)
    assert len(api.requests) == 1


def test_a_page_that_is_too_large_is_asked_for_in_smaller_ones(
    api: FakeApiServer, settings: KubernetesSettings, recorded: Recorded
) -> None:
    small = Connection.open(
        KubernetesSettings(kubeconfig=settings.kubeconfig, page_limit_bytes=5_000), {}
    )
    api.serve(PODS.path, [a_pod(recorded, n) for n in range(12)])
    found = read_once(small, [PODS], quiet, page_size=30)
    assert len(found.objects["pods"]) == 12
    assert [r.query["limit"] for r in api.lists(PODS.path)][:3] == ["30", "3", "3"]
    api.serve(PODS.path, [a_pod(recorded, 0) | {"padding": "x" * 6_000}])
    with pytest.raises(TooLargeError):
        read_once(small, [PODS], quiet, page_size=5)
    small.close()


@pytest.mark.parametrize("body", [b'{"items":{}}', b'{"items":5}'])
def test_an_answer_that_is_no_list_is_an_error(
    api: FakeApiServer, connection: Connection, reply: Any, body: bytes
) -> None:
    api.reply(PODS.path, reply(body=body))
    with pytest.raises(BadAnswerError, match="is not a list"):
        read_once(connection, [PODS], quiet)


def test_a_list_without_items_is_empty(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.reply(PODS.path, reply(body=b'{"items":null,"metadata":null}'))
    assert read_once(connection, [PODS], quiet).objects == {"pods": {}}


QUEUES = next(kind for kind in KINDS if kind.id == "localqueues.kueue.x-k8s.io")
QUEUE = {"metadata": {"name": "q", "namespace": "n", "uid": "uid-q"}}


def test_kinds_that_are_not_served_are_not_asked_for(
    api: FakeApiServer, connection: Connection, recorded: Recorded
) -> None:
    found = serve_core(api, connection, recorded)
    assert set(found.objects) == {"nodes", "pods", "replicasets", "jobs"}
    assert (found.warnings, found.failures) == ([], {})
    assert len(api.requests) == 5


def test_a_served_kind_is_read_in_the_version_that_is_there(
    api: FakeApiServer, connection: Connection, recorded: Recorded
) -> None:
    older = QUEUES.at("v1beta1")
    api.offer("kueue.x-k8s.io/v1beta1/localqueues")
    api.serve(older.path, [QUEUE])
    found = serve_core(api, connection, recorded)
    assert list(found.objects[QUEUES.id]) == ["uid-q"]
    assert found.versions[QUEUES.id] == "kueue.x-k8s.io/v1beta1"
    assert found.versions["replicasets"] == "apps/v1"


@pytest.mark.parametrize("status", [403, 500])
def test_a_discovered_kind_that_fails_is_a_warning(
    api: FakeApiServer, connection: Connection, recorded: Recorded, reply: Any, status: int
) -> None:
    api.offer("kueue.x-k8s.io/v1beta2/localqueues")
    api.reply(QUEUES.path, reply(status=status, body=b"no"))
    found = serve_core(api, connection, recorded)
    assert found.objects[QUEUES.id] == {}
    (warning,) = found.warnings
    assert warning.startswith("without localqueues.kueue.x-k8s.io: http://127.0.0.1:")
    assert found.failures.keys() == {"kubernetes-localqueues.kueue.x-k8s.io"}


def test_a_discovered_kind_that_has_just_gone_is_no_failure(
    api: FakeApiServer, connection: Connection, recorded: Recorded
) -> None:
    api.offer("kueue.x-k8s.io/v1beta2/localqueues")
    found = serve_core(api, connection, recorded)
    assert (found.objects[QUEUES.id], found.warnings) == ({}, [])


def test_a_discovery_that_is_refused_costs_the_discovered_kinds(
    api: FakeApiServer, connection: Connection, recorded: Recorded, reply: Any
) -> None:
    api.reply("/apis", reply(status=403, body=b"no"))
    found = serve_core(api, connection, recorded)
    (warning,) = found.warnings
    assert warning.startswith("without DRA, queues and the owners of other systems: ")
    assert 'Grant the verb "get" on "/apis"' in warning
    assert found.failures.keys() == {"kubernetes-discovery"}
    assert list(found.objects["nodes"]) == ["gpu-hami"]


def serve_core(api: FakeApiServer, connection: Connection, recorded: Recorded) -> Listing:
    """Reads all kinds of a cluster with one node."""
    api.serve(NODES.path, [recorded("gpu-hami")])
    for kind in (PODS, REPLICASETS, JOBS):
        api.serve(kind.path, [])
    return read_once(connection, KINDS, quiet)
