"""From the options of `checks` to a verdict: by a Prometheus with our rules, or by one look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gpuatlas.cli.judged import Verdict
from gpuatlas.cli.live_checks import judge_look
from gpuatlas.cli.looking import joined, look, warn
from gpuatlas.cli.options import cluster_settings
from gpuatlas.cli.ruled_checks import judge_ruled
from gpuatlas.model.catalogue import Catalogue
from gpuatlas.model.status import SourceStatus
from gpuatlas.sources.promapi.ruled import STATE, read_ruled
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas.sources.scrape.exchange import shown


class Judged(NamedTuple):
    """The verdict, how the sources fared, and one-line warnings for a person."""

    verdict: Verdict
    statuses: Sequence[SourceStatus] = ()
    warnings: Sequence[str] = ()


def judge(options: dict[str, Any], catalogue: Catalogue) -> Judged:
    """What the options ask for.

    A Prometheus without our rules is told of, and the cluster is looked at instead. Raises
    `SourceError` or `UsageError`.
    """
    settings = cluster_settings(options).prometheus
    if settings is not None:
        judged = _by_rules(settings, catalogue)
        if judged is not None:
            return judged
        warn([_no_rules(settings)])
    seen = look(options)
    snapshot, statuses = joined(seen)
    verdict = judge_look(seen.observed.observations, snapshot, catalogue)
    return Judged(verdict, statuses, seen.warnings)


def _by_rules(settings: PrometheusSettings, catalogue: Catalogue) -> Judged | None:
    """None where our rules are not loaded."""
    ruled = read_ruled(settings)
    if not ruled.clusters:
        return None
    verdict = judge_ruled(ruled, catalogue, shown(settings.url))
    return Judged(verdict, warnings=ruled.warnings)


def _no_rules(settings: PrometheusSettings) -> str:
    wanted = ", ".join(f'{name}="{value}"' for name, value in sorted(settings.matchers.items()))
    return (
        f"{shown(settings.url)} has no {STATE}{{{wanted}}}: our rules (recording_rules/, alerts/) "
        "are not loaded there, or not for this cluster; looking at the cluster itself instead"
    )
