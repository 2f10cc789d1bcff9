"""`gpuatlas sizing`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from gpuatlas.cli.options import (
    cluster_label_option,
    kubeconfig_options,
    option,
    output_options,
    prometheus_access_options,
    selection_options,
)

if TYPE_CHECKING:
    from gpuatlas.model.sizing import SizingReport

PROPOSED: Final = 1
"""The exit code with --exit-code where something is proposed. Failures end with another one."""

_WHY: Final = "what a workload needs is its peak over days"
_LONGEST_WINDOW: Final = 366
_EXAMPLES: Final = """
\b
Examples:
  gpuatlas sizing --prometheus-url http://prometheus:9090
  gpuatlas sizing --prometheus-url http://prometheus:9090 --namespace team-a --all
  gpuatlas sizing --prometheus-url http://prometheus:9090 --workload 'StatefulSet/*'
  gpuatlas sizing --prometheus-url http://prometheus:9090 --patch ./patches
  gpuatlas sizing --prometheus-url http://prometheus:9090 -o json | jq .summary.given_back

\b
Verdicts:
  smaller       it never used so much; what is proposed is above its peak by a margin
  larger        it reached its limit
  fits          nothing to change
  cannot size   and why: too few days, gaps, a rollout, memory taken ahead by its runtime

\b
With --patch:
  a strategic merge patch for Deployment, StatefulSet, DaemonSet, CronJob, Job, Pod
  a JSON patch for other kinds, by the positions in the object that your kubeconfig reads
  the values alone, in *.values.yaml, where neither can be
Nothing is applied: each file says at its head how to, and how to put it back.

\b
Exit codes:
  0   done, whatever is proposed
  1   with --exit-code: something is proposed
  2   wrong usage
  3   the Prometheus could not be read

How each figure is made: docs/analysis.md. Rights needed: none in the cluster; for --patch get on
the workloads.
"""


@click.command(epilog=_EXAMPLES)
@option(
    "--prometheus-url",
    metavar="URL",
    help="A Prometheus that has our recordings (recording_rules/). Required.",
)
@option(
    "--window",
    metavar="DURATION",
    default="14d",
    show_default=True,
    help="How many days to look back. Nothing is proposed on fewer than 7.",
)
@selection_options
@option(
    "--workload",
    multiple=True,
    metavar="NAME",
    help="Only this workload, as NAME, KIND/NAME or NAMESPACE/KIND/NAME, or a pattern. Repeatable.",
)
@click.option("--all", is_flag=True, help="Also the containers that have what they need.")
@click.option(
    "--patch",
    metavar="DIR|-",
    help="Write a patch for each workload with a proposal into a folder, - for standard output.",
)
@click.option("--exit-code", is_flag=True, help="End with 1 where something is proposed.")
@output_options
@cluster_label_option
@prometheus_access_options
@kubeconfig_options
def sizing(**options: Any) -> None:
    """Say what each workload needs against what it holds, and write patches.

    Reads days of recordings from a Prometheus. Nothing in the cluster is changed.
    """
    from gpuatlas.cli.looking import warn
    from gpuatlas.cli.patching import STANDARD_OUTPUT, patches_of, write_patches

    _refuse_two_outputs(options)
    report, warnings, address = _read(options)
    told = ""
    if options["patch"] is not None:
        patches, unwritten = patches_of(report, options)
        told = write_patches(patches, options["patch"])
        warnings += unwritten
    if options["patch"] == STANDARD_OUTPUT:
        warn(warnings)
    else:
        _show(report, options, warnings, address)
    if told:
        click.echo(told, err=True)
    if options["exit_code"] and _proposes(report):
        # What cannot be written is a failure and not a finding.
        sys.stdout.flush()
        click.get_current_context().exit(PROPOSED)


def _refuse_two_outputs(options: dict[str, Any]) -> None:
    if options["patch"] == "-" and options["output"] == "json":
        raise click.UsageError("--patch - and --output json would both be on standard output")


def _read(options: dict[str, Any]) -> tuple[SizingReport, list[str], str]:
    """What is asked for of the report, one-line warnings, and the address of the Prometheus."""
    import time

    from gpuatlas.cli.looking import warn_as_lines
    from gpuatlas.cli.past import past_settings
    from gpuatlas.cli.selection import Selection, strange_nodes
    from gpuatlas.cli.sized import SizingSelection, known_nodes, narrowed
    from gpuatlas.runtime.sizing_report import look_back, report_of
    from gpuatlas.sources.scrape.exchange import shown

    settings = past_settings(options, why=_WHY)
    window = _window(options["window"])
    warn_as_lines()
    look = look_back(settings, now=time.time(), window_days=window)
    report = report_of(look)
    places = Selection(nodes=options["node"], namespaces=options["namespace"])
    if message := strange_nodes(known_nodes(report), places.nodes):
        raise click.ClickException(message)
    selection = SizingSelection(places=places, workloads=options["workload"])
    warnings = [*look.warnings, *report.missing]
    return narrowed(report, selection), warnings, shown(settings.url)


def _window(text: str) -> int:
    """Whole days: recordings are of days."""
    from gpuatlas.cli.past import DAY, seconds_of

    days = seconds_of("--window", text) / DAY
    if days != int(days) or not 1 <= days <= _LONGEST_WINDOW:
        message = f"--window {text!r} must be whole days, from 1d to {_LONGEST_WINDOW}d"
        raise click.UsageError(message)
    return int(days)


def _show(report: SizingReport, options: dict[str, Any], warnings: list[str], address: str) -> None:
    from gpuatlas.cli.documents.sizing import sizing_document
    from gpuatlas.cli.screens.sizing import sizing_screen
    from gpuatlas.cli.showing import show

    show(
        options,
        warnings,
        document=lambda: sizing_document(report, address),
        screen=lambda terminal: sizing_screen(
            report, everything=options["all"], width=terminal.width, glyphs=terminal.glyphs
        ),
    )


def _proposes(report: SizingReport) -> bool:
    from gpuatlas.cli.sized import CHANGES

    return any(proposal.verdict in CHANGES for proposal in report.proposals)
