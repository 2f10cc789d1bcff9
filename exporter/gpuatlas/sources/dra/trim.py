"""A raw ResourceSlice or ResourceClaim with exactly the fields that `project` reads.

For `gpuatlas capture`: no selectors, no labels, none of a driver's private configuration but the
strategy. For every object `x`, `project(trim(x)) == project(x)`, wrong types included. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from itertools import islice
from typing import Final

from gpuatlas.sources.dra.allocations import CONSUMER_FIELDS
from gpuatlas.sources.dra.attributes import FORMS, LIST_FORMS, spellings
from gpuatlas.sources.dra.devices import TAINT_FIELDS, body_of
from gpuatlas.sources.dra.drivers import DRIVERS, Driver, Names
from gpuatlas.sources.dra.project import EXTENDED_RESOURCE
from gpuatlas.sources.dra.records import (
    MAX_ALTERNATIVES,
    MAX_CONFIGS,
    MAX_CONSUMERS,
    MAX_DEVICES,
    MAX_REQUESTS,
    MAX_RESULTS,
    MAX_TAINTS,
)
from gpuatlas.sources.kubernetes.shape import fields, items, text
from gpuatlas.sources.kubernetes.trim import trim_metadata

_REQUEST_FIELDS: Final = ("name", "deviceClassName", "allocationMode", "count", "adminAccess")
_RESULT_FIELDS: Final = ("request", "driver", "pool", "device", "adminAccess", "shareID")


def trim_slice(raw: object) -> dict[str, object]:
    """The fields of a ResourceSlice that `project_slice` reads."""
    spec = fields(fields(raw).get("spec"))
    pool = fields(spec.get("pool"))
    driver = DRIVERS.get(text(spec.get("driver")))
    devices = items(spec.get("devices"))
    trimmed = {
        **_kept(spec, ("driver", "nodeName")),
        **_filled(
            pool=_kept(pool, ("name", "generation", "resourceSliceCount")),
            devices=_list(devices, MAX_DEVICES, partial(_device, driver)) if driver else [],
        ),
    }
    return {**trim_metadata(raw), **_filled(spec=trimmed)}


def _device(driver: Driver, raw: Mapping[str, object]) -> dict[str, object]:
    body = body_of(raw)
    taints = items(body.get("taints"))[:MAX_TAINTS]
    trimmed = {
        **_kept(body, ("nodeName", "allowMultipleAllocations")),
        **_filled(
            attributes=_chosen(body.get("attributes"), driver, driver.attributes, _attribute),
            capacity=_chosen(body.get("capacity"), driver, driver.capacities, _capacity),
            taints=_list(taints, MAX_TAINTS, partial(_texts, TAINT_FIELDS)),
        ),
    }
    name = _kept(raw, ("name",))
    return {**name, **trimmed} if body is raw else {**name, "basic": trimmed}


def _chosen(
    value: object, driver: Driver, names: Names, trim: Callable[[object], object]
) -> dict[str, object]:
    held = fields(value)
    keys = dict.fromkeys(key for name in names for key in spellings(name, driver.name))
    return {key: trim(held[key]) for key in keys if held.get(key) is not None}


def _attribute(raw: object) -> dict[str, object]:
    attribute = fields(raw)
    trimmed = _kept(attribute, FORMS)
    for form in LIST_FORMS:
        if isinstance(attribute.get(form), list):
            trimmed[form] = [_scalar(value) for value in items(attribute[form])[:2]]
    return trimmed


def _capacity(raw: object) -> dict[str, object]:
    return _kept(fields(raw), ("value",))


def trim_claim(raw: object) -> dict[str, object]:
    """The fields of a ResourceClaim that `project_claim` reads."""
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    allocated = fields(fields(status.get("allocation")).get("devices"))
    requests = _list(items(fields(spec.get("devices")).get("requests")), MAX_REQUESTS, _request)
    devices = _filled(
        results=_list(items(allocated.get("results")), MAX_RESULTS, _result),
        config=_list(items(allocated.get("config"))[:MAX_CONFIGS], MAX_CONFIGS, _config),
    )
    consumers = items(status.get("reservedFor"))
    return _filled(
        metadata=_claim_metadata(raw),
        spec=_filled(devices=_filled(requests=requests)),
        status=_filled(
            allocation=_filled(devices=devices),
            reservedFor=_list(consumers, MAX_CONSUMERS, partial(_texts, CONSUMER_FIELDS)),
        ),
    )


def _claim_metadata(raw: object) -> dict[str, object]:
    trimmed = dict(fields(trim_metadata(raw).get("metadata")))
    annotations = fields(fields(fields(raw).get("metadata")).get("annotations"))
    if annotations.get(EXTENDED_RESOURCE) == "true":
        trimmed["annotations"] = {EXTENDED_RESOURCE: "true"}
    return trimmed


def _request(raw: Mapping[str, object]) -> dict[str, object]:
    trimmed = _kept(raw, _REQUEST_FIELDS)
    if isinstance(raw.get("exactly"), dict):
        trimmed["exactly"] = _kept(fields(raw["exactly"]), _REQUEST_FIELDS)
    if raw.get("firstAvailable"):
        every = items(raw["firstAvailable"])
        alternatives = _list(every, MAX_ALTERNATIVES, partial(_kept, names=_REQUEST_FIELDS))
        # Something must be left of a value that is no list: it is not a plain request.
        trimmed["firstAvailable"] = alternatives or True
    return trimmed


def _result(raw: Mapping[str, object]) -> dict[str, object]:
    trimmed = _kept(raw, _RESULT_FIELDS)
    driver = DRIVERS.get(text(raw.get("driver")))
    if driver is not None:
        names = (*driver.memory, *driver.cores)
        consumed = _chosen(raw.get("consumedCapacity"), driver, names, _scalar)
        trimmed |= _filled(consumedCapacity=consumed)
    return trimmed


def _config(raw: Mapping[str, object]) -> dict[str, object]:
    opaque = fields(raw.get("opaque"))
    parameters = fields(opaque.get("parameters"))
    strategy = text(fields(parameters.get("sharing")).get("strategy"))
    return _filled(
        source=_scalar(raw.get("source")),
        requests=[text(name) for name in items(raw.get("requests"))[:MAX_REQUESTS]],
        opaque=_filled(
            driver=text(opaque.get("driver")),
            parameters=_filled(
                kind=text(parameters.get("kind")), sharing=_filled(strategy=strategy)
            ),
        ),
    )


def _texts(names: Names, raw: Mapping[str, object]) -> dict[str, object]:
    return _filled(**{name: text(raw.get(name)) for name in names})


def _list(
    whole: Sequence[object], most: int, trim: Callable[[Mapping[str, object]], dict[str, object]]
) -> list[dict[str, object]]:
    """The list with its first entries trimmed and the rest empty: its length is read, too."""
    return [*(trim(fields(item)) for item in islice(whole, most)), *({} for _ in whole[most:])]


def _kept(holder: Mapping[str, object], names: Names) -> dict[str, object]:
    return {name: _scalar(holder[name]) for name in names if holder.get(name) is not None}


def _filled(**named: object) -> dict[str, object]:
    """The entries that say something: only for fields that read alike when empty and absent."""
    return {name: value for name, value in named.items() if value}


def _scalar(value: object) -> object:
    """The value itself, or an empty container of its type: what it holds is not looked at."""
    if value is None or isinstance(value, str | int | float | date):
        return value
    return type(value)() if isinstance(value, list | dict) else None
