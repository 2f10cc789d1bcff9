"""Japanese words of the signals of a workload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_NO_EXPORTER: Final = "不明：エクスポーターはこのワークロードを知らない"

WORDS: Final[Mapping[str, Words]] = {
    "workload.memory_reserved": Words(
        title="予約メモリー",
        short="予約",
        description="全 Pod に約束したメモリー。使用量ではない。単位はバイト。",
        empty="メモリーの約束なし：上限なしでカードを共有している",
    ),
    "workload.memory_used": Words(
        title="使用メモリー",
        short="使用",
        description="全 Pod が使用中のメモリー。コンテナーごとにドライバーと共有層の値の大きい方。単位はバイト。",
        empty="不明：コンテナーのメモリーを知らせるものがない",
    ),
    "workload.memory_wasted": Words(
        title="未使用メモリー",
        short="未使用",
        description="約束のうち現在使われていない量。両方がわかるものだけ。瞬間の値であり、ピークではない。単位はバイト。",
        empty="不明：コンテナーの約束と使用の両方が必要",
    ),
    "workload.memory_occupancy": Words(
        title="予約に対するメモリー使用",
        short="使用",
        description="約束したメモリーに対する使用の割合。両方がわかるコンテナーだけ。カードに対する割合ではない。"
        "100 % が約束の全量。",
        empty="不明：コンテナーの約束と使用の両方が必要",
    ),
    "workload.compute_reserved": Words(
        title="予約計算能力",
        short="予約",
        description="全 Pod に約束した計算能力。使用量ではない。カード枚数に換算。",
        empty="計算能力の約束なし",
    ),
    "workload.compute_utilization": Words(
        title="計算の使用",
        short="使用",
        description="コンテナーごとに測れる場合の、全 Pod の計算の使用。カード枚数に換算。",
        empty="不明：同居するものと区別して測られていない",
    ),
    "workload.compute_occupancy": Words(
        title="予約に対する計算の使用",
        short="使用",
        description="約束した計算能力に対する使用の割合。両方がわかるコンテナーだけ。カードに対する割合ではない。"
        "100 % が約束の全量。",
        empty="不明：コンテナーの約束と使用の両方が必要",
    ),
    "workload.cards": Words(
        title="カード数",
        description="持ち分のあるカードの枚数。同じカードは 1 枚と数える。",
        empty="わかっているカードを持っていない",
    ),
    "workload.pods": Words(
        title="動作中の Pod",
        short="Pod 数",
        description="アクセラレーターを要求する Pod のうち動作中のもの。",
        empty="動作中のものはない",
    ),
    "workload.gang_min_members": Words(
        title="ギャング",
        description="どれか 1 つが始まる前に、まとめて配置しなければならない Pod の数。",
        empty="ギャングではない",
    ),
    "workload.waiting": Words(
        title="待ち時間",
        description="最も長く待つ Pod、またはキュー内のワークロードが待っている時間。",
        empty="何も待っていない",
    ),
    "workload.state": Words(
        title="状態",
        description="ワークロードの状態：0 停止、1 待機、2 稼働、3 遊休、4 不明、5 低速、6 故障。",
        empty=_NO_EXPORTER,
    ),
}
