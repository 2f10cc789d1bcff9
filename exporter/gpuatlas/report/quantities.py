"""What is compared before and after a change: one row each, with its PromQL. Pure: a table.

All series are recordings (recording_rules/) but for the few that need none. Absent and zero differ:
where a signal is there and finds nothing, the expression gives 0; where it is not there, nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gpuatlas.report.scope import CARD, WORKLOAD, WORKLOAD_CARD, Scope

Expression = Callable[[Scope], str]


class Unit(StrEnum):
    """How a value is written."""

    NUMBER = "number"
    RATIO = "ratio"
    BYTES = "bytes"
    SECONDS = "seconds"
    PER_SECOND = "per second"
    MINUTES_A_DAY = "minutes a day"
    EVENTS = "events"


class Reduction(StrEnum):
    """What becomes of the samples of a window."""

    MEAN = "mean"
    SUM = "sum"  # each sample counts what happened since the one before it
    RISES = "rises"  # how often it became more, and by how much


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One line of the report.

    `expression` gives one series, or with `services` one for each workload that answers requests.
    `seen` gives samples wherever somebody looked, for quantities that come and go with the work;
    None where the expression itself does. `scale` turns the mean into the unit. `needs` says what
    has to be there.
    """

    key: str
    title: str
    unit: Unit
    expression: Expression
    needs: str
    seen: Expression | None = None
    reduction: Reduction = Reduction.MEAN
    scale: float = 1.0
    services: bool = False


STEP: Final = "$STEP"
"""Stands for the time between two samples, as PromQL writes durations."""

_MINUTES: Final = 1_440.0  # of a day
_EXPORTER: Final = "gpuatlas serve, scraped by this Prometheus, and recording_rules/"
_CONTENTION: Final = (
    "gpuatlas serve with its contention counters, and contention.yaml of recording_rules/"
)
_SERVICES: Final = "the pages of the inference servers, and recording_rules/service.yaml"
_TENANTS: Final = "gpuatlas_card_tenants"
_ALLOCATED: Final = "card:gpuatlas_memory_allocated_bytes:max"
_PHYSICAL: Final = "card:gpuatlas_memory_physical_bytes:max"
_RESIDENT: Final = "card:gpuatlas_memory_resident_bytes:max"
_COMPUTE: Final = "card:gpuatlas_compute_utilization_ratio:max"
_CONTENDED: Final = "card:gpuatlas_contended_ratio:rate10m"
_SLOWED: Final = "workload:gpuatlas_slowed_ratio:rate10m"
_AT_RISK: Final = "card:gpuatlas_out_of_memory_risk:group"
_RESTARTS: Final = "gpuatlas_workload_restarts"
_TOKENS: Final = "workload:gpuatlas_service_tokens:rate5m"
_LATENCY: Final = "workload:gpuatlas_service_first_token_seconds:avg5m"
_WAITING: Final = "workload:gpuatlas_service_waiting:sum"
_RUNNING: Final = "workload:gpuatlas_service_running:sum"
# A memory page fault (NVIDIA's XID list), as of a program that uses what it did not get.
_XID: Final = "31"


def _tenants(scope: Scope) -> str:
    """Of each card once, whichever exporters tell of it."""
    return f"max by ({CARD}) ({scope.cards(_TENANTS)})"


def _held(scope: Scope) -> str:
    return f"({scope.cards(_ALLOCATED)} > 0)"


def _of_held(scope: Scope, name: str) -> str:
    """A metric on cards that are held and whose size is known."""
    return f"({scope.cards(name)} and {_held(scope)} and {scope.cards(_PHYSICAL)})"


def _share_of_held(name: str) -> Expression:
    """Of all that is held together, the same cards above and below."""

    def expression(scope: Scope) -> str:
        above = _of_held(scope, name)
        below = f"({scope.cards(_PHYSICAL)} and {above})"
        return f"sum({above}) / sum({below})"

    return expression


def _workload_cards(scope: Scope) -> str:
    """One series for each workload on each card that is known, whoever it is."""
    return scope.cards(WORKLOAD_CARD, patterns={"card": ".+"})


def _slowed(scope: Scope) -> str:
    """Workloads that are slowed at a time: of each its worst suspect from grade 3 on."""
    pairs = scope.workloads(_SLOWED, patterns={"grade": "3|4"})
    suspects = f"{WORKLOAD}, suspect_namespace, suspect_kind, suspect"
    victims = f"max by ({WORKLOAD}) (sum by ({suspects}) ({pairs}))"
    return f"sum(clamp_max({victims}, 1)) or 0 * count({scope.cards(_CONTENDED)})"


def _at_risk(scope: Scope) -> str:
    return f"count({scope.cards(_AT_RISK)}) or 0 * count({scope.cards(_PHYSICAL)})"


def _xids(scope: Scope) -> str:
    """Cards with a new XID 31."""
    counted = scope.select("DCGM_EXP_XID_ERRORS_COUNT", {"xid": _XID})
    found = f"{counted} > 0 or {scope.select('gpu:dcgm_new_xid:max', {'xid': _XID})}"
    cards = f'group by (cluster, card) (label_join({found}, "card", "", "UUID", "uuid"))'
    told = scope.select("DCGM_FI_DEV_XID_ERRORS")
    told = f"{told} or {scope.select('DCGM_EXP_XID_ERRORS_COUNT')}"
    all_cards = f'group by (cluster, card) (label_join({told}, "card", "", "UUID", "uuid"))'
    return f"count({scope.by_uuid(cards)}) or 0 * count({scope.by_uuid(all_cards)})"


def _restarts(scope: Scope) -> str:
    """What was added since the sample before; a pod that went takes its count with it."""
    now = f"max by ({WORKLOAD}) ({scope.workloads(_RESTARTS)})"
    before = scope.workloads(_RESTARTS, offset=STEP)
    return f"sum(clamp_min({now} - max by ({WORKLOAD}) ({before}), 0))"


def _sum(name: str) -> Expression:
    return lambda scope: f"sum({scope.workloads(name)})"


def _by_workload(name: str) -> Expression:
    return lambda scope: f"max by ({WORKLOAD}) ({scope.workloads(name)})"


QUANTITIES: Final[tuple[Quantity, ...]] = (
    Quantity(
        key="cards_held",
        title="cards that somebody holds",
        unit=Unit.NUMBER,
        expression=lambda s: f"count({_tenants(s)} > 0) or 0 * count({_tenants(s)})",
        needs=_EXPORTER,
    ),
    Quantity(
        key="tenants_per_card",
        title="tenants per held card",
        unit=Unit.NUMBER,
        expression=lambda s: f"sum({_tenants(s)}) / count({_tenants(s)} > 0)",
        seen=lambda s: f"count({_tenants(s)})",
        needs=_EXPORTER,
    ),
    Quantity(
        key="workloads_per_card",
        title="workloads per held card",
        unit=Unit.NUMBER,
        expression=lambda s: (
            f"count({_workload_cards(s)}) / count(group by ({CARD}) ({_workload_cards(s)}))"
        ),
        seen=lambda s: f"count({_tenants(s)})",
        needs=_EXPORTER,
    ),
    Quantity(
        key="memory_promised",
        title="memory promised, of held cards",
        unit=Unit.RATIO,
        expression=_share_of_held(_ALLOCATED),
        seen=lambda s: f"count({s.cards(_ALLOCATED)} and {s.cards(_PHYSICAL)})",
        needs=f"{_EXPORTER}, and dcgm-exporter for the cards' size",
    ),
    Quantity(
        key="memory_resident",
        title="memory resident, of held cards",
        unit=Unit.RATIO,
        expression=_share_of_held(_RESIDENT),
        seen=lambda s: f"count({s.cards(_RESIDENT)})",
        needs="dcgm-exporter, and recording_rules/",
    ),
    Quantity(
        key="compute_used",
        title="compute used, of held cards",
        unit=Unit.RATIO,
        expression=lambda s: f"avg({s.cards(_COMPUTE)} and {_held(s)})",
        seen=lambda s: f"count({s.cards(_COMPUTE)})",
        needs="dcgm-exporter, and recording_rules/",
    ),
    Quantity(
        key="contended",
        title="cards contended, card-minutes a day",
        unit=Unit.MINUTES_A_DAY,
        expression=lambda s: f"sum({s.cards(_CONTENDED)})",
        scale=_MINUTES,
        needs=_CONTENTION,
    ),
    Quantity(
        key="slowed",
        title="workloads slowed by a neighbour (grade 3 or 4), minutes a day",
        unit=Unit.MINUTES_A_DAY,
        expression=_slowed,
        scale=_MINUTES,
        needs=_CONTENTION,
    ),
    Quantity(
        key="out_of_memory_risk",
        title="cards about to run out of memory, card-minutes a day",
        unit=Unit.MINUTES_A_DAY,
        expression=_at_risk,
        scale=_MINUTES,
        needs="recording_rules/overcommit.yaml",
    ),
    Quantity(
        key="xid_31",
        title="cards with a new XID 31",
        unit=Unit.EVENTS,
        expression=_xids,
        reduction=Reduction.RISES,
        needs="DCGM_FI_DEV_XID_ERRORS of dcgm-exporter, and alerts/hardware.yaml",
    ),
    Quantity(
        key="restarts",
        title="restarts of containers with cards",
        unit=Unit.EVENTS,
        expression=_restarts,
        reduction=Reduction.SUM,
        needs="gpuatlas serve, scraped by this Prometheus",
    ),
    Quantity(
        key="tokens",
        title="generated tokens, all services",
        unit=Unit.PER_SECOND,
        expression=_sum(_TOKENS),
        seen=lambda s: f"count({s.workloads(_RUNNING)})",
        needs=_SERVICES,
    ),
    Quantity(
        key="tokens_per_card",
        title="generated tokens per held card",
        unit=Unit.PER_SECOND,
        expression=lambda s: f"sum({s.workloads(_TOKENS)}) / count({_tenants(s)} > 0)",
        seen=lambda s: f"count({s.workloads(_RUNNING)})",
        needs=f"{_SERVICES}; {_EXPORTER}",
    ),
    Quantity(
        key="service_tokens",
        title="generated tokens",
        unit=Unit.PER_SECOND,
        expression=_by_workload(_TOKENS),
        seen=_by_workload(_RUNNING),
        services=True,
        needs=_SERVICES,
    ),
    Quantity(
        key="service_first_token",
        title="time to the first token",
        unit=Unit.SECONDS,
        expression=_by_workload(_LATENCY),
        seen=_by_workload(_RUNNING),
        services=True,
        needs=f"{_SERVICES}; vLLM or SGLang",
    ),
    Quantity(
        key="service_waiting",
        title="requests that wait",
        unit=Unit.NUMBER,
        expression=_by_workload(_WAITING),
        services=True,
        needs=_SERVICES,
    ),
)
