"""What an inference server says of its own work: the service signals of DESIGN 8.

One reading is one pod's page at one instant. Counters are as the server counts (they start over
with it); None where it has no such metric.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuatlas.model.rejections import Rejection


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceReading:
    """One server of one pod. `runtime` is a word of `sources.runtimes.table`.

    `waiting` and `running` are requests (or sequences) now. `tokens_total` and `requests_total`
    count what was done; `busy_seconds_total` is time spent on requests (all requests added up) and
    `first_token_seconds_total` with `first_tokens_total` the time to the first token, as histograms
    have sum and count. `cache_used` is the share of the key-value cache in use, `cache_pool_bytes`
    its size on each card where the server tells it, `cache_tokens` its size in tokens.
    """

    namespace: str
    pod: str
    runtime: str
    at: float
    model: str = ""
    waiting: float | None = None
    running: float | None = None
    tokens_total: float | None = None
    requests_total: float | None = None
    busy_seconds_total: float | None = None
    first_token_seconds_total: float | None = None
    first_tokens_total: float | None = None
    cache_used: float | None = None
    cache_pool_bytes: int | None = None
    cache_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicePage:
    """One target's answer; `target` names it in messages."""

    target: str
    readings: tuple[ServiceReading, ...]
    rejections: tuple[Rejection, ...] = ()
