from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.model.objects import Container, Pod
from gpuatlas.model.pod_spec import Runtime
from gpuatlas.sources.services.targets import ServiceTarget, service_targets
from gpuatlas_harness.observed import a_container, a_pod

SHARED = frozenset({("team-a", "app-0")})


def server(runtime: str = "vllm", *ports: tuple[str, int], **changes: object) -> Pod:
    container = replace(a_container(), ports=ports)
    pod = a_pod(runtime=Runtime(name=runtime, evidence="test"), containers=(container,))
    return replace(pod, **changes)  # type: ignore[arg-type]


def asked(pod: Pod) -> ServiceTarget | None:
    found = service_targets([pod], SHARED, most=10).targets
    return found[0] if found else None


def url(pod: Pod) -> str:
    target = asked(pod)
    assert target is not None
    return target.target.url


@pytest.mark.parametrize(
    ("runtime", "expected"),
    [
        ("vllm", "http://10.0.0.1:8000/metrics"),
        ("sglang", "http://10.0.0.1:30000/metrics"),
        ("tgi", "http://10.0.0.1:80/metrics"),
        ("triton", "http://10.0.0.1:8002/metrics"),
        ("nim", "http://10.0.0.1:8000/v1/metrics"),
        ("kserve-huggingface", "http://10.0.0.1:8080/metrics"),
    ],
)
def test_each_runtime_at_its_usual_port(runtime: str, expected: str) -> None:
    assert url(server(runtime)) == expected


@pytest.mark.parametrize("runtime", ["unknown", "pytorch", "ollama", "jupyter"])
def test_runtimes_without_metrics_are_not_asked(runtime: str) -> None:
    assert asked(server(runtime)) is None


@pytest.mark.parametrize(
    "changes",
    [{"phase": "Pending"}, {"phase": "Succeeded"}, {"deleting": True}, {"ip": ""}],
)
def test_pods_that_cannot_answer_are_not_asked(changes: dict[str, object]) -> None:
    assert asked(replace(server(), **changes)) is None  # type: ignore[arg-type]


def test_pods_alone_on_their_cards_are_not_asked() -> None:
    assert service_targets([server()], frozenset(), most=10).targets == ()


@pytest.mark.parametrize(
    ("ports", "port"),
    [
        ((("http", 8080), ("metrics", 9100)), 9100),
        ((("http-metrics", 9101),), 9101),
        ((("grpc", 9000), ("web", 8000)), 8000),  # the usual one is declared
        ((("grpc", 9000), ("http", 8080)), 8080),
        ((("anything", 5000),), 5000),  # the only one
        ((("a", 5000), ("b", 5001)), 8000),
        ((), 8000),
    ],
)
def test_declared_ports(ports: tuple[tuple[str, int], ...], port: int) -> None:
    assert url(server("vllm", *ports)) == f"http://10.0.0.1:{port}/metrics"


def test_triton_answers_requests_at_another_port() -> None:
    assert url(server("triton", ("http", 8080))) == "http://10.0.0.1:8002/metrics"
    assert url(server("triton", ("metrics", 7000))) == "http://10.0.0.1:7000/metrics"


def test_ports_of_init_containers_do_not_count() -> None:
    init = Container(
        name="init", kind="init", image="x", limits={}, env={}, ports=(("metrics", 1),)
    )
    pod = server()
    assert url(replace(pod, containers=(init, *pod.containers))) == "http://10.0.0.1:8000/metrics"


@pytest.mark.parametrize("domain", ["prometheus.io", "prometheus.kserve.io"])
def test_annotations_come_first(domain: str) -> None:
    annotations = {f"{domain}/port": "9200", f"{domain}/path": "/stats"}
    pod = server("vllm", ("metrics", 9100), annotations=annotations)
    assert url(pod) == "http://10.0.0.1:9200/stats"


@pytest.mark.parametrize("port", ["0", "65536", "1e3", "-1", "x", "", "٣", "99999999999"])
def test_a_port_that_is_none_is_not_followed(port: str) -> None:
    assert url(server(annotations={"prometheus.io/port": port})) == "http://10.0.0.1:8000/metrics"


@pytest.mark.parametrize("path", ["metrics", "//evil.example/" + "x" * 300, "/a b", "/a\n", "/ü"])
def test_a_path_that_is_none_is_not_followed(path: str) -> None:
    assert url(server(annotations={"prometheus.io/path": path})) == "http://10.0.0.1:8000/metrics"


@pytest.mark.parametrize("path", ["/../../../b/pods/other:8000/proxy/metrics", "/a/..", "/./x"])
def test_a_path_out_of_the_pod_is_not_followed(path: str) -> None:
    """Through the pod proxy it would be another path of the API server's."""
    assert url(server(annotations={"prometheus.io/path": path})) == "http://10.0.0.1:8000/metrics"


def test_a_pod_on_its_nodes_network_leads_nowhere_else() -> None:
    annotations = {"prometheus.io/port": "10255", "prometheus.io/path": "/pods"}
    pod = server(host_network=True, annotations=annotations)
    assert url(pod) == "http://10.0.0.1:8000/metrics"


def test_no_more_are_asked_than_told_and_the_rest_is_counted() -> None:
    pods = [replace(server(), uid=str(n), name=f"app-{n}") for n in range(5)]
    shared = {pod.key for pod in pods}
    found = service_targets(reversed(pods), shared, most=3)
    assert [target.pod for target in found.targets] == [("team-a", f"app-{n}") for n in range(3)]
    assert found.left_out == 2
