from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from gpuatlas.model.objects import Node, OwnerLink, Pod
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.kinds import NODES, PODS, REPLICASETS
from gpuatlas.sources.kubernetes.reflector import Reflector
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.kubernetes.store import ObjectStore

if TYPE_CHECKING:
    from tests.exporter.sources.kubernetes.conftest import FakeApiServer

Object = dict[str, Any]
Recorded = Callable[[str], Object]
Event = Callable[[str, object], bytes]


def test_a_list_then_changes_then_a_watch_from_the_last_version(
    api: FakeApiServer, watch: Any, pod: Any, reply: Any, event: Event, recorded: Recorded
) -> None:
    api.serve(PODS.path, [pod(0), pod(1)], version="10")
    changed = pod(1, "12")
    changed["status"]["phase"] = "Succeeded"
    lines = [
        event("ADDED", pod(2, "11")),
        event("MODIFIED", changed),
        event("DELETED", pod(0, "13")),
        event("ADDED", recorded("web-0")),
        event("BOOKMARK", {"kind": "Pod", "metadata": {"resourceVersion": "20"}}),
    ]
    api.reply(PODS.path, reply(chunks=lines), watch=True)
    watched = watch(PODS)
    watched.until(lambda: len(api.watches(PODS.path)) == 2, "the second watch")
    assert watched.keys() == ["uid-1", "uid-2"]
    assert watched.store.view().objects["uid-1"].phase == "Succeeded"
    assert len(api.lists(PODS.path)) == 1
    first, second = api.watches(PODS.path)
    assert (first.query["resourceVersion"], second.query["resourceVersion"]) == ("10", "20")
    for request in (first, second):
        assert request.query["allowWatchBookmarks"] == "true"
        assert 240 <= int(request.query["timeoutSeconds"]) <= 480
    assert watched.pauses == []
    assert watched.reflector.synced
    status = watched.reflector.status()
    assert (status.source, status.up, status.error) == ("kubernetes-pods", True, "")
    assert (status.last_success_at, status.read_seconds) == (1_000.0, 10.0)


def test_pages_are_put_together(api: FakeApiServer, watch: Any, pod: Any, settings: Any) -> None:
    api.serve(PODS.path, [pod(n) for n in range(1200)])
    watched = watch(PODS)
    watched.until(lambda: watched.reflector.synced, "the list")
    assert len(watched.keys()) == 1200
    assert len(watched.views) == 1
    assert [r.query for r in api.lists(PODS.path)] == [
        {"limit": "500"},
        {"limit": "500", "continue": "500"},
        {"limit": "500", "continue": "1000"},
    ]


def test_metadata_only_kinds_ask_for_metadata_only(api: FakeApiServer, watch: Any) -> None:
    api.serve(REPLICASETS.path, [{"metadata": {"name": "r", "namespace": "n", "uid": "u"}}])
    watched = watch(REPLICASETS)
    watched.until(lambda: len(api.watches(REPLICASETS.path)) == 1, "the watch")
    assert isinstance(watched.store.view().objects["u"], OwnerLink)
    assert api.lists(REPLICASETS.path)[0].headers["Accept"] == REPLICASETS.list_accept
    assert api.watches(REPLICASETS.path)[0].headers["Accept"] == REPLICASETS.watch_accept


def test_nodes_are_keyed_by_name(api: FakeApiServer, watch: Any, recorded: Recorded) -> None:
    api.serve(NODES.path, [recorded("gpu-hami"), recorded("plain-cpu")])
    watched = watch(NODES)
    watched.until_keys("gpu-hami")
    assert isinstance(watched.store.view().objects["gpu-hami"], Node)


@pytest.mark.parametrize("how", ["status", "event"])
def test_a_410_lists_again_without_an_empty_moment_and_keeps_what_is_unchanged(
    api: FakeApiServer, watch: Any, pod: Any, reply: Any, event: Event, how: str
) -> None:
    api.serve(PODS.path, [pod(0), pod(1)], version="10")
    gone = {"kind": "Status", "code": 410, "message": "too old resource version"}
    old = (
        reply(status=410) if how == "status" else reply(chunks=[event("ERROR", gone)], then="hang")
    )
    api.reply(PODS.path, reply(chunks=[b"\n"]), old, watch=True)
    # The next list already differs.
    api.reply(PODS.path, api.answer_to(PODS.path, {"limit": "500"}))
    api.serve(PODS.path, [pod(0), pod(1, "11", annotations={"hami.io/x": "y"})], version="30")
    watched = watch(PODS)
    watched.until(lambda: len(api.watches(PODS.path)) == 3, "the third watch")
    assert api.watches(PODS.path)[-1].query["resourceVersion"] == "30"
    before, after = (view.objects for view in watched.views)
    assert list(before) == list(after) == ["uid-0", "uid-1"]
    assert after["uid-0"] is before["uid-0"]
    assert after["uid-1"].annotations == {"hami.io/x": "y"}
    assert watched.reflector.status().up is True


def test_a_new_list_reads_only_what_has_a_new_version(
    api: FakeApiServer, watch: Any, pod: Any, reply: Any
) -> None:
    read: list[str] = []

    def project(raw: object) -> Any:
        read.append(PODS.key(raw))
        return PODS.key(raw)

    api.reply(PODS.path, reply(status=410), watch=True)
    api.reply(PODS.path, api.list_of([pod(0), pod(1)]), api.list_of([pod(0), pod(1, "2")]))
    watched = watch(replace(PODS, project=project))
    watched.until(lambda: len(api.watches(PODS.path)) == 2, "the second watch")
    assert read == ["uid-0", "uid-1", "uid-1"]


def test_an_equal_object_of_a_new_version_stays_the_same_object(
    api: FakeApiServer, watch: Any, pod: Any, reply: Any, event: Event
) -> None:
    api.serve(PODS.path, [pod(0)], version="10")
    lines = [event("MODIFIED", pod(0, "11", managedFields=[{"a": 1}]))]
    api.reply(PODS.path, reply(chunks=lines), watch=True)
    watched = watch(PODS)
    watched.until(lambda: len(api.watches(PODS.path)) == 2, "the second watch")
    assert api.watches(PODS.path)[1].query["resourceVersion"] == "11"
    assert len(watched.views) == 1


def test_an_expired_list_starts_again(api: FakeApiServer, watch: Any, pod: Any, reply: Any) -> None:
    api.serve(PODS.path, [pod(n) for n in range(501)])
    api.reply(PODS.path, api.answer_to(PODS.path, {"limit": "500"}), reply(status=410))
    watched = watch(PODS)
    watched.until(lambda: watched.reflector.synced, "the list")
    assert len(watched.keys()) == 501
    assert [r.query.get("continue") for r in api.lists(PODS.path)] == [None, "500", None, "500"]
    assert len(watched.pauses) == 1


def test_a_watch_that_is_cut_goes_on_from_the_last_event(
    api: FakeApiServer, watch: Any, pod: Any, reply: Any, event: Event
) -> None:
    api.serve(PODS.path, [pod(0)], version="10")
    half = event("ADDED", pod(2, "12"))[:50]
    cut = reply(chunks=[event("ADDED", pod(1, "11")) + half], then="cut")
    api.reply(PODS.path, cut, watch=True)
    watched = watch(PODS)
    watched.until(lambda: len(api.watches(PODS.path)) == 2, "the second watch")
    assert api.watches(PODS.path)[1].query["resourceVersion"] == "11"
    assert watched.keys() == ["uid-0", "uid-1"]
    assert len(api.lists(PODS.path)) == 1
    assert watched.reflector.status().up is True


def test_stopping_cuts_a_silent_watch_and_may_be_repeated(
    api: FakeApiServer, watch: Any, pod: Any
) -> None:
    api.serve(PODS.path, [pod(0)])
    watched = watch(PODS)
    watched.until(lambda: len(api.watches(PODS.path)) == 1, "the watch")
    watched.stop()
    watched.stop()
    names = [thread.name for thread in threading.enumerate()]
    assert "watch-pods" not in names


def test_a_reflector_that_was_never_started_can_be_stopped(
    connection: Connection, settings: KubernetesSettings
) -> None:
    store: ObjectStore[Pod] = ObjectStore()
    reflector = Reflector(PODS, connection, store, settings)
    reflector.stop()
    assert reflector.status().up is None
    assert not reflector.synced
