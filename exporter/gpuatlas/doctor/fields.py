"""Which DCGM fields the hardware checks lack, and which checks they would switch on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from gpuatlas.doctor.programs import nvidia_nodes
from gpuatlas.doctor.recordings import STATES
from gpuatlas.doctor.results import Act, Area, Remedy, Result, State
from gpuatlas.model.doctor import ClusterFacts, PrometheusFacts, SeenCluster

_PREFIX: Final = "DCGM_"
_LIST: Final = Remedy(
    Act.SET,
    "dcgmCounters.enabled=true in our chart, and its ConfigMap in dcgmExporter.config.name of the "
    "GPU Operator; or give dcgm-exporter alerts/dcgm-counters.csv with --collectors",
)


def examine_fields(cluster: ClusterFacts, prometheus: PrometheusFacts | None) -> Iterator[Result]:
    """By the rules of the Prometheus where they tell, else by the pages."""
    seen = cluster.seen
    if seen is None:
        yield _result(State.UNKNOWN, "without nodes and pods nobody knows which pages there are")
        return
    if not nvidia_nodes(seen):
        yield _result(State.NOT_APPLICABLE, "no node offers NVIDIA's cards")
        return
    if not seen.observations.dcgm:
        yield _result(State.UNKNOWN, "no page of dcgm-exporter was read")
        return
    lacks = _lacks(seen, prometheus)
    if not lacks:
        yield _result(State.OK, "the pages have a field for every hardware check")
        return
    checks = ", ".join(f"{check} lacks {_fields(names)}" for check, names in sorted(lacks.items()))
    text = (
        f"{len(lacks)} of 12 hardware checks see less than they could (fields that the cards do "
        f"not have stay away): {checks}"
    )
    yield _result(State.OPTIONAL, text, _LIST)


def _lacks(seen: SeenCluster, prometheus: PrometheusFacts | None) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for check, name in _pairs(seen, prometheus):
        if name.startswith(_PREFIX) and name not in found[check]:
            found[check].append(name)
    return {check: names for check, names in found.items() if names}


def _pairs(seen: SeenCluster, prometheus: PrometheusFacts | None) -> Iterable[tuple[str, str]]:
    # No answer is not the answer that nothing is missed.
    told = None if prometheus is None else prometheus.blind
    if prometheus is not None and told is not None and STATES in (prometheus.recorded or ()):
        return told
    return ((lack.check, lack.input) for lack in seen.missing)


def _fields(names: list[str]) -> str:
    return " or ".join(names) if len(names) > 1 else names[0]


def _result(state: State, text: str, remedy: Remedy | None = None) -> Result:
    return Result(area=Area.FIELDS, word="fields", state=state, text=text, remedy=remedy)
