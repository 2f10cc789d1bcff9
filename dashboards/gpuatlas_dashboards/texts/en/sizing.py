"""English words of the board Sizing."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.texts.shapes.sizing import SizingTexts
from gpuatlas_dashboards.texts.shapes.words import Words

_AWAITED: Final = "No data yet: gpuatlas does not publish contended time and priorities here"

TEXTS: Final = SizingTexts(
    title="GPU Atlas / Sizing",
    description="What workloads really need against what they hold, what could be given back, and"
    " how far cards can be shared.",
    held=Words(
        title="Memory that workloads hold",
        description="Reserved by the workloads of the chosen namespaces, and in use by the larger"
        " of the driver's and the sharing layer's view. Now. Bytes.",
        empty="no workload with a promise",
    ),
    reserved="reserved",
    used="in use",
    unused=Words(
        title="Never used",
        description="Sum over the workloads of what they reserve beyond the peak of their fullest"
        " container in the last 7 days, for each container. Those that nobody measures are not in"
        " it. No proposal: a margin is missing, and memory that a runtime takes ahead counts as"
        " used. Bytes.",
        empty="not measured",
    ),
    covered=Words(
        title="Measured",
        description="Share of the workloads with a promise whose memory was measured on each of"
        " the last 7 days. Sizing asks for that.",
        empty="not measured",
    ),
    proposals=Words(
        title="What the analysis proposes",
        description="Workloads for which a smaller or a larger value is proposed and those that"
        " cannot be sized, what the proposals would give back over all containers, and as many more"
        " promises like those of today as would fit at the nodes' safe ratios.",
        empty="No data yet: gpuatlas does not publish its sizing here",
    ),
    smaller="smaller",
    larger="larger",
    cannot="cannot size",
    given_back="to give back",
    memory=Words(
        title="Memory: measured against reserved",
        description="The 300 workloads that reserve most, with the peak of their fullest container"
        " in the last 7 days against what one container reserves. Proposals, savings and the reason"
        " why a workload cannot be sized join the table once gpuatlas publishes them.",
        empty="No workload with a promise of memory is known here: is gpuatlas scraped, are the"
        " recording rules loaded?",
    ),
    show_workload="Show this workload",
    verdict="Answer",
    verdicts={
        "fits": "✓ it fits",
        "smaller": "▽ smaller",
        "larger": "△ larger",
        "cannot": "? cannot size",
    },
    why="Why",
    reasons={
        "short-window": "measured for less than 7 days",
        "coverage": "measured for less than 95 % of the window",
        "replicas": "not all replicas were measured",
        "rollout": "a rollout is inside the window",
        "memory-taken-ahead": "its runtime takes memory ahead",
        "not-measured": "nobody measures it",
    },
    compute=Words(
        title="Compute: measured against reserved",
        description="Workloads with a promise of compute, the 300 that reserve most memory: the"
        " daily p95 of their busiest container against what one container reserves. Both are shares"
        " of a card.",
        empty="No workload with a promise of compute is known here",
    ),
    course=Words(
        title="Held and used over time",
        description="Memory of all cards of the chosen clusters: physical, promised, and in use by"
        " the larger of both views. Bytes.",
        empty="No record of this time: the recording rules began later",
    ),
    physical="physical",
    nodes_section="How far cards can be shared",
    nodes=Words(
        title="Nodes",
        description="How far the memory of each node is promised now, the 300 furthest. How far it"
        " can be promised safely, and what would still fit, join the table once gpuatlas publishes"
        " them.",
        empty="No node with promises is known here",
    ),
    open_node="Show this node's cards",
    advice=Words(
        title="Which way of sharing suits which cards",
        description="Advice for the cards of each pool and model by what runs there at this instant"
        ", and the rule that decided. An instant is not a week; `gpuatlas advise` gives the reasons"
        " in full.",
        empty="No advice: gpuatlas is not scraped here",
    ),
    pool="Pool",
    no_pool="(no pool)",
    strategies={
        "whole": "Whole cards",
        "mig": "MIG",
        "memory-limited": "Memory limits (HAMi, Volcano, KAI)",
        "mps": "MPS",
        "time-slicing": "Time slicing",
    },
    advised={
        "suits": "✓ suits",
        "possible": "○ possible",
        "unsafe": "▲ unsafe",
        "impossible": "✖ impossible",
        "no-advice": "? no advice",
    },
    advice_reasons={
        "nothing-against": "nothing speaks for it or against it",
        "not-nvidia": "made for NVIDIA cards",
        "model-without-mig": "this model has no MIG",
        "driver-too-old": "the driver is older than MIG here",
        "not-on-mig": "not offered on MIG instances",
        "too-many-clients": "more pods on a card than it admits",
        "gke-one-share": "GKE refuses more than one share",
        "serving-without-isolation": "nothing protects pods that must answer in time",
        "memory-taken-ahead": "some pods take memory ahead",
        "crash-coupling": "a fault of one pod ends all on its card",
        "shares-are-not-cards": "two shares may be of one card",
        "no-two-fit": "no two pods fit on a card",
        "no-instance-fits": "no pod fits an instance",
        "kai-without-isolation": "KAI keeps nobody to a fraction",
        "no-card-named": "no source names these cards",
        "no-driver-metrics": "nobody measures these cards",
        "few-cards-seen": "too few of the cards are measured",
        "nobody-runs": "no pod holds a card now",
        "holders-unknown": "nobody tells who holds the cards",
        "attribution-unknown": "nobody tells which pod has which card",
        "nobody-to-share-with": "fewer than two pods could share",
        "purpose-unknown": "what the pods do is not known",
        "memory-use-unknown": "the pods' memory is not known",
        "model-not-on-record": "MIG on this model is not on record",
        "busy": "the pods work too much to be shared",
        "gang-on-one-card": "pods of a gang may share a card",
        "room-left": "two pods would fit on a card",
        "soft-limits": "soft limits: only among teams that trust each other",
        "promised-beyond-memory": "promised beyond the memory",
        "aks-new-pool": "AKS needs a new pool for it",
        "several-cards": "some pods need several cards",
        "some-stay-whole": "some pods need a whole card",
        "sizes-not-on-record": "the size of an instance is not on record",
        "compute-use-unknown": "the pods' compute is not known",
        "static-profiles": "one layout for pods of many sizes",
        "too-few-instances": "more pods on a card than instances",
        "nothing-limits-memory": "nothing limits memory",
        "busy-alone": "one pod alone keeps a card busy",
        "fits-instances": "pods fit instances, kept apart by the card",
        "limits-memory": "pods fit together, each within its limit",
        "one-workload": "pods of one workload fit together",
        "interactive": "sessions can wait for one another",
    },
    priority=Words(
        title="Priority",
        description="Contended time of the last day of each workload as the slowed one and as the"
        " suspect, its priority now and the one proposed; 0 is high. Seconds.",
        empty=_AWAITED,
    ),
    as_victim="Slowed",
    as_suspect="Suspected",
    priority_now="Priority now",
    priority_proposed="Proposed",
)
