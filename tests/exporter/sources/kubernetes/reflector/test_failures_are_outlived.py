from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from gpuatlas.model.objects import Pod
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.kinds import PODS, REPLICASETS
from gpuatlas.sources.kubernetes.reflector import Reflector
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.kubernetes.store import ObjectStore
from gpuatlas_harness.polling import poll

if TYPE_CHECKING:
    from tests.exporter.sources.kubernetes.conftest import FakeApiServer

Object = dict[str, Any]
Recorded = Callable[[str], Object]
Event = Callable[[str, object], bytes]


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param({"chunks": [b'{"type":"ADDED","obj\n'], "then": "hang"}, id="cut JSON"),
        pytest.param({"chunks": [b"<html>\n"], "then": "hang"}, id="a proxy's page"),
        pytest.param({"chunks": [b'{"type":"RENAMED"}\n'], "then": "hang"}, id="unknown event"),
    ],
)
def test_an_unreadable_watch_is_counted_and_listed_again(
    api: FakeApiServer, watch: Any, pod: Any, reply: Any, broken: dict[str, Any]
) -> None:
    api.serve(PODS.path, [pod(0)], version="10")
    api.reply(PODS.path, reply(**broken), watch=True)
    watched = watch(PODS)
    watched.until(lambda: len(api.watches(PODS.path)) == 2, "the second watch")
    assert len(api.lists(PODS.path)) == 2
    assert watched.keys() == ["uid-0"]
    assert sum(watched.reflector.status().rejected.values()) == 1


def test_errors_keep_what_is_known_and_the_pause_grows(
    api: FakeApiServer, watch: Any, pod: Any, reply: Any, event: Event
) -> None:
    api.serve(PODS.path, [pod(0)], version="10")
    api.reply(
        PODS.path,
        reply(chunks=[b"\n"]),
        reply(status=500, body=b"broken"),
        reply(status=503, headers={"Retry-After": "7"}),
        reply(chunks=[event("ADDED", pod(1, "11"))], then="hang"),
        watch=True,
    )
    watched = watch(PODS)
    watched.until_keys("uid-0", "uid-1")
    first, second = watched.pauses
    assert 0.005 <= first <= 0.01  # backoff_start_s, shortened at random
    assert second == 7.0
    assert len(api.lists(PODS.path)) == 1
    assert watched.reflector.status().up is True


def test_a_watch_that_lasted_makes_the_next_pause_short_again(
    api: FakeApiServer, watch: Any, pod: Any, reply: Any
) -> None:
    api.serve(PODS.path, [pod(0)])
    failed, lasted = reply(status=500), reply(chunks=[b"\n"])
    api.reply(PODS.path, failed, failed, failed, lasted, failed, watch=True)
    watched = watch(PODS)
    watched.until(lambda: len(api.watches(PODS.path)) == 6, "the sixth watch")
    # backoff_start_s is 0.01, doubled twice, shortened by half at most.
    for pause, longest in zip(watched.pauses, (0.01, 0.02, 0.04, 0.01), strict=True):
        assert longest / 2 <= pause <= longest


def test_a_server_that_goes_away_is_reported_and_its_objects_stay(
    api: FakeApiServer, watch: Any, pod: Any, reply: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    api.serve(PODS.path, [pod(0)], version="10")
    api.reply(PODS.path, reply(chunks=[b"\n"]), *[reply(status=502)] * 5, watch=True)
    watched = watch(PODS)
    watched.until(lambda: len(api.watches(PODS.path)) == 7, "the watch after the failures")
    watched.until(lambda: watched.reflector.status().up is True, "the recovery")
    assert watched.keys() == ["uid-0"]
    mine = [r for r in caplog.records if r.name == "gpuatlas.sources.kubernetes.reflector"]
    assert [r.levelname for r in mine] == ["INFO", "WARNING", "INFO"]


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_refused_list_is_reported_and_tried_again_slowly(
    api: FakeApiServer, watch: Any, pod: Any, reply: Any, code: int
) -> None:
    refusals = [reply(status=code, body=b"no")] * (2 if code == 401 else 1)
    api.reply(PODS.path, *refusals, *refusals)
    api.serve(PODS.path, [pod(0)])
    watched = watch(PODS)
    watched.until(lambda: watched.reflector.synced, "the list")
    assert watched.keys() == ["uid-0"]
    assert len(watched.pauses) == 2
    assert all(0.01 <= pause <= 0.02 for pause in watched.pauses)  # refused_pause_s


def test_a_kind_that_stays_refused_says_so_and_an_optional_one_is_not_waited_for(
    api: FakeApiServer, watch: Any, reply: Any
) -> None:
    for kind in (PODS, REPLICASETS):
        api.reply(kind.path, *[reply(status=403)] * 1000)
    pods, owners = watch(PODS), watch(REPLICASETS)
    for watched in (pods, owners):
        watched.until(lambda w=watched: w.reflector.status().up is False, "the refusal")
        assert not watched.reflector.synced
        assert "Grant the verb" in watched.reflector.status().error
        assert watched.reflector.status().last_success_at is None
    assert not pods.reflector.settled
    assert owners.reflector.settled


def test_where_only_the_watch_is_refused_the_list_is_still_read(
    api: FakeApiServer, watch: Any, pod: Any, reply: Any
) -> None:
    api.serve(PODS.path, [pod(0)], version="10")
    api.reply(PODS.path, *[reply(status=403)] * 1000, watch=True)
    watched = watch(PODS)
    watched.until_keys("uid-0")
    api.serve(PODS.path, [pod(0), pod(1)], version="11")
    watched.until_keys("uid-0", "uid-1")
    status = watched.reflector.status()
    assert status.up is False
    assert 'Grant the verb "watch" on "pods"' in status.error
    assert status.last_success_at == 1_000.0


def test_a_list_without_a_version_cannot_be_watched(
    api: FakeApiServer, watch: Any, reply: Any
) -> None:
    api.reply(PODS.path, reply(body=b'{"items":[]}'))
    api.serve(PODS.path, [], version="10")
    watched = watch(PODS)
    watched.until(lambda: watched.reflector.synced, "the list")
    assert len(watched.pauses) == 1


def test_watches_that_end_at_once_are_not_opened_in_a_hurry(
    api: FakeApiServer, connection: Connection, settings: KubernetesSettings, reply: Any, pod: Any
) -> None:
    api.serve(PODS.path, [pod(0)], version="10")
    api.reply(PODS.path, *[reply(chunks=[b"\n"])] * 3, watch=True)
    pauses: list[float] = []

    def wait(seconds: float) -> bool:
        pauses.append(seconds)
        return False

    store: ObjectStore[Pod] = ObjectStore()
    reflector = Reflector(
        PODS,
        connection,
        store,
        settings,
        timer=lambda: 0.0,
        wait=wait,
    )
    reflector.start()
    poll(
        lambda: len(api.watches(PODS.path)) == 4 or None,
        deadline_seconds=60,
        waiting_for="the fourth watch",
    )
    reflector.stop()
    for pause, longest in zip(pauses, (0.01, 0.02, 0.04), strict=False):
        assert longest / 2 <= pause <= longest
    assert len(pauses) >= 3
