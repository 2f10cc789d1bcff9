from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from gpuatlas.sources.kubernetes.kinds import PODS

if TYPE_CHECKING:
    from tests.exporter.sources.kubernetes.conftest import FakeApiServer

Object = dict[str, Any]
Recorded = Callable[[str], Object]
Event = Callable[[str, object], bytes]


def test_a_bad_object_costs_itself_only_its_last_good_value_included(
    api: FakeApiServer,
    watch: Any,
    pod: Any,
    reply: Any,
    event: Event,
    caplog: pytest.LogCaptureFixture,
) -> None:
    api.serve(PODS.path, [pod(0), pod(1), 7, pod(2, creationTimestamp="later")], version="10")
    lines = [event("MODIFIED", pod(1, "11", creationTimestamp=n)) for n in range(3)]
    api.reply(PODS.path, reply(chunks=lines), watch=True)
    watched = watch(PODS)
    watched.until(lambda: len(api.watches(PODS.path)) == 2, "the second watch")
    assert watched.keys() == ["uid-0"]
    assert watched.reflector.status().rejected == {"no-name": 1, "bad-time": 4}
    refusals = [r.getMessage() for r in caplog.records if "is left out" in r.getMessage()]
    assert refusals == [
        "pods  is left out: an object without metadata.name",
        'pods uid-2 is left out: "later" is not an RFC 3339 time',
        'pods uid-1 is left out: "" is not an RFC 3339 time',
    ]


def test_an_object_that_is_spoilt_again_is_logged_again(
    api: FakeApiServer,
    watch: Any,
    pod: Any,
    reply: Any,
    event: Event,
    caplog: pytest.LogCaptureFixture,
) -> None:
    api.serve(PODS.path, [])
    bad, good = pod(0, creationTimestamp=1), pod(0)
    lines = [event("MODIFIED", raw) for raw in (bad, bad, good, bad)]
    api.reply(PODS.path, reply(chunks=lines), watch=True)
    watched = watch(PODS)
    watched.until(lambda: len(api.watches(PODS.path)) == 2, "the second watch")
    assert caplog.text.count("pods uid-0 is left out") == 2
    assert [list(view.objects) for view in watched.views] == [["uid-0"], []]


def test_a_mistake_in_a_reader_costs_one_object(
    api: FakeApiServer, watch: Any, pod: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def project(raw: object) -> Any:
        if PODS.key(raw) == "uid-1":
            raise ZeroDivisionError
        return "good"

    kind = replace(PODS, project=project)
    api.serve(PODS.path, [pod(0), pod(1), pod(2)])
    watched = watch(kind)
    watched.until_keys("uid-0", "uid-2")
    assert watched.reflector.status().rejected == {"reader-failed": 1}
    assert "ZeroDivisionError" in caplog.text
