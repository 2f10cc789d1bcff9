"""What a command does while the API server is busy: exact pauses, and an end to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from gpuatlas.sources.errors import BadAnswerError, SourceError, UnreachableError
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.errors import BusyError
from gpuatlas.sources.kubernetes.kinds import JOBS, KINDS, NODES, PODS, REPLICASETS
from gpuatlas.sources.kubernetes.listing import read_once
from gpuatlas.sources.kubernetes.patience import Patience
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.layer.reader import LayerReader
from gpuatlas.sources.layer.settings import LayerSettings

if TYPE_CHECKING:
    from tests.exporter.sources.kubernetes.conftest import FakeApiServer

QUEUES = next(kind for kind in KINDS if kind.id == "localqueues.kueue.x-k8s.io")
QUEUE = {"metadata": {"name": "q", "namespace": "n", "uid": "uid-q"}}
# As a kube-apiserver 1.36 answers.
INITIALIZING = (
    b'{"kind":"Status","apiVersion":"v1","status":"Failure","message":"storage is '
    b'(re)initializing","reason":"TooManyRequests","details":{"retryAfterSeconds":1},"code":429}'
)


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def patient(settings: KubernetesSettings, slept: list[float]) -> Iterator[Connection]:
    opened = Connection.open(settings, {}, patience=Patience(sleep=slept.append))
    yield opened
    opened.close()


@pytest.fixture
def busy(reply: Any) -> Callable[..., Any]:
    """A server that asks for patience, for some seconds or for no time that it names."""

    def answer(seconds: object = None, *, status: int = 429) -> Any:
        headers = {} if seconds is None else {"Retry-After": str(seconds)}
        return reply(status=status, body=INITIALIZING, headers=headers)

    return answer


Busy = Callable[..., Any]


def quiet(_kind: str, _count: int) -> None:
    pass


def serve_core(api: FakeApiServer) -> None:
    for kind in (NODES, PODS, REPLICASETS, JOBS):
        api.serve(kind.path, [])


def test_a_kind_that_was_just_defined_is_read_when_its_storage_is_ready(
    api: FakeApiServer, patient: Connection, busy: Busy, slept: list[float]
) -> None:
    serve_core(api)
    api.offer("kueue.x-k8s.io/v1beta2/localqueues")
    api.serve(QUEUES.path, [QUEUE])
    api.reply(QUEUES.path, *[busy(1)] * 10)
    found = read_once(patient, KINDS, quiet)
    assert list(found.objects[QUEUES.id]) == ["uid-q"]
    assert (found.warnings, found.failures) == ([], {})
    assert slept == [1.0] * 10


def test_after_ten_pauses_it_is_a_failed_source(
    api: FakeApiServer, patient: Connection, busy: Busy, slept: list[float]
) -> None:
    serve_core(api)
    api.offer("kueue.x-k8s.io/v1beta2/localqueues")
    api.serve(QUEUES.path, [QUEUE])
    api.reply(QUEUES.path, *[busy(1)] * 11)
    found = read_once(patient, KINDS, quiet)
    assert found.objects[QUEUES.id] == {}
    error = f"{api.url}{QUEUES.path} answered HTTP 429: storage is (re)initializing"
    assert found.failures == {"kubernetes-localqueues.kueue.x-k8s.io": error}
    assert found.warnings == [f"without localqueues.kueue.x-k8s.io: {error}"]
    assert slept == [1.0] * 10
    assert len(api.lists(QUEUES.path)) == 11


@pytest.mark.parametrize(
    ("answers", "pauses"),
    [
        # Its own figure, up to ten seconds; one second where it names none.
        (((2, 429), (None, 503), (9999, 500)), [2.0, 1.0, 10.0]),
        (((0, 429), (0, 429)), [0.0, 0.0]),
        # No seconds: absent, a date, less than none.
        ((("Wed, 21 Oct 2026 07:28:00 GMT", 503), ("-1", 429), ("1.5", 429)), [1.0] * 3),
    ],
)
def test_the_pauses_are_those_that_the_server_asks_for(
    answers: tuple[tuple[object, int], ...],
    pauses: list[float],
    api: FakeApiServer,
    patient: Connection,
    busy: Busy,
    slept: list[float],
) -> None:
    api.serve(PODS.path, [])
    api.reply(PODS.path, *(busy(seconds, status=status) for seconds, status in answers))
    assert patient.get(PODS.path, {"limit": "1"})["items"] == []
    assert slept == pauses


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_without_a_time_there_are_three_more_attempts(
    status: int, api: FakeApiServer, patient: Connection, busy: Busy, slept: list[float]
) -> None:
    api.reply(PODS.path, *[busy(status=status)] * 9)
    with pytest.raises(BusyError, match=rf"answered HTTP {status}: storage is \(re\)initializing"):
        patient.get(PODS.path)
    assert slept == [1.0] * 3
    assert len(api.requests) == 4


def test_a_command_does_not_wait_for_more_than_half_a_minute(
    api: FakeApiServer, patient: Connection, busy: Busy, slept: list[float]
) -> None:
    """A server that is busy with everything is not waited for again and again."""
    for path in (NODES.path, PODS.path, JOBS.path):
        api.reply(path, *[busy(7)] * 9)
        with pytest.raises(BusyError):
            patient.get(path)
    assert slept == [7.0] * 4
    assert [len(api.lists(path)) for path in (NODES.path, PODS.path, JOBS.path)] == [5, 1, 1]


@pytest.mark.parametrize(("status", "error"), [(501, BadAnswerError), (418, BadAnswerError)])
def test_what_waiting_does_not_mend_is_asked_once(
    status: int,
    error: type[SourceError],
    api: FakeApiServer,
    patient: Connection,
    busy: Busy,
    slept: list[float],
) -> None:
    api.reply(PODS.path, busy(1, status=status))
    with pytest.raises(error) as refused:
        patient.get(PODS.path)
    assert type(refused.value) is error
    assert (slept, len(api.requests)) == ([], 1)


def test_nor_is_a_server_that_is_away(
    api: FakeApiServer, patient: Connection, slept: list[float]
) -> None:
    api.stop()
    with pytest.raises(UnreachableError):
        patient.get(PODS.path)
    assert slept == []


def test_what_the_server_serves_is_asked_again_too(
    api: FakeApiServer, patient: Connection, busy: Busy, slept: list[float]
) -> None:
    serve_core(api)
    api.reply("/apis", busy(1))
    found = read_once(patient, KINDS, quiet)
    assert (found.warnings, found.failures) == ([], {})
    assert slept == [1.0]


def test_only_the_page_that_was_refused_is_asked_for_again(
    api: FakeApiServer, patient: Connection, busy: Busy, recorded: Any
) -> None:
    pods = [recorded("infer-0") for _ in range(3)]
    for number, pod in enumerate(pods):
        pod["metadata"] |= {"name": f"infer-{number}", "uid": f"uid-{number}"}
    api.serve(PODS.path, pods)
    api.reply(PODS.path, api.answer_to(PODS.path, {"limit": "2"}), busy(1))
    found = read_once(patient, [PODS], quiet, page_size=2)
    assert list(found.objects["pods"]) == ["uid-0", "uid-1", "uid-2"]
    assert [r.query.get("continue") for r in api.lists(PODS.path)] == [None, "2", "2"]


def test_the_objects_of_a_sharing_layer_are_asked_for_again(
    api: FakeApiServer, patient: Connection, busy: Busy, slept: list[float]
) -> None:
    paths = ("/apis/apps/v1/daemonsets", "/apis/apps/v1/deployments")
    for path in paths:
        api.serve(path, [])
        api.reply(path, busy(1))
    found, _ = LayerReader(patient, LayerSettings(probe=False)).read(0.0)
    assert found.unread == {}
    assert slept == [1.0, 1.0]


def test_neither_pages_nor_watches_are_asked_for_again(
    api: FakeApiServer, patient: Connection, busy: Busy, slept: list[float]
) -> None:
    """The pod behind a page may say how busy it is, and reflectors have pauses of their own."""
    page = "/api/v1/namespaces/n/pods/p:9400/proxy/metrics"
    api.reply(page, busy(1))
    with pytest.raises(BusyError):
        patient.get_bytes(page, 1000, 5.0)
    api.reply(PODS.path, busy(1), watch=True)
    with pytest.raises(BusyError):
        patient.stream(PODS.path, {"watch": "true"}, read_timeout_s=5.0)
    assert slept == []
