"""`gpuatlas checks`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from gpuatlas.cli.options import (
    cluster_options,
    layer_options,
    option,
    output_options,
    prometheus_options,
    selection_options,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuatlas.cli.judged import Verdict
    from gpuatlas.model.catalogue import Catalogue

CRITICAL: Final = 1
"""The exit code where something critical fires. Failures end with another one (`cli.main`)."""

_EXAMPLES: Final = """
\b
Examples:
  gpuatlas checks
  gpuatlas checks --check S07 --check S08
  gpuatlas checks --node 'a10g-*' --all
  gpuatlas checks --prometheus-url http://prometheus:9090 --cluster prod
  gpuatlas checks --output json | jq '.clusters[].checks[] | select(.state == "firing")'
  gpuatlas checks --from ./capture

\b
States:
  ok               it could look, and found nothing
  firing           something fails it: critical, warning or info
  unknown          it lacks what it needs; what, stands below it
  not applicable   nothing here that it is about
  pending          with --prometheus-url: an alert that waits before it fires

\b
Exit codes, for scripts:
  0   nothing critical fires; unknown checks do not count
  1   something critical fires
  2   wrong usage
  3   the cluster, the folder or the Prometheus could not be read

With --prometheus-url the rules of that Prometheus judge (recording_rules/ and alerts/), and no
cluster is read; where they are not loaded the cluster is read as without it. Rights needed: as for
gpuatlas cards, and those of "The sharing layer's own objects" in docs/commands.md.
"""


@click.command(epilog=_EXAMPLES)
@option(
    "--check",
    multiple=True,
    metavar="ID",
    help="Only this check, such as H01 or S17. Repeatable.",
)
@option(
    "--all",
    is_flag=True,
    help="Every finding and everything that is lacking, and what does not apply on lines of its "
    "own.",
)
@selection_options
@output_options
@cluster_options
@prometheus_options
@option(
    "--cluster",
    metavar="NAME",
    help="With --prometheus-url: only what has this label cluster. Default: all, one by one.",
)
@layer_options
def checks(**options: Any) -> None:
    """Run the 29 checks: what fires, what could not look, and what to do about it.

    Reads the API server, and the pages of dcgm-exporter and HAMi through it, or asks a Prometheus
    that evaluates our rules. Nothing is installed.
    """
    from gpuatlas.cli.documents.checks import checks_document
    from gpuatlas.cli.judged import narrowed
    from gpuatlas.cli.judging import judge
    from gpuatlas.cli.screens.checks import checks_screen
    from gpuatlas.cli.selection import Selection
    from gpuatlas.cli.showing import show
    from gpuatlas.sources.catalogue import load_catalogue

    catalogue = load_catalogue()
    ids = _ids(options["check"], catalogue)
    options = _of_cluster(options)
    judged = judge(options, catalogue)
    selection = Selection(nodes=options["node"], namespaces=options["namespace"])
    _refuse_unknown_nodes(judged.verdict, selection.nodes)
    verdict = narrowed(judged.verdict, selection, ids)
    show(
        options,
        judged.warnings,
        document=lambda: checks_document(verdict, judged.statuses),
        screen=lambda terminal: checks_screen(
            verdict, everything=options["all"], width=terminal.width, glyphs=terminal.glyphs
        ),
    )
    if verdict.is_critical:
        # What cannot be written is a failure and not a finding.
        sys.stdout.flush()
        click.get_current_context().exit(CRITICAL)


def _ids(asked: Sequence[str], catalogue: Catalogue) -> tuple[str, ...]:
    known = {entry.id.lower(): entry.id for entry in catalogue.checks}
    for name in asked:
        if name.lower() not in known:
            message = f"there is no check {name!r}; there are: {', '.join(known.values())}"
            raise click.UsageError(message)
    return tuple(known[name.lower()] for name in asked)


def _of_cluster(options: dict[str, Any]) -> dict[str, Any]:
    """The cluster as one more label that all series must have."""
    cluster = options["cluster"]
    if not cluster:
        return options
    if not options["prometheus_url"]:
        raise click.UsageError("--cluster needs --prometheus-url")
    return {
        **options,
        "prometheus_matcher": (*options["prometheus_matcher"], f"cluster={cluster}"),
    }


def _refuse_unknown_nodes(verdict: Verdict, patterns: Sequence[str]) -> None:
    from gpuatlas.cli.selection import strange_nodes

    if message := strange_nodes(verdict.nodes, patterns):
        raise click.ClickException(message)
