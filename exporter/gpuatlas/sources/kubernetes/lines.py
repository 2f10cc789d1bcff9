"""A long answer read line by line, which another thread can end. The edge of the network.

Used for watches: one JSON document per line, sent as things happen.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Final, Self

import urllib3
import urllib3.exceptions

from gpuatlas.sources.errors import TooLargeError
from gpuatlas.sources.kubernetes.failures import error_of_transport

_READ_BYTES: Final = 64 * 1024
# An object has at most 1.5 MB in etcd; JSON escapes can make a few times that of it.
MAX_LINE_BYTES: Final = 16 * 1024 * 1024
TRANSPORT_ERRORS: Final = (urllib3.exceptions.HTTPError, OSError)


class LineStream:
    """Iterator over the complete lines of an answer, without their line ends; empty ones left out.

    It ends when the server ends the answer in order, or after `interrupt`; an unfinished last line
    is dropped. It is a context manager that gives the connection back.

    Raises (while iterating):
        UnreachableError: the connection was cut or stayed silent for longer than the read timeout.
        TooLargeError: a line is longer than `MAX_LINE_BYTES`.
    """

    def __init__(self, response: urllib3.BaseHTTPResponse, *, address: str) -> None:
        self._response = response
        self._address = address
        self._lock = threading.Lock()
        self._over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._over = True
            self._response.close()

    def __iter__(self) -> Iterator[bytes]:
        pending: list[bytes] = []
        try:
            for data in self._pieces():
                if self._over:
                    return  # what a cut TLS connection still gives is not text
                pending.append(data)
                if b"\n" in data:
                    *complete, rest = b"".join(pending).split(b"\n")
                    pending = [rest]
                    yield from filter(None, map(bytes.strip, complete))
                elif sum(map(len, pending)) > MAX_LINE_BYTES:
                    message = f"{self._address}: a line of a watch passed {MAX_LINE_BYTES} bytes"
                    raise TooLargeError(message)
        except TRANSPORT_ERRORS as error:
            if not self._over:
                raise error_of_transport(self._address, error) from error

    def _pieces(self) -> Iterator[bytes]:
        if self._response.chunked:
            yield from self._response.stream(_READ_BYTES)
            return
        while data := self._response.read1(_READ_BYTES):
            yield data

    def interrupt(self) -> None:
        """End the iteration from any thread: a read that waits returns at once."""
        with self._lock:
            if self._over:
                return
            self._over = True
            # urllib3 says with the last two that the answer is over already.
            with contextlib.suppress(OSError, RuntimeError, ValueError):
                self._response.shutdown()
