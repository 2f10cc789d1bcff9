"""How the bytes of a target's page get here: straight from its pod, or through the API server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol
from urllib.parse import quote

import requests

from gpuatlas.model.targets import Target
from gpuatlas.sources.scrape.exchange import Limits, exchange, ok_body

_ACCEPT: Final = "text/plain;version=0.0.4;q=1,*/*;q=0.1"


class Transport(Protocol):
    """Brings one page. Called from many threads at once."""

    def fetch(self, target: Target, *, limit_bytes: int, timeout_s: float) -> bytes:
        """The page, decompressed.

        Raises:
            SourceError: within about `timeout_s`, if the page cannot be had.
        """
        ...


class DirectTransport:
    """Asks the pod itself, as a Prometheus in the cluster would."""

    def fetch(self, target: Target, *, limit_bytes: int, timeout_s: float) -> bytes:
        """As `Transport.fetch`."""
        request = requests.Request("GET", target.url, headers={"Accept": _ACCEPT})
        answer = exchange(request, limits=Limits(body_bytes=limit_bytes, seconds=timeout_s))
        return ok_body(answer, target.url)


class ProxyTransport:
    """Asks through the API server's pod proxy, with the rights of its user.

    `get_bytes(path, limit_bytes, timeout_s)` is the API connection's bounded read.
    """

    def __init__(self, get_bytes: Callable[[str, int, float], bytes]) -> None:
        self._get_bytes = get_bytes

    def fetch(self, target: Target, *, limit_bytes: int, timeout_s: float) -> bytes:
        """As `Transport.fetch`."""
        return self._get_bytes(proxy_path(target), limit_bytes, timeout_s)


def proxy_path(target: Target) -> str:
    """The target's page behind the API server's pod proxy (needs `get` on `pods/proxy`).

    Example: /api/v1/namespaces/gpu-operator/pods/nvidia-dcgm-exporter-x:9400/proxy/metrics
    """
    namespace, pod = quote(target.namespace, safe=""), quote(target.pod, safe="")
    path = quote(target.path, safe="/")
    return f"/api/v1/namespaces/{namespace}/pods/{pod}:{target.port}/proxy{path}"
