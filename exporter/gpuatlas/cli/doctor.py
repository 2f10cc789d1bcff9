"""`gpuatlas doctor`."""

from __future__ import annotations

import sys
from typing import Any, Final

import click

from gpuatlas.cli.options import (
    live_cluster_options,
    no_folder_option,
    output_options,
    pages_from_option,
    prometheus_options,
)

_EXAMPLES: Final = """
\b
Examples:
  gpuatlas doctor
  gpuatlas doctor --prometheus-url http://prometheus:9090
  gpuatlas doctor --prometheus-url http://mimir/prometheus --prometheus-matcher cluster=prod
  kubectl -n gpu-monitoring exec deployment/gpuatlas -- gpuatlas doctor
  gpuatlas doctor -o json | jq '.results[] | select(.state == "todo")'

\b
States:
  ok            it was looked at, and it is as it should be
  to do         mend it; what is to do is numbered, in the order to mend it
  could do      it works without; more would be known with it
  unknown       nobody can tell, and why
  failed        it could not even look
  n/a           nothing here that it is about

\b
Exit codes, for scripts:
  0   nothing is to do; what could be done and what is unknown do not count
  1   something is to do
  2   wrong usage
  3   the API server or the Prometheus could not be asked

With --prometheus-url that Prometheus is examined as well: scrape, labels, rules, alerts, history.

In a pod it has the rights and the ways of the exporter there: exporters are asked at their own
addresses. Rights needed: those that it examines; docs/commands.md has the list.
"""


@click.command(epilog=_EXAMPLES)
@output_options
@live_cluster_options
@no_folder_option
@prometheus_options
@pages_from_option
def doctor(**options: Any) -> None:
    """Examine an installation: rights, versions, sources, scrape, rules; say what to do, in order.

    Runs in a pod or on a laptop. Nothing is changed.
    """
    import time

    from gpuatlas.cli.documents.doctor import doctor_document
    from gpuatlas.cli.looking import warn_as_lines
    from gpuatlas.cli.options import cluster_settings
    from gpuatlas.cli.progress import ReadingProgress
    from gpuatlas.cli.screens.doctor import doctor_screen
    from gpuatlas.cli.showing import show
    from gpuatlas.doctor.examine import examine
    from gpuatlas.doctor.recordings import GROUPS
    from gpuatlas.doctor.results import exit_code
    from gpuatlas.runtime.doctor import visit
    from gpuatlas.sources.catalogue import load_catalogue

    if options["from"] is not None:
        raise click.UsageError("a capture folder has no installation to examine: leave --from away")
    settings = cluster_settings(options)
    catalogue = load_catalogue()
    warn_as_lines()
    with ReadingProgress() as progress:
        seen = visit(settings, catalogue, GROUPS.values(), clock=time.time, progress=progress)
    results = examine(seen.cluster, seen.prometheus, catalogue)
    code = exit_code(results)
    show(
        options,
        (),
        document=lambda: doctor_document(results, code, at=time.time()),
        screen=lambda terminal: doctor_screen(
            results, width=terminal.width, glyphs=terminal.glyphs
        ),
    )
    if code:
        # What cannot be written is a failure and not a finding.
        sys.stdout.flush()
        click.get_current_context().exit(code)
