from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from gpuatlas.model.placement import Queue
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.kinds import OPTIONAL_KINDS
from gpuatlas.sources.kubernetes.optional import NO_OBJECTS, OptionalKinds
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas_harness.discovery import aggregated
from gpuatlas_harness.polling import poll

if TYPE_CHECKING:
    from tests.exporter.sources.kubernetes.conftest import FakeApiServer

Object = dict[str, Any]
Start = Callable[..., OptionalKinds]

BY_ID: dict[str, Kind[object]] = {kind.id: kind for kind in OPTIONAL_KINDS}
QUEUES = "localqueues.kueue.x-k8s.io"
CLAIMS = "resourceclaims.resource.k8s.io"
OLD, NEW = BY_ID[QUEUES].at("v1beta1"), BY_ID[QUEUES]
OFFERED = "kueue.x-k8s.io/v1beta2/localqueues"
DISCOVERY = "kubernetes-discovery"
DENIED = (
    b'{"kind":"Status","code":403,"message":"localqueues.kueue.x-k8s.io is forbidden: User \\"u\\" '
    b'cannot list resource \\"localqueues\\" in API group \\"kueue.x-k8s.io\\" at the cluster '
    b'scope"}'
)


def a_queue(name: str) -> Object:
    metadata = {"name": name, "namespace": "team-a", "uid": f"uid-{name}", "resourceVersion": "1"}
    return {"metadata": metadata, "spec": {"clusterQueue": "shared"}}


@pytest.fixture
def changed() -> threading.Event:
    return threading.Event()


@pytest.fixture
def start(
    connection: Connection, settings: KubernetesSettings, changed: threading.Event
) -> Iterator[Start]:
    started: list[OptionalKinds] = []

    def begin(*kinds: str, interval_s: float = 0.05, refused_s: float = 0.02) -> OptionalKinds:
        often = replace(settings, discovery_interval_s=interval_s, refused_pause_s=refused_s)
        rows = [BY_ID[kind] for kind in kinds or (QUEUES,)]
        optional = OptionalKinds(rows, connection, often, changed.set, clock=lambda: 1_000.0)
        started.append(optional)
        optional.start()
        return optional

    yield begin
    for optional in started:
        optional.stop(timeout_s=2.0)  # a list that hangs is not waited for


def until(condition: Callable[[], bool], what: str) -> None:
    poll(lambda: condition() or None, deadline_seconds=60, waiting_for=what)


def names(optional: OptionalKinds) -> list[str]:
    return [queue.name for queue in optional.view(QUEUES).objects.values()]


def ups(optional: OptionalKinds) -> dict[str, bool | None]:
    return {status.source: status.up for status in optional.statuses()}


def settled(optional: OptionalKinds) -> bool:
    return not list(optional.missing())


def lines(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= level]


def test_what_is_not_served_has_no_objects_no_status_and_no_complaint(
    api: FakeApiServer, start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    optional = start(QUEUES, CLAIMS)
    assert list(optional.missing()) in ([f"{DISCOVERY}: first answer"], [])
    until(lambda: settled(optional), "the first answer")
    until(lambda: len(api.lists("/apis")) > 2, "more looks")
    assert optional.view(QUEUES) is NO_OBJECTS
    assert ups(optional) == {DISCOVERY: True}
    assert {request.path for request in api.requests} == {"/apis"}
    assert lines(caplog, logging.WARNING) == []


def test_what_is_served_is_waited_for_and_followed(
    api: FakeApiServer, start: Start, changed: threading.Event, event: Any, reply: Any
) -> None:
    api.offer(OFFERED)
    api.serve(NEW.path, [a_queue("a")])
    later = event("ADDED", a_queue("b"))
    api.reply(NEW.path, reply(chunks=[later], then="hang"), watch=True)
    optional = start()
    until(lambda: names(optional) == ["a", "b"], "the list and the watch")
    assert settled(optional)
    assert changed.is_set()
    assert optional.view(QUEUES).objects["uid-a"] == Queue(
        kind="LocalQueue", uid="uid-a", namespace="team-a", name="a", parent="shared", open=True
    )
    assert ups(optional) == {DISCOVERY: True, f"kubernetes-{QUEUES}": True}


def test_nothing_is_settled_before_the_first_list_of_what_is_served(
    api: FakeApiServer, start: Start, reply: Any
) -> None:
    api.offer(OFFERED)
    api.reply(NEW.path, reply(chunks=[b"{"], then="hang"))
    optional = start()
    waits = [f"kubernetes-{QUEUES}: first list"]
    until(lambda: list(optional.missing()) == waits, "the list to hang")


@pytest.mark.parametrize("watch", [False, True])
def test_a_server_that_names_a_time_to_ask_again_at_is_waited_for(
    api: FakeApiServer, start: Start, reply: Any, *, watch: bool
) -> None:
    """As with the watch of a kind that was just defined: a second later there is one."""
    source, asked = f"kubernetes-{QUEUES}", threading.Event()
    api.offer(OFFERED)
    api.serve(NEW.path, [a_queue("a")])
    later = {"status": 429, "headers": {"Retry-After": "0"}, "body": b"storage is initializing"}
    api.reply(NEW.path, reply(**later), reply(**later, then="wait", until=asked), watch=watch)
    optional = start()
    until(lambda: ups(optional).get(source) is False, "the first answer")
    # The kind's own thread may be sooner than the one that found the kind.
    until(lambda: list(optional.missing()) == [f"{source}: first list"], "its list alone to lack")
    asked.set()
    until(lambda: ups(optional)[source] is True, "the watch")
    until(lambda: settled(optional), "nothing to wait for")
    assert names(optional) == ["a"]


def test_nor_for_long_where_the_kind_is_gone_at_that_time(
    api: FakeApiServer, start: Start, reply: Any
) -> None:
    api.offer(OFFERED)
    later = reply(status=429, headers={"Retry-After": "0"}, body=b"storage is initializing")
    api.reply(NEW.path, later, *[reply(status=404)] * 1000)
    optional = start()
    until(lambda: len(api.lists(NEW.path)) > 3, "the kind to be missed")
    assert ups(optional)[f"kubernetes-{QUEUES}"] is False
    assert settled(optional)


def test_a_server_that_fails_and_names_no_time_is_not_waited_for(
    api: FakeApiServer, start: Start, reply: Any
) -> None:
    api.offer(OFFERED)
    api.reply(NEW.path, *[reply(status=500)] * 1000)
    optional = start()
    until(lambda: ups(optional).get(f"kubernetes-{QUEUES}") is False, "the first answer")
    assert settled(optional)


def test_a_refusal_is_one_line_and_a_source_that_is_down(
    api: FakeApiServer, start: Start, caplog: pytest.LogCaptureFixture, reply: Any
) -> None:
    api.offer(OFFERED)
    api.reply(NEW.path, *[reply(status=403, body=DENIED)] * 100)
    optional = start()
    until(lambda: len(api.lists(NEW.path)) > 3, "several attempts")
    assert settled(optional)
    assert ups(optional) == {DISCOVERY: True, f"kubernetes-{QUEUES}": False}
    (line,) = lines(caplog, logging.WARNING)
    assert 'Grant the verb "list" on "localqueues.kueue.x-k8s.io"' in line


def test_a_kind_that_appears_later_is_picked_up(api: FakeApiServer, start: Start) -> None:
    optional = start()
    until(lambda: settled(optional), "the first answer")
    api.serve(NEW.path, [a_queue("a")])
    api.offer(OFFERED)
    until(lambda: names(optional) == ["a"], "the new kind")


def test_a_kind_that_vanishes_takes_its_objects_along_without_a_complaint(
    api: FakeApiServer,
    start: Start,
    changed: threading.Event,
    caplog: pytest.LogCaptureFixture,
    reply: Any,
) -> None:
    caplog.set_level(logging.INFO, "gpuatlas")
    api.offer(OFFERED)
    api.serve(NEW.path, [a_queue("a")])
    gone = threading.Event()
    ended = reply(chunks=[], then="wait", until=gone)
    api.reply(NEW.path, ended, *[reply(status=404)] * 10, watch=True)
    # The next look by the clock is far away: the 404 of the kind itself asks for one.
    optional = start(interval_s=600.0, refused_s=600.0)
    until(lambda: names(optional) == ["a"], "the list")
    api.offer()
    api.withdraw(NEW.path)
    changed.clear()
    gone.set()
    until(lambda: optional.view(QUEUES) is NO_OBJECTS, "the objects to go")
    assert changed.wait(5)
    assert ups(optional) == {DISCOVERY: True}
    assert lines(caplog, logging.WARNING) == []
    assert f"no longer served: {QUEUES}" in lines(caplog, logging.INFO)


def test_a_kind_that_is_promised_and_not_there_is_down(
    api: FakeApiServer, start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    api.offer(OFFERED)
    optional = start()
    until(lambda: ups(optional).get(f"kubernetes-{QUEUES}") is False, "the second 404")
    assert settled(optional)
    assert len(lines(caplog, logging.WARNING)) == 1


def test_another_version_takes_over_and_nothing_is_lost_meanwhile(
    api: FakeApiServer, start: Start, reply: Any
) -> None:
    api.offer("kueue.x-k8s.io/v1beta1/localqueues")
    api.serve(OLD.path, [a_queue("a")])
    optional = start()
    until(lambda: names(optional) == ["a"], "the old version")
    api.reply(NEW.path, reply(chunks=[b"{"], then="hang"))
    api.offer(OFFERED)
    until(lambda: len(api.lists(NEW.path)) == 1, "the new version")
    assert names(optional) == ["a"]


@pytest.mark.parametrize("status", [403, 500])
def test_a_discovery_that_fails_is_told_once_and_tried_again(
    api: FakeApiServer,
    start: Start,
    caplog: pytest.LogCaptureFixture,
    reply: Any,
    status: int,
) -> None:
    api.serve(NEW.path, [a_queue("a")])
    held = threading.Event()
    api.reply("/apis", *[reply(status=status, body=b"no")] * 3)
    api.reply("/apis", reply(status=status, body=b"no", then="wait", until=held))
    optional = start()
    until(lambda: len(api.lists("/apis")) == 4, "four attempts")
    assert settled(optional)
    assert ups(optional) == {DISCOVERY: False}
    assert len(lines(caplog, logging.WARNING)) == 1
    api.offer(OFFERED)
    held.set()
    until(lambda: names(optional) == ["a"], "the discovery to work")
    assert ups(optional)[DISCOVERY] is True


def test_a_discovery_that_fails_later_changes_nothing(
    api: FakeApiServer, start: Start, reply: Any
) -> None:
    api.offer(OFFERED)
    api.serve(NEW.path, [a_queue("a")])
    optional = start()
    until(lambda: names(optional) == ["a"], "the list")
    api.reply("/apis", *[reply(status=500)] * 1000)
    until(lambda: ups(optional)[DISCOVERY] is False, "the failure")
    assert names(optional) == ["a"]


def test_a_group_for_which_nobody_answers_stays_as_it_is(api: FakeApiServer, start: Start) -> None:
    api.offer(OFFERED)
    api.serve(NEW.path, [a_queue("a")])
    optional = start()
    until(lambda: names(optional) == ["a"], "the list")
    before = len(api.lists("/apis"))
    api.documents["/apis"] = aggregated(["kueue.x-k8s.io/v1beta2/others"], stale=["kueue.x-k8s.io"])
    until(lambda: len(api.lists("/apis")) > before + 2, "two more looks")
    assert names(optional) == ["a"]


def test_the_end_is_quick_and_final(api: FakeApiServer, start: Start) -> None:
    before = set(threading.enumerate())
    api.offer(OFFERED)
    api.serve(NEW.path, [a_queue("a")])
    optional = start(interval_s=600.0)
    until(lambda: bool(api.watches(NEW.path)), "the watch")
    optional.stop()
    optional.stop()
    own = {"discovery", f"watch-{QUEUES}"}
    assert not [t for t in set(threading.enumerate()) - before if t.name in own]
