"""`gpuatlas checks --output json`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuatlas.cli.documents.values import API_VERSION, sources, timestamp
from gpuatlas.cli.judged import JudgedCheck, JudgedCluster, Occurrence, Verdict
from gpuatlas.model.status import SourceStatus


def checks_document(verdict: Verdict, statuses: Sequence[SourceStatus]) -> dict[str, Any]:
    """The whole document."""
    return {
        "apiVersion": API_VERSION,
        "kind": "Checks",
        "at": timestamp(verdict.at),
        "basis": {
            "kind": "prometheus" if verdict.address else "instant",
            "address": verdict.address,
        },
        "clusters": [_cluster(cluster) for cluster in verdict.clusters],
        "sources": sources(statuses),
    }


def _cluster(cluster: JudgedCluster) -> dict[str, Any]:
    return {
        "name": cluster.name,
        "summary": {
            "states": {str(state): count for state, count in sorted(cluster.states.items())},
            "severities": {str(word): count for word, count in sorted(cluster.severities.items())},
        },
        "checks": [_check(check) for check in cluster.checks],
    }


def _check(check: JudgedCheck) -> dict[str, Any]:
    entry = check.entry
    return {
        "id": entry.id,
        "alert": entry.alert,
        "layer": entry.layer,
        "title": entry.title,
        "runbook": entry.runbook,
        "state": check.state,
        "severity": check.severity,
        "since": timestamp(check.since),
        "findings": [_finding(each) for each in check.occurrences],
        "missing": [
            {"input": lack.input, "node": lack.node, "reason": lack.reason}
            for lack in check.missing
        ],
        "node_states": {node: str(state) for node, state in check.nodes},
        "unseen_signals": list(check.unseen),
    }


def _finding(each: Occurrence) -> dict[str, Any]:
    return {
        "signal": each.signal,
        "severity": each.severity,
        "state": "pending" if each.pending else "firing",
        "since": timestamp(each.since),
        "node": each.node,
        "card": each.card,
        "index": each.index,
        "namespace": each.namespace,
        "pod": each.pod,
        "object": each.object,
        "pods": list(each.pods),
        "count": each.count,
        "cause": each.cause,
        "action": each.action,
        "description": each.description,
        "evidence": [{"source": source, "record": record} for source, record in each.evidence],
    }
