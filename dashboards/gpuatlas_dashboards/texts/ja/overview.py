"""Japanese words of the board Overview."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.texts.shapes.overview import OverviewTexts
from gpuatlas_dashboards.texts.shapes.words import Words

_NO_CARD: Final = (
    "カードが 1 枚も見つからない：エクスポーターは収集されているか、記録ルールは読み込まれているか"
)

TEXTS: Final = OverviewTexts(
    title="GPU Atlas / 概要",
    description="クラスターを初めて見るための画面：カードの共有に価値はあるか、確保されたまま使われない量、"
    "待っている仕事、壊れているもの、次に見る場所。共有層がなくても読める。",
    worth=Words(
        title="ここでカードの共有に価値はあるか",
        description="24 時間のメモリーのピークがカードの半分以下で、最も忙しい 1 時間の計算も半分以下だった確保済みカードを、"
        "余地ありとする。同じようなテナントがもう 1 つ入るからである。判定は確保済みカードのうち余地のあるものの割合で、"
        "5 % 以上なら多少の効果、25 % 以上なら価値あり。使われなかったメモリーは、カードごとのピークを超えて約束した量。"
        "誰がカードを持つか知る手段がなければ、メモリーが使われていたカードは丸ごと確保済みとみなす。"
        "判定には 1 日分の記録が要る。見積もりであり、根拠となる記録の長さを右端に示す。",
        empty="不明：dcgm-exporter の FB_USED と、FB_TOTAL または FB_FREE および FB_RESERVED が必要",
    ),
    known=Words(
        title="判断の材料",
        description="選んだクラスターで読めるもの。足りないものがあれば、その数値は 0 ではなく不明とする。"
        "共有の仕組みがなければ、カードは丸ごと割り当てられる。",
        empty="読めるものがない：エクスポーターが収集されていない、またはルールが読み込まれていない",
    ),
    memory=Words(
        title="メモリー：約束と使用",
        description="全カードについて、わかっている量の合計。共有層が過剰に割り当てると、約束は物理を超える。"
        "ピークは各カードの 24 時間のピークの和であり、同時に起きたとは限らない。単位はバイト。",
        empty="不明：メモリーを知らせるカードがない",
    ),
    compute=Words(
        title="計算：約束と使用",
        description="全カードについて、わかっている量の合計をカード枚数に換算したもの。最も忙しい 1 時間は、"
        "各カードの 24 時間のうち平均が最大の 1 時間の和。使用はカードが働いていた時間の割合であり、"
        "演算器がどれだけ使われたかではない。",
        empty="不明：計算を知らせるカードがない",
    ),
    next=Words(
        title="次に開く画面",
        description="他の画面を、それぞれが答える問いとともに示す。目次の役割。",
    ),
    states=Words(
        title="状態ごとのカード数",
        description="現在の状態ごとのカード数。ハードウェアアラートを含む。Pod の数ではない。クリックするとそのカードが見える。"
        "GPU Atlas のエクスポーターがなければ、誰がカードを持つかわからず、すべて不明となる。",
        empty=_NO_CARD,
    ),
    checks=Words(
        title="29 のチェック",
        description="現在の状態ごとのチェック数。クラスターごとに 1 回数える。不明は入力が足りず調べられないもの、"
        "対象外は共有層がないもの。",
        empty="不明：チェックの記録ルールが読み込まれていない",
    ),
    waiting_now=Words(
        title="待っている仕事",
        description="ノードを待つ Pod があるか、キューに止められているワークロードの数、その最長の待ち時間、"
        "その間に空いているカードの数。",
        empty="不明：何が待っているかを知るのは GPU Atlas のエクスポーターだけである",
    ),
    nodes=Words(
        title="どこにあるか：ノード",
        description="ノードごとに、その全カードについて、約束したメモリー、各カードの 24 時間のピーク、最も忙しい 1 時間の計算を示す。"
        "未使用は約束のうちピークを超える量。100 % はノードの全カード。単位はバイト。未使用の多い 300 まで。",
        empty=_NO_CARD,
    ),
    namespaces=Words(
        title="誰が持っているか：Namespace",
        description="Namespace のコンテナーに予約したメモリーと、そのうち過去 24 時間のどの瞬間にも使われなかった量。"
        "両方がわかるものだけ。カード数は持ち分のあるカードの枚数。単位はバイト。",
        empty="不明：誰がカードを持つかを知るのは GPU Atlas のエクスポーターか共有層だけである",
    ),
    waiting=Words(
        title="何が何を待っているか",
        description="ノードを待つ Pod があるか、キューに止められているワークロードと、その理由。長く待つ順。",
        empty="待っているものはない、または知る手段がない：知るのは GPU Atlas のエクスポーターだけである",
    ),
    firing=Words(
        title="発火中のアラート",
        description="チェックと運用のアラートのうち発火中のものを名前ごとにまとめ、件数と最初の開始時刻を示す。",
        empty="発火中のものはない。チェックが調べられているかは上に示す",
    ),
    missing=Words(
        title="足りない入力",
        description="状態が不明のチェックに足りない入力と、それを欠くチェックの数。"
        "有効にすべきメトリック（DCGM のフィールドは DCGM_FI_DEV_ を省く）、または導入すべきエクスポーターである。",
        empty="なし：不明のチェックはない",
    ),
    verdict="共有",
    verdicts={
        "little": "効果は小さい",
        "some": "多少の効果",
        "much": "価値あり",
    },
    sources={
        "dcgm": "DCGM の値",
        "exporter": "エクスポーター",
        "sharing": "共有層",
    },
    present="✓ あり",
    absent={
        "dcgm": "? なし",
        "exporter": "? なし",
        "sharing": "なし",
    },
    questions={
        "cards": "空き・遊休・故障のカードと、そこにいるもの",
        "workloads": "確保した量のうち使われている量と、待っているもの",
        "checks": "壊れているものと、影響を受ける Pod",
        "sizing": "予約の適正値と、共有できる限界",
    },
    columns={
        "cards": "カード数",
        "promised": "約束メモリー",
        "peak": "ピーク",
        "busiest": "最繁時間",
        "never": "未使用",
        "reserved": "予約",
        "unused": "終日未使用",
        "reason": "理由",
        "waiting": "待ち時間",
        "alert": "アラート",
        "times": "件数",
        "times_checks": "件数",
        "input": "足りない入力",
    },
    waiting_count="ワークロード",
    longest="最長",
    free="空きカード",
    none="– なし",
    needs_a_day="1 日待ち",
    show_state="このカードを見る",
    show_node="このノードのカードを見る",
    show_namespace="この Namespace のワークロードを見る",
    show_workload="このワークロードを見る",
    show_waiting="まだカードを確保していないワークロードを見る",
)
