from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from gpuatlas.model.targets import Target
from gpuatlas.sources.errors import BadAnswerError, UnreachableError
from gpuatlas.sources.scrape.transport import DirectTransport
from gpuatlas.sources.services.direct import DirectServices
from gpuatlas.sources.services.settings import ServiceSettings
from gpuatlas.sources.services.targets import ServiceTarget, ServiceTargets
from gpuatlas_harness.serving import serving

NOW = 1_800_000_000.0
PAGE = "vllm:num_requests_running 4\nvllm:generation_tokens_total 100\n"
Answer = bytes | Exception | Callable[[], bytes]


class Pods:
    """A transport to pods that answer as told, by name."""

    def __init__(self, **answers: Answer) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def fetch(self, target: Target, *, limit_bytes: int, timeout_s: float) -> bytes:
        self.asked.append(target.pod)
        answer = self.answers[target.pod]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, bytes) else answer()


def a_target(pod: str, *, port: int = 8000, host: str = "10.0.0.1") -> ServiceTarget:
    target = Target(source="services", namespace="team-a", pod=pod, node="", host=host, port=port)
    return ServiceTarget(target=target, runtime="vllm")


def targets(*names: str, left_out: int = 0) -> ServiceTargets:
    return ServiceTargets(targets=tuple(map(a_target, names)), left_out=left_out)


@pytest.fixture
def reader() -> Iterator[Callable[..., DirectServices]]:
    made: list[DirectServices] = []

    def make(pods: Pods, **settings: float) -> DirectServices:
        found = DirectServices(pods, ServiceSettings(**settings), lambda: NOW)  # type: ignore[arg-type]
        made.append(found)
        return found

    yield make
    for one in made:
        one.close()


def test_a_round_has_what_answers_and_tells_of_the_rest(
    reader: Callable[..., DirectServices],
) -> None:
    pods = Pods(
        good=PAGE.encode(),
        gone=UnreachableError("no answer"),
        html=b"<html>\n",
        other=b"process_cpu_seconds_total 1\n",
        broken=BadAnswerError("HTTP 500"),
    )
    found = reader(pods).read(targets(*pods.answers, left_out=7))
    (reading,) = found.readings
    assert (reading.pod, reading.running, reading.tokens_total, reading.at) == (
        "good",
        4.0,
        100.0,
        NOW,
    )
    assert found.status.targets == {"up": 1, "down": 4, "left-out": 7}
    assert (found.status.source, found.status.up, found.status.error) == ("services", True, "")
    assert found.status.last_success_at == NOW


def test_that_nobody_serves_metrics_is_no_failure(reader: Callable[..., DirectServices]) -> None:
    found = reader(Pods(a=UnreachableError("refused"))).read(targets("a"))
    assert (found.status.up, found.readings) == (None, ())


def test_a_server_that_fails_is_asked_less_and_less_often(
    reader: Callable[..., DirectServices],
) -> None:
    pods = Pods(a=UnreachableError("refused"))
    services = reader(pods)
    rounds = []
    for _ in range(16):
        before = len(pods.asked)
        services.read(targets("a"))
        rounds.append(len(pods.asked) - before)
    assert [number for number, asked in enumerate(rounds) if asked] == [0, 2, 5, 10]


def test_a_server_that_answers_again_is_asked_each_round(
    reader: Callable[..., DirectServices],
) -> None:
    pods = Pods(a=UnreachableError("refused"))
    services = reader(pods)
    services.read(targets("a"))
    pods.answers["a"] = PAGE.encode()
    assert services.read(targets("a")).readings == ()
    assert len(services.read(targets("a")).readings) == 1
    assert len(services.read(targets("a")).readings) == 1


def test_a_server_that_hangs_keeps_nobody_waiting(reader: Callable[..., DirectServices]) -> None:
    end = threading.Event()

    def hang() -> bytes:
        end.wait()
        return PAGE.encode()

    pods = Pods(slow=hang, good=PAGE.encode())
    services = reader(pods, round_timeout=0.2)
    found = services.read(targets("slow", "good"))
    assert [reading.pod for reading in found.readings] == ["good"]
    assert found.status.targets["down"] == 1
    services.read(targets("slow", "good"))
    assert pods.asked.count("slow") == 1
    end.set()


def test_a_fault_of_ours_costs_one_page(reader: Callable[..., DirectServices]) -> None:
    pods = Pods(a=ValueError("a fault"), b=PAGE.encode())
    found = reader(pods).read(targets("a", "b"))
    assert [reading.pod for reading in found.readings] == ["b"]


def test_refused_lines_are_counted(reader: Callable[..., DirectServices]) -> None:
    pods = Pods(a=b"vllm:num_requests_running x\nvllm:num_requests_waiting NaN\n" + PAGE.encode())
    services = reader(pods)
    services.read(targets("a"))
    found = services.read(targets("a"))
    assert found.status.rejected == {"bad-value": 2, "bad-number": 2}


def test_a_pod_over_http(reader: Callable[..., DirectServices]) -> None:
    def answer(path: str, _content: str) -> tuple[int, bytes]:
        return (200, PAGE.encode()) if path == "/metrics" else (404, b"")

    with serving(answer, content_type="text/plain; version=0.0.4") as address:
        services = DirectServices(DirectTransport(), ServiceSettings(), lambda: NOW)
        host, _, port = address.partition(":")
        found = services.read(ServiceTargets(targets=(a_target("a", host=host, port=int(port)),)))
        assert [reading.running for reading in found.readings] == [4.0]
        services.close()
