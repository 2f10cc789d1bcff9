"""English words of the board Overview."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.texts.shapes.overview import OverviewTexts
from gpuatlas_dashboards.texts.shapes.words import Words

_NO_CARD: Final = "No card is known: is an exporter scraped, are the recording rules loaded?"

TEXTS: Final = OverviewTexts(
    title="GPU Atlas / Overview",
    description="The first look at a cluster: is sharing its cards worth it, what is held and never used,"
    " what waits, what is broken, and where to look next. It needs no sharing layer.",
    worth=Words(
        title="Is sharing worth it here?",
        description="A held card has room where its peak memory of 24 h was at most half of the card, and"
        " its busiest hour used at most half of its compute: another tenant of the kind would fit. The"
        " verdict is the share of held cards with room: from 5 % on some, from 25 % on worth it. Never"
        " used is promised above each card's own peak. Where nobody tells who holds a card, one whose"
        " memory was in use counts as held whole. The verdict needs records of a day; the other numbers say what the records say"
        " so far, see at the right how far they reach.",
        empty="unknown: needs dcgm-exporter with FB_USED, and FB_TOTAL or FB_FREE and FB_RESERVED",
    ),
    known=Words(
        title="What this rests on",
        description="What there is to read in the chosen clusters. What is missing leaves its numbers unknown,"
        " never zero. Without a way of sharing, cards are handed out whole.",
        empty="Nothing is there to read: no exporter is scraped, or the rules are not loaded",
    ),
    memory=Words(
        title="Memory: promised and used",
        description="Sums over all cards of what is known. Promised may be more than there is, where a sharing"
        " layer oversells. Peak is the sum of each card's peak of 24 h, which they need not have had at one"
        " time. Bytes.",
        empty="unknown: no card tells its memory",
    ),
    compute=Words(
        title="Compute: promised and used",
        description="Sums over all cards of what is known, in whole cards. Busiest hour is the sum of each card's"
        " busiest hour of 24, a mean over that hour. In use is the share of time in which a card worked, not"
        " how much of its units did.",
        empty="unknown: no card tells its compute",
    ),
    next=Words(
        title="What to open next",
        description="The other boards by the question that each of them answers.",
    ),
    states=Words(
        title="Cards by state",
        description="Cards in each state now, hardware alerts included; cards, not pods. Click one to see its"
        " cards. Without GPU Atlas's exporter nobody tells who holds a card: all are unknown.",
        empty=_NO_CARD,
    ),
    checks=Words(
        title="The 29 checks",
        description="Checks in each state now, counted once in each cluster. Unknown: an input is missing, so that it"
        " cannot look. Not applicable: there is no sharing layer.",
        empty="unknown: the recording rules of the checks are not loaded",
    ),
    waiting_now=Words(
        title="Waiting work",
        description="Workloads with pods that wait for a node, or that a queue holds, the longest wait among"
        " them, and the cards that are free meanwhile.",
        empty="unknown: only GPU Atlas's exporter tells what waits",
    ),
    nodes=Words(
        title="Where it is: nodes",
        description="For each node, of all its cards: memory promised, memory at each card's peak of 24 h, and"
        " compute in the busiest hour; never used is promised and above the peak. 100 % is all cards of the"
        " node. Bytes. The 300 that leave most unused.",
        empty=_NO_CARD,
    ),
    namespaces=Words(
        title="Who holds it: namespaces",
        description="Memory reserved for the containers of each namespace, and what of it was unused at every"
        " moment of the last 24 h, where both are known. Cards are those that it holds a share of. Bytes.",
        empty="unknown: only GPU Atlas's exporter or a sharing layer tells who holds cards",
    ),
    waiting=Words(
        title="What waits, and for what",
        description="Workloads whose pods wait for a node, or that a queue holds, the longest first, and why.",
        empty="Nothing waits, or nobody tells: only GPU Atlas's exporter knows",
    ),
    firing=Words(
        title="Alerts that fire",
        description="Firing alerts of the checks and of operations by name: how many, and since when the first"
        " of them.",
        empty="None fires. Whether the checks can look is told above",
    ),
    missing=Words(
        title="Missing inputs",
        description="Inputs that checks in the state unknown lack, and how many checks lack each: a metric to"
        " switch on (DCGM's fields without DCGM_FI_DEV_), or an exporter to install.",
        empty="Nothing: no check is unknown",
    ),
    verdict="Sharing",
    verdicts={
        "little": "little gain",
        "some": "some gain",
        "much": "worth it",
    },
    sources={
        "dcgm": "dcgm-exporter",
        "exporter": "Our exporter",
        "sharing": "Sharing",
    },
    present="✓ found",
    absent={
        "dcgm": "? missing",
        "exporter": "? missing",
        "sharing": "none",
    },
    questions={
        "cards": "Which cards are free, idle or broken?",
        "workloads": "Who uses what of what they hold?",
        "checks": "What is broken, and who feels it?",
        "sizing": "How small may reservations be?",
    },
    columns={
        "cards": "Cards",
        "promised": "Promised",
        "peak": "Peak memory",
        "busiest": "Busiest hour",
        "never": "Never used",
        "reserved": "Reserved",
        "unused": "Unused all day",
        "reason": "Reason",
        "waiting": "Waiting",
        "alert": "Alert",
        "times": "Count",
        "times_checks": "Checks",
        "input": "Missing input",
    },
    waiting_count="workloads",
    longest="longest",
    free="free cards",
    none="– none known",
    needs_a_day="needs a day",
    show_state="Show these cards",
    show_node="Show the cards of this node",
    show_namespace="Show the workloads of this namespace",
    show_workload="Show this workload",
    show_waiting="Show the workloads that hold no card yet",
)
