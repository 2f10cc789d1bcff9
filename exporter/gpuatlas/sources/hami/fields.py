"""Reads the fields of one annotation record. Raises `MalformedError` and nothing else.

Bounds come from gpuatlas.model.units: a number beyond them is nonsense, not a measurement.
"""

from __future__ import annotations

import re
from typing import Final

from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import (
    MAX_CARD_BYTES,
    MAX_CARDS_PER_NODE,
    MAX_COMPUTE_RATIO,
    MAX_TENANTS_PER_CARD,
)
from gpuatlas.sources.hami.refusals import quote

# The API server refuses objects whose annotations are larger than this in all.
MAX_ANNOTATION: Final = 256 * 1024
MAX_CARD_ID: Final = 128
MAX_CORES: Final = int(100 * MAX_COMPUTE_RATIO)
MAX_WORD: Final = 128
MAX_DIGITS: Final = 18

EMPTY: Final = "empty"
EMPTY_ID: Final = "empty-id"
BAD_TEXT: Final = "bad-text"
NOT_JSON: Final = "not-json"
WRONG_SHAPE: Final = "wrong-shape"
WRONG_FIELD_COUNT: Final = "wrong-field-count"
NOT_A_NUMBER: Final = "not-a-number"
OUT_OF_RANGE: Final = "out-of-range"
TOO_LARGE: Final = "too-large"
DUPLICATE: Final = "duplicate"
UNKNOWN_VENDOR: Final = "unknown-vendor"

# A card's id becomes a label value, a JSON string and a part of PromQL: printable ASCII without
# blanks, quotes and backslashes holds every vendor's form (facts/hami.md 2.3).
_CARD_ID = re.compile(r"[!#-&(-\[\]-_a-~]+")
_NUMBER = re.compile(r"([+-]?)([0-9]+)")
# What Go's strconv.ParseBool reads; the layers write "true" and "false".
_FLAGS: Final = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}


def card_id(value: object) -> str:
    """A card's id as the layer wrote it. Raises empty-id, bad-text."""
    if value is None or value == "":
        raise MalformedError(EMPTY_ID, "the record names no card")
    if not isinstance(value, str) or len(value) > MAX_CARD_ID or not _CARD_ID.fullmatch(value):
        raise MalformedError(BAD_TEXT, f"{quote(value)} is no card id")
    return value


def word(value: object, *, name: str) -> str:
    """A short printable text such as a model or a mode; "" where it is absent. Raises bad-text."""
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > MAX_WORD or not value.isprintable():
        raise MalformedError(BAD_TEXT, f"{name} is {quote(value)}, expected one short line")
    return value


def number(value: object, *, name: str, most: int) -> int:
    """A whole number in 0..most, from JSON or from text. Raises not-a-number, out-of-range."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _in_range(value, name=name, most=most)
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise MalformedError(NOT_A_NUMBER, f"{name} is {quote(value)}, expected a whole number")
    sign, digits = match.groups()
    if len(digits) > MAX_DIGITS:
        raise MalformedError(OUT_OF_RANGE, f"{name} has {len(digits)} digits")
    return _in_range(-int(digits) if sign == "-" else int(digits), name=name, most=most)


def _in_range(value: int, *, name: str, most: int) -> int:
    if not 0 <= value <= most:
        raise MalformedError(OUT_OF_RANGE, f"{name} is {quote(value)}, expected 0 to {most}")
    return value


def memory(value: object, *, unit: int) -> int | None:
    """Bytes of a memory field whose unit is `unit` bytes. 0 is a layer's way to say nothing."""
    return number(value, name="memory", most=MAX_CARD_BYTES // unit) * unit or None


def cores(value: object) -> int | None:
    """Core units in the vendor's own unit; 0 is a layer's way to say "no limit"."""
    return number(value, name="cores", most=MAX_CORES) or None


def slots(value: object) -> int:
    """The most containers that a card takes."""
    return number(value, name="count", most=MAX_TENANTS_PER_CARD)


def index(value: object) -> int:
    """A card's position on its node."""
    return number(value, name="index", most=MAX_CARDS_PER_NODE - 1)


def numa_node(value: object) -> int:
    """A NUMA node; the kernel's -1 (no affinity) is read as 0, as the layers do."""
    unbound = value == -1 or value == "-1"  # noqa: PLR1714 -- JSON may hold what has no hash
    return 0 if unbound else number(value, name="numa", most=MAX_CARDS_PER_NODE)


def flag(value: object, *, name: str) -> bool:
    """A boolean from JSON or from Go's text form; absent is false. Raises bad-text."""
    if value is None:
        return False
    if isinstance(value, bool):
        return value
    found = _FLAGS.get(value) if isinstance(value, str) else None
    if found is None:
        raise MalformedError(BAD_TEXT, f"{name} is {quote(value)}, expected true or false")
    return found
