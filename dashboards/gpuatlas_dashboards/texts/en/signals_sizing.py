"""English words of the signals of sizing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_NOT_MEASURED: Final = "not measured: no tenant's memory is known here"
_NO_PROMISE: Final = "no promise of memory is known here"
_NO_ANALYSIS: Final = "no data yet: no analysis of gpuatlas is published here"
_NO_RATIO: Final = "unknown: below 7 days, or no sharing layer promises memory here"
_NO_SERVICE: Final = "not measured: no inference server is scraped here"

WORDS: Final[Mapping[str, Words]] = {
    "sizing.containers": Words(
        title="Containers",
        short="Shares",
        description="Promises of the container now: one for each replica and card.",
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
        description="Highest use of its fullest replica on one card in the window, start-up included:"
        " the larger of the driver's and the sharing layer's view. Memory that a runtime takes ahead is"
        " in it, needed or not. Bytes.",
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
    "sizing.window": Words(
        title="Days of the window",
        short="Days",
        description="Days that the answer rests on, at most 14; below 7 nothing is proposed. Days.",
        empty=_NO_ANALYSIS,
    ),
    "sizing.coverage": Words(
        title="Measured share of the window",
        short="Measured",
        description="Share of the window in which the container was measured while it was there; below"
        " 95 % nothing is proposed. 100 % is all of it.",
        empty=_NO_ANALYSIS,
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
        " the window. 100 % is the whole card, not the share.",
        empty="not measured: no tenant's compute is known here",
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
        empty=_NO_ANALYSIS,
    ),
    "sizing.memory_saving": Words(
        title="Saving",
        description="What the proposal gives back over all containers of the workload; below 0"
        " where it asks for more. Bytes.",
        empty=_NO_ANALYSIS,
    ),
    "sizing.compute_proposed": Words(
        title="Proposed compute",
        short="Proposed",
        description="Share of a card that would do: p95 of use with a margin, in steps of 5 %.",
        empty=_NO_ANALYSIS,
    ),
    "sizing.cards_proposed": Words(
        title="Proposed cards",
        short="Proposed",
        description="Cards or instances that would do in place of those held by one replica. Cards.",
        empty=_NO_ANALYSIS,
    ),
    "sizing.cards_saving": Words(
        title="Saving",
        description="Cards that the proposal gives back over all replicas. Cards.",
        empty=_NO_ANALYSIS,
    ),
    "sizing.safe_ratio": Words(
        title="Safe to promise",
        short="Safe",
        description="How far the node's memory can be promised without running out, by the demand of"
        " the window and the host's memory. 100 % is the memory that the cards have.",
        empty=_NO_RATIO,
    ),
    "sizing.room": Words(
        title="Room",
        description="Memory of the node that could still be promised at the safe ratio. Bytes.",
        empty=_NO_RATIO,
    ),
    "sizing.room_allocations": Words(
        title="More would fit",
        description="How many more promises would fit on the node at the safe ratio, each as large as"
        " the largest that is there now.",
        empty=_NO_RATIO,
    ),
    "sizing.node_allocated": Words(
        title="Promised memory",
        short="Promised (A)",
        description="Memory that is promised on the node now; not in use. Bytes.",
        empty=_NO_RATIO,
    ),
    "sizing.node_demand": Words(
        title="Most needed at one time",
        short="Needed (D)",
        description="The most that the node's tenants used at one time in the window; not the sum of"
        " their peaks. Bytes.",
        empty=_NO_RATIO,
    ),
    "sizing.node_physical": Words(
        title="Memory of the cards",
        short="Cards' (P)",
        description="Memory that the cards of the node have together. Bytes.",
        empty=_NO_RATIO,
    ),
    "sizing.node_host_available": Words(
        title="Host memory left",
        short="Host left",
        description="The least memory that was available on the host in the window. Bytes.",
        empty="unknown: no node_exporter is scraped here",
    ),
    "sizing.node_days": Words(
        title="Days known",
        short="Days",
        description="Days of the window of which the node's demand is known. Days.",
        empty=_NO_RATIO,
    ),
    "sizing.speed_alone": Words(
        title="Speed alone",
        short="Alone",
        description="Work a second for each request in hand while nobody else worked on its cards, mean"
        " of the last day: tokens, or requests.",
        empty=_NO_SERVICE,
    ),
    "sizing.speed_shared": Words(
        title="Speed beside others",
        short="Shared",
        description="The same while somebody else worked on one of its cards.",
        empty=_NO_SERVICE,
    ),
    "sizing.speed_ratio": Words(
        title="Shared of alone",
        short="Shared / alone",
        description="Speed beside others over speed alone, from half an hour of each on. Below 100 %"
        " sharing slows it.",
        empty=_NO_SERVICE,
    ),
    "sizing.time_alone": Words(
        title="Time alone",
        description="How much of the last day it worked with nobody else at work on its cards. Seconds.",
        empty=_NO_SERVICE,
    ),
    "sizing.time_shared": Words(
        title="Time shared",
        description="How much of the last day it worked beside others. Seconds.",
        empty=_NO_SERVICE,
    ),
}
