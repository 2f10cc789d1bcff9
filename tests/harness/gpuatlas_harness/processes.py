"""Start and stop server processes on loopback."""

from __future__ import annotations

import os
import random
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import requests

from .http import loopback_session
from .polling import poll_until

LOOPBACK = "127.0.0.1"
# Below the ports that the kernel gives to outgoing connections: a client that keeps dialling a
# stopped server can be given the server's own port as its source, connect to itself, and so keep
# the server from starting again.
FIRST_PORT, LAST_PORT = 20_000, 31_999
TAIL_LINES = 30
STOP_GRACE_SECONDS = 10.0


class ServerFailedError(Exception):
    """A server ended early or never became ready; the message ends with the tail of its log."""


def _ports_of_this_process() -> Iterator[int]:
    """Each once, in any order; the workers of pytest-xdist have different ones.

    A port is free until its server binds it, so that whoever else looked would find it free, too.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    ports = range(FIRST_PORT + worker % workers, LAST_PORT + 1, workers)
    return iter(random.sample(ports, len(ports)))


_UNTRIED: Final = _ports_of_this_process()


def free_ports(count: int) -> list[int]:
    """``count`` different loopback ports that nothing listens on, each given away only once."""
    ports: list[int] = []
    while len(ports) < count:
        port = next(_UNTRIED, None)
        if port is None:
            message = f"no {count} free ports in {FIRST_PORT}-{LAST_PORT}"
            raise ServerFailedError(message)
        if _is_free(port):
            ports.append(port)
    return ports


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        try:
            listener.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


@dataclass(frozen=True)
class Readiness:
    """The URL that answers 2xx once a server is ready, and how to ask it."""

    url: str
    ca: Path | None = None
    headers: Mapping[str, str] | None = None
    deadline_seconds: float = 60.0

    def refusal(self) -> str:
        """Why the server is not ready; empty once it is."""
        with loopback_session(ca=self.ca, headers=self.headers) as session:
            try:
                answer = session.get(self.url, timeout=2)
            except requests.RequestException as error:
                return type(error).__name__
        return "" if answer.ok else f"HTTP {answer.status_code}"


class ServerProcess:
    """One server process, its log file, and its end.

    The log is appended to, so that a restarted server's earlier life stays readable.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        readiness: Readiness,
        log_dir: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.command = [str(part) for part in command]
        self.readiness = readiness
        self.log_path = log_dir / f"{name}.log"
        self._environment = None if environment is None else dict(environment)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        if self._process is None:
            message = f"{self.name} is not running"
            raise ServerFailedError(message)
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the process and wait until it is ready.

        Raises:
            ServerFailedError: it ended, or was not ready by the deadline; it is stopped then.
        """
        if self._process is not None:
            message = f"{self.name} is already running"
            raise ServerFailedError(message)
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
                # Ctrl-C reaches only the tests, which then stop the servers in their order.
                process_group=0,
            )
        try:
            poll_until(
                self._refusal_or_raise,
                lambda refusal: not refusal,
                deadline_seconds=self.readiness.deadline_seconds,
                waiting_for=f"{self.name} at {self.readiness.url}",
            )
        except TimeoutError as error:
            self.stop(grace_seconds=0)
            message = f"{error}\n{self.log_tail()}"
            raise ServerFailedError(message) from None
        except BaseException:
            self.stop(grace_seconds=0)
            raise

    def _refusal_or_raise(self) -> str:
        if self._process is not None and self._process.poll() is not None:
            code = self._process.returncode
            message = f"{self.name} ended with code {code}\n{self.log_tail()}"
            raise ServerFailedError(message)
        return self.readiness.refusal()

    def stop(self, *, grace_seconds: float = STOP_GRACE_SECONDS) -> None:
        """End this process and no other: ask, and kill it after ``grace_seconds``.

        With no grace it is killed at once, as in a crash. Stopping twice does nothing.
        """
        process, self._process = self._process, None
        if process is None:
            return
        if grace_seconds > 0:
            process.terminate()
            try:
                process.wait(grace_seconds)
            except subprocess.TimeoutExpired:
                pass
            else:
                return
        process.kill()
        process.wait()

    def log_tail(self, lines: int = TAIL_LINES) -> str:
        """The last lines of the log, after the log's path."""
        if not self.log_path.exists():
            return f"{self.log_path}: no log"
        kept = self.log_path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]
        return "\n".join([f"{self.log_path}:", *kept])
