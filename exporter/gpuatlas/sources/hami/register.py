"""Reads the register annotations of nodes: which cards a layer found, and what it hands out.

The encodings (facts/hami.md 2.1 to 2.3, facts/errata.md):
  colon text  `UUID,count,MiB,cores,type,numa,health[,index[,mode]]:` HAMi up to v2.7
  JSON list   the same by name, zero values left out; HAMi v2.8+, Ascend and others always
  Volcano     `UUID,count,memory,type,health[,mode]:`
  MetaX, Enflame  the JSON of the vendor's own plugin

Memory is what the layer hands out (after its scaling), never what the card has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import orjson

from gpuatlas.model.devices import RegisteredDevice
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import MAX_CARDS_PER_NODE
from gpuatlas.sources.hami import fields
from gpuatlas.sources.hami.families import Encoding, Family
from gpuatlas.sources.hami.refusals import Refusals, quote

# One raw record: field name as in HAMi's JSON → value, or why the record has no fields.
Raw = Mapping[str, object] | MalformedError

_HAMI_7: Final = ("id", "count", "devmem", "devcore", "type", "numa", "health")
# v2.5 pre-releases wrote 8 fields (facts/errata.md).
_HAMI_FORMS: Final = (_HAMI_7, (*_HAMI_7, "index"), (*_HAMI_7, "index", "mode"))
_VOLCANO_5: Final = ("id", "count", "devmem", "type", "health")
_VOLCANO_FORMS: Final = (_VOLCANO_5, (*_VOLCANO_5, "mode"))
_METAX: Final = {
    "uuid": "id",
    "totalDevCount": "count",
    "totalVRam": "devmem",
    "totalCompute": "devcore",
    "model": "type",
    "numa": "numa",
    "healthy": "health",
}


def read_devices(
    text: str, family: Family, *, node: str, refusals: Refusals, field: str
) -> tuple[RegisteredDevice, ...] | None:
    """The cards that one register annotation lists.

    Bad records go to `refusals`, as do later records of a card that is there already. None when the
    text as a whole, or every record in it, is unreadable: nothing is known then, which is not the
    same as an empty list.
    """
    try:
        records = _records(text, family, node)
    except MalformedError as error:
        refusals.add_error(error, field=field)
        return None
    devices: dict[str, RegisteredDevice] = {}
    for position, record in enumerate(records):
        try:
            device = _device(record, family, position)
        except MalformedError as error:
            refusals.add_error(error, field=f"{field} record {position}")
            continue
        if devices.setdefault(device.card, device) is not device:
            message = f"{quote(device.card)} is listed twice; the first record counts"
            refusals.add(fields.DUPLICATE, message, field=f"{field} record {position}")
    return tuple(devices.values()) if devices or not records else None


def _records(text: str, family: Family, node: str) -> list[Raw]:
    if len(text) > fields.MAX_ANNOTATION:
        raise MalformedError(fields.TOO_LARGE, f"the annotation has {len(text)} characters")
    if not text.strip():
        raise MalformedError(fields.EMPTY, "the annotation is empty")
    records = _READERS[family.encoding](text, node)
    if len(records) > MAX_CARDS_PER_NODE:
        raise MalformedError(fields.TOO_LARGE, f"the annotation lists {len(records)} cards")
    return records


def _device(record: Raw, family: Family, position: int) -> RegisteredDevice:
    if isinstance(record, MalformedError):
        raise record
    return RegisteredDevice(
        card=fields.card_id(record.get("id")),
        # Text without an index lists the cards in the driver's order.
        index=fields.index(record.get("index", position)),
        slots=fields.slots(record.get("count", 0)),
        memory_bytes=fields.memory(record.get("devmem", 0), unit=family.memory_unit),
        cores=family.fixed_cores or fields.cores(record.get("devcore", 0)),
        model=fields.word(record.get("type"), name="type").removeprefix(family.model_prefix),
        healthy=fields.flag(record.get("health"), name="health"),
        mode=fields.word(record.get("mode"), name="mode"),
        numa=fields.numa_node(record.get("numa", 0)),
    )


def _text_records(text: str, forms: Iterable[tuple[str, ...]]) -> list[Raw]:
    by_length = {len(form): form for form in forms}
    return [_text_record(part, by_length) for part in text.split(":") if part.strip()]


def _text_record(part: str, forms: Mapping[int, tuple[str, ...]]) -> Raw:
    values = part.strip().split(",")
    names = forms.get(len(values))
    if names is None:
        expected = ", ".join(str(length) for length in forms)
        message = f"{quote(part)} has {len(values)} fields, expected {expected}"
        return MalformedError(fields.WRONG_FIELD_COUNT, message)
    return dict(zip(names, values, strict=True))


def load_json(text: str) -> object:
    """The JSON document in `text`. Raises not-json."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise MalformedError(fields.NOT_JSON, f"{quote(text)} is not JSON: {error}") from error


def json_list(document: object) -> list[Raw]:
    """The objects of a JSON list; `null` is Go's empty list. Raises wrong-shape."""
    if document is None:
        return []
    if not isinstance(document, list):
        message = f"expected a JSON list, found a {type(document).__name__}"
        raise MalformedError(fields.WRONG_SHAPE, message)
    return [
        item
        if isinstance(item, dict)
        else MalformedError(fields.WRONG_SHAPE, f"{quote(item)} is no JSON object")
        for item in document
    ]


def _hami(text: str, _node: str) -> list[Raw]:
    start = text.lstrip()[:1]
    if start in {"[", "{"} or text.strip() == "null":
        return [_with_index(record) for record in json_list(load_json(text))]
    return _text_records(text, _HAMI_FORMS)


def _with_index(record: Raw) -> Raw:
    """JSON leaves zero values out, so a record without an index is card 0."""
    return record if isinstance(record, MalformedError) else {"index": 0, **record}


def _volcano(text: str, _node: str) -> list[Raw]:
    return _text_records(text, _VOLCANO_FORMS)


def _metax(text: str, _node: str) -> list[Raw]:
    return [
        record
        if isinstance(record, MalformedError)
        else {ours: record[theirs] for theirs, ours in _METAX.items() if theirs in record}
        for record in json_list(load_json(text))
    ]


def _enflame(text: str, node: str) -> list[Raw]:
    """DRS cards have no id: HAMi makes one up, and gives each the largest profile's memory."""
    document = load_json(text)
    if not isinstance(document, dict):
        raise MalformedError(fields.WRONG_SHAPE, "expected a JSON object with devices and profiles")
    gigabytes = _largest_profile(document.get("profiles"))
    return [
        record
        if isinstance(record, MalformedError)
        else _enflame_record(record, node, position, gigabytes)
        for position, record in enumerate(json_list(document.get("devices")))
    ]


def _enflame_record(record: Mapping[str, object], node: str, position: int, gigabytes: int) -> Raw:
    try:
        index = fields.index(record.get("index"))
    except MalformedError:
        index = position  # as HAMi does
    return {
        "id": f"{node}-enflame-drs-{index}",
        "index": index,
        "count": record.get("capacity"),
        "devmem": gigabytes * 1024,
        "devcore": 100,
        "type": "Enflame",
        "health": True,
    }


def _largest_profile(profiles: object) -> int:
    """Gigabytes of the largest profile ("4g.16gb" → 16), 0 where no name says."""
    names = profiles if isinstance(profiles, dict) else {}
    sizes = (name.lower().rpartition(".")[2].removesuffix("gb") for name in names)
    return max((int(size) for size in sizes if _is_size(size)), default=0)


def _is_size(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= fields.MAX_DIGITS


_READERS: Final[Mapping[Encoding, Callable[[str, str], list[Raw]]]] = {
    Encoding.RECORDS: _hami,
    Encoding.VOLCANO: _volcano,
    Encoding.METAX: _metax,
    Encoding.ENFLAME: _enflame,
}
