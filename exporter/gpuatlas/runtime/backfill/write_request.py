"""The bytes of a remote-write request of Prometheus (version 0.1.0). Pure: sends nothing.

The protobuf message is `WriteRequest{TimeSeries{Label…, Sample…}…}`; its few fields are written by
hand, because parts that come again (labels, times) are made once and put together as bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Final

HEADERS: Final = {
    "Content-Encoding": "snappy",
    "Content-Type": "application/x-protobuf",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}
"""Of the HTTP request that has `request_body` as its body."""

# The bits of Prometheus' staleness marker (its model/value package): a NaN that no query returns.
_STALE: Final = struct.pack("<Q", 0x7FF0000000000002)
# One Sample in a TimeSeries: field 2, 16 bytes; value: field 1, double; timestamp: field 2, varint.
# A varint of milliseconds has six bytes from 2004 to 2109.
_SAMPLE_HEAD: Final = b"\x12\x10\x09"
_STAMP_HEAD: Final = b"\x10"
_SAMPLE: Final = struct.Struct("<3sd7s")
_TIMESERIES: Final = 1  # of a WriteRequest
# A literal of snappy whose length follows in four bytes. One literal is a valid stream: nothing is
# compressed between two programs of one machine.
_LITERAL: Final = b"\xfc"


def encoded_label(name: str, value: str) -> bytes:
    """One label of a TimeSeries; a series has them in the order of their names."""
    return _field(1, _field(1, name.encode()) + _field(2, value.encode(errors="replace")))


def encoded_stamp(instant: float) -> bytes:
    """The time of a sample, from Unix seconds."""
    return _STAMP_HEAD + varint(round(instant * 1000))


def encoded_sample(value: float, stamp: bytes) -> bytes:
    """One sample of a TimeSeries."""
    return _SAMPLE.pack(_SAMPLE_HEAD, value, stamp)


def encoded_samples(values: Iterable[float], stamps: Iterable[bytes]) -> bytes:
    """A sample for each value."""
    return b"".join(map(_SAMPLE.pack, repeat(_SAMPLE_HEAD), values, stamps))


def stale_sample(stamp: bytes) -> bytes:
    """The mark that the series has ended."""
    return _SAMPLE_HEAD + _STALE + stamp


def encoded_series(labels: bytes, samples: bytes) -> bytes:
    """A series: its encoded labels, then its encoded samples in the order of time."""
    return _field(_TIMESERIES, labels + samples)


def request_body(series: Sequence[bytes]) -> bytes:
    """The body of a request with these encoded series, at least one."""
    content = b"".join(series)
    return varint(len(content)) + _LITERAL + struct.pack("<I", len(content) - 1) + content


def varint(number: int) -> bytes:
    """A number as protobuf and snappy write it."""
    parts = bytearray()
    while number >= 0x80:  # noqa: PLR2004 - seven bits a byte
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _field(number: int, content: bytes) -> bytes:
    """A length-delimited field of a protobuf message."""
    return bytes((number << 3 | 2,)) + varint(len(content)) + content
