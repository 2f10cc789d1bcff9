"""Attributes, capacities and names as the API writes them. Pure; raises `MalformedError` only.

An attribute is an object with one of int, bool, string, version, or a list form of these (facts/
k8s.md 1.11). Its name may carry a domain; without one it is the driver's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeGuard

from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import MAX_CARD_BYTES, clean_text
from gpuatlas.sources.hami.refusals import quote
from gpuatlas.sources.kubernetes.quantity import read_quantity
from gpuatlas.sources.kubernetes.shape import fields, items

BAD_TEXT: Final = "bad-text"
OUT_OF_RANGE: Final = "out-of-range"

# Longest names that the API server takes: 63 for drivers and devices, 253 for pools, 127 for a
# request with its alternative.
MAX_NAME: Final = 253
MAX_ID: Final = 128
MAX_TEXT: Final = 128
# Core units of one card: percents, thousandths, or compute units (304 on the largest AMD card).
MAX_CORES: Final = 100_000
MAX_SLOTS: Final = 4096
_MAX_INT: Final = 2**64

FORMS: Final = ("string", "version", "int", "bool")
LIST_FORMS: Final = ("strings", "versions", "ints", "bools")

_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?")
# Printable ASCII without blanks, quotes and backslashes: an id becomes a label and part of queries.
_ID: Final = re.compile(r"[!#-&(-\[\]-_a-~]+")


def quoted(value: object) -> str:
    """A value as messages show it. Python refuses to print numbers of thousands of digits."""
    return "a number without end" if is_int(value) and abs(value) >= _MAX_INT else quote(value)


def is_int(value: object) -> TypeGuard[int]:
    """Whether a JSON value is a whole number: Python counts true and false among them."""
    return isinstance(value, int) and not isinstance(value, bool)


def read_name(value: object, what: str) -> str:
    """A name of the API's grammar. Raises bad-text."""
    if not isinstance(value, str) or len(value) > MAX_NAME or not _NAME.fullmatch(value):
        raise MalformedError(BAD_TEXT, f"{what} is {quoted(value)}, expected a Kubernetes name")
    return value


def spellings(name: str, driver: str) -> tuple[str, ...]:
    """The keys under which a driver may write an attribute or capacity of its own."""
    return (name,) if "/" in name else (name, f"{driver}/{name}")


def find(holder: Mapping[str, object], names: tuple[str, ...], driver: str) -> object:
    """The value of the first of `names` that is there, else None."""
    keys = (key for name in names for key in spellings(name, driver))
    return next((holder[key] for key in keys if holder.get(key) is not None), None)


def scalar(attribute: object) -> str:
    """The attribute's only value as text; "" where it is absent, a flag, or several values."""
    forms = fields(attribute)
    values = [forms[form] for form in FORMS if forms.get(form) is not None]
    for form in LIST_FORMS:
        values += items(forms.get(form))[:2]
    return _as_text(values[0]) if len(values) == 1 else ""


def _as_text(value: object) -> str:
    if is_int(value):
        return str(value) if abs(value) < _MAX_INT else ""
    return value if isinstance(value, str) else ""


def read_id(attribute: object, what: str) -> str:
    """A vendor's id; "" where it is absent or 0, which all cards without one share.

    Raises:
        MalformedError: "bad-text".
    """
    written = scalar(attribute)
    if written in {"", "0"}:
        return ""
    if len(written) > MAX_ID or not _ID.fullmatch(written):
        raise MalformedError(BAD_TEXT, f"{what} is {quoted(written)}, which is no device id")
    return written


def read_text(attribute: object) -> str:
    """Text for people: one short line."""
    return clean_text(scalar(attribute), limit=MAX_TEXT)


def read_bytes(value: object, what: str) -> int | None:
    """Card memory of a quantity, None where it is absent or 0: nobody knows or gives any.

    Raises:
        MalformedError: "bad-quantity" or "out-of-range".
    """
    return _read_amount(value, what, MAX_CARD_BYTES)


def read_cores(value: object, what: str) -> int | None:
    """Core units, None where the quantity is absent or 0, which limits nothing.

    Raises:
        MalformedError: as `read_bytes`.
    """
    return _read_amount(value, what, MAX_CORES)


def read_slots(value: object, what: str) -> int | None:
    """A number of sharers, None where the quantity is absent or 0.

    Raises:
        MalformedError: as `read_bytes`.
    """
    return _read_amount(value, what, MAX_SLOTS)


def _read_amount(value: object, what: str, most: int) -> int | None:
    if value is None:
        return None
    if is_int(value) and abs(value) >= _MAX_INT:
        raise MalformedError(OUT_OF_RANGE, f"{what} is {quoted(value)}, expected 0 to {most}")
    try:
        amount = read_quantity(value)
    except MalformedError as error:
        raise MalformedError(error.reason, f"{what}: {error}") from None
    if amount > most:
        raise MalformedError(OUT_OF_RANGE, f"{what} is {amount}, expected 0 to {most}")
    return amount or None
