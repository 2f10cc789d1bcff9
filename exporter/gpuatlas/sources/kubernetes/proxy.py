"""The way to a target through the API server, for a person's laptop outside the cluster. Pure."""

from __future__ import annotations

from urllib.parse import quote

from gpuatlas.model.targets import Target


def proxy_path(target: Target) -> str:
    """The target's page behind the API server's pod proxy (needs `get` on `pods/proxy`).

    Example: /api/v1/namespaces/gpu-operator/pods/nvidia-dcgm-exporter-x:9400/proxy/metrics
    """
    namespace, pod = quote(target.namespace, safe=""), quote(target.pod, safe="")
    path = quote(target.path, safe="/")
    return f"/api/v1/namespaces/{namespace}/pods/{pod}:{target.port}/proxy{path}"
