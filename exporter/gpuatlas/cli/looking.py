"""From a command's options to a snapshot: one look, and what a person must be told about it."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable
from typing import Any

import click

from gpuatlas.cli.options import cluster_settings
from gpuatlas.cli.progress import ReadingProgress
from gpuatlas.cli.screens.wording import visible
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.once import Look, look_at_cluster, look_at_folder


def look(options: dict[str, Any]) -> Look:
    """The cluster or the folder that the options name. Raises `SourceError` or `UsageError`."""
    settings = cluster_settings(options)
    warn_as_lines()
    if options["from"] is not None:
        return look_at_folder(options["from"], clock=time.time)
    with ReadingProgress() as progress:
        return look_at_cluster(settings, clock=time.time, progress=progress)


def joined(seen: Look) -> tuple[Snapshot, tuple[SourceStatus, ...]]:
    """What was seen, put together."""
    return Joiner().build(seen.observed.observations), seen.observed.statuses


def warn(warnings: Iterable[str]) -> None:
    """On standard error, one line each: the output itself stays clean."""
    for warning in warnings:
        line = visible(" ".join(warning.split()))
        click.secho(f"warning: {line}", err=True, fg="yellow")


def warn_as_lines() -> None:
    """What the sources log looks like any other warning.

    Endpoints that fail are left out: `Look.warnings` has one line for all of them.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("warning: %(message)s"))
    # On the handler: a logger's level would stay for whoever uses the package in this process.
    handler.addFilter(_is_not_of_an_endpoint)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def _is_not_of_an_endpoint(record: logging.LogRecord) -> bool:
    endpoints = ("gpuatlas.sources.scrape.", "gpuatlas.sources.promapi.")
    return record.levelno >= logging.ERROR or not record.name.startswith(endpoints)
