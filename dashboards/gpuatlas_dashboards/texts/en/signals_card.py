"""English words of the signals of a card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_NO_DRIVER: Final = "unknown: no dcgm-exporter or NVML for this card"

WORDS: Final[Mapping[str, Words]] = {
    "card.memory_physical": Words(
        title="Physical memory",
        short="physical",
        description="Memory that the card has, as its driver reports it; not what a sharing layer"
        " hands out. Bytes.",
        empty=_NO_DRIVER,
    ),
    "card.memory_allocated": Words(
        title="Allocated memory",
        short="allocated",
        description="Sum of what tenants have been promised on the card; not memory in use. A tenant"
        " of the whole card holds all of it. Bytes.",
        empty="unknown: nobody tells the promises on this card",
    ),
    "card.memory_resident": Words(
        title="Resident memory",
        short="resident",
        description="Memory in use on the card as the driver reports it, without what lies in host"
        " memory. Bytes.",
        empty=_NO_DRIVER,
    ),
    "card.memory_counted": Words(
        title="Counted memory",
        short="counted",
        description="Memory in use as the sharing layer counts it, which may be more than is on the"
        " card. Bytes.",
        empty="no count: no sharing layer that counts runs here",
    ),
    "card.memory_offloaded": Words(
        title="Offloaded memory",
        short="offloaded",
        description="Memory that tenants believe they hold and that is not on the card. A lower"
        " bound: known only where both the driver and the sharing layer tell theirs. Bytes.",
        empty="unknown: needs both the driver's and the sharing layer's count",
    ),
    "card.memory_overcommitted": Words(
        title="Over-allocated memory",
        short="over-allocated",
        description="Promised beyond the memory that the card has; 0 where all promises fit. It is"
        " a risk, not a use. Bytes.",
        empty="unknown: needs promises and physical memory",
    ),
    "card.compute_allocated": Words(
        title="Allocated compute",
        short="allocated",
        description="Share of the card's compute that is promised; not compute in use. 100 % is the"
        " whole card.",
        empty="no promise of compute on this card",
    ),
    "card.compute_utilization": Words(
        title="Compute in use",
        short="in use",
        description="Compute in use by the best signal there is: the share of time in which the card"
        " worked, not how much of its units did. 100 % is the whole card.",
        empty="unknown: no dcgm-exporter for this card, or it is split by MIG",
    ),
    "card.temperature": Words(
        title="Temperature",
        short="temperature",
        description="Temperature of the processor, not of the memory. Degrees Celsius.",
        empty=_NO_DRIVER,
    ),
    "card.temperature_limit": Words(
        title="Temperature limit",
        short="limit",
        description="The temperature at which the card slows itself down. Degrees Celsius.",
        empty="unknown: this card or its dcgm-exporter does not tell its limit",
    ),
    "card.sm_clock": Words(
        title="Clock",
        short="clock",
        description="Clock of the multiprocessors; an idle card lowers it by itself. Hertz.",
        empty="unknown: no dcgm-exporter for this card",
    ),
    "card.power": Words(
        title="Power",
        short="power",
        description="Electrical power that the card draws, not that of its host. Watts.",
        empty=_NO_DRIVER,
    ),
    "card.contended": Words(
        title="Contended",
        short="contended",
        description="Share of the last ten minutes in which two tenants or more worked and the card was"
        " at a limit; not how much anybody was slowed. 100 % is all the time.",
        empty="not looked at: nobody shares this card, or nobody measures its tenants",
    ),
    "card.state": Words(
        title="State",
        description="State of the card with firing hardware alerts laid over it: 1 free, 2 working,"
        " 3 idle, 4 unknown, 5 slowed, 6 failed.",
        empty="unknown: no card is known here",
    ),
}
