"""`gpuatlas capture`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gpuatlas.cli.options import cluster_options

_EXAMPLES = """
\b
Examples:
  gpuatlas capture ./capture
  gpuatlas capture ./capture --anonymise     what to attach to a bug report
  gpuatlas capture ./public --from ./capture --anonymise
  gpuatlas cards --from ./capture

\b
The folder:
  objects/*.yaml                     Kubernetes objects: nodes, pods with cards, what owns them,
                                     what runs and configures the sharing layer
  pages/<source>/<node or name>.prom pages of dcgm, hami-monitor and hami-scheduler, as served
  clock                              the time, RFC 3339

Only the fields that are read are written: no commands, no arguments (of the sharing layer's own
programs a short list of options), no secrets. With --anonymise a webhook's caBundle gives way to a
certificate that ends when it ends. Folders made by hand are read, too: any Kubernetes objects or
Lists in YAML or JSON, any subset of the parts.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--anonymise",
    is_flag=True,
    help="Replace names, ids, addresses and images, the same way everywhere; numbers stay.",
)
@cluster_options
def capture(folder: Path, anonymise: bool, **options: Any) -> None:
    """Write all that is read of a cluster into a folder.

    DIR must be new or empty. A capture shows the same cards and workloads as the cluster did.
    """
    import time

    from gpuatlas.cli.looking import warn, warn_as_lines
    from gpuatlas.cli.options import cluster_settings
    from gpuatlas.cli.progress import ReadingProgress
    from gpuatlas.runtime.once import capture_cluster, capture_folder, save_capture

    settings = cluster_settings(options)
    warn_as_lines()
    warnings: tuple[str, ...] = ()
    if options["from"] is not None:
        taken = capture_folder(options["from"])
    else:
        with ReadingProgress() as progress:
            taken, warnings = capture_cluster(settings, clock=time.time, progress=progress)
    files = save_capture(taken, folder, anonymised=anonymise)
    click.echo(
        f"{folder}: {len(files)} files, {len(taken.objects)} objects, {len(taken.pages)} pages"
    )
    warn(warnings)
