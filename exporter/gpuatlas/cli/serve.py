"""`gpuatlas serve`: options and environment variables → settings, then the exporter until a signal.

All that is wrong with the settings is told at once, one line each, before anything starts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpuatlas.cli.options import licence_option, option, pages_from_option, prometheus_options

if TYPE_CHECKING:
    from gpuatlas.runtime.observe import Observer
    from gpuatlas.runtime.settings import Settings

_EXAMPLES = """
\b
Examples:
  gpuatlas serve
      in a pod: uses its service account, serves on port 9836
  gpuatlas serve --kubeconfig ~/.kube/config --listen 127.0.0.1:9836
      from a laptop that can reach the pods
  gpuatlas serve --prometheus-url http://prometheus.monitoring:9090
      where a Prometheus already scrapes DCGM and HAMi
  gpuatlas serve --prometheus-url http://prometheus.monitoring:9090 --pages-from exporters
      where it need not: only what workloads need is learnt from it
  gpuatlas serve --shard 0/3
      the first of three that share a large cluster
  gpuatlas serve --from ./capture
      a folder written by `gpuatlas capture` instead of a cluster

Every option can be given as an environment variable: GPUATLAS_ and its name in capitals, as in
GPUATLAS_SCRAPE_INTERVAL=60 or GPUATLAS_WEB_CONFIG_FILE=/etc/gpuatlas/web.yml.
"""


_FILE = click.Path(path_type=Path)
_SECONDS = click.FloatRange(min=1, max=3600)


@click.command(name="serve", epilog=_EXAMPLES)
@option(
    "--listen",
    default=":9836",
    show_default=True,
    metavar="HOST:PORT",
    help="Address to serve on; without a host every interface.",
)
@click.option(
    "--web.config.file",  # spelt as all exporters spell it
    "web_config_file",
    envvar="GPUATLAS_WEB_CONFIG_FILE",
    type=_FILE,
    metavar="FILE",
    help="TLS and passwords, in the format of Prometheus' exporter-toolkit.",
)
@option("--kubeconfig", type=_FILE, metavar="FILE", help="Kubeconfig to use.")
@option("--context", metavar="NAME", help="Context of the kubeconfig.")
@option(
    "--exporter-namespace",
    multiple=True,
    metavar="NAME",
    help="Take only pods of this namespace for exporters. Repeatable; default: any.",
)
@prometheus_options
@pages_from_option
@option(
    "--scrape-interval",
    default=30.0,
    show_default=True,
    type=_SECONDS,
    metavar="SECONDS",
    help="How often pages of exporters and the sharing layers are read.",
)
@option(
    "--scrape-timeout",
    default=10.0,
    show_default=True,
    type=_SECONDS,
    metavar="SECONDS",
    help="The most that one of them may take.",
)
@option(
    "--sizing-interval",
    default=3600.0,
    show_default=True,
    type=click.FloatRange(min=0, max=86_400),
    metavar="SECONDS",
    help="How often what was needed over days is read from the Prometheus; 0 for never.",
)
@option(
    "--service-signals/--no-service-signals",
    default=True,
    show_default=True,
    help="Read queues and speeds from the inference servers on shared cards.",
)
@option(
    "--probe-webhook/--no-probe-webhook",
    default=True,
    show_default=True,
    help="Shake hands with the sharing layer's webhook to see its certificate.",
)
@licence_option
@option(
    "--shard",
    default="0/1",
    show_default=True,
    metavar="I/N",
    help="Publish part I (from 0) of N.",
)
@option(
    "--exclude-namespace",
    multiple=True,
    metavar="NAME",
    help="Do not publish workloads and allocations of this namespace. Repeatable.",
)
@option("--from", type=_FILE, metavar="DIR", help="Serve a capture folder, not a cluster.")
@option(
    "--log-level",
    default="info",
    show_default=True,
    type=click.Choice(["debug", "info", "warning", "error"]),
    help="From which level on to log.",
)
@option(
    "--log-format",
    default="logfmt",
    show_default=True,
    type=click.Choice(["logfmt", "json"]),
    help="One line each, for people or for machines.",
)
@option("--revision", default="", hidden=True, help="Commit that the image was built from.")
@click.pass_context
def serve(context: click.Context, /, **options: Any) -> None:
    """Serve the metrics of a cluster's cards, allocations and workloads to Prometheus."""
    from gpuatlas.cli.serve_settings import read_settings

    settings, problems = read_settings(options)
    if settings is None:
        for problem in problems:
            click.echo(f"gpuatlas serve: {problem}", err=True)
        context.exit(2)
    _run(settings, options["from"])


def _run(settings: Settings, folder: Path | None) -> None:
    from gpuatlas.runtime.exporter import Exporter
    from gpuatlas.runtime.logs import configure_logging
    from gpuatlas.runtime.termination import Termination, leave

    configure_logging(level=settings.log.level, style=settings.log.style)
    with Termination() as termination:
        observer = _observer(settings, folder)
        try:
            exporter = Exporter(settings, observer)
            exporter.start()
        except OSError as error:
            raise click.ClickException(str(error)) from error
        click.echo(f"serving on {exporter.url}/metrics")
        termination.wait()
        exporter.stop()
    leave()


def _observer(settings: Settings, folder: Path | None) -> Observer:
    """The cluster or the folder. Raises `SourceError` for what cannot be used."""
    import time

    from gpuatlas.runtime.live import LiveObserver
    from gpuatlas.runtime.once import look_at_folder
    from gpuatlas.runtime.static import StaticObserver

    if folder is None:
        return LiveObserver(settings)
    look = look_at_folder(folder, clock=time.time)
    for warning in look.warnings:
        click.echo(f"warning: {warning}", err=True)
    return StaticObserver(look.observed.observations, look.observed.statuses)
