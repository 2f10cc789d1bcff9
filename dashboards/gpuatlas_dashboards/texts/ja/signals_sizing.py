"""Japanese words of the signals of sizing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_NOT_MEASURED: Final = "未測定：テナントごとのメモリーを知らせるものがない"
_NO_PROMISE: Final = "メモリーの約束が見つからない"
_NO_ANALYSIS: Final = "データなし：gpuatlas の分析の結果が公開されていない"
_NO_RATIO: Final = "不明：7 日に満たない、またはメモリーを約束する共有層がない"
_NO_SERVICE: Final = "未測定：推論サーバーが収集されていない"

WORDS: Final[Mapping[str, Words]] = {
    "sizing.containers": Words(
        title="コンテナー",
        short="割り当て数",
        description="コンテナーがいま持つ約束の数：レプリカとカードの組ごとに 1 つ。",
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
        description="最も多く使ったレプリカの、期間中（起動時を含む）の 1 枚あたり最大使用量：ドライバーと共有層の値の大きい方。ランタイムが先取りした分は、必要かどうかにかかわらず含む。単位はバイト。",
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
    "sizing.window": Words(
        title="期間の日数",
        short="日数",
        description="答えの根拠となる日数（最大 14）。7 に満たないときは何も提案しない。単位は日。",
        empty=_NO_ANALYSIS,
    ),
    "sizing.coverage": Words(
        title="期間のうち測定された割合",
        short="測定",
        description="コンテナーが存在した期間のうち測定された割合。95 % に満たないときは何も提案しない。100 % がすべて。",
        empty=_NO_ANALYSIS,
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
        description="最も忙しいコンテナーの 5 分平均について、日ごとの 95 パーセンタイルの期間中の最大値。100 % はカード全体であり、約束した割合ではない。",
        empty="未測定：テナントごとの計算使用率を知らせるものがない",
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
        empty=_NO_ANALYSIS,
    ),
    "sizing.memory_saving": Words(
        title="削減量",
        description="提案によってワークロードの全コンテナーから戻る量。増やす提案では 0 未満。単位はバイト。",
        empty=_NO_ANALYSIS,
    ),
    "sizing.compute_proposed": Words(
        title="提案計算能力",
        short="提案",
        description="足りるはずのカードの割合：使用率の p95 に余裕を加え、5 % 刻みにした値。",
        empty=_NO_ANALYSIS,
    ),
    "sizing.cards_proposed": Words(
        title="提案カード数",
        short="提案",
        description="1 つのレプリカが持つものの代わりに足りるはずの、カードまたはインスタンスの数。",
        empty=_NO_ANALYSIS,
    ),
    "sizing.cards_saving": Words(
        title="削減数",
        description="提案によって全レプリカから戻るカードの数。単位はカード。",
        empty=_NO_ANALYSIS,
    ),
    "sizing.safe_ratio": Words(
        title="安全な約束率",
        short="安全",
        description="期間内の需要とホストのメモリーから見て、不足を起こさずに約束できる割合。100 % がカードの持つメモリー。",
        empty=_NO_RATIO,
    ),
    "sizing.room": Words(
        title="余地",
        description="安全な約束率の範囲で、ノードがさらに約束できるメモリー。単位はバイト。",
        empty=_NO_RATIO,
    ),
    "sizing.room_allocations": Words(
        title="追加可能数",
        description="安全な約束率の範囲で、いまある最大の約束と同じ大きさのものをノードにあといくつ入れられるか。",
        empty=_NO_RATIO,
    ),
    "sizing.node_allocated": Words(
        title="約束したメモリー",
        short="約束 (A)",
        description="いまノードで約束されているメモリー。使用量ではない。単位はバイト。",
        empty=_NO_RATIO,
    ),
    "sizing.node_demand": Words(
        title="同時に必要だった最大量",
        short="需要 (D)",
        description="期間中にノードのテナントが同時に使った最大量。それぞれのピークの合計ではない。単位はバイト。",
        empty=_NO_RATIO,
    ),
    "sizing.node_physical": Words(
        title="カードのメモリー",
        short="カード (P)",
        description="ノードのカードが持つメモリーの合計。単位はバイト。",
        empty=_NO_RATIO,
    ),
    "sizing.node_host_available": Words(
        title="ホストの空きメモリー",
        short="ホスト空き",
        description="期間中にホストで利用できたメモリーの最小値。単位はバイト。",
        empty="不明：node_exporter が収集されていない",
    ),
    "sizing.node_days": Words(
        title="わかっている日数",
        short="日数",
        description="期間のうち、ノードの需要がわかっている日数。単位は日。",
        empty=_NO_RATIO,
    ),
    "sizing.speed_alone": Words(
        title="単独の速さ",
        short="単独",
        description="カード上で他に誰も働いていない間の、処理中の要求 1 つあたりの毎秒の仕事量。直近 1 日の平均で、トークン数または要求数。",
        empty=_NO_SERVICE,
    ),
    "sizing.speed_shared": Words(
        title="共有中の速さ",
        short="共有",
        description="どれかのカードで他の誰かが働いている間の、同じ量。",
        empty=_NO_SERVICE,
    ),
    "sizing.speed_ratio": Words(
        title="単独に対する共有の速さ",
        short="共有 / 単独",
        description="共有中の速さを単独の速さと比べた割合。それぞれ 30 分以上あるときに示す。100 % 未満は共有で遅くなることを示す。",
        empty=_NO_SERVICE,
    ),
    "sizing.time_alone": Words(
        title="単独の時間",
        description="直近 1 日のうち、カード上で他に誰も働かずに働いた時間。単位は秒。",
        empty=_NO_SERVICE,
    ),
    "sizing.time_shared": Words(
        title="共有の時間",
        description="直近 1 日のうち、他の誰かと並んで働いた時間。単位は秒。",
        empty=_NO_SERVICE,
    ),
}
