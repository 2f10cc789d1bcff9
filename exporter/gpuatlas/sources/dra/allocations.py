"""What a ResourceClaim was given, and who may use it. Pure.

Devices of drivers that publish no cards are left out: one claim can hold a network card, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from gpuatlas.model.claims import AllocatedDevice, ClaimRequest, Consumer
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import clean_text
from gpuatlas.sources.dra.attributes import (
    BAD_TEXT,
    MAX_NAME,
    find,
    read_bytes,
    read_cores,
    read_name,
)
from gpuatlas.sources.dra.drivers import DRIVERS, Driver, Names
from gpuatlas.sources.dra.records import MAX_RESULTS, read_records
from gpuatlas.sources.dra.sharing import strategies
from gpuatlas.sources.hami.refusals import Refusals
from gpuatlas.sources.kubernetes.shape import fields, shared, text

CONSUMER_FIELDS: Final = ("resource", "name", "uid")
_MAX_SHARE_ID: Final = 64


def read_results(
    devices: Mapping[str, object], requests: tuple[ClaimRequest, ...], refusals: Refusals
) -> tuple[AllocatedDevice, ...]:
    """The cards among the results of `status.allocation.devices`."""
    sharing_of = strategies(devices.get("config"))
    # The result repeats its request's adminAccess, unless the feature is switched off in between.
    admins = frozenset(request.name for request in requests if request.admin)

    def read(raw: Mapping[str, object]) -> AllocatedDevice | None:
        driver = DRIVERS.get(read_name(raw.get("driver"), "the driver of a result"))
        if driver is None:
            return None
        return _read_result(raw, driver, admins, sharing_of, refusals)

    found = read_records(devices.get("results"), MAX_RESULTS, "results", read, refusals)
    return tuple(result for result in found if result is not None)


def _read_result(
    raw: Mapping[str, object],
    driver: Driver,
    admins: frozenset[str],
    sharing_of: Callable[[Driver, str, str], str],
    refusals: Refusals,
) -> AllocatedDevice:
    request = read_name(raw.get("request"), "the request of a result")
    device = shared(read_name(raw.get("device"), f"the device of request {request}"))
    consumed = fields(raw.get("consumedCapacity"))

    def amount(names: Names, read: Callable[[object, str], int | None]) -> int | None:
        try:
            return read(find(consumed, names, driver.name), f"consumed {'/'.join(names)}")
        except MalformedError as error:
            refusals.add_error(error, field=f"result {device}")
            return None

    return AllocatedDevice(
        request=shared(request),
        driver=driver.name,
        pool=shared(read_name(raw.get("pool"), f"the pool of request {request}")),
        device=device,
        admin=raw.get("adminAccess") is True or request in admins,
        share_id=clean_text(text(raw.get("shareID")), limit=_MAX_SHARE_ID),
        memory_bytes=amount(driver.memory, read_bytes),
        cores=amount(driver.cores, read_cores),
        sharing=sharing_of(driver, request, device),
        vendor=driver.vendor,
    )


def read_consumer(raw: Mapping[str, object]) -> Consumer:
    """One entry of `status.reservedFor`. Raises bad-text where it names nobody."""
    resource, name, uid = (clean_text(text(raw.get(f)), limit=MAX_NAME) for f in CONSUMER_FIELDS)
    if not resource or not (name or uid):
        raise MalformedError(BAD_TEXT, "a consumer without resource, or without name and uid")
    return Consumer(shared(resource), name, uid)
