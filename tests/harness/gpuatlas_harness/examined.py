"""What the doctor finds where one thing of a healthy installation is different."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpuatlas.doctor.examine import examine
from gpuatlas.doctor.results import Area, Result, State
from gpuatlas.model.doctor import ClusterFacts, PrometheusFacts, SeenCluster
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas_harness.doctored import healthy_cluster, healthy_prometheus


def found(
    cluster: ClusterFacts | None = None,
    prometheus: PrometheusFacts | None = None,
    **changes: Any,
) -> list[Result]:
    """What differs from a healthy installation; `changes` are of its Prometheus."""
    server = replace(prometheus or healthy_prometheus(), **changes)
    now = examine(cluster or healthy_cluster(), server, load_catalogue())
    before = examine(healthy_cluster(), healthy_prometheus(), load_catalogue())
    return [result for result in now if result not in before]


def the_one(results: list[Result]) -> tuple[Area, State, str, str]:
    (result,) = results
    text = "" if result.remedy is None else result.remedy.text
    return result.area, result.state, result.text, text


def seen_with(**changes: Any) -> ClusterFacts:
    before = healthy_cluster()
    assert before.seen is not None
    return replace(before, seen=replace(before.seen, **changes))


def observed_with(**changes: Any) -> ClusterFacts:
    before = healthy_cluster().seen
    assert before is not None
    return seen_with(observations=replace(before.observations, **changes))


def healthy_seen() -> SeenCluster:
    found = healthy_cluster().seen
    assert found is not None
    return found
