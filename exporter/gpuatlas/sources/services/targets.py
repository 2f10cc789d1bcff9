"""Which pods' own pages are read, and at which port. Pure.

A pod is asked when its runtime is known to serve metrics and it is on a card that others use, too.
The annotations and ports are the tenant's: they can lead to nothing but the pod's own address, and
on a pod that uses its node's network they are not followed at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.objects import Pod
from gpuatlas.model.targets import Target
from gpuatlas.sources.services.parse import SOURCE

_LAST_PORT: Final = 65_535
_MAX_PATH: Final = 200
# Behind the API server's pod proxy they would lead out of the pod, with the exporter's own rights.
_WAYS_OUT: Final = frozenset({".", ".."})
_PORT_ANNOTATIONS: Final = ("prometheus.io/port", "prometheus.kserve.io/port")
_PATH_ANNOTATIONS: Final = ("prometheus.io/path", "prometheus.kserve.io/path")
_METRICS_PORTS: Final = ("metrics", "http-metrics", "prometheus", "http-prom")
_HTTP_PORTS: Final = ("http", "http1", "api", "http-api", "server", "web")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Endpoint:
    """Where a runtime serves its metrics by itself (facts/k8s.md 4).

    `with_requests`: on the port of its requests, so that port's names count, too.
    """

    port: int
    path: str = "/metrics"
    with_requests: bool = True


_ENDPOINTS: Final[Mapping[str, _Endpoint]] = {
    "vllm": _Endpoint(port=8000),
    "sglang": _Endpoint(port=30_000),
    "tgi": _Endpoint(port=80),
    "triton": _Endpoint(port=8002, with_requests=False),
    # These wrap one of the others.
    "nim": _Endpoint(port=8000, path="/v1/metrics"),
    "kserve-huggingface": _Endpoint(port=8080),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTarget:
    """One server to ask. `target.node` is "": messages name the pod."""

    target: Target
    runtime: str

    @property
    def pod(self) -> tuple[str, str]:
        """(namespace, name)."""
        return (self.target.namespace, self.target.pod)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTargets:
    """Those that are asked, and how many were left out because they are too many."""

    targets: tuple[ServiceTarget, ...] = ()
    left_out: int = 0


def service_targets(
    pods: Iterable[Pod], shared: Collection[tuple[str, str]], *, most: int
) -> ServiceTargets:
    """The servers among `pods` whose (namespace, name) is in `shared`, at most `most`, by name."""
    found = sorted(_found(pods, shared), key=lambda target: target.pod)
    return ServiceTargets(targets=tuple(found[:most]), left_out=max(0, len(found) - most))


def _found(pods: Iterable[Pod], shared: Collection[tuple[str, str]]) -> Iterator[ServiceTarget]:
    for pod in pods:
        endpoint = _ENDPOINTS.get(pod.runtime.name)
        if endpoint is None or pod.key not in shared:
            continue
        if pod.phase != "Running" or pod.deleting or not pod.ip:
            continue
        target = Target(
            source=SOURCE,
            namespace=pod.namespace,
            pod=pod.name,
            node="",
            host=pod.ip,
            port=_port(pod, endpoint),
            path=_path(pod, endpoint),
        )
        yield ServiceTarget(target=target, runtime=pod.runtime.name)


def _port(pod: Pod, endpoint: _Endpoint) -> int:
    annotated = next((a for k in _PORT_ANNOTATIONS if (a := pod.annotations.get(k))), "")
    if not pod.host_network and annotated.isascii() and annotated.isdigit():
        number = int(annotated[:6])
        if 0 < number <= _LAST_PORT:
            return number
    return _declared_port(pod, endpoint) or endpoint.port


def _declared_port(pod: Pod, endpoint: _Endpoint) -> int | None:
    """A port that is named for it, else the usual one, else the only one of its requests."""
    ports = [p for c in pod.containers if c.kind != "init" for p in c.ports]
    named = {name: number for name, number in reversed(ports) if name}
    for name in _METRICS_PORTS:
        if name in named:
            return named[name]
    numbers = [number for _, number in ports]
    if endpoint.port in numbers or not endpoint.with_requests:
        return endpoint.port
    for name in _HTTP_PORTS:
        if name in named:
            return named[name]
    return numbers[0] if len(numbers) == 1 else None


def _path(pod: Pod, endpoint: _Endpoint) -> str:
    annotated = next((a for k in _PATH_ANNOTATIONS if (a := pod.annotations.get(k))), "")
    usable = annotated.startswith("/") and annotated.isascii() and annotated.isprintable()
    if pod.host_network or not usable or len(annotated) > _MAX_PATH or " " in annotated:
        return endpoint.path
    leads_out = not _WAYS_OUT.isdisjoint(annotated.replace("\\", "/").split("/"))
    return endpoint.path if leads_out else annotated
