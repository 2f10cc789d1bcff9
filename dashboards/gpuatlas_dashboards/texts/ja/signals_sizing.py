"""Japanese words of the signals of sizing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_NOT_MEASURED: Final = "未測定：テナントごとのメモリーを知らせるものがない"
_NO_PROMISE: Final = "メモリーの約束が見つからない"
_AWAITED: Final = "データなし：gpuatlas の分析がまだ行われていない"

WORDS: Final[Mapping[str, Words]] = {
    "sizing.containers": Words(
        title="コンテナー",
        short="割り当て数",
        description="ワークロードがいま持つ約束の数：コンテナーとカードの組ごとに 1 つ。",
        empty=_NO_PROMISE,
    ),
    "sizing.memory_reserved": Words(
        title="予約メモリー",
        short="予約",
        description="1 つのコンテナーに 1 枚のカードで約束した量のうち最大のもの。カード全体を持つテナントはその全量を持つ。単位はバイト。",
        empty=_NO_PROMISE,
    ),
    "sizing.memory_peak": Words(
        title="使用メモリーのピーク",
        short="ピーク",
        description="最も多く使ったコンテナーの、直近 7 日での 1 枚あたり最大使用量：ドライバーと共有層の値の大きい方を、日ごとのピークから求める。ランタイムが先取りした分は、必要かどうかにかかわらず含む。単位はバイト。",
        empty=_NOT_MEASURED,
    ),
    "sizing.memory_peak_share": Words(
        title="予約に対するピーク",
        short="ピーク / 予約",
        description="最も多く使ったコンテナーのピークを、1 つのコンテナーへの最大の約束と比べた割合。100 % は一度は使い切ったことを示す。",
        empty=_NOT_MEASURED,
    ),
    "sizing.memory_unused": Words(
        title="未使用分",
        description="全コンテナーの予約から、最も多く使ったコンテナーのピークを台数分引いた量：全員にそのピークだけを与えていれば空いていた量。提案が残す余裕を含まないため、提案値ではない。単位はバイト。",
        empty=_NOT_MEASURED,
    ),
    "sizing.days": Words(
        title="測定日数",
        short="日数",
        description="直近 7 日のうち、ワークロードのメモリーが測定された日数。それより短い期間のピークは一週間のピークではない。単位は日。",
        empty=_NOT_MEASURED,
    ),
    "sizing.compute_reserved": Words(
        title="予約計算能力",
        short="予約",
        description="1 つのコンテナーに約束したカードの割合のうち最大のもの。100 % がカード全体。",
        empty="計算能力の約束が見つからない",
    ),
    "sizing.compute_p95": Words(
        title="計算使用率の p95",
        short="使用 p95",
        description="最も忙しいコンテナーの 5 分平均について、日ごとの 95 パーセンタイルの直近 7 日での最大値。100 % はカード全体であり、約束した割合ではない。",
        empty="未測定：テナントごとの計算使用率を知らせるものがない",
    ),
    "sizing.node_cards": Words(
        title="カード数",
        description="ノードの物理カードの数。共有層が作る分割の数ではない。",
        empty="カードが見つからない",
    ),
    "sizing.present_ratio": Words(
        title="メモリーの約束率",
        short="約束率",
        description="ノードのカードで約束した量を、カードの持つメモリーと比べた割合。100 % を超えると、すべての約束は同時に収まらない。",
        empty=_NO_PROMISE,
    ),
    "sizing.memory_proposed": Words(
        title="提案メモリー",
        short="提案",
        description="足りるはずの予約量：7 日以上のピークに余裕を加えた値で、ピークを下回ることはない。単位はバイト。",
        empty=_AWAITED,
    ),
    "sizing.memory_saving": Words(
        title="削減量",
        description="提案によってワークロードの全コンテナーから戻る量。増やす提案では 0 未満。単位はバイト。",
        empty=_AWAITED,
    ),
    "sizing.compute_proposed": Words(
        title="提案計算能力",
        short="提案",
        description="足りるはずのカードの割合：使用率の p95 に余裕を加え、5 % 刻みにした値。",
        empty=_AWAITED,
    ),
    "sizing.cards_proposed": Words(
        title="提案カード数",
        short="提案カード",
        description="カード全体の代わりに足りるはずの、カードまたはインスタンスの数。",
        empty=_AWAITED,
    ),
    "sizing.safe_ratio": Words(
        title="安全な約束率",
        short="安全",
        description="期間内の需要から見て、不足を起こさずに約束できる割合。7 日に満たないときは不明。100 % がカードの持つメモリー。",
        empty=_AWAITED,
    ),
    "sizing.room": Words(
        title="余地",
        description="安全な約束率の範囲で、ノードがさらに約束できるメモリー。単位はバイト。",
        empty=_AWAITED,
    ),
    "sizing.room_allocations": Words(
        title="追加可能数",
        description="安全な約束率の範囲で、いまと同じような約束をあといくつ入れられるか。",
        empty=_AWAITED,
    ),
}
