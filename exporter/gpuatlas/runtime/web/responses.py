"""Responses as the application hands them to the WSGI server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

Environ = Mapping[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], object]

TEXT_TYPE: Final = "text/plain; charset=utf-8"

# The server copies what is left of a chunk after each partial write: large chunks would make that
# quadratic. A few socket buffers' worth keeps it linear.
_WRITE_BYTES: Final = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A status line, headers and a body of known length."""

    status: str
    content_type: str
    length: int
    chunks: Iterable[bytes]
    headers: Mapping[str, str] = field(default_factory=dict)

    def send(
        self, start: StartResponse, *, method: str, extra: Mapping[str, str]
    ) -> Iterable[bytes]:
        """Start the response and give its body, none for HEAD. Own headers win over `extra`."""
        headers = {
            **extra,
            **self.headers,
            "Content-Type": self.content_type,
            "Content-Length": str(self.length),
        }
        start(self.status, [(name, value) for name, value in headers.items() if value])
        return () if method == "HEAD" else _cut(self.chunks)


def text_response(status: str, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """A short answer for people and probes."""
    return whole_response(status, TEXT_TYPE, f"{text}\n".encode(), headers)


def whole_response(
    status: str, content_type: str, body: bytes, headers: Mapping[str, str] | None = None
) -> Response:
    """An answer whose body is at hand."""
    return Response(
        status=status,
        content_type=content_type,
        length=len(body),
        chunks=(body,),
        headers=headers or {},
    )


def _cut(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), _WRITE_BYTES):
            yield chunk[start : start + _WRITE_BYTES]
