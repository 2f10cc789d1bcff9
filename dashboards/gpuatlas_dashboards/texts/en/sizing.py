"""English words of the board Sizing."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.texts.shapes.sizing import SizingTexts
from gpuatlas_dashboards.texts.shapes.words import Words

_NO_ANALYSIS: Final = "No data yet: no analysis here"

TEXTS: Final = SizingTexts(
    title="GPU Atlas / Sizing",
    description="What workloads really need against what they hold, what could be given back, and"
    " how far cards can be shared.",
    held=Words(
        title="Memory held",
        description="Of the workloads of the chosen namespaces: reserved now, and in use by the larger of"
        " the driver's and the sharing layer's view. Never used: reserved beyond the peak of the fullest"
        " container in the last 7 days; no proposal, for a margin is missing and memory that a runtime"
        " takes ahead counts as used. Measured: share of them whose memory was measured on each of these"
        " days, as sizing asks for. Bytes.",
        empty="no workload with a promise",
    ),
    reserved="reserved",
    used="in use",
    unused="never used",
    covered="measured",
    proposals=Words(
        title="What is proposed",
        description="Answers of the three tables below: what fits, for what a smaller or a larger value is"
        " proposed, and what cannot be sized. A container has one for each of memory, compute and whole"
        " cards that it was promised. Larger are those that reached their limit: nobody could measure what"
        " they would take beyond it.",
        empty=_NO_ANALYSIS,
    ),
    outcome=Words(
        title="What would come of it",
        description="What the proposals would give back and what they ask for in addition, over all"
        " replicas; and how many more promises would fit at the nodes' safe ratios, each as large as the"
        " largest of its node. Bytes, cards. Nothing is changed by itself.",
        empty=_NO_ANALYSIS,
    ),
    fitting="fit",
    smaller="smaller",
    larger="larger",
    cannot="cannot size",
    given_back="memory back",
    cards_given_back="cards back",
    asked_for="memory asked",
    more="would still fit",
    memory=Words(
        title="Memory: measured against reserved",
        description="One row for each container of a workload, of all its replicas: what one of them"
        " reserves on one card, the peak of the fullest in the window, and what follows: a value never"
        " below the peak, what it saves over all replicas, or why it cannot be sized. Runs with"
        " generated names stand together under a name with *. The 300 that save or reserve most. Bytes.",
        empty="No workload with a promise of memory is known here: is gpuatlas scraped, are the"
        " recording rules loaded?",
    ),
    show_workload="Show this workload (of a name with *, its runs)",
    verdict="Answer",
    verdicts={
        "fits": "✓ it fits",
        "smaller": "▽ smaller",
        "larger": "△ larger",
        "cannot": "? cannot size",
    },
    why="Why",
    reasons={
        "not-measured": "nobody measures it",
        "memory-taken-ahead": "its runtime takes memory ahead",
        "short-window": "fewer than 7 days, or 3 runs",
        "coverage": "measured for less than 95 % of it",
        "replicas": "not all replicas were measured",
        "rollout": "a rollout is inside the window",
        "not-promised": "it has no promise to change",
    },
    at_limit="at its limit: need unknown",
    compute=Words(
        title="Compute: measured against reserved",
        description="Containers with a promise of compute, among those of the table above: p95 of the"
        " busiest on its busiest day against what one reserves, and the share that would do. Whose p95 is"
        " its limit is proposed a step more: what it would take beyond it nobody could measure. Shares of a"
        " card.",
        empty="No container with a promise of compute is known here",
    ),
    cards=Words(
        title="Whole cards: measured against held",
        description="Containers that hold whole cards or instances: how many would do, of which resource"
        " or MIG profile, and what that saves over all replicas. In cards.",
        empty="No container that holds whole cards was judged: no analysis is published here, or each"
        " has a share",
    ),
    asked_as="Asked for as",
    same_resource="as now",
    course=Words(
        title="Held and used over time",
        description="Memory of all cards of the chosen clusters: physical, promised, and in use by"
        " the larger of both views. Bytes.",
        empty="No record of this time: the recording rules began later",
    ),
    physical="physical",
    missing=Words(
        title="What the analysis lacks",
        description="Recordings that the analysis looked for and did not find, and what to do about it."
        " What rests on them is answered with cannot size, or not at all.",
        empty="Nothing is missing, or there is no analysis yet: gpuatlas must be told where Prometheus is,"
        " and reads at least 7 days of the recording rules there",
    ),
    missing_input="Missing",
    in_cluster="Cluster",
    nodes_section="How far cards can be shared",
    nodes=Words(
        title="Nodes",
        description="How far the memory of each node is promised now beside how far it can be safely,"
        " the 300 furthest. Safe is the lower of 0.9 × promised / most needed at one time and 1 + 0.5 ×"
        " host memory left / memory of the cards, at least 100 %, unknown below 7 days; what it rests on"
        " stands at the right. Bytes.",
        empty="No node with promises is known here",
    ),
    open_node="Show this node's cards",
    fits=Words(
        title="What would still fit",
        description="How many more promises like those that each workload of the chosen namespaces has on"
        " a node would fit there at its safe ratio. Not a promise of the scheduler. The 300 highest.",
        empty="Nothing more fits, or no safe ratio is known here: it needs 7 days and a sharing layer",
    ),
    fit="Fit",
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
    contention_section="What sharing costs",
    speed=Words(
        title="Speed alone and shared",
        description="Work a second for each request in hand, of services while nobody else worked on their"
        " cards and while somebody did, means of the last day: tokens, or requests of servers that count"
        " none. Compared from half an hour of each on; below 100 % sharing slows it. No cause is told.",
        empty="Nobody measures it: needs a scraped vLLM, SGLang, Triton or TGI, and compute measured for"
        " each tenant of its cards",
    ),
    priority=Words(
        title="Priority",
        description="Time of the window in which each workload was slowed, and in which it was suspected of"
        " slowing others (grade 3 or more); its priority now and the one proposed, 0 high and 1 low.",
        empty="No data yet: nobody was slowed in the window, or no analysis is published here",
    ),
    as_victim="Slowed",
    as_suspect="Suspected",
    priority_now="Priority now",
    priority_proposed="Proposed",
)
