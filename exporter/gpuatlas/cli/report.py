"""`gpuatlas report`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from gpuatlas.cli.options import cluster_label_option, option, prometheus_access_options

if TYPE_CHECKING:
    from gpuatlas.report.scope import Scope
    from gpuatlas.report.windows import Window

_WHY: Final = "before and after a change are days apart"
_PARTS_OF_A_WORKLOAD: Final = 3
_EXAMPLES: Final = """
\b
Examples:
  gpuatlas report --prometheus-url http://prometheus:9090 --changed 2026-08-14T10:00Z
  gpuatlas report --prometheus-url http://prometheus:9090 --changed 3d --node a10g-1
  gpuatlas report --prometheus-url http://prometheus:9090 --changed 2d \\
    --workload chat/Deployment/llm-chat
  gpuatlas report --prometheus-url http://prometheus:9090 --since '21d=whole cards' \\
    --changed '14d=shared by memory' --changed '7d=overcommitted'
  gpuatlas report --prometheus-url http://prometheus:9090 --changed 3d -o json | jq .quantities

\b
Times:
  2026-08-14T10:00Z   RFC 3339, in UTC where it has no zone
  3d, 12h, 1h30m      so long ago
  TIME=NAME           what the sharing was called from then on

\b
Windows:
  one before the first change, one after each; all are as long as the shortest stretch between two
  changes, at most 7 days, in whole days where that is a day or more

A difference is called only where both windows have 95 % coverage and enough samples, and where it
is larger than what chance gives. docs/analysis.md says how each line is made. Rights needed: none
in the cluster.
"""


@click.command(epilog=_EXAMPLES)
@option(
    "--prometheus-url",
    metavar="URL",
    help="A Prometheus that has our recordings (recording_rules/). Required.",
)
@option(
    "--changed",
    multiple=True,
    metavar="TIME[=NAME]",
    help="When sharing was changed. Repeatable: one column each. Required.",
)
@option(
    "--since",
    metavar="TIME[=NAME]",
    help="Where the time before the first change begins. Default: as far back as is needed.",
)
@option(
    "--settle",
    metavar="DURATION",
    default="1h",
    show_default=True,
    help="Time after a change that is not looked at, for pods to start anew.",
)
@option("--node", metavar="NAME", help="Only the cards of this node, and who holds them.")
@option(
    "--workload",
    metavar="NAMESPACE/KIND/NAME",
    help="Only this workload and the cards that it is on.",
)
@option(
    "--output",
    "-o",
    type=click.Choice(["markdown", "json"]),
    default="markdown",
    show_default=True,
    help="For people, or for programs (docs/commands.md has the shape).",
)
@cluster_label_option
@prometheus_access_options
def report(**options: Any) -> None:
    """Compare before and after a change of sharing: tenants, memory, slowdowns, speed.

    Reads recordings from a Prometheus. Nothing in the cluster is changed.
    """
    import time

    from gpuatlas.cli.effects import look_at_effect
    from gpuatlas.cli.looking import warn, warn_as_lines
    from gpuatlas.cli.past import past_settings
    from gpuatlas.sources.scrape.exchange import shown

    settings = past_settings(options, why=_WHY)
    now = time.time()
    windows = _windows(options, now)
    scope = _scope(options, settings.matchers)
    warn_as_lines()
    found, warnings = look_at_effect(settings, scope, windows, now=now)
    if options["output"] == "json":
        from gpuatlas.cli.documents.report import report_document
        from gpuatlas.cli.documents.writing import write_json

        write_json(report_document(found, shown(settings.url)))
    else:
        from gpuatlas.cli.screens.report import report_markdown
        from gpuatlas.cli.screens.wording import visible

        for line in report_markdown(found):
            click.echo(visible(line))
    warn(warnings)


def _windows(options: dict[str, Any], now: float) -> tuple[Window, ...]:
    from gpuatlas.cli.past import seconds_of
    from gpuatlas.report.windows import Change, WindowError, lay

    if not options["changed"]:
        message = "--changed is required: the time at which sharing was changed, such as 3d"
        raise click.UsageError(message)
    changes = [Change(*_named("--changed", text, now)) for text in options["changed"]]
    since = options["since"]
    try:
        return lay(
            changes,
            now=now,
            since=Change(*_named("--since", since, now)) if since else None,
            settle=seconds_of("--settle", options["settle"]),
        )
    except WindowError as error:
        raise click.UsageError(str(error)) from error


def _named(option_name: str, text: str, now: float) -> tuple[float, str]:
    from gpuatlas.cli.past import instant_of

    when, _, name = text.partition("=")
    return instant_of(option_name, when.strip(), now), name.strip()


def _scope(options: dict[str, Any], matchers: Any) -> Scope:
    from gpuatlas.report.scope import Scope

    if options["node"] and options["workload"]:
        raise click.UsageError("--node and --workload are two scopes: name one")
    if not options["workload"]:
        return Scope(matchers=matchers, node=options["node"] or "")
    namespace, kind, name = _workload(options["workload"])
    return Scope(matchers=matchers, workload=(namespace, kind, name))


def _workload(text: str) -> list[str]:
    parts = text.split("/")
    if len(parts) != _PARTS_OF_A_WORKLOAD or not all(parts):
        message = f"--workload {text!r} must be NAMESPACE/KIND/NAME, as chat/Deployment/llm-chat"
        raise click.UsageError(message)
    return parts
