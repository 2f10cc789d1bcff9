"""What commands have in common that ask a Prometheus for days: where it is, times, durations."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import click

from gpuatlas.cli.options import prometheus_settings

if TYPE_CHECKING:
    from gpuatlas.sources.promapi.settings import PrometheusSettings

DAY: Final = 86_400.0


def past_settings(options: dict[str, Any], *, why: str) -> PrometheusSettings:
    """The Prometheus that remembers; `why` says what it is needed for.

    Raises:
        click.UsageError: none is named, or not by a URL.
    """
    if not options["prometheus_url"]:
        message = (
            f"--prometheus-url is required: {why}, and only a Prometheus that has our recording "
            "rules (recording_rules/) remembers that"
        )
        raise click.UsageError(message)
    matchers = options["prometheus_matcher"]
    if options["cluster"]:
        matchers = (*matchers, f"cluster={options['cluster']}")
    return prometheus_settings({**options, "prometheus_matcher": matchers})


def seconds_of(name: str, text: str) -> float:
    """A duration such as 14d, 12h or 1h30m. Raises `click.UsageError`."""
    from gpuatlas.runtime.backfill.durations import seconds_of as read

    try:
        return read(text)
    except ValueError as error:
        message = f"{name}: {error}"
        raise click.UsageError(message) from error


def instant_of(name: str, text: str, now: float) -> float:
    """A time: RFC 3339, in UTC where it has no zone, or how long ago it was, such as 3d.

    Raises:
        click.UsageError: it is neither.
    """
    from gpuatlas.runtime.backfill.durations import seconds_of as read

    try:
        return now - read(text)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        message = f"{name} {text!r} is no time; write it as 2026-08-21T10:11:12Z, or as 3d for "
        message += "three days ago"
        raise click.UsageError(message) from error
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
