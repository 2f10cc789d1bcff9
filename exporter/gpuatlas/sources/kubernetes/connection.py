"""The connection to the API server: the only user of the `kubernetes` package.

That package brings kubeconfigs, in-cluster credentials, TLS and token renewal. Answers are taken
raw and decoded by orjson: the package's typed objects cost eight times as much and refuse whole
lists for one odd object (facts/k8s.md 6.4). Every failure becomes an error of
`gpuatlas.sources.errors`. There are no retries here, but for one after a 401 with new credentials
and, where somebody waits, those of `patience`.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Self

import orjson
import urllib3
from kubernetes.client import ApiClient, ApiException

from gpuatlas import __version__
from gpuatlas.sources.errors import (
    BadAnswerError,
    SourceError,
    TooLargeError,
    UnreachableError,
)
from gpuatlas.sources.kubernetes.access import LOAD_ERRORS, load_configuration
from gpuatlas.sources.kubernetes.errors import ConfigurationError
from gpuatlas.sources.kubernetes.failures import error_of_status, error_of_transport
from gpuatlas.sources.kubernetes.lines import TRANSPORT_ERRORS, LineStream
from gpuatlas.sources.kubernetes.patience import Patience
from gpuatlas.sources.kubernetes.settings import KubernetesSettings

_JSON: Final = "application/json"
_CHUNK_BYTES: Final = 256 * 1024
_MAX_ERROR_BYTES: Final = 64 * 1024
_OK: Final = 200
_CREATED: Final = 201  # how reviews are answered
_UNAUTHORIZED: Final = 401

Query = Mapping[str, str]


class Connection:
    """A thread-safe connection to one API server."""

    def __init__(
        self,
        load: Callable[[], Any],
        settings: KubernetesSettings,
        *,
        patience: Patience | None = None,
    ) -> None:
        """`load` gives a fresh client configuration; it is called again after a 401.

        With `patience` objects and reviews are asked for again while the server is busy. Pages are
        not: behind the pod proxy it may be the pod that says so. Watches are not either.
        """
        self._load = load
        self._patience = patience
        self._settings = settings
        self._lock = threading.Lock()
        self._generation = 0
        self._client = self._new_client()

    @classmethod
    def open(
        cls,
        settings: KubernetesSettings,
        environ: Mapping[str, str] | None = None,
        *,
        patience: Patience | None = None,
    ) -> Connection:
        """Read the configuration; nothing is sent yet.

        Raises:
            ConfigurationError: there is no usable configuration.
        """
        known = os.environ if environ is None else environ
        return cls(lambda: load_configuration(settings, known), settings, patience=patience)

    @property
    def address(self) -> str:
        """The server's URL, for messages."""
        return str(self._client.configuration.host)

    def get(
        self, path: str, query: Query | None = None, *, accept: str = _JSON
    ) -> dict[str, object]:
        """One JSON object.

        Raises:
            SourceError: as the module says; `TooLargeError` beyond `page_limit_bytes`.
        """
        headers = {"Accept": accept, "Accept-Encoding": "gzip"}
        return self._object(path, query or {}, headers)

    def review(self, path: str, question: Mapping[str, object]) -> dict[str, object]:
        """The answer to a question that is put as an object and kept nowhere: who am I, may I.

        Raises as `get`.
        """
        headers = {"Accept": _JSON, "Content-Type": _JSON}
        return self._object(path, {}, headers, question)

    def _object(
        self,
        path: str,
        query: Query,
        headers: Mapping[str, str],
        question: Mapping[str, object] | None = None,
    ) -> dict[str, object]:
        timeout = (self._settings.connect_timeout_s, self._settings.read_timeout_s)
        ask = partial(self._open, path, query, headers, timeout, question=question)
        response = ask() if self._patience is None else self._patience.ask(ask)
        body = self._read(response, path, self._settings.page_limit_bytes)
        try:
            decoded = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            message = f"{self.address}{path}: not JSON ({error})"
            raise BadAnswerError(message) from error
        if not isinstance(decoded, dict):
            message = f"{self.address}{path}: not a JSON object"
            raise BadAnswerError(message)
        return decoded

    def get_bytes(self, path: str, limit_bytes: int, timeout_s: float) -> bytes:
        """The raw body, within a limit on its size (uncompressed) and on the time in all.

        For pages behind the pod proxy, whose servers are not trusted to be well-behaved.
        """
        end = time.monotonic() + timeout_s
        timeout = (min(self._settings.connect_timeout_s, timeout_s), timeout_s)
        headers = {"Accept": "*/*", "Accept-Encoding": "gzip"}
        response = self._open(path, {}, headers, timeout, renew=False)
        with _Deadline(response, end - time.monotonic()) as deadline:
            try:
                body = self._read(response, path, limit_bytes)
            except UnreachableError:
                if not deadline.passed:
                    raise
                body = b""
        if deadline.passed:
            message = f"{self.address}{path}: no whole answer in {timeout_s:g} s"
            raise UnreachableError(message)
        return body

    def stream(
        self, path: str, query: Query, *, read_timeout_s: float, accept: str = _JSON
    ) -> LineStream:
        """The lines of an answer as they come. Raises as `get` before the first line."""
        timeout = (self._settings.connect_timeout_s, read_timeout_s)
        headers = {"Accept": accept, "Accept-Encoding": "identity"}
        response = self._open(path, query, headers, timeout)
        return LineStream(response, address=self.address)

    def close(self) -> None:
        """Close idle connections; those in use are closed when they are given back."""
        self._client.close()

    def _new_client(self) -> Any:
        client = ApiClient(self._load())
        client.user_agent = f"gpuatlas/{__version__}"
        return client

    def _renewed(self, generation: int) -> None:
        """Read the credentials anew, once for all the requests that failed with the same ones."""
        with self._lock:
            if self._generation == generation:
                client, self._client = self._client, self._new_client()
                self._generation += 1
                client.close()

    def _open(
        self,
        path: str,
        query: Query,
        headers: Mapping[str, str],
        timeout: tuple[float, float],
        *,
        renew: bool = True,
        question: Mapping[str, object] | None = None,
    ) -> urllib3.BaseHTTPResponse:
        generation = self._generation
        response = self._send(path, query, headers, timeout, question)
        if response.status == _UNAUTHORIZED and renew:
            response.close()
            self._renewed(generation)
            response = self._send(path, query, headers, timeout, question)
        if response.status != (_OK if question is None else _CREATED):
            raise self._refused(response, path, watch="watch" in query)
        return response

    def _send(
        self,
        path: str,
        query: Query,
        headers: Mapping[str, str],
        timeout: tuple[float, float],
        question: Mapping[str, object] | None,
    ) -> urllib3.BaseHTTPResponse:
        with self._lock:  # a token may be renewed in there
            client = self._client
            method, url, sent, body, _ = self._serialized(client, path, query, headers, question)
        # A token file may end with a newline, which no header may.
        sent = {name: value.strip() for name, value in sent.items()}
        try:
            answer = client.call_api(method, url, sent, body=body, _request_timeout=timeout)
        except (*TRANSPORT_ERRORS, ApiException) as error:
            raise error_of_transport(self.address, error) from error
        response: urllib3.BaseHTTPResponse = answer.response
        return response

    def _serialized(
        self,
        client: Any,
        path: str,
        query: Query,
        headers: Mapping[str, str],
        question: Mapping[str, object] | None,
    ) -> Any:
        try:
            return client.param_serialize(
                "GET" if question is None else "POST",
                path,
                query_params=list(query.items()),
                header_params=dict(headers),
                body=question,
                auth_settings=["BearerToken"],
            )
        except LOAD_ERRORS as error:
            message = f"{self.address}: no token ({error})"
            raise ConfigurationError(message) from error

    def _read(self, response: urllib3.BaseHTTPResponse, path: str, limit_bytes: int) -> bytes:
        pieces: list[bytes] = []
        size = 0
        try:
            # Said aloud: of a chunked answer urllib3 decodes nothing unless it is asked to.
            for piece in response.stream(_CHUNK_BYTES, decode_content=True):
                size += len(piece)
                if size > limit_bytes:
                    message = f"{self.address}{path}: the answer is larger than {limit_bytes} bytes"
                    raise TooLargeError(message)
                pieces.append(piece)
        except TRANSPORT_ERRORS as error:
            raise error_of_transport(self.address, error) from error
        finally:
            response.close()
        return b"".join(pieces)

    def _refused(
        self, response: urllib3.BaseHTTPResponse, path: str, *, watch: bool
    ) -> SourceError:
        try:
            body = response.read(_MAX_ERROR_BYTES, decode_content=True)
        except TRANSPORT_ERRORS:
            body = b""
        finally:
            response.close()
        return error_of_status(
            self.address,
            response.status,
            body,
            path=path,
            watch=watch,
            headers=response.headers,
        )


class _Deadline:
    """Cuts the reading of an answer off after a time, however its pieces come."""

    def __init__(self, response: urllib3.BaseHTTPResponse, seconds: float) -> None:
        self.passed = False
        self._response = response
        self._timer = threading.Timer(max(seconds, 0.0), self._cut)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _cut(self) -> None:
        self.passed = True
        # urllib3 says with the last two that the answer is over already.
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            self._response.shutdown()
