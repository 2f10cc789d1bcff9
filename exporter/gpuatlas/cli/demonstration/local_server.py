"""A server program that the demo starts on loopback, and its end."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import requests

LOOPBACK: Final = "127.0.0.1"
_READY_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.1
_GRACE_SECONDS: Final = 10.0
_TAIL_LINES: Final = 8


class LocalServerError(Exception):
    """A server that did not start; the message ends with its last words."""


def loopback_session() -> requests.Session:
    """For requests to a server on this machine: no proxy of the environment stands between."""
    session = requests.Session()
    session.trust_env = False
    return session


def free_port(preferred: int) -> int:
    """The preferred port of loopback if nothing listens there, else any that is free."""
    for port in (preferred, 0):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((LOOPBACK, port))
            except OSError:
                continue
            return int(listener.getsockname()[1])
    message = f"{LOOPBACK} has no free port"
    raise LocalServerError(message)


class LocalServer:
    """One process. `with LocalServer(...)` starts it, waits until it is ready, and ends it.

    Args:
        name: for messages and for the name of its log.
        command: the program and its arguments.
        url: where it answers.
        ready: the path that answers 200 when it is ready.
        folder: where its log goes.
        environment: of the process; this one's where it is None.
        stop: set when nobody waits for it any more.
        grace_seconds: how long it may take to end; with none it is killed at once.

    Raises:
        LocalServerError: on entering: it cannot be started, or does not become ready.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        url: str,
        ready: str,
        folder: Path,
        environment: Mapping[str, str] | None = None,
        stop: threading.Event | None = None,
        grace_seconds: float = _GRACE_SECONDS,
    ) -> None:
        self.url = url
        self._name = name
        self._command = list(command)
        self._ready = f"{url}{ready}"
        self._log = folder / f"{name}.log"
        self._environment = None if environment is None else dict(environment)
        self._stop = stop or threading.Event()
        self._grace_seconds = grace_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(  # noqa: S603 - a fixed program, no shell
                    self._command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env=self._environment,
                    # Ctrl-C reaches the demo alone, which ends its servers in order.
                    process_group=0,
                )
        except OSError as error:
            message = f"{self._name}: {error}"
            raise LocalServerError(message) from error
        try:
            self._wait(self._process)
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def end(self) -> None:
        """Ask the process to end, and kill it if it does not. A second call does nothing."""
        process, self._process = self._process, None
        if process is None:
            return
        if self._grace_seconds:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self._grace_seconds)
                return
        process.kill()
        process.wait()

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + _READY_SECONDS
        with loopback_session() as session:
            while not self._is_ready(session):
                if process.poll() is not None:
                    message = f"{self._name} ended with code {process.returncode}: {self._tail()}"
                    raise LocalServerError(message)
                if time.monotonic() > end or self._stop.wait(_LOOK_SECONDS):
                    message = f"{self._name} is not ready at {self._ready}: {self._tail()}"
                    raise LocalServerError(message)

    def _is_ready(self, session: requests.Session) -> bool:
        try:
            return session.get(self._ready, timeout=2).ok
        except requests.RequestException:
            return False

    def _tail(self) -> str:
        lines = self._log.read_text("utf-8", errors="replace").splitlines()
        return " | ".join(lines[-_TAIL_LINES:])
