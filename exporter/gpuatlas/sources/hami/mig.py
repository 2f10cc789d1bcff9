"""Reads `hami.io/vgpu-mig-allocations`: which MIG instance a promise became (HAMi v2.10).

facts/hami.md 3.4. The annotation only adds an identity to promises that stand elsewhere: whatever
is wrong with it costs that identity and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.hami import fields
from gpuatlas.sources.hami.refusals import Refusals
from gpuatlas.sources.hami.register import Raw, json_list, load_json

MAX_INSTANCES: Final = 128
MAX_INDEX: Final = 1024

# (position of the container's segment, position of the device in it, card) → instance
Instances = Mapping[tuple[int, int, str], str]


def read_instances(annotations: Mapping[str, str], source: str, refusals: Refusals) -> Instances:
    """The instance of each promised device: `gi-<n>` as dcgm-exporter has it, else its MIG UUID.

    `source` is the annotation's key; {} where the pod or the device family has none.

    An allocation that the device plugin has not made yet has no identity and is left out.
    """
    text = annotations.get(source)
    if not text:
        return {}
    field = f"annotation {source}"
    try:
        records = _records(text)
    except MalformedError as error:
        refusals.add_error(error, field=field)
        return {}
    instances: dict[tuple[int, int, str], str] = {}
    for position, record in enumerate(records):
        try:
            key, instance = _instance(record)
        except MalformedError as error:
            refusals.add_error(error, field=f"{field} record {position}")
            continue
        if instance:
            instances.setdefault(key, instance)
    return instances


def _records(text: str) -> list[Raw]:
    if len(text) > fields.MAX_ANNOTATION:
        raise MalformedError(fields.TOO_LARGE, f"the annotation has {len(text)} characters")
    records = json_list(load_json(text))
    if len(records) > MAX_INSTANCES:
        raise MalformedError(fields.TOO_LARGE, f"the annotation lists {len(records)} instances")
    return records


def _instance(record: Raw) -> tuple[tuple[int, int, str], str]:
    if isinstance(record, MalformedError):
        raise record
    key = (
        fields.number(record.get("containerIndex"), name="containerIndex", most=MAX_INDEX),
        fields.number(record.get("deviceIndex"), name="deviceIndex", most=MAX_INDEX),
        fields.card_id(record.get("gpuUUID")),
    )
    uuid = fields.card_id(record["migUUID"]) if record.get("migUUID") else ""
    if record.get("gpuInstanceID") is None:
        return key, uuid
    number = fields.number(record["gpuInstanceID"], name="gpuInstanceID", most=MAX_INDEX)
    return key, f"gi-{number}"
