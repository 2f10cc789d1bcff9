"""What a ResourceClaim asks for. Pure.

v1 and v1beta2 hold a request's fields under `exactly` or `firstAvailable`, v1beta1 beside its name
(facts/k8s.md 1.11).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpuatlas.model.claims import ClaimRequest
from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.dra.attributes import OUT_OF_RANGE, is_int, quoted, read_name
from gpuatlas.sources.dra.records import MAX_ALTERNATIVES, MAX_REQUESTS, read_records
from gpuatlas.sources.hami.refusals import Refusals
from gpuatlas.sources.kubernetes.shape import fields, shared, text

ALL: Final = "All"
# A pool has at most 128 devices a slice; more than this many for one claim was not meant.
_MAX_COUNT: Final = 4096


def read_requests(value: object, refusals: Refusals) -> tuple[ClaimRequest, ...]:
    """The requests in order, each alternative as one of its own."""

    def read(raw: Mapping[str, object]) -> tuple[ClaimRequest, ...]:
        return tuple(_read_request(raw, refusals))

    found = read_records(value, MAX_REQUESTS, "requests", read, refusals)
    return tuple(request for alternatives in found for request in alternatives)


def _read_request(raw: Mapping[str, object], refusals: Refusals) -> Iterator[ClaimRequest]:
    name = shared(read_name(raw.get("name"), "a request's name"))
    if not raw.get("firstAvailable"):
        exact = raw.get("exactly")
        yield _read_exact(name, fields(exact) if isinstance(exact, dict) else raw)
        return

    def read(alternative: Mapping[str, object]) -> ClaimRequest:
        part = read_name(alternative.get("name"), f"an alternative of request {name}")
        return _read_exact(shared(f"{name}/{part}"), alternative)

    yield from read_records(
        raw["firstAvailable"], MAX_ALTERNATIVES, f"request {name}", read, refusals
    )


def _read_exact(name: str, raw: Mapping[str, object]) -> ClaimRequest:
    device_class = read_name(raw.get("deviceClassName"), f"the device class of request {name}")
    return ClaimRequest(
        name=name,
        device_class=shared(device_class),
        count=None if text(raw.get("allocationMode")) == ALL else _count(raw.get("count"), name),
        admin=raw.get("adminAccess") is True,
    )


def _count(value: object, name: str) -> int:
    """The number asked for; the API's default is 1."""
    if value is None:
        return 1
    if not is_int(value) or not 0 < value <= _MAX_COUNT:
        message = f"request {name} asks for {quoted(value)} devices, expected 1 to {_MAX_COUNT}"
        raise MalformedError(OUT_OF_RANGE, message)
    return value
