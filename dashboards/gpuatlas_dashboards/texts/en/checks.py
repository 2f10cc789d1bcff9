"""English words of the board Checks."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.signals.check_sentences import ALL_TENANTS, NEW_PODS, WAYS
from gpuatlas_dashboards.texts.shapes.checks import ChecksTexts
from gpuatlas_dashboards.texts.shapes.words import Words
from gpuatlas_dashboards.tokens import CheckState

_NO_CHECK: Final = (
    "No check is known: load recording_rules/check.yaml, and scrape dcgm-exporter or gpuatlas"
)
_NOTHING_FIRES: Final = (
    "Nothing fires in the chosen clusters. Whether every check could look, the states above say"
)

TEXTS: Final = ChecksTexts(
    title="GPU Atlas / Checks",
    description="What is wrong with the cards and with the layer that shares them, whom it hits,"
    " what to do first, and what nobody can see.",
    states=Words(
        title="Checks by state",
        description="The 29 checks by their worst state over the chosen clusters. Checks, not"
        " findings. Unknown: a check could not look everywhere, so that it is not ok.",
        empty=_NO_CHECK,
    ),
    findings_by_severity=Words(
        title="Findings by severity",
        description="Firing alerts of the checks by severity; of one object that is both, the"
        " graver counts. Findings, not checks.",
        empty="unknown: no check is known",
    ),
    hit=Words(
        title="Hit by findings",
        description="Cards and nodes that findings name, and the pods that feel them: tenants of"
        " such a card or node, and pods that a finding is about.",
        empty="unknown: no check is known",
    ),
    pods_hit="pods",
    layers={
        "hardware": Words(
            title="Hardware checks",
            description="The twelve checks on the series of dcgm-exporter alone. Choose one by a"
            " click. Since: when the oldest finding began. Findings: objects that fail now.",
            empty=_NO_CHECK,
        ),
        "sharing": Words(
            title="Checks of the sharing layer",
            description="The seventeen checks on HAMi, Volcano vGPU and KAI; not applicable where"
            " no such layer runs. Choose one by a click.",
            empty=_NO_CHECK,
        ),
    },
    number="Check",
    name="What it watches",
    findings_short="Found",
    choose="Show this check",
    legend=Words(
        title="States of a check", description="What the colours and marks of the checks mean."
    ),
    state_meanings={
        CheckState.FIRING: "at least one object fails it",
        CheckState.UNKNOWN: "it could not look everywhere: inputs are missing",
        CheckState.NOT_APPLICABLE: "nothing here that it is about",
        CheckState.OK: "it looked everywhere and found nothing",
    },
    chosen=Words(
        title="Check $check",
        description="Worst state of the chosen check over the chosen clusters, at the end of the"
        " time range. Choose it below by a click, or above.",
        empty=_NO_CHECK,
    ),
    finds=Words(
        title="What $check finds",
        description="What the chosen check finds; a click opens its runbook.",
        empty=_NO_CHECK,
    ),
    open_runbook="Open the runbook",
    advice=Words(
        title="What to do about $check",
        description="Cause and first step of each signal of the check that fires, as its alerts"
        " have them, and the inputs that it lacks.",
        empty="Nothing: it does not fire and lacks nothing. Its runbook says what it looks at",
    ),
    places=Words(
        title="Where $check fires, and who feels it",
        description="Each finding of the check with its node, its card and the pods that it hits.",
        empty="It does not fire",
    ),
    lacks={
        r"/^lacks\|(DCGM_[^|]*)\|\|.*$/": "Nobody sends $1 ▸ Take its line from"
        " alerts/dcgm-counters.csv into the list of dcgm-exporter. Some cards do not have it",
        r"/^lacks\|([^|]*)\|\|.*$/": "Nobody sends what it reads ▸ Install $1 and let Prometheus"
        " scrape it",
        r"/^lacks\|([^|]*)\|([^|]+)\|.*$/": "It cannot read $1 ▸ $2",
    },
    pods="Pods",
    nobody_named={
        NEW_PODS: NEW_PODS,
        ALL_TENANTS: ALL_TENANTS,
    },
    findings=Words(
        title="Findings",
        description="Every firing alert of the checks, the newest 500: where, the pods that feel"
        " it, the record that shows it (hardware checks go by numbers and quote none), why it"
        " fires and what to do first, with the names of this finding filled in.",
        empty=_NOTHING_FIRES,
    ),
    where="Where",
    index="Card",
    object="Object",
    record="Record",
    cause_and_action="Cause ▸ what to do first",
    open_card="Show this card",
    open_node="Show this node's cards",
    history="What happened",
    timeline=Words(
        title="Checks that fired",
        description="The worst state of each check that fired in the time range. Grey: there was"
        " no answer at that time.",
        empty="No check fired in this time range",
    ),
    no_check="None",
    fired=Words(
        title="Findings of the time range",
        description="Every finding of the time range, the 200 that fired longest: for how long, and when"
        " last, to five minutes. Those that ended, too.",
        empty="No check fired in this time range",
    ),
    fired_for="Fired for",
    last="Last",
    blind=Words(
        title="What checks cannot see",
        description="Inputs that a check would read and that nobody sends, with the check's state:"
        " ok means that another input suffices. Not every card has every field: an absent NVLink"
        " field may only mean that there is no NVLink.",
        empty="Every check has all its inputs",
    ),
    input="Input",
    reason="Why, or how to switch it on",
    nodes="Nodes",
    whole_cluster="whole cluster",
    ways={way: way for way in WAYS.values()},
)
