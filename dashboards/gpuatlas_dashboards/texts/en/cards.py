"""English words of the board Cards."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.texts.shapes.cards import CardsTexts
from gpuatlas_dashboards.texts.shapes.words import Words

_NO_CARD: Final = "No card is known: is the exporter scraped, are the recording rules loaded?"

TEXTS: Final = CardsTexts(
    title="GPU Atlas / Cards",
    description="Every card of the cluster by state, and the chosen card in detail: who is on it,"
    " how far it is promised, and what is wrong with it.",
    states=Words(
        title="Cards by state",
        description="Cards of the chosen nodes in each state, hardware alerts included. Cards, not pods"
        " and not shares. Click one to leave only its cards in the map.",
        empty=_NO_CARD,
    ),
    memory=Words(
        title="Memory of these cards",
        description="Sums over the chosen nodes of what is known; over-allocated is summed card by card,"
        " since room on one card is no help to another. Bytes.",
        empty="unknown: no card of these nodes tells its memory",
    ),
    map=Words(
        title="Cards",
        description="A row for each node, a tile for each card by its index on the node: its state, then"
        " its number of tenants (pods). Click a tile to see the card at the right, a node to see that"
        " node alone. A card without an index stands in the list at the bottom only. Of more than 2,000 cards the nodes with the worst states are shown: choose nodes or states above to see the others.",
        empty=_NO_CARD,
    ),
    legend=Words(title="States", description="What the colours and marks of the cards mean."),
    chain=Words(
        title="On card ${card:text}: partition, allocation, workload",
        description="One row for each container that holds a share of the card, and for each part of"
        " it that nobody holds. Promised is the share, not what is in use; on card is the driver's view,"
        " counted the sharing layer's. Bytes; 100 % of compute is the whole card.",
        empty="Nobody holds this card, or nobody can tell who does",
    ),
    chosen=Words(
        title="Card ${card:text}",
        description="State of the chosen card, hardware alerts included. Choose a card by its tile or"
        " above the board.",
        empty="unknown: no such card",
    ),
    checks=Words(
        title="Alerts of this card",
        description="Alerts that name this card, firing or about to, and since when. The 29 checks and"
        " those of operations.",
        empty="No alert names this card, if the alert rules are loaded",
    ),
    identity=Words(
        title="What it is",
        description="Model, way of sharing and driver of the card, and the UUID by which every metric"
        " names it.",
        empty="unknown: our exporter does not know this card",
    ),
    promises=Words(
        title="Promised against physical memory",
        description="Promised: the shares of the workloads. Physical: what the card has, and in red what"
        " is promised beyond it. Used: the larger of the driver's and the sharing layer's view of each"
        " workload. Resident: on the card, by its driver, whoever holds it. Bytes.",
        empty="unknown: neither promises nor memory of this card",
    ),
    promised_now=Words(
        title="Memory: promised",
        description="At the end of the time range. Physical is what the card has, allocated what is"
        " promised on it and not what is used, over-allocated what is promised beyond it. Bytes.",
        empty="unknown: nobody tells the memory of this card",
    ),
    used_now=Words(
        title="Memory: in use",
        description="At the end of the time range. Resident is the driver's view, counted the sharing"
        " layer's; offloaded is counted and not on the card, a lower bound. Unknown where nobody"
        " measured. Bytes.",
        empty="unknown: nobody tells the memory in use of this card",
    ),
    compute_now=Words(
        title="Compute",
        description="At the end of the time range: the share of time in which the card worked, and the"
        " share that is promised; 100 % is the whole card, unknown where MIG splits it. Contended: the"
        " share of the last ten minutes in which two tenants or more worked and the card was at a limit;"
        " not looked at where nobody shares the card, or nobody measures its tenants.",
        empty="unknown: no dcgm-exporter for this card",
    ),
    sensors_now=Words(
        title="Sensors",
        description="Temperature of the core, power of the card without its host, clock of the"
        " multiprocessors, at the end of the time range. Unknown where no dcgm-exporter tells.",
        empty="unknown: no dcgm-exporter for this card",
    ),
    history="Card ${card:text} over the time range",
    no_record="no record",
    not_looked_at="not looked at",
    nobody="none known",
    states_over_time=Words(
        title="State",
        description="State of the card at each instant, hardware alerts included. A gap is a time in"
        " which nobody recorded it.",
        empty="No record: the recording rules did not run in this time range",
    ),
    memory_over_time=Words(
        title="Memory",
        description="What the card has, what is promised on it, what lies on it and what the sharing"
        " layer counts. Above the physical line it is over-allocated. Bytes.",
        empty="No record of the memory of this card in this time range",
    ),
    compute_over_time=Words(
        title="Compute",
        description="The share of time in which the card worked, the share that is promised, and the share"
        " of ten minutes in which its tenants contended for it. 100 % is the whole card, or all the time.",
        empty="No record: no dcgm-exporter for this card in this time range",
    ),
    temperature_over_time=Words(
        title="Temperature",
        description="Of the core, and the limit at which the card slows itself down, where it tells one."
        " Degrees Celsius.",
        empty="No record: no dcgm-exporter for this card in this time range",
    ),
    power_over_time=Words(
        title="Power",
        description="Power that the card draws, not its host. Watts.",
        empty="No record: no dcgm-exporter for this card in this time range",
    ),
    clock_over_time=Words(
        title="Clock",
        description="Clock of the multiprocessors. It falls by itself on an idle card; on a working one"
        " heat or power holds it down. Hertz.",
        empty="No record: no dcgm-exporter for this card in this time range",
    ),
    list_section="All cards as a list",
    list=Words(
        title="Cards of the chosen nodes and states",
        description="One row for each card. Promised above 100 % is over-allocated; on card is the"
        " driver's view. 100 % is the card's memory or its compute. Of more than 2,000 cards the worst are shown.",
        empty=_NO_CARD,
    ),
    unplaced=Words(
        title="Pods on a card that nobody can tell",
        description="Containers that hold a card or a share of one, by their node, where neither the API"
        " server nor a driver says which card it is. They are in no tile of the map.",
        empty="None that the exporter knows of",
    ),
    bars={
        "promised": "promised",
        "physical": "physical",
        "used": "used",
        "resident": "resident",
    },
    columns={
        "worst": "Worst",
        "driver": "Driver",
        "alert": "Alert",
        "kind": "Share",
        "profile": "Profile",
        "promised": "Promised",
        "resident": "On card",
        "counted": "Counted",
        "compute": "Compute",
        "compute_promised": "Compute promised",
        "idle": "Idle for",
    },
    open_workload="Show this workload",
    open_check="Show this check",
    open_card="Show this card",
    only_node="Only this node",
    only_state="Only the cards in this state",
)
