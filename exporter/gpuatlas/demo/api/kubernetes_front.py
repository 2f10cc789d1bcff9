"""The HTTP front of the simulated Kubernetes API: routes a request, writes what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Final, Protocol

from gpuatlas.demo.api.answers import Answer, failure, not_found
from gpuatlas.demo.api.discovery import discovery
from gpuatlas.demo.api.listeners import Handler
from gpuatlas.demo.api.reading import read_list, read_one, watch
from gpuatlas.demo.api.routes import (
    BadQueryError,
    ObjectsRoute,
    ProxyRoute,
    Query,
    read_query,
    read_route,
    split_path,
)
from gpuatlas.demo.api.store import ObjectStore

_JSON: Final = "application/json"


class ClusterBehind(Protocol):
    """What the front needs of the cluster."""

    store: ObjectStore
    bookmark_seconds: float
    git_version: str

    def refresh(self) -> None:
        """Bring the store to the present instant."""

    def pod_page(self, route: ProxyRoute) -> Answer | None:
        """A pod's page; None when the connection is to be cut."""


def kubernetes_handler(cluster: ClusterBehind) -> type[Handler]:
    """The handler class of one cluster's API."""

    class KubernetesHandler(Handler):
        def do_GET(self) -> None:  # noqa: N802
            _Exchange(self, cluster).answer()

        def _refuse(self) -> None:
            message = "the simulated cluster can only be read"
            answer = failure(HTTPStatus.METHOD_NOT_ALLOWED, message)
            # The request's body, which nobody reads, would be taken for the next request.
            hang_up = (("Connection", "close"),)
            self.send_whole(answer.status, answer.body, answer.content_type, hang_up)

        do_POST = do_PUT = do_PATCH = do_DELETE = _refuse  # noqa: N815

    return KubernetesHandler


class _Exchange:
    """One GET request and its answer."""

    def __init__(self, handler: Handler, cluster: ClusterBehind) -> None:
        self._handler = handler
        self._cluster = cluster

    def answer(self) -> None:
        parts = split_path(self._handler.path)
        route = read_route(parts)
        if isinstance(route, ProxyRoute):
            self._send(self._cluster.pod_page(route))
        elif route is None:
            accept = self._handler.headers.get("Accept", "")
            found = discovery(parts, self._cluster.git_version, accept)
            self._send(found or not_found(self._handler.path))
        else:
            self._objects(route)

    def _objects(self, route: ObjectsRoute) -> None:
        accept = self._handler.headers.get("Accept", "")
        try:
            query = read_query(self._handler.path, accept)
        except BadQueryError as error:
            self._send(failure(HTTPStatus.BAD_REQUEST, str(error)))
            return
        self._cluster.refresh()
        if route.name:
            self._send(read_one(self._cluster.store, route, query))
        elif query.watch:
            self._stream(route, query)
        else:
            self._send(read_list(self._cluster.store, route, query))

    def _stream(self, route: ObjectsRoute, query: Query) -> None:
        lines = watch(
            self._cluster.store, route, query, bookmark_seconds=self._cluster.bookmark_seconds
        )
        self._handler.send_response(HTTPStatus.OK)
        self._handler.send_header("Content-Type", _JSON)
        self._handler.send_header("Transfer-Encoding", "chunked")
        self._handler.end_headers()
        _write_chunks(self._handler.wfile.write, lines)

    def _send(self, answer: Answer | None) -> None:
        if answer is None:
            self._handler.close_connection = True
            return
        self._handler.send_whole(
            answer.status, answer.body, answer.content_type, tuple(answer.headers.items())
        )


def _write_chunks(write: Callable[[bytes], object], lines: Iterable[bytes]) -> None:
    for line in lines:
        write(b"%x\r\n%b\r\n" % (len(line), line))
    write(b"0\r\n\r\n")
