"""All examinations, in the order in which a person should mend what they find."""

from __future__ import annotations

from collections.abc import Iterator

from gpuatlas.doctor.access import examine_access
from gpuatlas.doctor.exporter import examine_exporter
from gpuatlas.doctor.fields import examine_fields
from gpuatlas.doctor.history import examine_history
from gpuatlas.doctor.matchers import examine_matchers, matches_nothing, wanted
from gpuatlas.doctor.prometheus import examine_prometheus
from gpuatlas.doctor.results import Area, Result, State
from gpuatlas.doctor.rights import examine_rights
from gpuatlas.doctor.rules import examine_rules
from gpuatlas.doctor.scrape import examine_scrape
from gpuatlas.doctor.sources import examine_sources
from gpuatlas.doctor.versions import examine_versions
from gpuatlas.model.catalogue import Catalogue
from gpuatlas.model.doctor import ClusterFacts, PrometheusFacts

_OF_CLUSTER = (Area.RIGHTS, Area.VERSIONS, Area.SOURCES, Area.FIELDS)
_OF_PROMETHEUS = (Area.SCRAPE, Area.RULES, Area.HISTORY, Area.EXPORTER)


def examine(
    cluster: ClusterFacts, prometheus: PrometheusFacts | None, catalogue: Catalogue
) -> tuple[Result, ...]:
    """The results; of `prometheus` where one was named."""
    return (*_cluster(cluster, prometheus), *_prometheus(cluster, prometheus, catalogue))


def _cluster(cluster: ClusterFacts, prometheus: PrometheusFacts | None) -> Iterator[Result]:
    yield from examine_access(cluster.access)
    if cluster.access.error:
        for area in _OF_CLUSTER:
            yield _blocked(area, "nothing is known of it without the API server")
        return
    yield from examine_rights(cluster)
    yield from examine_versions(cluster)
    yield from examine_sources(cluster, prometheus)
    yield from examine_fields(cluster, prometheus)


def _prometheus(
    cluster: ClusterFacts, prometheus: PrometheusFacts | None, catalogue: Catalogue
) -> Iterator[Result]:
    yield from examine_prometheus(prometheus)
    if prometheus is None:
        return
    if prometheus.error:
        yield from _of_prometheus("nothing is known of it without the Prometheus")
        return
    yield from examine_matchers(prometheus)
    if matches_nothing(prometheus):
        why = f"nothing is known of it while no series has {wanted(prometheus)}"
        yield from _of_prometheus(why)
        return
    yield from examine_scrape(cluster, prometheus)
    yield from examine_rules(prometheus, catalogue)
    yield from examine_history(prometheus)
    yield from examine_exporter(prometheus)


def _of_prometheus(why: str) -> Iterator[Result]:
    return (_blocked(area, why) for area in _OF_PROMETHEUS)


def _blocked(area: Area, why: str) -> Result:
    return Result(area=area, word="blocked", state=State.UNKNOWN, text=why)
