"""Japanese words of the signals of a check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_NO_ALERT: Final = "発火中のチェックはない"

WORDS: Final[Mapping[str, Words]] = {
    "check.state": Words(
        title="状態",
        description="選んだクラスターの中で最も悪い状態：1 対象外、2 正常、3 不明、4 発火中。不明は故障ではなく、見られない所があったことを示す。",
        empty="チェックが見つからない：recording_rules/check.yaml を読み込み、dcgm-exporter または gpuatlas を収集する",
    ),
    "check.severity": Words(
        title="深刻度",
        description="所見のうち最も高い深刻度：1 情報、2 警告、3 重大。",
        empty=_NO_ALERT,
    ),
    "check.since": Words(
        title="開始",
        description="続いている所見のうち最も古いものが始まった時刻。通知された時刻ではない。",
        empty=_NO_ALERT,
    ),
    "check.findings": Words(
        title="所見",
        description="いまチェックに引っかかっている対象の数：カード、ノード、Pod、または共有層の部品。発火の回数ではない。",
        empty=_NO_ALERT,
    ),
    "check.cards_hit": Words(
        title="所見のあるカード",
        short="カード",
        description="少なくとも 1 つの所見に名前があるカードの数。所見の数ではない。",
        empty="不明：チェックがない",
    ),
    "check.nodes_hit": Words(
        title="所見のあるノード",
        short="ノード",
        description="少なくとも 1 つの所見に名前があるノードの数。所見の数ではない。",
        empty="不明：チェックがない",
    ),
}
