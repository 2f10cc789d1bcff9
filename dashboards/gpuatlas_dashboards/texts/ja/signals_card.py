"""Japanese words of the signals of a card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_NO_DRIVER: Final = "不明：このカードの dcgm-exporter または NVML がない"

WORDS: Final[Mapping[str, Words]] = {
    "card.memory_physical": Words(
        title="物理メモリー",
        short="物理",
        description="ドライバーが報告するカードのメモリー量。共有層が配る量ではない。単位はバイト。",
        empty=_NO_DRIVER,
    ),
    "card.memory_allocated": Words(
        title="割り当てメモリー",
        short="割り当て",
        description="カード上でテナントに約束した量の合計。使用量ではない。カード全体を持つテナントは"
        "その全量を持つ。単位はバイト。",
        empty="不明：このカードへの割り当てを知らせるものがない",
    ),
    "card.memory_resident": Words(
        title="常駐メモリー",
        short="常駐",
        description="ドライバーが報告する、カード上で使用中のメモリー。ホスト側に移された分は含まない。"
        "単位はバイト。",
        empty=_NO_DRIVER,
    ),
    "card.memory_counted": Words(
        title="計上メモリー",
        short="計上",
        description="共有層が数えた使用中のメモリー。カード上にある量より多いことがある。単位はバイト。",
        empty="計上なし：使用量を数える共有層がここでは動いていない",
    ),
    "card.memory_offloaded": Words(
        title="退避メモリー",
        short="退避",
        description="テナントは持っているつもりだが、カード上にはないメモリー。下限値であり、ドライバーと"
        "共有層の両方の値がわかるときだけ求まる。単位はバイト。",
        empty="不明：ドライバーと共有層の両方の値が必要",
    ),
    "card.memory_overcommitted": Words(
        title="過剰割り当てメモリー",
        short="過剰割り当て",
        description="カードのメモリーを超えて約束した量。すべて収まるときは 0。危険の大きさであり、"
        "使用量ではない。単位はバイト。",
        empty="不明：割り当てと物理メモリーの両方が必要",
    ),
    "card.compute_allocated": Words(
        title="割り当て計算能力",
        short="割り当て",
        description="カードの計算能力のうち約束した割合。使用量ではない。100 % がカード全体。",
        empty="このカードに計算能力の割り当てはない",
    ),
    "card.compute_utilization": Words(
        title="計算使用率",
        short="使用",
        description="得られる中で最良の信号による計算の使用率。カードが働いていた時間の割合であり、"
        "演算器がどれだけ使われたかではない。100 % がカード全体。",
        empty="不明：このカードの dcgm-exporter がない、または MIG で分割されている",
    ),
    "card.temperature": Words(
        title="温度",
        short="温度",
        description="プロセッサーの温度。メモリーの温度ではない。単位は摂氏。",
        empty=_NO_DRIVER,
    ),
    "card.temperature_limit": Words(
        title="温度の上限",
        short="上限",
        description="カードが自らクロックを下げる温度。単位は摂氏。",
        empty="不明：このカードまたは dcgm-exporter が上限を知らせない",
    ),
    "card.sm_clock": Words(
        title="クロック",
        short="クロック",
        description="マルチプロセッサーのクロック。遊休のカードは自ら下げる。単位はヘルツ。",
        empty="不明：このカードの dcgm-exporter がない",
    ),
    "card.power": Words(
        title="消費電力",
        short="電力",
        description="カードが使う電力。ホストの分は含まない。単位はワット。",
        empty=_NO_DRIVER,
    ),
    "card.contended": Words(
        title="競合した時間の割合",
        short="競合",
        description="直近 10 分のうち、2 つ以上のテナントが働き、カードが限界に達していた時間の割合。"
        "誰がどれだけ遅くなったかではない。100 % がすべての時間。",
        empty="未確認：共有されていない、またはテナントごとに測れないカード",
    ),
    "card.state": Words(
        title="状態",
        description="発火中のハードウェアアラートを重ねたカードの状態：1 空き、2 稼働、3 遊休、4 不明、"
        "5 低速、6 故障。",
        empty="不明：カードが 1 枚も見つからない",
    ),
}
