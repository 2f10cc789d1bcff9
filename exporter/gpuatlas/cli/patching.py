"""`gpuatlas sizing --patch`: reads the objects of the proposals, writes the patches. Never applies.

The objects are read one by one with the user's own kubeconfig; where that cannot be, the patches
are made of what the Prometheus knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gpuatlas.model.sizing import SizingReport
from gpuatlas.sizing.patch import Form, Manifest, make_patches, targets_of, url_paths
from gpuatlas.sizing.patch_names import Target
from gpuatlas.sources.errors import ForbiddenError, NotFoundError, SourceError
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.manifest import read_manifest
from gpuatlas.sources.kubernetes.patience import Patience
from gpuatlas.sources.kubernetes.settings import KubernetesSettings

if TYPE_CHECKING:
    from gpuatlas.sizing.patch import WorkloadPatch

STANDARD_OUTPUT: Final = "-"
_OURS: Final = "# gpuatlas sizing,"
# Of these the next object may fare better; anything else would only happen again.
_OF_ONE: Final = (ForbiddenError, NotFoundError)


def patches_of(
    report: SizingReport, options: dict[str, Any]
) -> tuple[list[WorkloadPatch], list[str]]:
    """The patches, and one-line warnings about those that there cannot be.

    Raises:
        click.UsageError: the report is of several clusters, and a kubeconfig is of one.
    """
    clusters = sorted({proposal.of.cluster for proposal in report.proposals})
    if len(clusters) > 1:
        message = (
            f"--patch is for one cluster, and the Prometheus has several ({', '.join(clusters)}): "
            "name one with --cluster"
        )
        raise click.UsageError(message)
    targets = targets_of(report)
    patches, refused = make_patches(report, _read(targets, options) if targets else {})
    warnings = [
        f"no patch for {no.target.kind} {no.target.namespace}/{no.target.name}: {no.reason}"
        for no in refused
    ]
    return patches, warnings


def _read(targets: Iterable[Target], options: dict[str, Any]) -> dict[Target, Manifest | str]:
    """Each object, or why it could not be read."""
    settings = KubernetesSettings(kubeconfig=options["kubeconfig"], context=options["context"])
    try:
        connection = Connection.open(settings, patience=Patience())
    except SourceError as error:
        return dict.fromkeys(targets, str(error))
    found: dict[Target, Manifest | str] = {}
    hopeless = ""
    with closing(connection):
        for target in targets:
            if hopeless:
                found[target] = hopeless
                continue
            try:
                found[target] = read_manifest(connection, url_paths(target))
            except SourceError as error:
                found[target] = str(error)
                hopeless = "" if isinstance(error, _OF_ONE) else str(error)
    return found


def write_patches(patches: Sequence[WorkloadPatch], where: str) -> str:
    """Writes a file for each into a folder, or all of them on standard output.

    Returns what to tell the user, "" for standard output.

    Raises:
        click.ClickException: a file of that name is there and is not one of ours.
    """
    if where == STANDARD_OUTPUT:
        click.echo("---\n".join(patch.text for patch in patches), nl=False)
        return ""
    folder = Path(where)
    folder.mkdir(parents=True, exist_ok=True)
    for patch in patches:
        _refuse_foreign(folder / patch.file)
    for patch in patches:
        (folder / patch.file).write_text(patch.text, encoding="utf-8")
    whole = sum(patch.form is not Form.VALUES for patch in patches)
    values = len(patches) - whole
    told = f"{where}: {whole} patches" if whole != 1 else f"{where}: 1 patch"
    return f"{told}, {values} with values for a person" if values else told


def _refuse_foreign(path: Path) -> None:
    """A patch that we wrote before gives way to the new one."""
    if not path.exists():
        return
    try:
        with path.open(encoding="utf-8") as lines:
            ours = lines.readline().startswith(_OURS)
    except (OSError, UnicodeDecodeError):
        ours = False
    if not ours:
        message = f"{path} is there already and is none of our patches: name another folder"
        raise click.ClickException(message)
