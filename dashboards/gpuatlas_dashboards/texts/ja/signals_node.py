"""Japanese words of the signals of a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_EMPTY: Final = "不明：これらのノードのカードは知らせていない"

WORDS: Final[Mapping[str, Words]] = {
    "node.memory_physical": Words(
        title="物理メモリー",
        short="物理",
        description="ノードのカードのうち、わかっているもののメモリー量。単位はバイト。",
        empty=_EMPTY,
    ),
    "node.memory_allocated": Words(
        title="割り当てメモリー",
        short="割り当て",
        description="ノードのカード上で約束した量。使用量ではない。単位はバイト。",
        empty=_EMPTY,
    ),
    "node.memory_resident": Words(
        title="常駐メモリー",
        short="常駐",
        description="ドライバーが報告する、ノードのカード上で使用中のメモリー。単位はバイト。",
        empty=_EMPTY,
    ),
}
