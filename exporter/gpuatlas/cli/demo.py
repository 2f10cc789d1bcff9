"""`gpuatlas demo`: a simulated cluster, the real exporter on it, and the cards screen.

The simulator answers over HTTP as real systems do; everything shown has gone through the ordinary
sources.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpuatlas.cli.options import option

if TYPE_CHECKING:
    from gpuatlas.cli.demonstration.stage_plan import Staging
    from gpuatlas.demo.scenario import FaultSpec, Scenario
    from gpuatlas.demo.server import SimulatedCluster

_EXAMPLES = """
\b
Examples:
  gpuatlas demo                          screen and addresses, until Ctrl-C
  gpuatlas demo --once                   the screen only
  gpuatlas demo --once --metrics         the exporter's page only
  gpuatlas demo --at 2026-08-21T03:00Z   the same cluster at night
  gpuatlas demo --speed 600              ten minutes a second
  gpuatlas demo --healthy --fault xid@a100-1/0,code=48
                                         one fault and no others
  gpuatlas demo --scenario my.yaml       a cluster of your own
  gpuatlas demo --history 12h            half a day of history; 14 days without

With a Prometheus on PATH it runs one with our rules and a past, with a Grafana one with our
dashboards. The past is kept in the cache folder of the user for the next time.

The same scenario, seed and instant always give the same cluster.
"""
_HOW_TO_NAME = (
    "Without NODE the first that can have the fault, without CARD the node's first. tenant counts "
    "the pods of the card by namespace and name, from 0: where it has no such tenant at the time, "
    "nothing happens."
)


@click.command(epilog=_EXAMPLES)
@click.option("--once", is_flag=True, help="Print and end.")
@click.option("--metrics", is_flag=True, help="With --once: the exporter's page, not the screen.")
@option("--seed", type=int, default=1, show_default=True, help="Chooses names, ids and loads.")
@option("--at", metavar="TIME", help="The simulated time to begin at, RFC 3339. Default: now.")
@option(
    "--speed",
    type=click.FloatRange(min=0, max=86_400),
    default=1.0,
    show_default=True,
    help="Simulated seconds in a second.",
)
@option(
    "--scenario",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What the cluster consists of. Default: the built-in one.",
)
@option(
    "--fault",
    multiple=True,
    metavar="NAME[@NODE[/CARD]]",
    help="Break this, too; settings follow as ,OPTION=VALUE. Repeatable; --faults lists all.",
)
@click.option("--healthy", is_flag=True, help="Without the faults of the scenario itself.")
@click.option("--faults", is_flag=True, help="List what can be broken, and end.")
@option(
    "--listen",
    metavar="HOST:PORT",
    help="Address of the exporter. Default: 127.0.0.1:9836, or a free port if that is taken.",
)
@option(
    "--history",
    metavar="DURATION",
    default="14d",
    show_default=True,
    help="How far back the demo's Prometheus knows; more than 3 days back what sizing needs only.",
)
@click.option("--no-history", is_flag=True, help="A Prometheus that begins now.")
@click.option("--no-prometheus", is_flag=True, help="No Prometheus and no Grafana.")
@option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="auto: on a terminal, unless NO_COLOR is set.",
)
def demo(*, once: bool, metrics: bool, faults: bool, **options: Any) -> None:
    """Show a simulated cluster; nothing else is needed.

    12 nodes with 56 cards: HAMi, Volcano, KAI, DRA, MIG, time slicing and whole cards, and a few
    faults. The simulator speaks as a real API server and real exporters do, and the ordinary
    sources read it.
    """
    if metrics and not once:
        raise click.UsageError("--metrics needs --once")
    if faults:
        _list_faults()
        return
    from gpuatlas.cli.looking import warn_as_lines

    warn_as_lines()
    with (
        _cluster(options, staged=not once) as (cluster, staging),
        tempfile.TemporaryDirectory(prefix="gpuatlas-demo-") as tmp,
    ):
        kubeconfig = cluster.kubeconfig(Path(tmp) / "kubeconfig")
        if metrics:
            _show_page(cluster, kubeconfig)
            return
        _show_cards(cluster, kubeconfig, options["color"])
        if not once:
            _stay(cluster, kubeconfig, options["listen"], staging)


def _list_faults() -> None:
    import shutil
    import textwrap

    from gpuatlas.demo.fault_text import fault_lines

    width = max(40, shutil.get_terminal_size().columns - 4)
    for written, description in fault_lines():
        click.echo(written)
        for line in textwrap.wrap(description, width):
            click.echo(f"    {line}")
    click.echo()
    for line in textwrap.wrap(_HOW_TO_NAME, width):
        click.echo(line)


@contextmanager
def _cluster(
    options: dict[str, Any], *, staged: bool
) -> Iterator[tuple[SimulatedCluster, Staging | None]]:
    """The cluster, and what is going to stand around it."""
    from gpuatlas.demo.fault_text import read_fault
    from gpuatlas.demo.scenario import ScenarioError
    from gpuatlas.demo.scenario_file import load_scenario
    from gpuatlas.demo.server import SimulatedCluster

    path = options["scenario"]
    try:
        scenario = load_scenario() if path is None else load_scenario(path)
        faults = [read_fault(text, scenario) for text in options["fault"]]
        if not options["healthy"]:
            faults = [*scenario.faults, *faults]
        staging = _staging(options, scenario, faults) if staged else None
        cluster = SimulatedCluster(
            scenario,
            faults=faults if staging is None else staging.faults,
            seed=options["seed"],
            start=None if options["at"] is None else _instant(options["at"]),
            speed=options["speed"],
        )
    except (ScenarioError, OSError) as error:
        raise click.ClickException(" ".join(str(error).split())) from error
    with cluster:
        yield cluster, staging


def _staging(
    options: dict[str, Any], scenario: Scenario, faults: list[FaultSpec]
) -> Staging | None:
    from gpuatlas.cli.demonstration.stage_plan import choose_staging

    return choose_staging(options, scenario, faults)


def _instant(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        message = f"--at {text!r} is no time; write it as 2026-08-21T10:11:12Z"
        raise click.UsageError(message) from error
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()


def _show_cards(cluster: SimulatedCluster, kubeconfig: Path, color: str) -> None:
    from gpuatlas.cli.looking import joined, warn
    from gpuatlas.cli.screens.cards import cards_screen
    from gpuatlas.cli.selection import Selection, select_cards
    from gpuatlas.cli.terminal import open_terminal
    from gpuatlas.runtime.once import ClusterSettings, NoProgress, look_at_cluster
    from gpuatlas.sources.kubernetes.settings import KubernetesSettings

    settings = ClusterSettings(kubernetes=KubernetesSettings(kubeconfig=kubeconfig))
    seen = look_at_cluster(settings, clock=cluster.now, progress=NoProgress())
    snapshot, _ = joined(seen)
    terminal = open_terminal(color)
    terminal.show(
        cards_screen(
            select_cards(snapshot, Selection()),
            snapshot.at,
            width=terminal.width,
            glyphs=terminal.glyphs,
        )
    )
    warn(seen.warnings)


def _show_page(cluster: SimulatedCluster, kubeconfig: Path) -> None:
    from gpuatlas.cli.demonstration.demo_exporter import running_exporter

    with running_exporter(cluster, kubeconfig, "127.0.0.1:0") as exporter:
        click.echo(exporter.first_page(), nl=False)


def _stay(
    cluster: SimulatedCluster, kubeconfig: Path, listen: str | None, staging: Staging | None
) -> None:
    from contextlib import nullcontext

    from gpuatlas.cli.demonstration.demo_exporter import reachable_exporter
    from gpuatlas.cli.demonstration.invitation import invitation
    from gpuatlas.runtime.termination import Termination

    with Termination() as termination, reachable_exporter(cluster, kubeconfig, listen) as exporter:
        # Addresses are printed when they answer: a script that waits for them asks at once.
        exporter.await_first_page()
        click.echo(invitation(exporter.url, cluster.api_url, kubeconfig))
        with staging.stage(cluster, exporter, kubeconfig.parent) if staging else nullcontext():
            termination.wait()
