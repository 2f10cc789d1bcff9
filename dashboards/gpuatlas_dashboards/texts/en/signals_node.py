"""English words of the signals of a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_EMPTY: Final = "unknown: no card of these nodes tells it"

WORDS: Final[Mapping[str, Words]] = {
    "node.memory_physical": Words(
        title="Physical memory",
        short="physical",
        description="Memory of the node's cards of which it is known. Bytes.",
        empty=_EMPTY,
    ),
    "node.memory_allocated": Words(
        title="Allocated memory",
        short="allocated",
        description="What is promised on the node's cards; not memory in use. Bytes.",
        empty=_EMPTY,
    ),
    "node.memory_resident": Words(
        title="Resident memory",
        short="resident",
        description="Memory in use on the node's cards as the driver reports it. Bytes.",
        empty=_EMPTY,
    ),
}
