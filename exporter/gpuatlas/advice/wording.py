"""The figures that reasons may name, as text. All are counted or measured in the pool. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuatlas.advice.facts import PoolFacts
from gpuatlas.advice.tenants import Tenant
from gpuatlas.advice.work import Work
from gpuatlas.model.units import MIB


def figures(f: PoolFacts) -> Mapping[str, str]:
    """Name in a rule's text → what stands there. What is unknown in this pool is "?"."""
    memory, compute = f.largest
    return {
        "vendor": f.vendor or "?",
        "model": f.model or "the card",
        "old_driver": f.old_driver,
        "holders_unknown": f.holders_unknown,
        "unmeasured_because": f.unmeasured_because,
        **_counts(f),
        **_groups(f),
        "pair": _size(f.pair),
        "physical": _size(f.physical),
        "smallest": _size(f.needs[0] if f.needs else None),
        "largest": _size(memory),
        "most_compute": _compute(compute),
        "profile": f.profile or "?",
        "least_profile": f.least_profile or "?",
    }


def _counts(f: PoolFacts) -> dict[str, str]:
    return {
        "nodes": _count(f.nodes, "node"),
        "nodes_without_cards": str(f.nodes_without_cards),
        "cards": _count(len(f.cards), "card"),
        "measured": str(f.measured),
        "kai": str(f.kai),
        "pods": _count(len(f.tenants), "pod"),
        "single": str(len(f.single)),
        "single_pods": _count(len(f.single), "pod"),
        "dividing": str(len(f.dividing)),
        "oversized": str(f.oversized),
        "unplaced": str(f.unplaced),
        "needs_known": str(len(f.needs)),
        "computes_known": str(len(f.computes)),
        "fullest_pods": _count(f.fullest, "pod"),
        "several_cards": f"{_count(f.several_cards, 'pod')} with several cards",
        "ganged": _count(f.ganged, "pod"),
        "workloads": _count(f.workloads, "workload"),
        "namespaces": _count(f.namespaces, "namespace"),
        "overcommitted": _count(f.overcommitted, "card"),
        "busy": str(f.busy),
        "busy_alone": str(f.busy_alone),
        "low": str(f.low),
        "works": _count(len(f.works), "held card"),
    }


def _groups(f: PoolFacts) -> dict[str, str]:
    return {
        "serving": _group(f.doing(Work.SERVING), "serving"),
        "interactive": _group(f.doing(Work.INTERACTIVE), "interactive"),
        "unknown": str(len(f.doing(Work.UNKNOWN))),
        "ahead": _group(f.ahead, ""),
    }


def _group(tenants: Sequence[Tenant], adjective: str) -> str:
    """As in "3 serving pods (triton, vllm)"; runtimes that are not known are not named."""
    runtimes = sorted({t.runtime for t in tenants} - {"", "unknown"})
    noun = f"{adjective} pod".strip()
    return _count(len(tenants), noun) + (f" ({', '.join(runtimes)})" if runtimes else "")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _size(value: int | None) -> str:
    return "?" if value is None else f"{round(value / MIB):,} MiB"


def _compute(ratio: float | None) -> str:
    return "an unknown share of compute" if ratio is None else f"{ratio:.0%} of a card's compute"
