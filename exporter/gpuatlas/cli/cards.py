"""`gpuatlas cards`."""

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
  gpuatlas cards
  gpuatlas cards --node 'a10g-*'
  gpuatlas cards --namespace team-a      only cards that team-a holds a part of
  gpuatlas cards --output json | jq '.nodes[].cards[] | select(.memory.overcommitted_bytes > 0)'
  gpuatlas cards --from ./capture

\b
Reading it:
  ███████▒▒▒▒▒▒▒│▒▒▒▒   resident, allocated, the card's physical memory, allocated beyond it
  allocated    what tenants were promised; yellow where it is more than the card has
  resident     in use on the card, as the driver says
  counted      in use, as the sharing layer counts it; offloaded: what of it is not on the card
  ?            nobody measured it; the reasons stand below the table

Sizes are MiB. Rights needed: list on nodes and pods, get on pods/proxy; list on replicasets.apps
and jobs.batch names the workloads. docs/commands.md has the rights that tell more.
"""


@click.command(epilog=_EXAMPLES)
@selection_options
@output_options
@cluster_options
@prometheus_options
def cards(**options: Any) -> None:
    """Show every card of a cluster: state, memory, who holds it.

    Reads the API server, and the pages of dcgm-exporter and HAMi through it. Nothing is installed.
    """
    from gpuatlas.cli.documents.cards import cards_document
    from gpuatlas.cli.looking import joined, look
    from gpuatlas.cli.screens.cards import cards_screen
    from gpuatlas.cli.selection import Selection, select_cards, strange_nodes
    from gpuatlas.cli.showing import show

    seen = look(options)
    snapshot, statuses = joined(seen)
    selection = Selection(nodes=options["node"], namespaces=options["namespace"])
    if message := strange_nodes(snapshot.nodes, selection.nodes):
        raise click.ClickException(message)
    views = select_cards(snapshot, selection)
    show(
        options,
        seen.warnings,
        document=lambda: cards_document(views, statuses, snapshot.at),
        screen=lambda terminal: cards_screen(
            views, snapshot.at, width=terminal.width, glyphs=terminal.glyphs
        ),
    )
