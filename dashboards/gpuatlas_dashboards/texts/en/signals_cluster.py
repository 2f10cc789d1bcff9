"""English words of the signals of whole clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_NO_HOLDERS: Final = "unknown: nobody tells who holds the cards"
_NO_DRIVER: Final = "unknown: no dcgm-exporter and no other driver metrics"
_NO_DAY: Final = "unknown: the records of a day are missing"

WORDS: Final[Mapping[str, Words]] = {
    "cluster.cards": Words(
        title="Cards",
        short="there are",
        description="Physical cards that any exporter knows; not shares of them.",
        empty="no card is known",
    ),
    "cluster.cards_idle_all_day": Words(
        title="Held and idle all day",
        description="Cards that are held now and were held a day ago, and whose busiest hour in between used less"
        " than 1 % of their compute.",
        empty=_NO_DAY,
    ),
    "cluster.cards_with_room": Words(
        title="Held cards with room",
        description="Held cards whose peak memory of 24 h was at most half of the card, and whose busiest hour"
        " used at most half of its compute.",
        empty=_NO_HOLDERS,
    ),
    "cluster.room_share": Words(
        title="Share of held cards with room",
        description="Held cards that would take another tenant like their own, over all held cards.",
        empty=_NO_HOLDERS,
    ),
    "cluster.memory_physical": Words(
        title="Physical memory",
        short="there is",
        description="Memory of all cards as their drivers report it. Bytes.",
        empty=_NO_DRIVER,
    ),
    "cluster.memory_allocated": Words(
        title="Promised memory",
        short="promised",
        description="Sum of what tenants have been promised; not memory in use. Bytes.",
        empty=_NO_HOLDERS,
    ),
    "cluster.memory_peak": Words(
        title="Peak memory of 24 h",
        short="peak of 24 h",
        description="Sum of each card's peak of memory in use over 24 h, not of one moment. Bytes.",
        empty=_NO_DAY,
    ),
    "cluster.memory_used": Words(
        title="Memory in use",
        short="in use now",
        description="Memory in use on all cards, the larger of the driver's and the sharing layer's view of each."
        " Bytes.",
        empty=_NO_DRIVER,
    ),
    "cluster.memory_never_used": Words(
        title="Promised memory never used in 24 h",
        short="Memory never used",
        description="Memory promised on each card above that card's peak of 24 h, summed. Bytes.",
        empty=_NO_DAY,
    ),
    "cluster.cards_never_used": Words(
        title="The same in cards",
        short="The same in cards",
        description="Memory promised and never used in 24 h, each card's as a share of that card, summed.",
        empty=_NO_DAY,
    ),
    "cluster.compute_allocated": Words(
        title="Promised compute",
        short="promised",
        description="Sum of the shares of compute that are promised, in whole cards; not compute in use.",
        empty=_NO_HOLDERS,
    ),
    "cluster.compute_busiest_hour": Words(
        title="Compute in the busiest hours",
        short="busiest hour of 24",
        description="Sum of each card's busiest hour of 24, a mean over that hour, in whole cards.",
        empty=_NO_DAY,
    ),
    "cluster.compute_used": Words(
        title="Compute in use",
        short="in use now",
        description="Sum of the compute in use on all cards, in whole cards.",
        empty=_NO_DRIVER,
    ),
    "cluster.observed": Words(
        title="Records of 24 h",
        description="How far back the records of the last 24 h reach.",
        empty="no record: the recording rules are not loaded",
    ),
}
