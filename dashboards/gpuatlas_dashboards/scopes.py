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

# The one workload that is looked at, and its namespace.
CHOSEN_NAMESPACE: Final = f'{CLUSTER}, cluster=~"$chosen_cluster", namespace="$chosen_namespace"'
CHOSEN_WORKLOAD: Final = (
    f'{CHOSEN_NAMESPACE}, workload_kind="$chosen_kind", workload="$chosen_name"'
)
# And its cards, one by one: reading those of the whole cluster over a day would take seconds.
ITS_CARDS: Final = f'{CLUSTER}, card=~"$chosen_cards", card!=""'
