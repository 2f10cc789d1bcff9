"""The inputs of the safe ratio, and the minutes behind priorities."""

from __future__ import annotations

import pytest

from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.sizing import Contended, NodeDemand
from gpuatlas.sources.history.labels import NodeKey
from gpuatlas.sources.history.look import HistoryLook
from gpuatlas.sources.history.reader import read_history
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.recorded import DAY, RecordedPrometheus
from gpuatlas_harness.recorded_cluster import (
    CARD,
    GIB,
    NODE,
    PHYSICAL,
    add_container,
    add_node,
    workload_of,
)

DEMAND = "node:gpuatlas_memory_demand_bytes:max1d"
KNOWN = "node:gpuatlas_demand_known:ratio1d"
HOST = "node:gpuatlas_host_memory_available_bytes:min1d"


def look(prometheus: RecordedPrometheus) -> HistoryLook:
    return read_history(
        PrometheusSettings(url=prometheus.url),
        now=0.0,
        serves=lambda kind, runtime: runtime == "vllm" if kind == "Deployment" else None,
    )


def only(prometheus: RecordedPrometheus) -> NodeDemand:
    (node,) = look(prometheus).nodes
    return node


def test_a_node_with_all_its_inputs(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, allocated=30 * GIB, cluster="west")
    of = {"node": NODE, "cluster": "west"}
    prometheus.days(DEMAND, [18 * GIB, 20 * GIB, 19 * GIB], **of)
    prometheus.days(KNOWN, [0.5, 1, 1], **of)
    prometheus.days(HOST, [90 * GIB, 70 * GIB, None], **of)
    now = prometheus.now
    assert only(prometheus) == NodeDemand(
        node=NODE,
        cluster="west",
        sharing="hami",
        allocated=Known(30 * GIB, now, "recorded"),
        physical=Known(PHYSICAL, now, "recorded"),
        demand=Known(20 * GIB, now - DAY, DEMAND),
        host_available=Known(64 * GIB, now, HOST),
        days=2.5,
        cards=((PHYSICAL, 30 * GIB),),
    )


def unknown(reading: Reading[int]) -> str:
    assert isinstance(reading, Unknown)
    return reading.reason


def test_what_nobody_recorded_is_unknown_with_its_reason(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, physical=None, cards=("GPU-0", "GPU-1"))
    prometheus.samples = [s for s in prometheus.samples if s[0]["__name__"] != HOST]
    of = {"node": NODE}
    prometheus.add("card:gpuatlas_memory_physical_bytes:max", GIB, **of, card="GPU-0")
    prometheus.add("card:gpuatlas_memory_allocated_bytes:max", GIB, **of, card="GPU-1")
    node = only(prometheus)
    assert (node.days, node.moves_idle) == (0.0, False)
    assert unknown(node.physical).startswith("the memory of one of its cards is not known")
    assert unknown(node.allocated) == "what is promised on one of its cards is not known"
    assert unknown(node.demand) == f"nothing was recorded: {DEMAND} has no series of it"
    assert unknown(node.host_available) == f"nothing was recorded: {HOST} has no series of it"


@pytest.mark.parametrize(
    ("sharing", "told"),
    [
        ("hami", True),
        ("volcano", True),
        ("kai,plain", True),
        ("plain", False),
        ("mig", False),
        ("time-slicing", False),
        ("", False),
    ],
)
def test_only_where_a_layer_promises_memory(
    prometheus: RecordedPrometheus, sharing: str, told: object
) -> None:
    add_node(prometheus, sharing=sharing)
    assert bool(look(prometheus).nodes) is told


def test_the_worse_of_two_witnesses_counts(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    for replica, demand, host in (("a", 3 * GIB, 50 * GIB), ("b", 2 * GIB, 60 * GIB)):
        prometheus.add(DEMAND, demand, node=NODE, replica=replica)
        prometheus.add(HOST, host, node=NODE, replica=replica)
    node = only(prometheus)
    assert node.demand == Known(3 * GIB, prometheus.now, DEMAND)
    assert node.host_available == Known(50 * GIB, prometheus.now, HOST)


def test_a_node_without_cards_has_no_sums(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, cards=())
    assert isinstance(only(prometheus).physical, Unknown)


def test_the_largest_promise_of_each_workload_on_each_node(
    prometheus: RecordedPrometheus,
) -> None:
    add_node(prometheus)
    add_container(prometheus, container="main", memory=12 * GIB)
    add_container(prometheus, container="draft", memory=4 * GIB)
    add_container(prometheus, "batch", memory=2 * GIB, pods=("b-0",), kind="Job")
    add_container(prometheus, "free", memory=None, pods=("f-0",))
    assert look(prometheus).promises == {
        NodeKey("", NODE): {
            ("team-a", "Deployment", "chat"): 12 * GIB,
            ("team-a", "Job", "batch"): 2 * GIB,
        }
    }


SLOWED = "workload:gpuatlas_slowed_seconds:increase1d"
SUSPECTED = "workload:gpuatlas_suspected_seconds:increase1d"


def test_minutes_of_the_window(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    chat = workload_of(add_container(prometheus, runtime="vllm"))
    batch = workload_of(add_container(prometheus, "batch", pods=("b-0",), kind="Job"))
    calm = workload_of(add_container(prometheus, "calm", pods=("c-0",)))
    gone = {**chat, "workload": "gone"}
    prometheus.days(SLOWED, [600, None, 30], **chat)
    prometheus.days(SUSPECTED, [None, 120], **batch)
    prometheus.days(SLOWED, [0, 0], **calm)
    prometheus.days(SLOWED, [60], **gone)
    for pod, priority in (("chat-0", 0), ("b-0", 1)):
        of = {"namespace": "team-a", "pod": pod, "container": "main", "card": CARD}
        prometheus.add("gpuatlas_allocation_priority", priority, **of)
    common = {"cluster": "", "namespace": "team-a"}
    assert look(prometheus).contended == (
        Contended(
            **common, kind="Deployment", name="chat", victim_minutes=10.5, suspect_minutes=0.0,
            serves=True, priority=0,
        ),
        Contended(
            **common, kind="Job", name="batch", victim_minutes=0.0, suspect_minutes=2.0,
            serves=None, priority=1,
        ),
    )  # fmt: skip


def test_containers_of_several_priorities_have_none(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    chat = workload_of(add_container(prometheus, pods=("chat-0", "chat-1")))
    prometheus.days(SLOWED, [600], **chat)
    for number in range(2):
        of = {"namespace": "team-a", "pod": f"chat-{number}", "container": "main"}
        prometheus.add("gpuatlas_allocation_priority", number, **of)
    assert [c.priority for c in look(prometheus).contended] == [None]


def test_without_a_word_on_runtimes_nobody_knows_who_serves(
    prometheus: RecordedPrometheus,
) -> None:
    add_node(prometheus)
    prometheus.days(SLOWED, [600], **workload_of(add_container(prometheus, runtime="vllm")))
    found = read_history(PrometheusSettings(url=prometheus.url), now=0.0)
    assert [c.serves for c in found.contended] == [None]
