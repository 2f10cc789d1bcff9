"""Which format and encoding a client wants, from its `Accept` and `Accept-Encoding` headers.

Rules of RFC 9110 12.5: the most specific range that matches gives the quality, 0 refuses. Where
nothing that we write is acceptable the answer is the text format all the same, as Prometheus'
own libraries do: a scraper that sends a wrong header gets a page rather than a 406.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.families.exposition import Format

# A header of a scraper has a handful of ranges; the rest of an absurd one is not looked at.
MAX_RANGES: Final = 64


@dataclass(frozen=True, slots=True)
class _Range:
    name: str
    parameters: Mapping[str, str]
    quality: float


def choose_format(accept: str) -> Format:
    """OpenMetrics 1.0.0 where it is named and liked at least as much as the text format 0.0.4.

    Only a client that names OpenMetrics gets it: `*/*` (curl, a browser) means text. A client that
    takes no other OpenMetrics than 0.0.1 or 2.0.0 gets text, as every Prometheus takes it too.
    """
    ranges = _parse(accept)
    openmetrics = _quality(ranges, ("application/openmetrics-text",), version="1.0.0")
    text = _quality(ranges, ("text/plain", "text/*", "*/*"), version="0.0.4")
    return Format.OPENMETRICS if 0 < openmetrics >= text else Format.TEXT


def wants_gzip(accept_encoding: str) -> bool:
    """Whether the client takes gzip; without the header it gets the plain body."""
    return _quality(_parse(accept_encoding), ("gzip", "*"), version="") > 0


def _quality(ranges: tuple[_Range, ...], names: tuple[str, ...], *, version: str) -> float:
    """The quality of the first of `names` that has a range of this version or of any version."""
    for name in names:
        found = [r for r in ranges if r.name == name and _serves(r, version)]
        if found:
            return max(r.quality for r in found)
    return 0.0


def _serves(wanted: _Range, version: str) -> bool:
    return wanted.parameters.get("version", version) == version


def _parse(header: str) -> tuple[_Range, ...]:
    parts = header.lower().split(",")[:MAX_RANGES]
    return tuple(_parse_range(part) for part in parts if part.strip())


def _parse_range(text: str) -> _Range:
    name, *rest = (piece.strip() for piece in text.split(";"))
    parameters = dict(_parse_parameter(piece) for piece in rest if piece)
    return _Range(name, parameters, _parse_quality(parameters.get("q", "1")))


def _parse_parameter(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key.strip(), value.strip().strip('"')


def _parse_quality(text: str) -> float:
    """A quality in 0..1; an unreadable one refuses, so that a guess is never sent."""
    try:
        quality = float(text)
    except ValueError:
        return 0.0
    return quality if 0 <= quality <= 1 else 0.0
