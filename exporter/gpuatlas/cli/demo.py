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
    from gpuatlas.demo.server import SimulatedCluster
    from gpuatlas.runtime.exporter import Exporter

_EXAMPLES = """
\b
Examples:
  gpuatlas demo                          screen and addresses, until Ctrl-C
  gpuatlas demo --once                   the screen only
  gpuatlas demo --once --metrics         the exporter's page only
  gpuatlas demo --at 2026-08-21T03:00Z   the same cluster at night
  gpuatlas demo --speed 600              ten minutes a second
  gpuatlas demo --scenario my.yaml       a cluster of your own

The same scenario, seed and instant always give the same cluster.
"""
_DEFAULT_ADDRESS = "127.0.0.1:9836"
# Two intervals of the first round of pages and the first join; a laptop needs about two seconds.
_FIRST_PAGE_SECONDS = 60.0


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
    "--listen",
    metavar="HOST:PORT",
    help=f"Address of the exporter. Default: {_DEFAULT_ADDRESS}, or a free port if that is taken.",
)
@option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="auto: on a terminal, unless NO_COLOR is set.",
)
def demo(*, once: bool, metrics: bool, **options: Any) -> None:
    """Show a simulated cluster; nothing else is needed.

    12 nodes with 56 cards: HAMi, Volcano, KAI, DRA, MIG, time slicing and whole cards, and a few
    faults. The simulator speaks as a real API server and real exporters do, and the ordinary
    sources read it.
    """
    if metrics and not once:
        raise click.UsageError("--metrics needs --once")
    from gpuatlas.cli.looking import warn_as_lines

    warn_as_lines()
    with _cluster(options) as cluster, tempfile.TemporaryDirectory(prefix="gpuatlas-demo-") as tmp:
        kubeconfig = cluster.kubeconfig(Path(tmp) / "kubeconfig")
        if metrics:
            with _exporter(cluster, kubeconfig, "127.0.0.1:0") as exporter:
                click.echo(_first_page(exporter), nl=False)
            return
        _show_cards(cluster, kubeconfig, options["color"])
        if not once:
            _stay(cluster, kubeconfig, options["listen"])


@contextmanager
def _cluster(options: dict[str, Any]) -> Iterator[SimulatedCluster]:
    from gpuatlas.demo.scenario import ScenarioError
    from gpuatlas.demo.scenario_file import load_scenario
    from gpuatlas.demo.server import SimulatedCluster

    path = options["scenario"]
    try:
        cluster = SimulatedCluster(
            load_scenario() if path is None else load_scenario(path),
            seed=options["seed"],
            start=None if options["at"] is None else _instant(options["at"]),
            speed=options["speed"],
        )
    except (ScenarioError, OSError) as error:
        raise click.ClickException(" ".join(str(error).split())) from error
    with cluster:
        yield cluster


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


@contextmanager
def _exporter(cluster: SimulatedCluster, kubeconfig: Path, listen: str) -> Iterator[Exporter]:
    """The exporter as `serve` runs it, with the simulated clock."""
    from gpuatlas.runtime.exporter import Exporter
    from gpuatlas.runtime.live import LiveObserver
    from gpuatlas.runtime.settings import ServerSettings, Settings
    from gpuatlas.runtime.web.address import parse_listen_address
    from gpuatlas.sources.kubernetes.settings import KubernetesSettings

    try:
        address = parse_listen_address(listen)
    except ValueError as error:
        message = f"--listen: {error}"
        raise click.UsageError(message) from error
    settings = Settings(
        kubernetes=KubernetesSettings(kubeconfig=kubeconfig),
        server=ServerSettings(listen=address),
    )
    observer = LiveObserver(settings, clock=cluster.now)
    with Exporter(settings, observer, clock=cluster.now) as exporter:
        yield exporter


def _await_first_page(exporter: Exporter) -> None:
    """Return when the exporter has its first complete snapshot."""
    import time

    import requests

    end = time.monotonic() + _FIRST_PAGE_SECONDS
    while requests.get(f"{exporter.url}/readyz", timeout=10).status_code != requests.codes.ok:
        if time.monotonic() > end:
            message = f"the exporter has no complete snapshot after {_FIRST_PAGE_SECONDS:.0f} s"
            raise click.ClickException(message)
        time.sleep(0.1)


def _first_page(exporter: Exporter) -> str:
    """The page of the first complete snapshot, over HTTP."""
    import requests

    _await_first_page(exporter)
    return requests.get(f"{exporter.url}/metrics", timeout=30).text


def _stay(cluster: SimulatedCluster, kubeconfig: Path, listen: str | None) -> None:
    from gpuatlas.runtime.termination import Termination

    program = _program()
    with Termination() as termination, _reachable(cluster, kubeconfig, listen) as exporter:
        # Addresses are printed when they answer: a script that waits for them asks at once.
        _await_first_page(exporter)
        for line in (
            "",
            f"exporter        {exporter.url}/metrics",
            f"Kubernetes API  {cluster.api_url} (simulated)",
            f"kubeconfig      {kubeconfig}",
            "",
            f"try it:         {program} cards --kubeconfig {kubeconfig}",
            f"                {program} workloads --kubeconfig {kubeconfig}",
            f"                {program} advise --kubeconfig {kubeconfig}",
            "",
            "Ctrl-C ends it.",
        ):
            click.echo(line)
        termination.wait()


def _program() -> str:
    """What to type for `gpuatlas` here: `make demo` runs the source tree and installs nothing."""
    import os
    import shlex
    import shutil
    import sys

    if Path(sys.argv[0]).name != "__main__.py":
        return "gpuatlas" if shutil.which("gpuatlas") else shlex.quote(sys.argv[0])
    words = shlex.join([os.path.relpath(sys.executable), "-m", "gpuatlas"])
    path = os.environ.get("PYTHONPATH")
    return f"PYTHONPATH={shlex.quote(path)} {words}" if path else words


@contextmanager
def _reachable(
    cluster: SimulatedCluster, kubeconfig: Path, listen: str | None
) -> Iterator[Exporter]:
    """The exporter on the address that was asked for; without one, wherever there is room."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        try:
            exporter = stack.enter_context(
                _exporter(cluster, kubeconfig, listen or _DEFAULT_ADDRESS)
            )
        except OSError as error:
            if listen is not None:
                message = f"{listen}: {error}"
                raise click.ClickException(message) from error
            exporter = stack.enter_context(_exporter(cluster, kubeconfig, "127.0.0.1:0"))
        yield exporter
