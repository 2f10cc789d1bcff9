"""Label matchers that read the variables above a board; every selector has one of them.

"All" is `.*`, which also matches series without the label: a Prometheus of one cluster often has no
`cluster`.
"""

from __future__ import annotations

from typing import Final

CLUSTER: Final = 'cluster=~"$cluster"'
NODE: Final = f'{CLUSTER}, node=~"$node"'
NAMESPACE: Final = f'{CLUSTER}, namespace=~"$namespace"'
WORKLOAD: Final = f'{NAMESPACE}, workload=~"$workload"'

# The one check that is looked at.
CHECK: Final = f'{CLUSTER}, check=~"$check"'

# The one card that is looked at, by our labels and by DCGM's two spellings. Where no card is known
# the variable is empty, and `=~""` would match every series without the label.
CARD: Final = f'{CLUSTER}, card=~"$card", card!=""'
CARD_AS_DCGM: Final = (
    f'{CLUSTER}, UUID=~"$card", UUID!=""',
    f'{CLUSTER}, uuid=~"$card", uuid!=""',
)

# The workloads of a list, by the variables above it.
WORKLOADS: Final = f'{NAMESPACE}, workload_kind=~"$workload_kind"'


# In a hidden list beside what was found, so that it is never empty: `=~""` would match every series
# without the label. `!=""` would keep those away too, but has Prometheus go through all series of
# all values of the label. Nothing in a cluster is called so.
NOBODY: Final = "-"


def among(label: str, variable: str) -> str:
    """One of the names that a hidden variable lists; without any, none.

    As `a|b` Prometheus looks for the names; with what Grafana puts around lists, `(a|b)`, it would
    try the expression on each name that there is.
    """
    return f'{label}=~"${{{variable}:pipe}}"'


# What a large cluster's board shows of it: to read all of it for each column would take seconds.
SHOWN: Final = f"{CLUSTER}, {among('node', 'shown_nodes')}"
SHOWN_WORKLOADS: Final = f"{WORKLOADS}, {among('workload', 'shown_workloads')}"
SIZED: Final = f"{NAMESPACE}, {among('workload', 'sized_workloads')}"
PRIORITISED: Final = f"{NAMESPACE}, {among('workload', 'prioritised_workloads')}"
HOLDERS: Final = f"{NAMESPACE}, {among('workload', 'whole_card_workloads')}"
# The pods on the one card that is looked at, or on those of the one workload.
CARD_PODS: Final = f"{CLUSTER}, {among('pod', 'card_pods')}"
# The nodes on which something fires.
HIT_NODES: Final = f"{CLUSTER}, {among('node', 'hit_nodes')}"

# The one workload that is looked at, or the runs that have a name together, and their namespace. As
# Grafana puts a list into a regular expression, each stands for itself alone, dots too.
CHOSEN_NAMESPACE: Final = f'{CLUSTER}, cluster=~"$chosen_cluster", namespace="$chosen_namespace"'
CHOSEN_WORKLOAD: Final = (
    f'{CHOSEN_NAMESPACE}, workload_kind="$chosen_kind", workload=~"$chosen_workloads"'
)
# And its cards, one by one: reading those of the whole cluster over a day would take seconds.
ON_ITS_CARDS: Final = among("card", "chosen_cards")
ITS_CARDS: Final = f"{CLUSTER}, {ON_ITS_CARDS}"
