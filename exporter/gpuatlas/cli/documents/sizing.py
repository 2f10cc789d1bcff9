"""`gpuatlas sizing --output json`."""

from __future__ import annotations

from typing import Any, Final

from gpuatlas.cli.documents.values import API_VERSION, measured, timestamp
from gpuatlas.cli.sized import Sized, Totals, by_container, gravest, totals
from gpuatlas.model.sizing import (
    Contended,
    NodeRatio,
    PrioritySuggestion,
    Proposal,
    Resource,
    SizingReport,
)

_UNITS: Final = {Resource.MEMORY: "bytes", Resource.COMPUTE: "ratio", Resource.CARDS: "cards"}


def sizing_document(report: SizingReport, address: str) -> dict[str, Any]:
    """The whole document; `address` is the Prometheus."""
    sized = by_container(report.proposals)
    return {
        "apiVersion": API_VERSION,
        "kind": "Sizing",
        "at": timestamp(report.at),
        "basis": {"kind": "prometheus", "address": address, "window_days": report.window_days},
        "containers": [_container(each, report) for each in sized],
        "nodes": [_node(node) for node in report.nodes],
        "priorities": [_priority(suggestion) for suggestion in report.priorities],
        "contended": [_contended(one) for one in report.contended],
        "summary": _summary(totals(sized)),
        "missing": list(report.missing),
    }


def _container(each: Sized, report: SizingReport) -> dict[str, Any]:
    of, reserved = each.of, report.reservations.get(each.of)
    return {
        "cluster": of.cluster,
        "namespace": of.namespace,
        "kind": of.kind,
        "name": of.name,
        "container": of.container,
        "group": of.group,
        "sharing": None if reserved is None else str(reserved.sharing),
        "card_model": None if reserved is None else reserved.card_model,
        "nodes": [] if reserved is None else list(reserved.node_names),
        "containers": None if reserved is None else reserved.containers,
        "verdict": str(gravest(each.proposals)),
        "resources": [_resource(proposal) for proposal in each.proposals],
    }


def _resource(proposal: Proposal) -> dict[str, Any]:
    return {
        "resource": str(proposal.resource),
        "unit": _UNITS[proposal.resource],
        "verdict": str(proposal.verdict),
        "reason": None if proposal.reason is None else str(proposal.reason),
        "text": proposal.text,
        "present": proposal.present,
        "peak": proposal.peak,
        "proposed": proposal.proposed,
        "saving": proposal.saving,
        "target": proposal.target,
        "window_days": proposal.window_days,
        "coverage": proposal.coverage,
    }


def _node(ratio: NodeRatio) -> dict[str, Any]:
    demand = ratio.demand
    return {
        "cluster": demand.cluster,
        "name": demand.node,
        "sharing": demand.sharing.split(",") if demand.sharing else [],
        "days": demand.days,
        "moves_idle": demand.moves_idle,
        **measured(
            {
                "memory.physical_bytes": demand.physical,
                "memory.allocated_bytes": demand.allocated,
                "memory.demand_bytes": demand.demand,
                "memory.host_available_bytes": demand.host_available,
                "overcommit.present_ratio": ratio.present,
                "overcommit.safe_ratio": ratio.safe,
                "overcommit.room_bytes": ratio.room,
            }
        ),
        "fits": [
            {"namespace": namespace, "kind": kind, "name": name, "number": number}
            for (namespace, kind, name), number in sorted(ratio.fits.items())
        ],
    }


def _priority(suggestion: PrioritySuggestion) -> dict[str, Any]:
    of = suggestion.of
    return {
        "cluster": of.cluster,
        "namespace": of.namespace,
        "kind": of.kind,
        "name": of.name,
        "present": of.priority,
        "proposed": suggestion.proposed,
        "text": suggestion.text,
    }


def _contended(one: Contended) -> dict[str, Any]:
    return {
        "cluster": one.cluster,
        "namespace": one.namespace,
        "kind": one.kind,
        "name": one.name,
        "victim_minutes": one.victim_minutes,
        "suspect_minutes": one.suspect_minutes,
        "serves": one.serves,
        "priority": one.priority,
    }


def _summary(summed: Totals) -> dict[str, Any]:
    return {
        "containers": summed.containers,
        "verdicts": {str(verdict): n for verdict, n in sorted(summed.verdicts.items())},
        "cannot": {str(reason): n for reason, n in sorted(summed.cannot.items())},
        "given_back": _amounts(summed.given_back),
        "added": _amounts(summed.added),
    }


def _amounts(sums: Any) -> dict[str, float]:
    return {
        "memory_bytes": sums.get(Resource.MEMORY, 0),
        "compute_cards": sums.get(Resource.COMPUTE, 0),
        "cards": sums.get(Resource.CARDS, 0),
    }
