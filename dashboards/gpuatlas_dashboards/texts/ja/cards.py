"""Japanese words of the board Cards."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.texts.shapes.cards import CardsTexts
from gpuatlas_dashboards.texts.shapes.words import Words

_NO_CARD: Final = (
    "カードが 1 枚も見つからない：エクスポーターは収集されているか、記録ルールは読み込まれているか"
)

TEXTS: Final = CardsTexts(
    title="GPU Atlas / カード",
    description="クラスターの全カードを状態ごとに示し、選んだカードを詳しく示す：誰が使い、どこまで約束され、何が悪いのか。",
    states=Words(
        title="状態ごとのカード数",
        description="選んだノードのカードを状態ごとに数えたもの。ハードウェアアラートを含む。Pod や共有分の数ではない。"
        "クリックすると、その状態のカードだけが地図に残る。",
        empty=_NO_CARD,
    ),
    memory=Words(
        title="これらのカードのメモリー",
        description="選んだノードについて、わかっている量の合計。過剰割り当てはカードごとに求めて足す。"
        "あるカードの余りは別のカードの不足を補えないからである。単位はバイト。",
        empty="不明：これらのノードのカードはメモリーを知らせていない",
    ),
    map=Words(
        title="カード",
        description="1 行が 1 ノード、1 枡が 1 カードで、列はノード内の番号。枡には状態と、テナント（Pod）の数を示す。"
        "枡をクリックするとそのカードが右に、ノードをクリックするとそのノードだけが表示される。"
        "番号のないカードは下の一覧にだけ現れる。カードが 2,000 枚を超えるときは状態の悪いノードだけを示すので、"
        "ほかは画面の上でノードか状態を選んで見る。",
        empty=_NO_CARD,
    ),
    legend=Words(
        title="状態", description="カードの色と記号が表す意味を示す凡例。どの画面でも同じ。"
    ),
    chain=Words(
        title="カード ${card:text} 上の分割・割り当て・ワークロード",
        description="カードの一部を持つコンテナーごと、および誰も持たない部分ごとに 1 行。約束は持ち分であり使用量ではない。"
        "カード上はドライバーの値、計上は共有層の値。単位はバイト。計算能力は 100 % がカード全体。",
        empty="このカードを持つ者はいない、または誰が持つかを知る手段がない",
    ),
    chosen=Words(
        title="カード ${card:text}",
        description="選んだカードの状態。ハードウェアアラートを含む。カードは枡、または画面の上で選ぶ。",
        empty="不明：カードがない",
    ),
    checks=Words(
        title="このカードのアラート",
        description="このカードを名指しするアラート（発火中または発火待ち）と、その開始時刻。29 のチェックと運用のもの。",
        empty="アラートルールが読み込まれていれば、このカードを名指しするアラートはない",
    ),
    identity=Words(
        title="カードの素性",
        description="カードの型名、共有方式、ドライバー、および全メトリックがこのカードを指す UUID。",
        empty="不明：エクスポーターはこのカードを知らない",
    ),
    promises=Words(
        title="約束と物理メモリー",
        description="約束：各ワークロードの持ち分。物理：カードのメモリーと、赤はそれを超えて約束した量。"
        "使用：ワークロードごとにドライバーと共有層の値の大きい方。常駐：誰のものかを問わず、ドライバーによるカード上の量。"
        "単位はバイト。",
        empty="不明：このカードの約束もメモリーもわからない",
    ),
    promised_now=Words(
        title="メモリー：約束",
        description="期間の終わりの値。物理はカードが持つ量、割り当ては約束した量で使用量ではなく、過剰割り当ては物理を"
        "超えて約束した量。単位はバイト。",
        empty="不明：このカードのメモリーを知らせるものがない",
    ),
    used_now=Words(
        title="メモリー：使用",
        description="期間の終わりの値。常駐はドライバーの値、計上は共有層の値。退避は計上されながらカード上にない量で、下限値。"
        "誰も測っていないものは不明とする。単位はバイト。",
        empty="不明：このカードの使用量を知らせるものがない",
    ),
    compute_now=Words(
        title="計算能力",
        description="期間の終わりの値。カードが働いていた時間の割合と、約束した割合。100 % がカード全体で、MIG で分割された"
        "カードでは不明とする。競合は直近 10 分のうち、2 つ以上のテナントが働きカードが限界に達していた時間の割合。"
        "共有されていない、またはテナントごとに測れないカードでは未確認とする。",
        empty="不明：このカードの dcgm-exporter がない",
    ),
    sensors_now=Words(
        title="センサー",
        description="期間の終わりにおけるコアの温度、ホストを含まないカードの電力、マルチプロセッサーのクロック。"
        "dcgm-exporter がなければ不明とする。",
        empty="不明：このカードの dcgm-exporter がない",
    ),
    history="期間中のカード ${card:text}",
    no_record="記録なし",
    not_looked_at="未確認",
    nobody="判明分なし",
    states_over_time=Words(
        title="状態の推移",
        description="各時点のカードの状態。ハードウェアアラートを含む。空白は誰も記録しなかった時間。",
        empty="記録なし：この期間に記録ルールが動いていない",
    ),
    memory_over_time=Words(
        title="メモリー",
        description="カードが持つ量、約束した量、カード上にある量、共有層が数える量。物理の線より上は過剰割り当て。"
        "単位はバイト。",
        empty="この期間にこのカードのメモリーの記録はない",
    ),
    compute_over_time=Words(
        title="計算",
        description="カードが働いていた時間の割合、約束した割合、および 10 分間のうちテナントが競合した時間の割合。"
        "100 % がカード全体、またはすべての時間。",
        empty="記録なし：この期間にこのカードの dcgm-exporter がない",
    ),
    temperature_over_time=Words(
        title="温度",
        description="コアの温度と、カードが知らせる場合は自らクロックを下げる上限温度。単位は摂氏。",
        empty="記録なし：この期間にこのカードの dcgm-exporter がない",
    ),
    power_over_time=Words(
        title="電力",
        description="カードが使う電力。ホストの分は含まない。単位はワット。",
        empty="記録なし：この期間にこのカードの dcgm-exporter がない",
    ),
    clock_over_time=Words(
        title="クロック",
        description="マルチプロセッサーのクロック。遊休のカードでは自然に下がる。稼働中なら熱か電力が抑えている。"
        "単位はヘルツ。",
        empty="記録なし：この期間にこのカードの dcgm-exporter がない",
    ),
    list_section="全カードの一覧",
    list=Words(
        title="選んだノードと状態のカード",
        description="1 行が 1 カード。約束が 100 % を超えるものは過剰割り当て。カード上はドライバーの値。"
        "100 % はカードのメモリーまたは計算能力の全体。2,000 枚を超えるときは状態の悪いものだけを示す。",
        empty=_NO_CARD,
    ),
    unplaced=Words(
        title="どのカードにいるかわからない Pod",
        description="カードまたはその一部を持つが、API サーバーもドライバーもどのカードかを知らせないコンテナーと、そのノード。"
        "地図のどの枡にも現れない。",
        empty="エクスポーターが知る限り、なし",
    ),
    bars={
        "promised": "約束",
        "physical": "物理",
        "used": "使用",
        "resident": "常駐",
    },
    columns={
        "worst": "最悪",
        "driver": "ドライバー",
        "alert": "アラート",
        "kind": "持ち分",
        "profile": "プロファイル",
        "promised": "約束",
        "resident": "カード上",
        "counted": "計上",
        "compute": "計算",
        "compute_promised": "計算の約束",
        "idle": "遊休時間",
    },
    open_workload="このワークロードを見る",
    open_check="このチェックを見る",
    open_card="このカードを見る",
    only_node="このノードだけにする",
    only_state="この状態のカードだけにする",
)
