"""How endpoints are read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrapeSettings:
    """Bounds of a round. Times are seconds."""

    workers: int = 32
    """Endpoints read at once. More would only wait for each other: parsing is single-threaded."""

    timeout: float = 10.0
    """The most that one endpoint may take, from connecting to the last byte."""

    round_timeout: float = 20.0
    """The most that a round may take. Only reached when more endpoints hang than there are workers;
    endpoints that failed in the round before wait at the end of the queue, so those that answer are
    read all the same."""

    limit_bytes: int = 32 * 1024 * 1024
    """The largest page, decompressed. dcgm-exporter writes about 1 KiB for a card and metric."""

    page_max_age: float = 90.0
    """How long the last good page of an endpoint stands in for one that cannot be read: three
    rounds of 30 s. After that its numbers are unknown rather than old."""
