"""English words of the board Workloads."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words
from gpuatlas_dashboards.texts.shapes.workloads import WorkloadsTexts

_NO_WORKLOAD: Final = (
    "No workload is known: is GPU Atlas's exporter scraped, with honorLabels: true?"
)
_NOT_CHOSEN: Final = "unknown: choose a workload in the table or above the board"

TEXTS: Final = WorkloadsTexts(
    title="GPU Atlas / Workloads",
    description="Every workload that asks for cards: what it uses of what it holds, its state, and what"
    " slows it; and the chosen one in detail.",
    states=Words(
        title="Workloads by state",
        description="Workloads of the chosen namespaces and kinds in each state; workloads, not pods."
        " Click one to leave only its workloads in the table.",
        empty=_NO_WORKLOAD,
    ),
    totals=Words(
        title="Held by these workloads",
        description="Sums over the workloads of the chosen namespaces and kinds, in whatever state, of what"
        " is known. Reserved is promised, not in use; unused is reserved and not in use now. Memory in bytes, compute in whole cards.",
        empty="unknown: nobody tells what these workloads hold",
    ),
    table=Words(
        title="Workloads",
        description="One row for each top-level object, worst state first. Bars: in use, of what is"
        " reserved for it, over the containers of which both are known; not of the card. Trend: compute in use"
        " over the time range, an hour's mean, in cards. Slowed by: the best founded suspect of the last ten"
        " minutes. Click a name to see the workload below. Of more than 500 those in the worst states stand"
        " here: filter to see the others.",
        empty=_NO_WORKLOAD,
    ),
    legend=Words(title="States", description="What the colours and marks of workloads mean."),
    pairs_section="Who slows whom",
    pairs=Words(
        title="Slowed workloads and their suspects",
        description="Pairs of the chosen namespaces and kinds, by how long the first was slowed in the time"
        " range while the second was active, to ten minutes; the 100 longest. Now is the share of the last"
        " ten minutes. The grade says how well it is founded: shared (both were on the card), saturated"
        " (the card was at a limit), suspect (rose while the other fell), supported (it ended and came back"
        " with it). Never a proven cause. A second counts for each of its suspects.",
        empty="Nobody was slowed in this time, as far as anybody looks: that takes cards that several share,"
        " and a service's own numbers (vLLM, SGLang, Triton, TGI) or compute measured for each tenant",
    ),
    chosen_section="Workload ${workload:text}",
    chosen=Words(
        title="State",
        description="State of the chosen workload at the end of the time range: by its own use where all"
        " of it is measured, else by that of its cards.",
        empty="? unknown",
    ),
    now=Words(
        title="Now",
        description="What it holds and uses at the end of the time range, over all its pods. Reserved is"
        " promised, not in use. Memory in bytes, compute in whole cards. Unknown where nobody measured.",
        empty=_NOT_CHOSEN,
    ),
    identity=Words(
        title="What it is",
        description="The object, what runs in it, and who places and admits it.",
        empty=_NOT_CHOSEN,
    ),
    waits=Words(
        title="What it waits for",
        description="How long its pods, or it itself in a queue, have been waiting, the longest by"
        " reason. Not the time that a running pod takes to start.",
        empty="It waits for nothing",
    ),
    requested=Words(
        title="What it asks for",
        description="Cards or shares that its unfinished pods ask for, by resource; not what they got.",
        empty="No unfinished pod of it asks for cards",
    ),
    shares=Words(
        title="Pods and cards of ${workload:text}",
        description="One row for each container on each card, and for each pod that holds none. The"
        " memory bar is use of what is reserved; compute is of the whole card. Isolated says whether"
        " the memory limit is in force; known from says how we know the card.",
        empty="No pod of it holds or waits for a card",
    ),
    neighbours=Words(
        title="Neighbours on its cards",
        description="Other workloads with a share of the same cards: they were there, which does not mean"
        " that they slow it. Memory of each on that card, bytes; 100 % of compute is the card.",
        empty="None: it has its cards to itself, or nobody can tell",
    ),
    suspects=Words(
        title="Slowed by",
        description="How long it was slowed in the time range while a suspect was active (by shares of ten"
        " minutes: five minutes less while it goes on), the share of the last ten minutes, and how well that"
        " is founded: shared (both were on the card), saturated (the card was at a limit), suspect, supported"
        " (it ended and came back with it). Never a proven cause. What the hardware slows stands at the right.",
        empty="No neighbour slowed it, as far as anybody looks: that takes its service's own numbers (vLLM,"
        " SGLang, Triton, TGI) or the compute of each tenant of its cards",
    ),
    memory_over_time=Words(
        title="Memory",
        description="Reserved for all its pods, and in use: the larger of the driver's and the sharing"
        " layer's view of each container. Bytes.",
        empty="No record: nobody tells the memory of this workload in this time range",
    ),
    compute_over_time=Words(
        title="Compute",
        description="Reserved for all its pods, and in use where it is measured for each container. In"
        " whole cards: 2.5 is two and a half.",
        empty="No record: the compute of its containers is not measured apart from their neighbours'",
    ),
    memory_by_pod=Words(
        title="Memory in use by pod",
        description="Memory in use of each of its pods, the larger of the driver's and the sharing"
        " layer's view; not what is reserved. Bytes.",
        empty="No record: nobody tells the memory of its pods in this time range",
    ),
    slowed_over_time=Words(
        title="Slowed",
        description="Share of each ten minutes in which it was slowed while a suspect was active, a line for"
        " each suspect; they do not add up. 100 % is all the time.",
        empty="No record: no neighbour slowed it in this time range, as far as anybody looked",
    ),
    states_over_time=Words(
        title="State of it and of its cards",
        description="State of the workload at each instant, and below it of every card that it held. A"
        " gap is a time in which nobody recorded it, or it did not hold the card.",
        empty="No record: the recording rules did not run in this time range",
    ),
    alerts=Words(
        title="Alerts on it",
        description="Alerts that name the workload, a pod of it or a card of it, firing or about to, and"
        " since when: heat, power, links and faults of its cards slow it as well as neighbours do.",
        empty="None: no alert names it, its pods or its cards",
    ),
    findings=Words(
        title="Original records",
        description="What the checks of the sharing layer found on its pods and cards, with the record"
        " that they quote and where it stands.",
        empty="None: no check of the sharing layer finds anything on its pods or cards",
    ),
    columns={
        "memory": "Memory used",
        "reserved": "Reserved",
        "compute": "Compute used",
        "share": "of cards",
        "trend": "Trend",
        "slowed": "Slowed by",
        "cards": "Cards",
        "pods": "Pods",
        "runtime": "Runtime",
        "scheduler": "Scheduler",
        "queue": "Queue",
        "queue_kind": "Queue kind",
        "gang": "Gang",
        "waiting": "Waiting",
        "reason": "Reason",
        "api_group": "API group",
        "resource": "Resource",
        "amount": "Amount",
        "used": "Used",
        "idle": "Idle for",
        "isolated": "Isolated",
        "priority": "Priority",
        "kind": "Share",
        "profile": "Profile",
        "promised": "Promised",
        "conflict": "Others say",
        "victim": "Slowed workload",
        "suspect": "Suspect",
        "suspect_namespace": "Its namespace",
        "now": "Now",
        "grade": "Grade",
        "duration": "Slowed for",
        "alert": "Alert",
        "object": "Object",
        "source": "Stands in",
        "record": "Record",
    },
    grades={
        "0": "no suspect",
        "1": "shared",
        "2": "saturated",
        "3": "suspect",
        "4": "supported",
    },
    evidence={
        "annotation": "annotation",
        "claim": "claim",
        "pod-status": "pod status",
        "reservation": "reservation",
        "agent": "agent",
        "dcgm": "DCGM",
        "only-card": "only card of the node",
        "unknown": "unknown",
    },
    isolated={"0": "✖ no", "1": "✓ yes"},
    not_measured_yet="not measured yet",
    nobody="–",
    no_workload="– none known",
    no_pod="– no pod",
    no_record="no record",
    no_suspect="cause not known",
    no_neighbour="– nobody else",
    its_state="Workload",
    show_workload="Show this workload below",
    open_check="Open the check",
    open_card="Open the card (one of them, where it has several)",
    only_state="Only the workloads in this state",
)
