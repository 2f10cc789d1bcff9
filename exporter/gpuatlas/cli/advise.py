"""`gpuatlas advise`."""

from __future__ import annotations

from typing import Any

import click

from gpuatlas.cli.options import (
    cluster_options,
    output_options,
    prometheus_options,
    selection_options,
)

_EXAMPLES = """
\b
Examples:
  gpuatlas advise
  gpuatlas advise --node 'a10g-*'        only pools with one of these nodes
  gpuatlas advise --namespace team-a     only pools that team-a holds a part of
  gpuatlas advise --output json | jq '.pools[].strategies[] | select(.verdict == "unsafe")'
  gpuatlas advise --from ./capture

\b
Strategies:
  whole            one pod, one card
  mig              the card divided by its hardware
  memory-limited   shares with a memory limit: HAMi, Volcano vGPU, KAI with its isolator
  mps              kernels of several pods at a time, no isolation of faults
  time-slicing     one pod after the other, no isolation at all

\b
Verdicts:
  suits        the pods that run there now gain by it, and nothing speaks against it
  possible     it would work; read what to think of
  unsafe       it would hurt pods that run there now
  impossible   the cards, the driver or the platform cannot do it
  no advice    not enough is known, and why
  + and -      what speaks for a strategy, and what against it

It judges one instant, also with --prometheus-url: a peak may come at another hour.
Rights needed: as for gpuatlas cards.
"""


@click.command(epilog=_EXAMPLES)
@selection_options
@output_options
@cluster_options
@prometheus_options
def advise(**options: Any) -> None:
    """Say which way of sharing suits each node pool, and what would not be safe.

    A pool is what the pool label of the nodes says, else the nodes of one platform with cards of
    one model. Nothing is installed and nothing is changed.
    """
    from gpuatlas.advice.advise import advise as advise_on
    from gpuatlas.cli.documents.advice import advice_document
    from gpuatlas.cli.looking import joined, look
    from gpuatlas.cli.screens.advice import advice_screen
    from gpuatlas.cli.selection import Selection
    from gpuatlas.cli.showing import show

    seen = look(options)
    snapshot, statuses = joined(seen)
    selection = Selection(nodes=options["node"], namespaces=options["namespace"])
    pools = [
        advice
        for advice in advise_on(snapshot)
        if any(map(selection.takes_node, advice.nodes))
        and (not selection.namespaces or any(map(selection.takes_namespace, advice.namespaces)))
    ]
    show(
        options,
        seen.warnings,
        document=lambda: advice_document(pools, statuses, snapshot.at),
        screen=lambda terminal: advice_screen(
            pools, snapshot.at, width=terminal.width, glyphs=terminal.glyphs
        ),
    )
