"""The way through the API server's pod proxy."""

from __future__ import annotations

from gpuatlas.model.targets import Target
from gpuatlas.sources.scrape.transport import ProxyTransport, proxy_path


def target(**facts: object) -> Target:
    known = {"source": "dcgm", "node": "gpu-a", "host": "10.0.0.7", "port": 9400, **facts}
    return Target(namespace="gpu-operator", pod="exporter-x", **known)  # type: ignore[arg-type]


def test_asks_the_connection_with_the_limits() -> None:
    asked: list[tuple[str, int, float]] = []

    def get_bytes(path: str, limit_bytes: int, timeout_s: float) -> bytes:
        asked.append((path, limit_bytes, timeout_s))
        return b"up 1\n"

    body = ProxyTransport(get_bytes).fetch(target(), limit_bytes=10, timeout_s=2.5)
    assert body == b"up 1\n"
    assert asked == [
        ("/api/v1/namespaces/gpu-operator/pods/exporter-x:9400/proxy/metrics", 10, 2.5)
    ]


def test_the_path_of_the_target_is_kept() -> None:
    assert proxy_path(target(port=9394, path="/other/metrics")) == (
        "/api/v1/namespaces/gpu-operator/pods/exporter-x:9394/proxy/other/metrics"
    )
