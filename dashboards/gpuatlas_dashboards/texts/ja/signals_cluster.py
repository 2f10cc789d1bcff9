"""Japanese words of the signals of whole clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_NO_HOLDERS: Final = "不明：誰がカードを持つかを知らせるものがない"
_NO_DRIVER: Final = "不明：dcgm-exporter などドライバーの値を知らせるものがない"
_NO_DAY: Final = "不明：1 日分の記録がない"

WORDS: Final[Mapping[str, Words]] = {
    "cluster.cards": Words(
        title="カード数",
        short="あるカード",
        description="いずれかのエクスポーターが知る物理カードの枚数。共有分の数ではない。",
        empty="カードが見つからない",
    ),
    "cluster.cards_idle_all_day": Words(
        title="終日遊休の確保済みカード",
        description="現在も 1 日前も確保されていて、その間の最も忙しい 1 時間の計算が 1 % 未満だったカード。",
        empty=_NO_DAY,
    ),
    "cluster.cards_with_room": Words(
        title="余地のある確保済みカード",
        description="24 時間のメモリーのピークがカードの半分以下で、最も忙しい 1 時間の計算も半分以下だった確保済みカード。",
        empty=_NO_HOLDERS,
    ),
    "cluster.room_share": Words(
        title="余地のあるカードの割合",
        description="確保済みカードのうち、同じようなテナントがもう 1 つ入るものの割合。",
        empty=_NO_HOLDERS,
    ),
    "cluster.memory_physical": Words(
        title="物理メモリー",
        short="ある量",
        description="ドライバーが報告する全カードのメモリー。単位はバイト。",
        empty=_NO_DRIVER,
    ),
    "cluster.memory_allocated": Words(
        title="約束したメモリー",
        short="約束",
        description="テナントに約束した量の合計。使用量ではない。単位はバイト。",
        empty=_NO_HOLDERS,
    ),
    "cluster.memory_peak": Words(
        title="24 時間のメモリーのピーク",
        short="24 時間のピーク",
        description="各カードの 24 時間の使用のピークの和。ある一瞬の値ではない。単位はバイト。",
        empty=_NO_DAY,
    ),
    "cluster.memory_used": Words(
        title="使用中のメモリー",
        short="現在の使用",
        description="全カードの使用中のメモリー。カードごとにドライバーと共有層の値の大きい方。単位はバイト。",
        empty=_NO_DRIVER,
    ),
    "cluster.memory_never_used": Words(
        title="24 時間使われなかった約束のメモリー",
        short="使われなかったメモリー",
        description="カードごとに、約束のうち 24 時間のピークを超える量を求めて足したもの。単位はバイト。",
        empty=_NO_DAY,
    ),
    "cluster.cards_never_used": Words(
        title="カード枚数への換算",
        short="カード枚数に換算",
        description="24 時間使われなかった約束のメモリーを、それぞれのカードに対する割合として足したもの。",
        empty=_NO_DAY,
    ),
    "cluster.compute_allocated": Words(
        title="約束した計算能力",
        short="約束",
        description="約束した計算能力の割合の合計をカード枚数に換算したもの。使用量ではない。",
        empty=_NO_HOLDERS,
    ),
    "cluster.compute_busiest_hour": Words(
        title="最も忙しい 1 時間の計算",
        short="最も忙しい 1 時間",
        description="各カードの 24 時間のうち平均が最大の 1 時間を足し、カード枚数に換算したもの。",
        empty=_NO_DAY,
    ),
    "cluster.compute_used": Words(
        title="計算の使用",
        short="現在の使用",
        description="全カードの計算の使用の合計をカード枚数に換算したもの。",
        empty=_NO_DRIVER,
    ),
    "cluster.observed": Words(
        title="24 時間の記録",
        description="過去 24 時間の記録がどこまで遡るか。",
        empty="記録なし：記録ルールが読み込まれていない",
    ),
}
