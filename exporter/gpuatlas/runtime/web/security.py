"""Keeps the web configuration file in force while the server runs.

The file, and the certificates that it names, are looked at again when one of them changed on disk
(cert-manager and Secret mounts replace them under a running process). A new state that cannot be
used is logged once and the old one stays in force.
"""

from __future__ import annotations

import logging
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpuatlas.runtime.web.config_section import WebConfigError
from gpuatlas.runtime.web.passwords import BusyError, PasswordChecker
from gpuatlas.runtime.web.rate import TokenBucket
from gpuatlas.runtime.web.responses import Environ, Response, text_response
from gpuatlas.runtime.web.tls import build_context
from gpuatlas.runtime.web.web_config import WebConfig, read_web_config

logger = logging.getLogger(__name__)

# One look at the files each second costs microseconds and is soon enough for a new certificate.
_LOOK_SECONDS: Final = 1.0

_Stamp = tuple[tuple[int, int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class _InForce:
    config: WebConfig
    context: ssl.SSLContext | None
    bucket: TokenBucket | None


class WebSecurity:
    """TLS, users, headers and rate limit as the file has them now. Thread-safe.

    Without a path everything is open and plain.

    Raises:
        WebConfigError: on creation, when the file or a certificate cannot be used.
    """

    def __init__(
        self, path: Path | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = path
        self._clock = clock
        self._passwords = PasswordChecker()
        self._lock = threading.Lock()
        self._looked_at = clock()
        self._in_force = _load(path, clock, None)
        self._stamp = self._take_stamp()

    @property
    def config(self) -> WebConfig:
        """The configuration in force."""
        return self._current().config

    @property
    def tls(self) -> bool:
        """Whether the server speaks TLS: decided at start, a change needs a restart."""
        return self._in_force.context is not None

    def context(self) -> ssl.SSLContext:
        """The TLS context for a new connection; only where `tls` is true."""
        context = self._current().context
        if context is None:
            msg = "the web configuration has no TLS"
            raise RuntimeError(msg)
        return context

    def headers(self) -> Mapping[str, str]:
        """`http_server_config.headers`; an empty value takes the header away."""
        return self._current().config.headers

    def refuse(self, environ: Environ) -> Response | None:
        """429 over the rate limit, 401 without a right password, else None."""
        current = self._current()
        if current.bucket is not None and not current.bucket.allow():
            return text_response("429 Too Many Requests", "429: over the rate limit")
        users = current.config.users
        if not users:
            return None
        try:
            if self._passwords.check(environ.get("HTTP_AUTHORIZATION", ""), users):
                return None
        except BusyError:
            return text_response(
                "503 Service Unavailable", "503: other passwords are checked", {"Retry-After": "1"}
            )
        challenge = {"WWW-Authenticate": 'Basic realm="GPU Atlas", charset="UTF-8"'}
        return text_response("401 Unauthorized", "401: user name and password, please", challenge)

    def _current(self) -> _InForce:
        if self._path is not None and self._clock() - self._looked_at >= _LOOK_SECONDS:
            with self._lock:
                self._look_again()
        return self._in_force

    def _look_again(self) -> None:
        self._looked_at = self._clock()
        stamp = self._take_stamp()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._in_force = _load(self._path, self._clock, self._in_force)
        except WebConfigError as error:
            for problem in error.problems:
                logger.error("web configuration not taken over", extra={"problem": problem})  # noqa: TRY400
        else:
            self._stamp = self._take_stamp()
            logger.info("web configuration taken over", extra={"path": str(self._path)})

    def _take_stamp(self) -> _Stamp:
        files = self._in_force.config.tls.files if self._in_force.config.tls else ()
        return tuple(_stamp(path) for path in (self._path, *files) if path is not None)


def _load(path: Path | None, clock: Callable[[], float], before: _InForce | None) -> _InForce:
    if path is None:
        return _InForce(WebConfig(), None, None)
    config = read_web_config(path)
    context = build_context(config.tls) if config.tls else None
    if before is not None and (before.context is None) != (context is None):
        raise WebConfigError([f"{path}: TLS goes on or off with a restart only"])
    return _InForce(config, context, _bucket(config, clock, before))


def _bucket(
    config: WebConfig, clock: Callable[[], float], before: _InForce | None
) -> TokenBucket | None:
    """A new bucket where the limit is new: taking over another file must not fill the old one."""
    if config.rate_limit is None:
        return None
    if before is not None and before.config.rate_limit == config.rate_limit:
        return before.bucket
    return TokenBucket(config.rate_limit, clock)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
