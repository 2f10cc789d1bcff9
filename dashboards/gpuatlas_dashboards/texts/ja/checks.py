"""Japanese words of the board Checks."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.signals.check_sentences import ALL_TENANTS, NEW_PODS, WAYS
from gpuatlas_dashboards.texts.shapes.checks import ChecksTexts
from gpuatlas_dashboards.texts.shapes.words import Words
from gpuatlas_dashboards.tokens import CheckState

_NO_CHECK: Final = "チェックが見つからない：recording_rules/check.yaml を読み込み、dcgm-exporter または gpuatlas を収集する"
_NOTHING_FIRES: Final = (
    "選んだクラスターで発火中のチェックはない。すべてを見られたかどうかは上の状態でわかる"
)
_COUNTERS, _DCGM_EXPORTER, _OURS = WAYS.values()

TEXTS: Final = ChecksTexts(
    title="GPU Atlas / チェック",
    description="カードと共有層の何が悪いか、誰が影響を受けるか、まず何をするか、そして何が見えていないか。",
    states=Words(
        title="状態別のチェック数",
        description="29 のチェックを、選んだクラスターの中で最も悪い状態で数える。所見の数ではない。不明：見られない所があり、正常とは言えない。",
        empty=_NO_CHECK,
    ),
    findings_by_severity=Words(
        title="深刻度別の所見数",
        description="発火中のアラートを深刻度で数える。同じ対象に両方あるときは重い方だけを数える。チェックの数ではない。",
        empty="不明：チェックがない",
    ),
    hit=Words(
        title="影響を受けるもの",
        description="所見に名前があるカードとノード、および影響を受ける Pod の数：そのカードやノードのテナントと、所見が対象とする Pod。",
        empty="不明：チェックがない",
    ),
    pods_hit="Pod",
    layers={
        "hardware": Words(
            title="ハードウェアのチェック",
            description="dcgm-exporter の系列だけで判断する 12 のチェック。クリックで選ぶ。開始：最も古い所見が始まった時刻。件数：いま引っかかっている対象の数。",
            empty=_NO_CHECK,
        ),
        "sharing": Words(
            title="共有層のチェック",
            description="HAMi、Volcano vGPU、KAI に関する 17 のチェック。共有層が動いていない所では対象外。クリックで選ぶ。",
            empty=_NO_CHECK,
        ),
    },
    number="番号",
    name="見ているもの",
    findings_short="件数",
    choose="このチェックを表示",
    legend=Words(
        title="チェックの状態", description="チェックの状態を表す色と印が何を意味するか。"
    ),
    state_meanings={
        CheckState.FIRING: "少なくとも 1 つの対象が引っかかっている",
        CheckState.UNKNOWN: "見られない所がある：入力が足りない",
        CheckState.NOT_APPLICABLE: "ここには対象となるものがない",
        CheckState.OK: "すべてを見て、何も見つからない",
    },
    chosen=Words(
        title="チェック $check",
        description="選んだクラスターの中で、このチェックの最も悪い状態（時間範囲の終わり）。下の表のクリック、または上の変数で選ぶ。",
        empty=_NO_CHECK,
    ),
    finds=Words(
        title="$check が見つけるもの",
        description="選んだチェックが見つけるもの。クリックでランブックを開く。",
        empty=_NO_CHECK,
    ),
    open_runbook="ランブックを開く",
    advice=Words(
        title="$check への対処",
        description="発火中のシグナルそれぞれの原因と最初の対処（アラートの文面）。入力が足りないときは、その入れ方。",
        empty="なし：発火しておらず、足りない入力もない。何を見ているかはランブックにある",
    ),
    places=Words(
        title="$check の発火箇所と影響を受ける Pod",
        description="このチェックの所見ごとに、ノード、カード、影響を受ける Pod。",
        empty="発火していない",
    ),
    lacks={
        r"/^lacks\|(DCGM_[^|]*)\|\|.*$/": "$1 がどこからも届かない ▸ alerts/dcgm-counters.csv の該当行を dcgm-exporter の一覧に加える。カードによっては存在しない",
        r"/^lacks\|([^|]*)\|\|.*$/": "読むものがどこからも届かない ▸ $1 を導入し、Prometheus に収集させる",
        r"/^lacks\|([^|]*)\|([^|]+)\|.*$/": "$1 を読めない ▸ $2",
    },
    pods="影響を受ける Pod",
    nobody_named={
        NEW_PODS: "共有カードを要求する、これから作られるすべての Pod",
        ALL_TENANTS: "クラスターの全テナント",
    },
    findings=Words(
        title="所見",
        description="発火中のアラートすべて（新しい順に 500 件まで）：場所、影響を受ける Pod、根拠となる記録（ハードウェアのチェックは数値で判断し、引用しない）、原因と最初の対処。対処にはこの所見の名前が入る。",
        empty=_NOTHING_FIRES,
    ),
    where="場所",
    index="カード",
    object="対象",
    record="記録",
    cause_and_action="原因 ▸ 最初の対処",
    open_card="このカードを表示",
    open_node="このノードのカードを表示",
    history="これまでの経過",
    timeline=Words(
        title="発火したチェック",
        description="時間範囲内に発火したチェックの、最も悪い状態の推移。空白：その時刻の記録がない。",
        empty="この時間範囲に発火したチェックはない",
    ),
    no_check="なし",
    fired=Words(
        title="時間範囲内の所見",
        description="時間範囲内のすべての所見（発火時間の長い順に 200 件まで、終わったものも含む）：発火していた時間と、最後の時刻（5 分刻み）。",
        empty="この時間範囲に発火したチェックはない",
    ),
    fired_for="発火時間",
    last="最後",
    blind=Words(
        title="見えていないもの",
        description="チェックが読むはずなのに、どこからも届かない入力と、そのチェックの状態。正常とあるのは、ほかの入力で足りていることを示す。すべてのカードに全フィールドがあるわけではない：NVLink のフィールドがないのは、NVLink がないだけかもしれない。",
        empty="すべてのチェックに入力がそろっている",
    ),
    input="入力",
    reason="理由、または入れ方",
    nodes="ノード",
    whole_cluster="クラスター全体",
    ways={
        _COUNTERS: "alerts/dcgm-counters.csv の該当行を dcgm-exporter の一覧に加える",
        _DCGM_EXPORTER: "dcgm-exporter を導入し、Prometheus に収集させる",
        _OURS: "gpuatlas を導入し、Prometheus に収集させる",
    },
)
