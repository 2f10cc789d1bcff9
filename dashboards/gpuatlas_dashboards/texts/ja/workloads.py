"""Japanese words of the board Workloads."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words
from gpuatlas_dashboards.texts.shapes.workloads import WorkloadsTexts

_NO_WORKLOAD: Final = (
    "ワークロードが見つからない：GPU Atlas のエクスポーターは honorLabels: true で収集されているか"
)
_NOT_CHOSEN: Final = "不明：表の中か画面の上でワークロードを選ぶ"

TEXTS: Final = WorkloadsTexts(
    title="GPU Atlas / ワークロード",
    description="カードを要求する全ワークロード：確保した量のうちどれだけ使い、どの状態にあり、何に遅くされているのか。"
    "選んだワークロードは詳しく示す。",
    states=Words(
        title="状態ごとのワークロード数",
        description="選んだ Namespace と種類のワークロードを状態ごとに数えたもの。Pod の数ではない。"
        "クリックすると、その状態のワークロードだけが表に残る。",
        empty=_NO_WORKLOAD,
    ),
    totals=Words(
        title="これらのワークロードが確保した量",
        description="選んだ Namespace と種類のワークロードについて、状態によらず、わかっている量の合計。予約は約束であり使用量ではない。"
        "未使用は予約のうち現在使われていない量。メモリーの単位はバイト、計算はカード枚数に換算。",
        empty="不明：これらのワークロードが確保した量を知らせるものがない",
    ),
    table=Words(
        title="ワークロード",
        description="最上位のオブジェクトごとに 1 行で、悪い状態から順に並ぶ。棒は予約に対する使用の割合で、"
        "両方がわかるコンテナーについて求める。カードに対する割合ではない。推移は期間中の計算の使用（1 時間平均、カード枚数）。"
        "減速の相手は直近 10 分で最も根拠の強いもの。名前をクリックすると下に詳細が出る。"
        "500 を超えるときは悪い状態のものだけを示すので、絞り込んで見る。",
        empty=_NO_WORKLOAD,
    ),
    legend=Words(
        title="状態", description="ワークロードの色と記号が表す意味を示す凡例。どの画面でも同じ。"
    ),
    pairs_section="誰が誰を遅くしているか",
    pairs=Words(
        title="遅くなったワークロードと疑わしい相手",
        description="選んだ Namespace と種類について、相手が動いている間に遅くなっていた時間の長い組から 100 組。時間は期間中の合計で"
        "10 分単位、現在は直近 10 分のうちの割合。根拠の強さ：共有（同じカードにいた）、飽和（カードが限界に達していた）、"
        "疑いあり（一方が落ちる間に増えた）、裏付けあり（止むと治まり、戻ると再発した）。原因と断定はしない。"
        "同じ 1 秒が複数の相手に数えられることがある。",
        empty="わかる範囲では、この期間に遅くなったものはない：複数で共有するカードと、サービス自身の数値（vLLM、SGLang、Triton、"
        "TGI）またはテナントごとの計算の測定が必要",
    ),
    chosen_section="ワークロード ${workload:text}",
    chosen=Words(
        title="状態",
        description="期間の終わりにおける、選んだワークロードの状態。全体が測れるときは自身の使用から、"
        "測れないときは使っているカードの状態から求める。",
        empty="? 状態は不明",
    ),
    now=Words(
        title="現在",
        description="期間の終わりに全 Pod で確保している量と使っている量。予約は約束であり使用量ではない。"
        "メモリーの単位はバイト、計算はカード枚数に換算。誰も測っていないものは不明とする。",
        empty=_NOT_CHOSEN,
    ),
    identity=Words(
        title="ワークロードの素性",
        description="オブジェクト、その中で動くもの、配置する者と受け入れる者。",
        empty=_NOT_CHOSEN,
    ),
    waits=Words(
        title="何を待っているか",
        description="Pod、またはキュー内のワークロード自身が待っている時間。理由ごとの最長。"
        "動き始めた Pod の起動時間は含まない。",
        empty="何も待っていない",
    ),
    requested=Words(
        title="何を要求しているか",
        description="終わっていない Pod が要求するカードまたは共有分を、リソースごとに示す。得た量ではない。",
        empty="カードを要求する未完了の Pod はない",
    ),
    shares=Words(
        title="${workload:text} の Pod とカード",
        description="カード上のコンテナーごと、およびカードを持たない Pod ごとに 1 行。メモリーの棒は予約に対する使用の割合、"
        "計算はカード全体に対する割合。隔離はメモリー上限が効いているか、根拠はカードをどう知ったかを示す。",
        empty="カードを持つ Pod も待つ Pod もない",
    ),
    neighbours=Words(
        title="同じカードに同居するワークロード",
        description="同じカードに持ち分のある他のワークロード。そこにいるという事実であり、遅くしているという意味ではない。"
        "メモリーはそのカード上の量で、単位はバイト。計算は 100 % がカード全体。",
        empty="なし：カードを独占している、または知る手段がない",
    ),
    suspects=Words(
        title="遅くしている疑いのある相手",
        description="期間中、その相手が動いている間に遅くなっていた時間（10 分ごとの割合による。続いている間は 5 分少ない）、直近 10 分のうちの割合、その根拠の強さ："
        "共有（同じカードにいた）、飽和（カードが限界に達していた）、疑いあり、裏付けあり（止むと治まり、戻ると再発した）。"
        "原因と断定はしない。ハードウェアによるものは右に示す。",
        empty="わかる範囲では、どの隣人にも遅くされていない：サービス自身の数値（vLLM、SGLang、Triton、TGI）または"
        "カードのテナントごとの計算の測定が必要",
    ),
    memory_over_time=Words(
        title="メモリー",
        description="全 Pod の予約と使用。使用はコンテナーごとにドライバーと共有層の値の大きい方。単位はバイト。",
        empty="記録なし：この期間にこのワークロードのメモリーを知らせるものがない",
    ),
    compute_over_time=Words(
        title="計算",
        description="全 Pod の予約と、コンテナーごとに測れる場合の使用。カード枚数に換算し、2.5 は 2 枚半。",
        empty="記録なし：このコンテナーの計算は同居するものと区別して測られていない",
    ),
    memory_by_pod=Words(
        title="Pod ごとのメモリー使用",
        description="Pod ごとの使用中のメモリー。ドライバーと共有層の値の大きい方であり、予約ではない。単位はバイト。",
        empty="記録なし：この期間に Pod のメモリーを知らせるものがない",
    ),
    slowed_over_time=Words(
        title="遅くなった時間の割合",
        description="相手が動いている間に遅くなっていた時間の、10 分ごとの割合。疑わしい相手ごとに 1 本で、合計はできない。"
        "100 % がすべての時間。",
        empty="記録なし：わかる範囲では、この期間に隣人に遅くされていない",
    ),
    states_over_time=Words(
        title="ワークロードとカードの状態の推移",
        description="各時点のワークロードの状態と、その下に、持っていた各カードの状態。"
        "空白は誰も記録しなかった時間、またはカードを持っていなかった時間。",
        empty="記録なし：この期間に記録ルールが動いていない",
    ),
    alerts=Words(
        title="関係するアラート",
        description="このワークロード、その Pod またはカードを名指しするアラート（発火中または発火待ち）と、その開始時刻。"
        "隣人と同じく、カードの熱、電力、接続、故障もワークロードを遅くする。",
        empty="なし：このワークロード、その Pod とカードを名指しするアラートはない",
    ),
    findings=Words(
        title="元の記録",
        description="共有層のチェックがその Pod とカードについて見つけたものと、引用した元の記録、その所在。",
        empty="なし：共有層のチェックはその Pod とカードに何も見つけていない",
    ),
    columns={
        "memory": "メモリー使用",
        "reserved": "予約",
        "compute": "計算の使用",
        "share": "枚数換算",
        "trend": "推移",
        "slowed": "減速の相手",
        "cards": "枚数",
        "pods": "Pod",
        "runtime": "ランタイム",
        "scheduler": "スケジューラー",
        "queue": "キュー",
        "queue_kind": "キューの種類",
        "gang": "ギャング",
        "waiting": "待ち時間",
        "reason": "理由",
        "api_group": "API グループ",
        "resource": "リソース",
        "amount": "数量",
        "used": "使用",
        "idle": "遊休時間",
        "isolated": "隔離",
        "priority": "優先度",
        "kind": "持ち分",
        "profile": "プロファイル",
        "promised": "約束",
        "conflict": "別の情報源",
        "victim": "遅くなった側",
        "suspect": "疑わしい相手",
        "suspect_namespace": "相手の Namespace",
        "now": "現在",
        "grade": "根拠",
        "duration": "低速時間",
        "alert": "アラート",
        "object": "対象",
        "source": "所在",
        "record": "記録",
    },
    grades={
        "0": "相手不明",
        "1": "共有",
        "2": "飽和",
        "3": "疑いあり",
        "4": "裏付けあり",
    },
    evidence={
        "annotation": "アノテーション",
        "claim": "クレーム",
        "pod-status": "Pod の状態",
        "reservation": "予約 Pod",
        "agent": "エージェント",
        "dcgm": "DCGM の対応付け",
        "only-card": "ノード唯一のカード",
        "unknown": "不明",
    },
    isolated={"0": "✖ なし", "1": "✓ あり"},
    not_measured_yet="未計測",
    nobody="–",
    no_workload="– 見つからない",
    no_pod="– Pod なし",
    no_record="記録なし",
    no_suspect="原因不明",
    no_neighbour="– 他になし",
    its_state="ワークロード",
    show_workload="このワークロードを下に表示",
    open_check="チェックを開く",
    open_card="カードを開く（複数あるときはその 1 枚）",
    only_state="この状態のワークロードだけにする",
)
