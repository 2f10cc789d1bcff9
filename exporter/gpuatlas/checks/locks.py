"""The locks by which layers bind one pod at a time to a node (facts/hami.md 2.5). Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final, NamedTuple

from gpuatlas.model.objects import Node

LOCKS: Final = ("hami.io/mutex.lock", "volcano.sh/mutex.lock", "cambricon.com/dsmlu.lock")
# Volcano's older plugins write Unix nanoseconds: 19 digits until the year 2286.
_NANOSECONDS: Final = re.compile(r"[0-9]{19}", re.ASCII)
_RFC3339: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})", re.ASCII
)
_OWNED_FIELDS: Final = 3


class NodeLock(NamedTuple):
    """One lock. `at` is Unix seconds, None where the text tells none; `owner` "namespace/pod"."""

    key: str
    text: str
    at: float | None
    owner: str


def node_locks(node: Node) -> tuple[NodeLock, ...]:
    """The node's locks, the oldest first; those without a readable time are last."""
    found = [_read(key, node.annotations[key]) for key in LOCKS if node.annotations.get(key)]
    return tuple(sorted(found, key=lambda lock: (lock.at is None, lock.at or 0.0)))


def _read(key: str, text: str) -> NodeLock:
    """`<time>`, or `<time>,<namespace>,<pod>` from HAMi v2.7 on."""
    parts = text.split(",")
    owned = len(parts) == _OWNED_FIELDS and all(parts[1:])
    return NodeLock(key, text, _instant(parts[0]), "/".join(parts[1:]) if owned else "")


def _instant(text: str) -> float | None:
    if _NANOSECONDS.fullmatch(text):
        return int(text) / 1e9
    if not _RFC3339.fullmatch(text):
        return None
    try:
        at = (datetime.fromisoformat(text).astimezone(UTC)).timestamp()
    except (ValueError, OverflowError):  # 31 February, a zone of 99 hours
        return None
    return at if at >= 0 else None
