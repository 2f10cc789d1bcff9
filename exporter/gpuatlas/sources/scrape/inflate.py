"""The body of an HTTP answer, inflated while it arrives and never beyond a limit. Pure."""

from __future__ import annotations

import zlib
from typing import Final

from gpuatlas.sources.errors import BadAnswerError, TooLargeError

_GZIP: Final = 31  # window bits of zlib that mean "gzip with the largest window"


class Body:
    """Collects chunks.

    Args:
        address: whose answer it is, for messages.
        encoding: the header Content-Encoding.
        limit: the most bytes to take, before and after decompression.

    Raises:
        BadAnswerError: an encoding that was not asked for, or damaged data.
        TooLargeError: more than `limit` bytes.
    """

    def __init__(self, *, address: str, encoding: str, limit: int) -> None:
        self._address = address
        name = encoding.strip().lower()
        if name not in {"", "identity", "gzip", "x-gzip"}:
            message = f"{address} answers in the encoding {name[:32]!r}; asked for was gzip"
            raise BadAnswerError(message)
        self._gzip = zlib.decompressobj(_GZIP) if name.endswith("gzip") else None
        self._limit = limit
        self._received = 0
        self._content = bytearray()

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return len(self._content) >= self._limit

    def add(self, chunk: bytes, *, cut: bool = False) -> None:
        """Take the next bytes of the wire; with `cut` what is over the limit is dropped quietly."""
        self._received += len(chunk)
        self._content += chunk if self._gzip is None else self._inflated(self._gzip, chunk)
        if cut:
            del self._content[self._limit :]
        # Received bytes count too: empty gzip members are bytes that never become content.
        elif max(self._received, len(self._content)) > self._limit:
            message = f"the answer of {self._address} is larger than {self._limit} bytes"
            raise TooLargeError(message)

    def _inflated(self, gzip: zlib._Decompress, data: bytes) -> bytes:
        content = bytearray()
        room = self._limit + 1 - len(self._content)
        while data and len(content) < room:
            if gzip.eof:
                gzip = zlib.decompressobj(_GZIP)
            try:
                content += gzip.decompress(data, room - len(content))
            except zlib.error as error:
                message = f"the answer of {self._address} is damaged gzip: {error}"
                raise BadAnswerError(message) from error
            data = gzip.unused_data if gzip.eof else gzip.unconsumed_tail
        self._gzip = gzip
        return bytes(content)

    def content(self) -> bytes:
        """The whole body."""
        if self._gzip is not None and self._received and not self._gzip.eof:
            message = f"the answer of {self._address} is gzip that ends too early"
            raise BadAnswerError(message)
        return bytes(self._content)

    def start(self) -> bytes:
        """As much of the body as there is."""
        return bytes(self._content)
