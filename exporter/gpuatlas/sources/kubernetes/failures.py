"""From what went wrong on the wire to one of our errors, with a message that says what to do. Pure.

Reasons are those of `gpuatlas.sources.errors`; the `Status` object that the API server sends with a
refusal names the verb and the resource.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import orjson
import urllib3.exceptions

from gpuatlas.model.units import clean_text
from gpuatlas.sources.errors import (
    MAX_QUOTE,
    BadAnswerError,
    ForbiddenError,
    GoneError,
    NotFoundError,
    SourceError,
    UnauthorizedError,
    UnreachableError,
)
from gpuatlas.sources.kubernetes.errors import BusyError
from gpuatlas.sources.kubernetes.shape import fields, text

# A server that asks for more is not waited for that long; our own pauses end at 60 s.
MAX_RETRY_AFTER_S: Final = 300.0
_DENIED: Final = re.compile(
    r'cannot (?P<verb>\w+) resource "(?P<resource>[^"]+)" in API group "(?P<group>[^"]*)"'
)
_PARTS: Final = re.compile(
    r"^/(?:api|apis/[^/]+)/[^/]+/(?:namespaces/[^/]+/)?(?P<resource>[^/?]+)(?:/[^/]+/(?P<sub>\w+))?"
)
_NETWORK: Final = "check that the address is right and can be reached from here"
# From the special to the general: urllib3 derives some of them from others.
_EXPLANATIONS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (urllib3.exceptions.ReadTimeoutError, "no answer in time"),
    (urllib3.exceptions.NameResolutionError, f"unknown host name ({{cause}}); {_NETWORK}"),
    (urllib3.exceptions.NewConnectionError, f"no connection ({{cause}}); {_NETWORK}"),
    (urllib3.exceptions.ConnectTimeoutError, f"no connection in time; {_NETWORK}"),
    (
        urllib3.exceptions.ProxyError,
        "the proxy failed ({cause}); check proxy-url in the kubeconfig, and HTTPS_PROXY",
    ),
)
_TLS: Final = (
    "TLS failed ({cause}); check certificate-authority, client-certificate and tls-server-name in "
    "the kubeconfig"
)


def error_of_status(
    address: str,
    code: int,
    body: bytes,
    *,
    path: str,
    watch: bool = False,
    headers: Mapping[str, str] | None = None,
) -> SourceError:
    """The error for an HTTP status that is not 200, or for a `Status` object inside a watch."""
    message = _message(body)
    place = f"{address}{path}"
    if code == HTTPStatus.UNAUTHORIZED:
        return UnauthorizedError(
            f"{address} refused the credentials (401): {message}. Log in again, or check the "
            "token, certificate or credentials plugin of the kubeconfig's user"
        )
    if code == HTTPStatus.FORBIDDEN:
        return ForbiddenError(_denied(address, message, path=path, watch=watch))
    if code == HTTPStatus.NOT_FOUND:
        return NotFoundError(f"{place} does not exist there (404): {message}")
    if code == HTTPStatus.GONE:
        return GoneError(f"{place}: the position in the list or watch is too old (410): {message}")
    if _is_busy(code):
        return BusyError(
            f"{place} answered HTTP {code}: {message}",
            retry_after_s=_retry_after((headers or {}).get("Retry-After", "")),
        )
    return BadAnswerError(f"{place} answered HTTP {code}: {message}")


def _is_busy(code: int) -> bool:
    """Whether the same request may be answered later. What is not implemented never will be."""
    if code == HTTPStatus.NOT_IMPLEMENTED:
        return False
    return code == HTTPStatus.TOO_MANY_REQUESTS or code >= HTTPStatus.INTERNAL_SERVER_ERROR


def error_of_event(address: str, status: object, *, path: str) -> SourceError:
    """The error for a `Status` object that came as an ERROR event of a watch."""
    code = fields(status).get("code")
    number = code if isinstance(code, int) and not isinstance(code, bool) else 0
    return error_of_status(address, number, orjson.dumps(status), path=path, watch=True)


def error_of_transport(address: str, error: Exception) -> UnreachableError:
    """The error for a connection that failed: refused, timed out, cut, or not trusted."""
    return UnreachableError(f"{address}: {_explained(error)}")


def _explained(error: Exception) -> str:
    cause = clean_text(_innermost(error), limit=MAX_QUOTE)
    for kind, explanation in _EXPLANATIONS:
        if isinstance(error, kind):
            return explanation.format(cause=cause)
    if "certificate" in cause.lower() or "SSL" in cause:
        return _TLS.format(cause=cause)
    return f"the connection was cut ({cause})"


def _innermost(error: BaseException) -> str:
    """The system's own words: urllib3 wraps them with object addresses."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return str(error) or type(error).__name__


def _message(body: bytes) -> str:
    try:
        decoded = orjson.loads(body)
    except orjson.JSONDecodeError:
        decoded = None
    quoted = text(fields(decoded).get("message")) or body.decode("utf-8", "replace").strip()
    return clean_text(quoted or "no explanation", limit=MAX_QUOTE)


def _denied(address: str, message: str, *, path: str, watch: bool) -> str:
    match = _DENIED.search(message)
    if match is not None:
        verb, resource = match["verb"], match["resource"]
        if match["group"]:
            resource = f"{resource}.{match['group']}"
    else:
        verb, resource = _asked(path, watch=watch)
    return (
        f"{address} does not allow to {verb} {resource} (403): {message}. Grant the verb "
        f'"{verb}" on "{resource}" to this user or service account'
    )


def _asked(path: str, *, watch: bool) -> tuple[str, str]:
    """Verb and resource that a request for `path` needs, where the server does not say."""
    match = _PARTS.match(path)
    if match is None:
        return "get", path
    if match["sub"]:
        return "get", f"{match['resource']}/{match['sub']}"
    return ("watch" if watch else "list"), match["resource"]


def _retry_after(value: str) -> float | None:
    if not value.isascii() or not value.isdecimal():
        return None  # absent, or a date: Kubernetes sends seconds
    return min(float(value), MAX_RETRY_AFTER_S)
