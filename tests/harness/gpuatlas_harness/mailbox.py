"""A mail server on loopback that takes every message and delivers none."""

from __future__ import annotations

import email
import email.policy
import socketserver
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from types import TracebackType
from typing import Self

from .processes import LOOPBACK


@dataclass(frozen=True)
class Mail:
    """One message as its reader sees it; both bodies are decoded."""

    headers: Mapping[str, str]
    text: str
    html: str


class Mailbox:
    """``with Mailbox() as mailbox``; ``mailbox.address`` is the ``HOST:PORT`` of the server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[Mail] = []
        mailbox = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self._answer("220 mailbox")
                while command := self.rfile.readline():
                    verb = command.split(maxsplit=1)[0].upper() if command.strip() else b""
                    if verb == b"QUIT":
                        self._answer("221 bye")
                        return
                    if verb == b"DATA":
                        self._answer("354 go ahead")
                        mailbox.take(self._message())
                    self._answer("250 ok")

            def _answer(self, line: str) -> None:
                self.wfile.write(f"{line}\r\n".encode())

            def _message(self) -> bytes:
                """The lines up to a single dot; a line that begins with one has two (RFC 5321)."""
                lines = []
                while (line := self.rfile.readline()) not in {b".\r\n", b""}:
                    lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
                return b"".join(lines)

        self._server = socketserver.ThreadingTCPServer((LOOPBACK, 0), Handler)
        self.address = f"{LOOPBACK}:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def take(self, message: bytes) -> None:
        parsed = email.message_from_bytes(message, policy=email.policy.default)
        with self._lock:
            self._kept.append(
                Mail(
                    headers=dict(parsed.items()),
                    text=_body(parsed, "plain"),
                    html=_body(parsed, "html"),
                )
            )

    def mails(self) -> tuple[Mail, ...]:
        """All so far, in the order in which they came."""
        with self._lock:
            return tuple(self._kept)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _body(message: EmailMessage, subtype: str) -> str:
    part = message.get_body((subtype,))
    return "" if part is None else str(part.get_content()).replace("\r\n", "\n")
