"""English words of the signals of sizing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_NOT_MEASURED: Final = "not measured: no tenant's memory is known here"
_NO_PROMISE: Final = "no promise of memory is known here"
_AWAITED: Final = "no data yet: the analysis of gpuatlas has not run here"

WORDS: Final[Mapping[str, Words]] = {
    "sizing.containers": Words(
        title="Containers",
        short="Shares",
        description="Promises of the workload now: one for each container and card.",
        empty=_NO_PROMISE,
    ),
    "sizing.memory_reserved": Words(
        title="Reserved memory",
        short="Reserved",
        description="What one container of the workload has been promised on one card, the largest"
        " of them; a tenant of the whole card holds all of it. Bytes.",
        empty=_NO_PROMISE,
    ),
    "sizing.memory_peak": Words(
        title="Peak of memory in use",
        short="Peak",
        description="Highest use of its fullest container on one card in the last 7 days: the larger"
        " of the driver's and the sharing layer's view, from daily peaks. Memory that a runtime"
        " takes ahead is in it, needed or not. Bytes.",
        empty=_NOT_MEASURED,
    ),
    "sizing.memory_peak_share": Words(
        title="Peak of what is reserved",
        short="Peak / reserved",
        description="Peak of the fullest container against the largest promise of one. 100 % used"
        " all of it at least once.",
        empty=_NOT_MEASURED,
    ),
    "sizing.memory_unused": Words(
        title="Never used",
        description="Reserved by all its containers, less the peak of the fullest for each of them:"
        " what would be free if each had been given that peak. Without the margin that a proposal"
        " keeps, so no proposal. Bytes.",
        empty=_NOT_MEASURED,
    ),
    "sizing.days": Words(
        title="Days measured",
        short="Days",
        description="On how many of the last 7 days the workload's memory was measured. A peak of"
        " fewer days is no peak of the week. Days.",
        empty=_NOT_MEASURED,
    ),
    "sizing.compute_reserved": Words(
        title="Reserved compute",
        short="Reserved",
        description="Share of a card that one container has been promised, the largest of them."
        " 100 % is the whole card.",
        empty="no promise of compute is known here",
    ),
    "sizing.compute_p95": Words(
        title="Compute in use, p95",
        short="p95",
        description="Highest daily 95th percentile of five-minute means of its busiest container in"
        " the last 7 days. 100 % is the whole card, not the share.",
        empty="not measured: no tenant's compute is known here",
    ),
    "sizing.node_cards": Words(
        title="Cards",
        description="Physical cards of the node, not the shares that a layer makes of them.",
        empty="no card is known here",
    ),
    "sizing.present_ratio": Words(
        title="Promised of the memory",
        short="Promised",
        description="What is promised on the node's cards against the memory that they have. Above"
        " 100 % the promises do not fit at one time.",
        empty=_NO_PROMISE,
    ),
    "sizing.memory_proposed": Words(
        title="Proposed memory",
        short="Proposed",
        description="Reservation that would do: the peak of at least 7 days with a margin, never"
        " below the peak. Bytes.",
        empty=_AWAITED,
    ),
    "sizing.memory_saving": Words(
        title="Saving",
        description="What the proposal gives back over all containers of the workload; below 0"
        " where it asks for more. Bytes.",
        empty=_AWAITED,
    ),
    "sizing.compute_proposed": Words(
        title="Proposed compute",
        short="Proposed",
        description="Share of a card that would do: p95 of use with a margin, in steps of 5 %.",
        empty=_AWAITED,
    ),
    "sizing.cards_proposed": Words(
        title="Proposed cards",
        short="Cards",
        description="Cards or instances that would do in place of whole cards.",
        empty=_AWAITED,
    ),
    "sizing.safe_ratio": Words(
        title="Safe to promise",
        short="Safe",
        description="How far the node's memory can be promised without running out by the demand of"
        " the window; unknown below 7 days. 100 % is the memory that the cards have.",
        empty=_AWAITED,
    ),
    "sizing.room": Words(
        title="Room",
        description="Memory of the node that could still be promised at the safe ratio. Bytes.",
        empty=_AWAITED,
    ),
    "sizing.room_allocations": Words(
        title="More would fit",
        description="As many more promises like those of today would fit at the safe ratio.",
        empty=_AWAITED,
    ),
}
