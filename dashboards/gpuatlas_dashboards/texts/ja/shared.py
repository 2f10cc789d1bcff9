"""Japanese words that stand on more than one board."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.texts.shapes.words import SharedTexts
from gpuatlas_dashboards.tokens import CheckState, Severity, State, WorkloadState

TEXTS: Final = SharedTexts(
    states={
        State.FREE: "空き",
        State.WORKING: "稼働",
        State.IDLE: "遊休",
        State.UNKNOWN: "不明",
        State.SLOWED: "低速",
        State.FAILED: "故障",
    },
    state_meanings={
        State.FREE: "どの Pod も確保していない",
        State.WORKING: "確保され、計算している",
        State.IDLE: "確保されたまま、何もしていない",
        State.UNKNOWN: "情報源がない",
        State.SLOWED: "クロック低下、またはテナント間の競合",
        State.FAILED: "故障、または重大なチェックが発火中",
    },
    workload_states={
        WorkloadState.INACTIVE: "停止",
        WorkloadState.WAITING: "待機",
        WorkloadState.WORKING: "稼働",
        WorkloadState.IDLE: "遊休",
        WorkloadState.UNKNOWN: "不明",
        WorkloadState.SLOWED: "低速",
        WorkloadState.FAILED: "故障",
    },
    workload_state_meanings={
        WorkloadState.INACTIVE: "カードを持つ Pod も待つ Pod もない",
        WorkloadState.WAITING: "まだカードを確保していない",
        WorkloadState.WORKING: "計算している",
        WorkloadState.IDLE: "カードを確保したまま、何もしていない",
        WorkloadState.UNKNOWN: "同じカードの他のワークロードと区別できない",
        WorkloadState.SLOWED: "低速のカード上にある",
        WorkloadState.FAILED: "故障したカード上にある",
    },
    check_states={
        CheckState.FIRING: "発火中",
        CheckState.UNKNOWN: "不明",
        CheckState.NOT_APPLICABLE: "対象外",
        CheckState.OK: "正常",
    },
    severities={
        Severity.CRITICAL: "重大",
        Severity.WARNING: "警告",
        Severity.INFO: "情報",
    },
    variables={
        "datasource": "データソース",
        "cluster": "クラスター",
        "node": "ノード",
        "namespace": "Namespace",
        "workload": "ワークロード",
        "card": "カード",
        "check": "チェック",
        "runbooks": "ランブックの場所",
        "state": "状態",
        "workload_kind": "種類",
        "workload_state": "状態",
        "chosen_cluster": "選んだワークロードのクラスター",
        "chosen_namespace": "選んだワークロードの Namespace",
        "chosen_kind": "選んだワークロードの種類",
        "chosen_name": "選んだワークロードの名前",
        "chosen_cards": "選んだワークロードのカード",
    },
    columns={
        "node": "ノード",
        "card": "カード",
        "index": "番号",
        "model": "型名",
        "sharing": "共有方式",
        "state": "状態",
        "namespace": "Namespace",
        "pod": "Pod",
        "container": "コンテナー",
        "workload": "ワークロード",
        "workload_kind": "種類",
        "partition": "分割",
        "check": "チェック",
        "severity": "深刻度",
        "tenants": "テナント数",
        "evidence": "判断の根拠",
        "since": "開始",
    },
    open_board="{board}を開く",
    boards={
        "overview": "概要",
        "cards": "カード",
        "workloads": "ワークロード",
        "checks": "チェック",
        "sizing": "サイジング",
    },
)
