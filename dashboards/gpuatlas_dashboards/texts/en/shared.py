"""English words that stand on more than one board."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.texts.shapes.words import SharedTexts
from gpuatlas_dashboards.tokens import CheckState, Severity, State, WorkloadState

TEXTS: Final = SharedTexts(
    states={
        State.FREE: "free",
        State.WORKING: "working",
        State.IDLE: "idle",
        State.UNKNOWN: "unknown",
        State.SLOWED: "slowed",
        State.FAILED: "failed",
    },
    state_meanings={
        State.FREE: "no pod holds it",
        State.WORKING: "held, and computing",
        State.IDLE: "held, and doing nothing",
        State.UNKNOWN: "nobody tells",
        State.SLOWED: "clocks cut, or tenants contend",
        State.FAILED: "broken, or a critical check fires",
    },
    workload_states={
        WorkloadState.INACTIVE: "inactive",
        WorkloadState.WAITING: "waiting",
        WorkloadState.WORKING: "working",
        WorkloadState.IDLE: "idle",
        WorkloadState.UNKNOWN: "unknown",
        WorkloadState.SLOWED: "slowed",
        WorkloadState.FAILED: "failed",
    },
    workload_state_meanings={
        WorkloadState.INACTIVE: "no pod of it holds a card, none waits",
        WorkloadState.WAITING: "holds no card yet",
        WorkloadState.WORKING: "computes",
        WorkloadState.IDLE: "holds cards, and does nothing",
        WorkloadState.UNKNOWN: "nobody tells it from its neighbours",
        WorkloadState.SLOWED: "on a card that is slowed",
        WorkloadState.FAILED: "on a card that is failed",
    },
    check_states={
        CheckState.FIRING: "firing",
        CheckState.UNKNOWN: "unknown",
        CheckState.NOT_APPLICABLE: "not applicable",
        CheckState.OK: "ok",
    },
    severities={
        Severity.CRITICAL: "critical",
        Severity.WARNING: "warning",
        Severity.INFO: "info",
    },
    variables={
        "datasource": "Data source",
        "cluster": "Cluster",
        "node": "Node",
        "namespace": "Namespace",
        "workload": "Workload",
        "card": "Card",
        "check": "Check",
        "runbooks": "Runbooks at",
        "state": "State",
        "workload_kind": "Kind",
        "workload_state": "State",
        "chosen_cluster": "Cluster of the workload",
        "chosen_namespace": "Namespace of the workload",
        "chosen_kind": "Kind of the workload",
        "chosen_name": "Name of the workload",
        "chosen_cards": "Cards of the workload",
    },
    columns={
        "node": "Node",
        "card": "Card",
        "index": "Index",
        "model": "Model",
        "sharing": "Sharing",
        "state": "State",
        "namespace": "Namespace",
        "pod": "Pod",
        "container": "Container",
        "workload": "Workload",
        "workload_kind": "Kind",
        "partition": "Partition",
        "check": "Check",
        "severity": "Severity",
        "tenants": "Tenants",
        "evidence": "Known from",
        "since": "Since",
    },
    open_board="Open {board}",
    boards={
        "overview": "Overview",
        "cards": "Cards",
        "workloads": "Workloads",
        "checks": "Checks",
        "sizing": "Sizing",
    },
)
