"""One line of a watch as an event. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import orjson

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.kubernetes.metadata import read_version
from gpuatlas.sources.kubernetes.shape import fields

ADDED: Final = "ADDED"
MODIFIED: Final = "MODIFIED"
DELETED: Final = "DELETED"
BOOKMARK: Final = "BOOKMARK"
ERROR: Final = "ERROR"
_TYPES: Final = frozenset({ADDED, MODIFIED, DELETED, BOOKMARK, ERROR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A change. `raw` is the object (of a BOOKMARK, only its version; of an ERROR, a Status).

    `version` is where a watch may be resumed after this event, "" where the event does not say.
    """

    type: str
    raw: object
    version: str


def read_event(line: bytes) -> Event:
    """The event in a line.

    Raises:
        MalformedError: "not-json" or "unknown-event".
    """
    try:
        decoded = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        message = f"a line of a watch is not JSON ({error})"
        raise MalformedError("not-json", message) from None
    kind, raw = fields(decoded).get("type"), fields(decoded).get("object")
    if not isinstance(kind, str) or kind not in _TYPES:
        raise MalformedError("unknown-event", "a watch event of an unknown type")
    return Event(type=kind, raw=raw, version=read_version(raw))
