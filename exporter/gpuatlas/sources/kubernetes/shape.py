"""Tolerant views of decoded JSON: a value of another type than expected counts as absent.

Objects come from the API server, but also from files that people write, and custom controllers put
unexpected nulls where lists belong. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final

EMPTY: Final[Mapping[str, str]] = MappingProxyType({})
_NO_FIELDS: Final[Mapping[str, object]] = MappingProxyType({})
_NO_ITEMS: Final[Sequence[object]] = ()


def fields(value: object) -> Mapping[str, object]:
    """A JSON object, or an empty one."""
    return value if isinstance(value, dict) else _NO_FIELDS


def items(value: object) -> Sequence[object]:
    """A JSON array, or an empty one."""
    return value if isinstance(value, list) else _NO_ITEMS


def text(value: object) -> str:
    """A JSON string, or an empty one."""
    return value if isinstance(value, str) else ""


def texts(pairs: Iterable[tuple[object, object]]) -> Iterator[tuple[str, str]]:
    """The pairs of which both parts are strings."""
    return ((k, v) for k, v in pairs if isinstance(k, str) and isinstance(v, str))


@lru_cache(maxsize=1 << 16)
def shared(value: str) -> str:
    """One object for equal strings, so that 40,000 pods do not hold 40,000 copies of an image name.

    Not `sys.intern`: Python 3.12 keeps interned strings for ever, and pod names never end.
    """
    return value
