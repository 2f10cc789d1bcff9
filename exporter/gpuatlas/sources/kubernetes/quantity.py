"""Kubernetes quantities as whole numbers.

Grammar: `[sign] digits [.digits] suffix`, where the suffix is one of n u m "" k M G T P E, one of
Ki Mi Gi Ti Pi Ei, or a decimal exponent (`e3`, `E3`). Pure; `MalformedError` is all that it raises.
"""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import clean_text

# A petabyte counted in bytes. The largest extended resource in the field is a card's memory in
# bytes (under 2^41); what is larger was not meant as a number of anything.
MAX_QUANTITY: Final = 10**15
_MAX_TEXT: Final = 64  # longer than any number below MAX_QUANTITY needs to be
_PATTERN: Final = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))"
    r"(?P<suffix>[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,3})?"
)
_DECIMAL: Final = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "k": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "T": Decimal(10**12),
    "P": Decimal(10**15),
    "E": Decimal(10**18),
}
_BINARY: Final = {f"{letter}i": Decimal(1024**n) for n, letter in enumerate("KMGTPE", start=1)}


def read_quantity(value: object) -> int:
    """The quantity as a whole number, rounded up as Kubernetes does.

    `value` is the JSON value: mostly a string, in hand-written files also a number.

    Raises:
        MalformedError: "bad-quantity" or "out-of-range".
    """
    if isinstance(value, str):
        if value.isascii() and value.isdecimal() and len(value) <= _MAX_TEXT:
            return _in_range(int(value), value)  # nearly all of them
        return _in_range(_parse(value), value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MalformedError("bad-quantity", f"{type(value).__name__} in place of a quantity")
    return _in_range(Decimal(value), str(value))


def _parse(value: str) -> Decimal:
    match = _PATTERN.fullmatch(value) if len(value) <= _MAX_TEXT else None
    if match is None:
        raise MalformedError("bad-quantity", f"{_quoted(value)} is not a Kubernetes quantity")
    number, suffix = match["number"], match["suffix"] or ""
    if len(suffix) > 1 and not suffix.endswith("i"):
        return Decimal(number + suffix)
    return Decimal(number) * (_BINARY.get(suffix) or _DECIMAL.get(suffix) or 1)


def _in_range(number: int | Decimal, written: str) -> int:
    exact = Decimal(number)
    if not exact.is_finite() or not 0 <= exact <= MAX_QUANTITY:
        raise MalformedError(
            "out-of-range", f"{_quoted(written)} is not between 0 and {MAX_QUANTITY}"
        )
    return int(exact.to_integral_value(rounding=ROUND_CEILING))


def _quoted(value: str) -> str:
    return f'"{clean_text(value, limit=_MAX_TEXT)}"'
