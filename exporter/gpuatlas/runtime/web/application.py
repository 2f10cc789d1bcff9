"""The WSGI application: four paths, GET and HEAD."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

from gpuatlas.families.exposition import Format
from gpuatlas.runtime.refresh import Published
from gpuatlas.runtime.web.landing import CONTENT_SECURITY_POLICY, landing_page
from gpuatlas.runtime.web.metrics import metrics_response
from gpuatlas.runtime.web.responses import (
    Environ,
    Response,
    StartResponse,
    text_response,
    whole_response,
)

# Kubernetes' probes carry no credentials, and these two paths tell nothing about the cluster.
PROBE_PATHS: Final = frozenset({"/healthz", "/readyz"})

_SECURITY_HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "deny",
}


class Loop(Protocol):
    """What the application reads of the refresh loop."""

    @property
    def published(self) -> Published:
        """The last page and statuses."""

    def stalled(self) -> str:
        """Why the loop counts as hanging, "" while it is alive."""


class Gate(Protocol):
    """Who may come in, and with which headers the answer leaves."""

    def headers(self) -> Mapping[str, str]:
        """Headers of every response; an empty value takes a default header away."""

    def refuse(self, environ: Environ) -> Response | None:
        """The refusal for a request that may not pass, else None."""


class Application:
    """Serves the published state. Thread-safe: it only reads."""

    def __init__(
        self,
        loop: Loop,
        gate: Gate,
        self_metrics: Callable[[Format], bytes],
        clock: Callable[[], float],
    ) -> None:
        self._loop = loop
        self._gate = gate
        self._self_metrics = self_metrics
        self._clock = clock
        self._paths: Mapping[str, Callable[[Environ], Response]] = {
            "/": self._landing,
            "/metrics": self._metrics,
            "/healthz": self._health,
            "/readyz": self._readiness,
        }

    def __call__(self, environ: Environ, start: StartResponse) -> Iterable[bytes]:
        extra = {**_SECURITY_HEADERS, **self._gate.headers()}
        response = self._respond(environ)
        return response.send(start, method=environ["REQUEST_METHOD"], extra=extra)

    def _respond(self, environ: Environ) -> Response:
        path = environ.get("PATH_INFO", "")
        refusal = None if path in PROBE_PATHS else self._gate.refuse(environ)
        if refusal is not None:
            return refusal
        answer = self._paths.get(path)
        if answer is None:
            return text_response("404 Not Found", "404: see / for what is here")
        if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
            return text_response(
                "405 Method Not Allowed", "405: use GET or HEAD", {"Allow": "GET, HEAD"}
            )
        return answer(environ)

    def _landing(self, environ: Environ) -> Response:
        page = landing_page(self._loop.published, self._clock())
        return whole_response("200 OK", "text/html; charset=utf-8", page)

    def _metrics(self, environ: Environ) -> Response:
        return metrics_response(environ, self._loop.published, self._self_metrics)

    def _health(self, environ: Environ) -> Response:
        reason = self._loop.stalled()
        return text_response("503 Service Unavailable", reason) if reason else _ok()

    def _readiness(self, environ: Environ) -> Response:
        published = self._loop.published
        if published.ready:
            return _ok()
        waiting = ", ".join(published.missing) or "the first snapshot"
        return text_response("503 Service Unavailable", f"waiting for {waiting}")


def _ok() -> Response:
    return text_response("200 OK", "ok")
