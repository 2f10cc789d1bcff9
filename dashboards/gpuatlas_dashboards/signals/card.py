"""Of one card, or a series a card."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.scopes import CARD_AS_DCGM, CLUSTER, SHOWN, among
from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.tokens import Colour, Unit


def _of_chosen(field: str) -> str:
    """A field of DCGM of the chosen card, whatever the scope; MIG gives several series of it."""
    selectors = " or ".join(f"{field}{{{matchers}}}" for matchers in CARD_AS_DCGM)
    return f"max by (cluster) ({selectors})"


# DCGM on the shown nodes: the recording `card:gpuatlas_card_info:group` takes the node from these.
_DCGM: Final = " or ".join(
    f"DCGM_FI_DEV_GPU_TEMP{{{CLUSTER}, {among(label, 'shown_nodes')}}}"
    for label in ("node", "Hostname", "hostname")
)
# The number of each shown card on its node; DCGM's where our exporter is not installed. One for
# each card: one that is renumbered has two for as long as Prometheus looks back, and a join would
# fail.
INDEX: Final = f"""topk by (cluster, card) (1,
    group by (cluster, card, index) (gpuatlas_card_info{{{SHOWN}}})
    or on (cluster, card)
    group by (cluster, card, index) (
      label_replace(label_join({_DCGM}, "card", "", "UUID", "uuid"), "index", "$1", "gpu", "(.*)")
    )
  )"""

PHYSICAL: Final = Signal(
    key="card.memory_physical",
    unit=Unit.BYTES,
    colour=Colour.PHYSICAL,
    expr="card:gpuatlas_memory_physical_bytes:max{SCOPE}",
)
ALLOCATED: Final = Signal(
    key="card.memory_allocated",
    unit=Unit.BYTES,
    colour=Colour.ALLOCATED,
    expr="card:gpuatlas_memory_allocated_bytes:max{SCOPE}",
)
RESIDENT: Final = Signal(
    key="card.memory_resident",
    unit=Unit.BYTES,
    colour=Colour.RESIDENT,
    expr="card:gpuatlas_memory_resident_bytes:max{SCOPE}",
)
COUNTED: Final = Signal(
    key="card.memory_counted",
    unit=Unit.BYTES,
    colour=Colour.COUNTED,
    expr="card:gpuatlas_memory_counted_bytes:max{SCOPE}",
)
OFFLOADED: Final = Signal(
    key="card.memory_offloaded",
    unit=Unit.BYTES,
    colour=Colour.OFFLOADED,
    expr="max by (cluster, node, card) (gpuatlas_card_memory_offloaded_bytes{SCOPE})",
)
OVERCOMMITTED: Final = Signal(
    key="card.memory_overcommitted",
    unit=Unit.BYTES,
    colour=Colour.OVERCOMMITTED,
    expr=(
        "clamp_min(card:gpuatlas_memory_allocated_bytes:max{SCOPE}"
        " - card:gpuatlas_memory_physical_bytes:max{SCOPE}, 0)"
    ),
)
COMPUTE_ALLOCATED: Final = Signal(
    key="card.compute_allocated",
    unit=Unit.RATIO,
    colour=Colour.ALLOCATED,
    expr="card:gpuatlas_compute_allocated_ratio:max{SCOPE}",
)
COMPUTE: Final = Signal(
    key="card.compute_utilization",
    unit=Unit.RATIO,
    colour=Colour.COMPUTE,
    expr="card:gpuatlas_compute_utilization_ratio:max{SCOPE}",
)
TEMPERATURE: Final = Signal(
    key="card.temperature",
    unit=Unit.CELSIUS,
    colour="#FF9830",
    expr="card:dcgm_temperature_celsius:max{SCOPE}",
)
POWER: Final = Signal(
    key="card.power",
    unit=Unit.WATTS,
    colour="#E0B400",
    expr="card:dcgm_power_watts:max{SCOPE}",
)
TEMPERATURE_LIMIT: Final = Signal(
    key="card.temperature_limit",
    unit=Unit.CELSIUS,
    colour=Colour.LIMIT,
    expr=_of_chosen("DCGM_FI_DEV_SLOWDOWN_TEMP"),
)
SM_CLOCK: Final = Signal(
    key="card.sm_clock",
    unit=Unit.HERTZ,
    colour=Colour.COMPUTE,
    expr=f"1e6 * {_of_chosen('DCGM_FI_DEV_SM_CLOCK')}",
)
CONTENDED: Final = Signal(
    key="card.contended",
    unit=Unit.RATIO,
    colour="#FF780A",
    expr="max by (cluster, node, card) (card:gpuatlas_contended_ratio:rate10m{SCOPE})",
)
STATE: Final = Signal(
    key="card.state",
    unit=Unit.CARDS,
    expr="max by (cluster, node, card) (card:gpuatlas_card_state:with_checks{SCOPE})",
)

SIGNALS: Final = (
    PHYSICAL, ALLOCATED, RESIDENT, COUNTED, OFFLOADED, OVERCOMMITTED, COMPUTE_ALLOCATED, COMPUTE,
    CONTENDED, TEMPERATURE, TEMPERATURE_LIMIT, POWER, SM_CLOCK, STATE,
)  # fmt: skip
