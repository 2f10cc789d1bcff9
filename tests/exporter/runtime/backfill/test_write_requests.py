"""The bytes of a request are those of Prometheus' `prompb.WriteRequest`, framed as snappy."""

from __future__ import annotations

import struct

import pytest

from gpuatlas.runtime.backfill.write_request import (
    encoded_label,
    encoded_samples,
    encoded_series,
    encoded_stamp,
    request_body,
    stale_sample,
    varint,
)

STAMP = b"\x10\xe8\x8e\xd6\xb9\xad\x33"  # 1,764,547,200.872 s


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, b"\x00"),
        (127, b"\x7f"),
        (128, b"\x80\x01"),
        (300, b"\xac\x02"),
        (2**35, b"\x80" * 5 + b"\x01"),
    ],
)
def test_varints(number: int, written: bytes) -> None:
    assert varint(number) == written


def test_a_request_with_one_series() -> None:
    labels = encoded_label("__name__", "up")
    assert labels == b"\x0a\x0e\x0a\x08__name__\x12\x02up"
    stamp = encoded_stamp(1_764_547_200.872)
    assert stamp == STAMP
    sample = b"\x12\x10\x09" + struct.pack("<d", 1.5) + STAMP
    assert encoded_samples([1.5], [stamp]) == sample
    series = encoded_series(labels, sample)
    assert series == b"\x0a\x22" + labels + sample
    # 36 bytes: their number, then a literal of so many less one.
    assert request_body([series]) == b"\x24\xfc\x23\x00\x00\x00" + series
    assert request_body([series] * 8)[:7] == b"\xa0\x02\xfc\x1f\x01\x00\x00"


def test_the_mark_of_an_end() -> None:
    """`value.StaleNaN` of Prometheus: 0x7ff0000000000002."""
    assert stale_sample(STAMP) == b"\x12\x10\x09\x02\x00\x00\x00\x00\x00\xf0\x7f" + STAMP
