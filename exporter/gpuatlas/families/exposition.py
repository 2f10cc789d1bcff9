"""The two exposition formats and what differs between them: headers and the end of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, Final, TypeVar

from gpuatlas.families.render import render_group
from gpuatlas.families.spec import Family, Kind

E = TypeVar("E")

# Last line of an OpenMetrics page. The caller writes it: self metrics stand before it.
EOF: Final = b"# EOF\n"


class Format(StrEnum):
    """An exposition format."""

    TEXT = "text"
    OPENMETRICS = "openmetrics"

    @property
    def content_type(self) -> str:
        """Value of the Content-Type header."""
        return _CONTENT_TYPES[self]

    @property
    def end(self) -> bytes:
        """What must stand at the very end of a page."""
        return EOF if self is Format.OPENMETRICS else b""


_CONTENT_TYPES: Final = {
    Format.TEXT: "text/plain; version=0.0.4; charset=utf-8",
    Format.OPENMETRICS: "application/openmetrics-text; version=1.0.0; charset=utf-8",
}


def header(family: Family[Any], form: Format) -> bytes:
    """The comment lines above a family's samples.

    The text format names what the samples are called and knows no infos; OpenMetrics names the
    family without its suffix and adds the unit.
    """
    if form is Format.TEXT:
        kind = Kind.GAUGE if family.kind is Kind.INFO else family.kind
        lines = [f"# HELP {family.name} {family.help}", f"# TYPE {family.name} {kind}"]
    else:
        name = family.base_name
        lines = [f"# HELP {name} {family.help}", f"# TYPE {name} {family.kind}"]
        if family.unit:
            lines.append(f"# UNIT {name} {family.unit}")
    return "".join(f"{line}\n" for line in lines).encode()


def write_families(families: Sequence[Family[E]], entities: Iterable[E], form: Format) -> bytes:
    """Headers and samples of a few entities in one piece, for what changes at each scrape.

    A family without samples is left out. The end of the page is the caller's.
    """
    groups = [render_group(families, entity) for entity in entities]
    columns = zip(*groups, strict=True)
    return b"".join(
        b"".join((header(family, form), *fragments))
        for family, fragments in zip(families, columns, strict=False)
        if any(fragments)
    )
