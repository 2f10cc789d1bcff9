"""From a raw ResourceSlice or ResourceClaim to the model's value, or None when it is of no use.

Pure. The only error is `MalformedError`, for an object that cannot be identified; a bad record in
an object costs that record and is in the value's `rejections`. The shape tells the API version, as
items of a list carry none. `trim` must keep every field that is read here and below.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.model.claims import Claim, DraDevice, ResourceSlice
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import clean_text
from gpuatlas.sources.dra.allocations import read_consumer, read_results
from gpuatlas.sources.dra.attributes import is_int, quoted, read_name
from gpuatlas.sources.dra.devices import Origin, read_device
from gpuatlas.sources.dra.drivers import DRIVERS
from gpuatlas.sources.dra.records import MAX_CONSUMERS, MAX_DEVICES, read_records
from gpuatlas.sources.dra.requests import read_requests
from gpuatlas.sources.hami.refusals import Refusals
from gpuatlas.sources.kubernetes.metadata import read_metadata
from gpuatlas.sources.kubernetes.shape import fields, items, shared, text

SOURCE: Final = "dra"
BAD_POOL: Final = "bad-pool"
_MAX_GENERATION: Final = 2**63 - 1
_MAX_SLICES: Final = 100_000

EXTENDED_RESOURCE: Final = "resource.kubernetes.io/extended-resource-claim"


def project_slice(raw: object) -> ResourceSlice | None:
    """A slice of a driver that publishes cards; None for all others.

    Raises:
        MalformedError: the slice, its driver or its pool cannot be identified.
    """
    metadata = read_metadata(raw)
    spec = fields(fields(raw).get("spec"))
    driver = DRIVERS.get(read_name(spec.get("driver"), "spec.driver"))
    if driver is None:
        return None
    pool = fields(spec.get("pool"))
    name = read_name(pool.get("name"), "spec.pool.name")
    origin = Origin(driver, shared(name), shared(text(spec.get("nodeName"))))
    refusals = Refusals(SOURCE, clean_text(f"resourceslice {metadata.name}"))
    return ResourceSlice(
        uid=metadata.uid,
        name=metadata.name,
        driver=driver.name,
        pool=origin.pool,
        generation=_number(pool, "generation", 0, _MAX_GENERATION),
        slice_count=_number(pool, "resourceSliceCount", 1, _MAX_SLICES),
        devices=_devices(spec.get("devices"), origin, refusals),
        rejections=refusals.result(),
    )


def _devices(value: object, origin: Origin, refusals: Refusals) -> tuple[DraDevice, ...]:
    def read(raw: Mapping[str, object]) -> DraDevice:
        return read_device(raw, origin, refusals)

    return tuple(read_records(value, MAX_DEVICES, "devices", read, refusals))


def _number(pool: Mapping[str, object], name: str, least: int, most: int) -> int:
    value = pool.get(name)
    if not is_int(value) or not least <= value <= most:
        message = f"spec.pool.{name} is {quoted(value)}, expected {least} to {most}"
        raise MalformedError(BAD_POOL, message)
    return value


def project_claim(raw: object) -> Claim | None:
    """A claim that asks for devices or holds cards; None for claims on other devices.

    Raises:
        MalformedError: the claim cannot be identified.
    """
    metadata = read_metadata(raw)
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    where = clean_text(f"resourceclaim {metadata.namespace}/{metadata.name}")
    refusals = Refusals(SOURCE, where)
    devices = fields(fields(status.get("allocation")).get("devices"))
    requests = read_requests(fields(spec.get("devices")).get("requests"), refusals)
    results = read_results(devices, requests, refusals)
    asked_and_not_given = requests and not items(devices.get("results"))
    if not (results or asked_and_not_given or refusals.result()):
        return None
    reserved = status.get("reservedFor")
    consumers = tuple(read_records(reserved, MAX_CONSUMERS, "reservedFor", read_consumer, refusals))
    return Claim(
        uid=metadata.uid,
        namespace=metadata.namespace,
        name=metadata.name,
        requests=requests,
        results=results,
        reserved_for=consumers,
        extended_resource=fields(metadata.annotations).get(EXTENDED_RESOURCE) == "true",
        rejections=refusals.result(),
    )
