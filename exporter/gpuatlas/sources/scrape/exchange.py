"""One HTTP exchange that ends: in time, whatever the other side does, and in bounded memory.

The time-outs of `requests` bound each wait for bytes, so an endpoint that sends a byte now and then
holds its reader for ever; and its decompression turns a small body into any amount of memory. Here
a watchdog cuts the connection when the time is over, and bodies are inflated up to a limit.

Shared by `scrape` and `promapi`. Redirects are not followed: an endpoint must not choose whom else
we ask. Proxies, netrc and CA bundles of the environment are not used.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit, urlunsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection

from gpuatlas.sources.errors import (
    MAX_QUOTE,
    BadAnswerError,
    ForbiddenError,
    NotFoundError,
    SourceError,
    UnauthorizedError,
    UnreachableError,
)
from gpuatlas.sources.scrape.inflate import Body

_CHUNK: Final = 65536
_MAX_ERROR_BODY: Final = 16384  # enough for a reason; the rest of an error page is not read
_OK: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one exchange may take: decompressed bytes, and seconds from connect to the last byte."""

    body_bytes: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A complete answer; of one that is not 200 only the start of the body."""

    status: int
    body: bytes
    location: str = ""


def exchange(request: requests.Request, *, limits: Limits, verify: bool | str = True) -> Answer:
    """Send the request and read the whole answer.

    Args:
        request: with an absolute http or https URL.
        limits: of this exchange.
        verify: as in `requests`: the path of a CA file, or False to verify nothing.

    Raises:
        UnreachableError: no complete answer in time.
        TooLargeError: the body passes its limit.
        BadAnswerError: the body's encoding is unknown or damaged.
    """
    address = shown(str(request.url))
    with requests.Session() as session, _Watchdog(limits.seconds) as watchdog:
        session.trust_env = False
        session.verify = verify
        session.mount("http://", _WatchedAdapter())
        session.mount("https://", _WatchedAdapter())
        try:
            with _mapped_errors(address, watchdog):
                answer = _send(session, request, limits, watchdog)
        except SourceError:
            watchdog.raise_if_expired(address)
            raise
        watchdog.raise_if_expired(address)
        return answer


def shown(url: str) -> str:
    """The URL as messages may have it: without a password, a query or a fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "an address that is no URL"
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


def ok_body(answer: Answer, address: str) -> bytes:
    """The body of a 200; any other status raises the error of its kind, quoting the body."""
    if answer.status == _OK:
        return answer.body
    if answer.location:
        message = (
            f"HTTP {answer.status} from {address}: it redirects to "
            f"{shown(answer.location)[:MAX_QUOTE]}; "
            "redirects are not followed, give the final address"
        )
        raise BadAnswerError(message)
    quote = " ".join(answer.body[:MAX_QUOTE].decode(errors="replace").split())
    message = f"HTTP {answer.status} from {address}" + (f": {quote}" if quote else "")
    raise _ERROR_OF_STATUS.get(answer.status, BadAnswerError)(message)


_ERROR_OF_STATUS: Final[dict[int, type[SourceError]]] = {
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
}


def _send(
    session: requests.Session, request: requests.Request, limits: Limits, watchdog: _Watchdog
) -> Answer:
    request.headers = {"Accept-Encoding": "gzip", **(request.headers or {})}
    prepared = session.prepare_request(request)
    response = session.send(
        prepared, stream=True, timeout=limits.seconds, allow_redirects=False, verify=session.verify
    )
    with response:
        good = response.status_code == _OK
        body = Body(
            address=shown(str(request.url)),
            encoding=response.headers.get("Content-Encoding", ""),
            limit=limits.body_bytes if good else _MAX_ERROR_BODY,
        )
        for chunk in response.raw.stream(_CHUNK, decode_content=False):
            if watchdog.expired or (not good and body.full):
                break
            body.add(chunk, cut=not good)
        return Answer(
            status=response.status_code,
            body=body.content() if good else body.start(),
            location=response.headers.get("Location", "") if response.is_redirect else "",
        )


@contextlib.contextmanager
def _mapped_errors(address: str, watchdog: _Watchdog) -> Iterator[None]:
    try:
        yield
    except requests.exceptions.SSLError as error:
        message = f"TLS with {address} failed: {_cause(error)}; check the address and the CA file"
        raise UnreachableError(message) from error
    except (requests.Timeout, urllib3.exceptions.TimeoutError) as error:
        raise watchdog.too_late(address) from error
    except ValueError as error:
        # What `requests` says of an address or a header that cannot be sent quotes it with its
        # password or token; of the address that a redirect names it says the same. It decodes that
        # one even where nobody follows it.
        message = (
            f"no answer from {address}: the address, a header of the request or a redirect cannot "
            f"be used ({type(error).__name__})"
        )
        raise UnreachableError(message) from None
    except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
        message = f"no answer from {address}: {_cause(error)}"
        raise UnreachableError(message) from error


def _cause(error: BaseException) -> str:
    """The reason underneath a library's error: "Connection refused" rather than a class tree."""
    reason = ""
    step: BaseException | None = error
    while step is not None:
        if isinstance(step, OSError) and step.strerror:
            reason = step.strerror
        step = step.__cause__ or step.__context__
    return (reason or str(error))[:MAX_QUOTE]


class _Watchdog:
    """Cuts the connections that were opened in its `with` block, once the time is over."""

    def __init__(self, seconds: float) -> None:
        self.expired = False
        self._seconds = seconds
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        _this_thread.watchdog = self
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        _this_thread.watchdog = None

    def watch(self, opened: socket.socket) -> None:
        """Know a connection. The socket itself: its connection may let go of it before the end."""
        self._sockets.append(opened)
        if self.expired:
            self._cut()

    def too_late(self, address: str) -> UnreachableError:
        return UnreachableError(f"no complete answer from {address} within {self._seconds:g} s")

    def raise_if_expired(self, address: str) -> None:
        """Must be asked even after a read that ended well: a cut looks like the end of the body."""
        if self.expired:
            raise self.too_late(address)

    def _cut(self) -> None:
        self.expired = True
        for opened in tuple(self._sockets):
            with contextlib.suppress(OSError):  # closed meanwhile
                # Not the method of a TLS socket, which would take the session from its reader.
                socket.socket.shutdown(opened, socket.SHUT_RDWR)


class _ThisThread(threading.local):
    watchdog: _Watchdog | None = None


_this_thread = _ThisThread()


def _watch(opened: socket.socket | None) -> None:
    if opened is not None and _this_thread.watchdog is not None:
        _this_thread.watchdog.watch(opened)


# Until a TLS connection is open its own time-out bounds each wait; only an endpoint that drips its
# handshake would take longer, and TLS is for servers that the user named.


class _WatchedHTTPConnection(HTTPConnection):
    def connect(self) -> None:
        super().connect()
        _watch(self.sock)


class _WatchedHTTPSConnection(HTTPSConnection):
    def connect(self) -> None:
        super().connect()
        _watch(self.sock)


class _WatchedHTTPPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _WatchedHTTPConnection


class _WatchedHTTPSPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _WatchedHTTPSConnection


class _WatchedAdapter(HTTPAdapter):
    """Opens connections that the watchdog of the thread knows. It retries nothing."""

    def init_poolmanager(self, *args: object, **kwargs: object) -> None:
        super().init_poolmanager(*args, **kwargs)  # type: ignore[arg-type]
        self.poolmanager.pool_classes_by_scheme = {
            "http": _WatchedHTTPPool,
            "https": _WatchedHTTPSPool,
        }
