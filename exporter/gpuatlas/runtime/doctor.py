"""One look at an installation, for `gpuatlas doctor`: what can be read, and why the rest cannot."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

from gpuatlas.checks.hardware import judge_hardware
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.catalogue import Catalogue
from gpuatlas.model.doctor import Access, ClusterFacts, PrometheusFacts, Right, SeenCluster
from gpuatlas.runtime.once import ClusterSettings, Look, Progress, look_at_cluster
from gpuatlas.sources.errors import SourceError, UnauthorizedError, UnreachableError
from gpuatlas.sources.kubernetes.access import is_in_pod
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.kinds import OPTIONAL_KINDS
from gpuatlas.sources.kubernetes.patience import Patience
from gpuatlas.sources.kubernetes.reviews import read_user, read_version, reviewed
from gpuatlas.sources.kubernetes.rights import needed
from gpuatlas.sources.kubernetes.served import Served
from gpuatlas.sources.kubernetes.survey import survey
from gpuatlas.sources.promapi.installation import read_installation

_DCGM_INPUT: Final = "DCGM_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What was read."""

    cluster: ClusterFacts
    prometheus: PrometheusFacts | None


def visit(
    settings: ClusterSettings,
    catalogue: Catalogue,
    recordings: Collection[str],
    *,
    clock: Callable[[], float],
    progress: Progress,
) -> Visit:
    """Reads the cluster, and the Prometheus where one is named. Raises nothing for what fails.

    In a pod the exporters are asked at their own addresses, as `serve` does.
    """
    prometheus = None
    if settings.prometheus is not None:
        prometheus = read_installation(settings.prometheus, recordings, now=clock())
    cluster = _cluster(settings, catalogue, clock, progress)
    if prometheus is not None and settings.prometheus_pages and cluster.seen is not None:
        cluster = replace(cluster, seen=replace(cluster.seen, pages_from=prometheus.address))
    return Visit(cluster=cluster, prometheus=prometheus)


def _cluster(
    settings: ClusterSettings,
    catalogue: Catalogue,
    clock: Callable[[], float],
    progress: Progress,
) -> ClusterFacts:
    access = Access()
    try:
        access = replace(access, in_pod=is_in_pod(settings.kubernetes, os.environ))
        settings = replace(settings, direct=settings.direct or access.in_pod)
        access = replace(access, proxied=not settings.direct and settings.page_prometheus is None)
        with closing(Connection.open(settings.kubernetes, patience=Patience())) as connection:
            access = _reached(connection, access)
            look, error = _look(settings, clock, progress)
            rights = reviewed(connection, _needed(connection, look, proxied=access.proxied))
    except SourceError as failure:
        return ClusterFacts(access=replace(access, error=str(failure)))
    if look is None:
        return ClusterFacts(access=access, rights=rights, error=error)
    seen = _seen(look, catalogue, settings.exporter_namespaces)
    return ClusterFacts(access=access, rights=rights, seen=seen)


def _reached(connection: Connection, access: Access) -> Access:
    """Raises `SourceError` where the server does not answer, or does not take the credentials."""
    access = replace(access, address=connection.address, version=read_version(connection))
    try:
        return replace(access, user=read_user(connection))
    except (UnauthorizedError, UnreachableError):
        raise
    except SourceError as error:
        return replace(access, user_error=str(error))


def _look(
    settings: ClusterSettings, clock: Callable[[], float], progress: Progress
) -> tuple[Look | None, str]:
    try:
        return look_at_cluster(settings, clock=clock, progress=progress), ""
    except SourceError as error:
        return None, str(error)


def _needed(connection: Connection, look: Look | None, *, proxied: bool) -> tuple[Right, ...]:
    served: Served | None
    try:
        served = survey(connection, OPTIONAL_KINDS)
    except SourceError:
        served = None  # the look says so, as a source of its own
    controllers = () if look is None else look.observed.observations.layer.controllers
    homes = {controller.namespace for controller in controllers}
    return needed(served, homes, proxied=proxied)


def _seen(look: Look, catalogue: Catalogue, namespaces: Collection[str]) -> SeenCluster:
    observations = look.observed.observations
    snapshot = Joiner().build(observations)
    results = judge_hardware(observations, snapshot, catalogue.xids)
    lacks = (lack for result in results for lack in result.missing)
    return SeenCluster(
        observations=observations,
        snapshot=snapshot,
        statuses=look.observed.statuses,
        missing=tuple(lack for lack in lacks if lack.input.startswith(_DCGM_INPUT)),
        exporter_namespaces=tuple(sorted(namespaces)),
    )
