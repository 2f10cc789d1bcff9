"""`gpuatlas workloads`."""

from __future__ import annotations

from typing import Any

import click

from gpuatlas.cli.options import (
    cluster_options,
    option,
    output_options,
    prometheus_options,
    selection_options,
)

_EXAMPLES = """
\b
Examples:
  gpuatlas workloads
  gpuatlas workloads --namespace team-a
  gpuatlas workloads --node a10g-1       only workloads with a pod on a10g-1
  gpuatlas workloads --output json | jq '.workloads[] | select(.state == "waiting")'
  gpuatlas workloads --from ./capture

\b
Reading it:
  pods         running of all that are not finished, or that a queue holds back
  runtime, scheduler, queue, gang
               what runs in it, who placed it, what admits it, and the least number of pods that
               start together; on terminals narrower than 150 columns on a line of their own
  90% ahead    the spec tells the runtime to take that much of its memory at start
  waiting      why the pod that waits longest has no node yet, and what the system says of it
  cards        node:index of the cards that its pods hold
  memory       MiB; used is the larger of the driver's and the sharing layer's view
  compute      100% is one whole card
  ?            nobody measured it; the reasons stand below the table
"""


@click.command(epilog=_EXAMPLES)
@selection_options
@option("--all", is_flag=True, help="List finished and failed workloads, too.")
@output_options
@cluster_options
@prometheus_options
def workloads(**options: Any) -> None:
    """Show every workload that holds or waits for cards.

    Reads the API server, and the pages of dcgm-exporter and HAMi through it. Nothing is installed.
    """
    from gpuatlas.cli.documents.workloads import workloads_document
    from gpuatlas.cli.looking import joined, look
    from gpuatlas.cli.screens.workloads import workloads_screen
    from gpuatlas.cli.selection import Selection, select_workloads
    from gpuatlas.cli.showing import show

    seen = look(options)
    snapshot, statuses = joined(seen)
    selection = Selection(nodes=options["node"], namespaces=options["namespace"])
    views = select_workloads(snapshot, selection)
    show(
        options,
        seen.warnings,
        document=lambda: workloads_document(views, statuses, snapshot.at),
        screen=lambda terminal: workloads_screen(
            views,
            snapshot.at,
            finished=options["all"],
            width=terminal.width,
            glyphs=terminal.glyphs,
        ),
    )
