"""What is promised and what was recorded, put together as one history for each container."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.model.sizing import Day, History, Reservation, SizedContainer, TakenAhead
from gpuatlas.model.snapshot import Sharing
from gpuatlas.sources.history.look import HistoryLook
from gpuatlas.sources.history.reader import read_history
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.recorded import DAY, RecordedPrometheus
from gpuatlas_harness.recorded_cluster import (
    CARD,
    GIB,
    MODEL,
    NODE,
    PHYSICAL,
    add_container,
    add_days,
    add_node,
    workload_of,
)


def look(prometheus: RecordedPrometheus, **matchers: str) -> HistoryLook:
    settings = PrometheusSettings(url=prometheus.url, matchers=matchers)
    return read_history(settings, now=0.0)


def only(prometheus: RecordedPrometheus) -> History:
    (history,) = look(prometheus).histories
    return history


def test_a_container_with_two_weeks_behind_it(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    of = add_container(prometheus, pods=("chat-0", "chat-1"))
    add_days(prometheus, of, [5 * GIB + n for n in range(14)], replicas=2)
    workload = workload_of(of)
    prometheus.days("workload:gpuatlas_restarts:increase1d", [0] * 13 + [2], **workload)
    prometheus.days("workload:gpuatlas_kv_cache_used_ratio:max1d", [0.5] * 14, **workload)
    prometheus.days(
        "workload:gpuatlas_workload_revision:group", [1] * 14, **workload, revision="6c5d"
    )

    found = look(prometheus)
    assert found.at == prometheus.now
    assert (found.window_days, found.missing, found.refused) == (14, (), 0)
    (history,) = found.histories
    assert history == History(
        of=SizedContainer(
            cluster="", namespace="team-a", kind="Deployment", name="chat", container="main"
        ),
        reservation=Reservation(
            sharing=Sharing.HAMI,
            memory=12 * GIB,
            compute=0.5,
            cards=1,
            containers=2,
            card_memory=PHYSICAL,
            card_model=MODEL,
            node_names=(NODE,),
        ),
        days=tuple(
            Day(
                ends_at=prometheus.now - (13 - n) * DAY,
                memory_peak=5 * GIB + n,
                compute_p95=0.25,
                present=1.0,
                watched=1.0,
                measured=1.0,
                replicas=2,
                kv_cache_peak=0.5,
                restarts=2 if n == 13 else 0,
                revisions=frozenset({"6c5d"}),
            )
            for n in range(14)
        ),
        runtime="pytorch",
    )


def test_a_container_that_is_new_has_no_days(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_container(prometheus)
    assert only(prometheus).days == ()


def test_days_reach_back_as_far_as_the_window(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_days(prometheus, add_container(prometheus), [GIB] * 40)
    settings = PrometheusSettings(url=prometheus.url)
    for days in (1, 14, 30):
        (history,) = read_history(settings, now=0.0, window_days=days).histories
        assert len(history.days) == days


def test_containers_of_one_pod_are_told_apart(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_days(prometheus, add_container(prometheus, container="main"), [2 * GIB])
    add_days(prometheus, add_container(prometheus, container="draft", memory=4 * GIB), [GIB])
    found = look(prometheus).histories
    assert [(h.of.container, h.reservation.memory, h.days[0].memory_peak) for h in found] == [
        ("draft", 4 * GIB, GIB),
        ("main", 12 * GIB, 2 * GIB),
    ]


def test_a_pod_whose_container_nobody_knows(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_days(prometheus, add_container(prometheus, container=""), [GIB])
    assert (only(prometheus).of.container, len(only(prometheus).days)) == ("", 1)


def test_workloads_without_a_promise_now_have_no_history(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    gone = {"namespace": "team-a", "workload_kind": "Deployment", "workload": "gone"}
    add_days(prometheus, {**gone, "container": "main"}, [GIB] * 3)
    assert look(prometheus).histories == ()


def test_clusters_are_told_apart(prometheus: RecordedPrometheus) -> None:
    for cluster, peak in (("west", 3), ("east", 2), ("", 1)):
        add_node(prometheus, cluster=cluster)
        add_days(prometheus, add_container(prometheus, cluster=cluster), [peak * GIB])
    found = look(prometheus)
    assert found.clusters == ("", "east", "west")
    assert [(h.of.cluster, h.days[0].memory_peak) for h in found.histories] == [
        ("", GIB),
        ("east", 2 * GIB),
        ("west", 3 * GIB),
    ]
    (matched,) = look(prometheus, cluster="east").histories
    assert matched.of.cluster == "east"


def test_replicas_of_a_prometheus_say_it_twice(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    of = add_container(prometheus)
    add_days(prometheus, {**of, "replica": "a"}, [GIB])
    add_days(prometheus, {**of, "replica": "b"}, [2 * GIB])
    prometheus.add(
        "gpuatlas_allocation_info", 1, namespace="team-a", pod="chat-0", container="main",
        node=NODE, card=CARD, partition="vgpu", evidence="annotation", replica="b",
    )  # fmt: skip
    history = only(prometheus)
    assert [day.memory_peak for day in history.days] == [2 * GIB]
    assert (history.reservation.cards, history.reservation.containers) == (1, 1)


# What it is promised


CARDS = tuple(f"GPU-00000000-0000-4000-8000-0000000000{n:02d}" for n in range(4))


def test_cards_are_counted_for_one_pod(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, cards=CARDS)
    add_container(prometheus, pods=("a", "b"), cards=CARDS[:2])
    reservation = only(prometheus).reservation
    assert (reservation.cards, reservation.containers) == (2, 4)


def test_whole_cards_that_nobody_can_name(prometheus: RecordedPrometheus) -> None:
    """The exporter tells one promise of all of them (`join.allocations.without_card`)."""
    add_node(prometheus, sharing="plain", cards=CARDS)
    add_container(
        prometheus, pods=("a", "b"), cards=("",), partition="", memory=4 * PHYSICAL, compute=4.0
    )
    assert only(prometheus).reservation == Reservation(
        sharing=Sharing.PLAIN,
        memory=PHYSICAL,
        compute=1.0,
        cards=4,
        containers=8,
        card_memory=PHYSICAL,
        card_model=MODEL,
        node_names=(NODE,),
    )


def test_mig_instances_have_their_profile(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, sharing="plain", physical=80 * GIB)
    add_container(prometheus, partition="gi-1,gi-2", memory=20 * GIB, compute=2 / 7)
    for part in ("gi-1", "gi-2", "gi-3"):
        profile = "3g.40gb" if part == "gi-3" else "1g.10gb"
        prometheus.add(
            "gpuatlas_partition_info", 1, node=NODE, card=CARD, partition=part, kind="mig",
            profile=profile,
        )  # fmt: skip
    reservation = only(prometheus).reservation
    assert (reservation.profile, reservation.cards) == ("1g.10gb", 2)
    add_container(prometheus, pods=("chat-1",), partition="gi-3")
    assert only(prometheus).reservation.profile == ""


def test_values_that_differ_are_nobodys(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_node(prometheus, "gpu-b", sharing="volcano", cards=(CARDS[1],), model="H100", physical=GIB)
    add_container(prometheus)
    add_container(prometheus, pods=("chat-1",), node="gpu-b", cards=CARDS[1:2])
    reservation = only(prometheus).reservation
    assert reservation == replace(
        reservation,
        sharing=Sharing.UNKNOWN,
        card_memory=None,
        card_model="",
        node_names=(NODE, "gpu-b"),
    )


def test_a_card_of_which_nobody_says_anything(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, cards=())
    add_container(prometheus)
    reservation = only(prometheus).reservation
    assert (reservation.sharing, reservation.card_memory) == (Sharing.UNKNOWN, None)


def test_no_promise_is_no_number(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus, sharing="time-slicing")
    add_container(prometheus, memory=None, compute=None)
    reservation = only(prometheus).reservation
    assert (reservation.sharing, reservation.memory, reservation.compute) == (
        Sharing.TIME_SLICING,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("values", "limited"), [((), None), ((1, 1), True), ((1, 0), False), ((0,), False)]
)
def test_a_limit_holds_only_if_it_does_in_all_pods(
    prometheus: RecordedPrometheus, values: tuple[int, ...], limited: object
) -> None:
    add_node(prometheus)
    add_container(prometheus, pods=("chat-0", "chat-1"))
    for number, value in enumerate(values):
        of = {"namespace": "team-a", "pod": f"chat-{number}", "container": "main"}
        prometheus.add("gpuatlas_allocation_isolated", value, **of, resource="memory")
        prometheus.add("gpuatlas_allocation_isolated", 1 - value, **of, resource="compute")
    assert only(prometheus).reservation.limited is limited


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ({}, None),
        ({"nvidia.com/gpu": 2}, {"nvidia.com/gpu": 1}),
        ({"nvidia.com/gpu": 9}, {"nvidia.com/gpu": 1}),  # a queue holds more pods back
        (
            {"nvidia.com/mig-1g.10gb": 4, "nvidia.com/gpu": 2},
            {"nvidia.com/mig-1g.10gb": 2, "nvidia.com/gpu": 1},
        ),
    ],
)
def test_what_one_pod_asks_for(
    prometheus: RecordedPrometheus, requested: dict[str, int], expected: dict[str, int] | None
) -> None:
    add_node(prometheus)
    workload = workload_of(add_container(prometheus, pods=("chat-0", "chat-1")))
    for phase, number in (("Running", 2), ("Succeeded", 5)):
        prometheus.add("gpuatlas_workload_pods", number, **workload, phase=phase)
    for resource, number in requested.items():
        prometheus.add("gpuatlas_workload_cards_requested", number, **workload, resource=resource)
    assert only(prometheus).reservation.resources == expected


# Memory that is taken ahead

STATED = "gpuatlas_workload_memory_ahead_ratio"
CONFIG = "vllm:cache_config_info"
POD = {"namespace": "team-a", "pod": "chat-0"}


def test_nothing_is_stated(prometheus: RecordedPrometheus) -> None:
    """What a runtime does by itself the analysis knows."""
    add_node(prometheus)
    add_container(prometheus, runtime="vllm")
    assert only(prometheus).taken_ahead is None
    assert only(prometheus).runtime == "vllm"


@pytest.mark.parametrize(
    ("runtime", "share", "setting"),
    [
        ("vllm", 0.9, "--gpu-memory-utilization"),
        ("sglang", 0.8, "--mem-fraction-static"),
        ("jax", 0.75, ""),
        ("jax", 0, ""),
    ],
)
def test_the_spec_states_a_share(
    prometheus: RecordedPrometheus, runtime: str, share: float, setting: str
) -> None:
    add_node(prometheus)
    workload = workload_of(add_container(prometheus, runtime=runtime))
    prometheus.add(STATED, share, **workload)
    assert only(prometheus).taken_ahead == TakenAhead(runtime=runtime, setting=setting, share=share)


@pytest.mark.parametrize("place", [POD, {"exported_" + k: v for k, v in POD.items()}])
def test_vllm_says_its_share_and_its_cache(
    prometheus: RecordedPrometheus, place: dict[str, str]
) -> None:
    add_node(prometheus)
    add_container(prometheus, runtime="vllm")
    own = {"namespace": "team-a", "pod": "scraper"} | place
    config = {"gpu_memory_utilization": "0.85", "kv_cache_memory_bytes": str(3 * GIB)}
    prometheus.add(CONFIG, 1, **own, **config, num_gpu_blocks="573", block_size="16")
    assert only(prometheus).taken_ahead == TakenAhead(
        runtime="vllm",
        setting="--gpu-memory-utilization",
        share=0.85,
        pool_bytes=3 * GIB,
        source="kv_cache_memory_bytes of vllm:cache_config_info",
    )


def test_blocks_of_a_size_that_nobody_says_are_no_cache_size(
    prometheus: RecordedPrometheus,
) -> None:
    add_node(prometheus)
    add_container(prometheus, runtime="vllm")
    labels = {"kv_cache_memory_bytes": "None", "num_gpu_blocks": "573"}
    prometheus.add("vllm_cache_config_info", 1, **POD, **labels, gpu_memory_utilization="0.85")
    taken = only(prometheus).taken_ahead
    assert taken is not None
    assert (taken.share, taken.pool_bytes, taken.source) == (0.85, None, "")


def test_what_the_spec_states_goes_before_what_vllm_says(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    workload = workload_of(add_container(prometheus, runtime="vllm"))
    prometheus.add(STATED, 0.5, **workload)
    prometheus.add(CONFIG, 1, **POD, gpu_memory_utilization="0.85")
    taken = only(prometheus).taken_ahead
    assert taken is not None
    assert taken.share == 0.5


@pytest.mark.parametrize(
    "scraped",
    [{"namespace": "team-b", "pod": "evil-0"}, {"namespace": "team-b", "pod": ""}],
)
def test_a_page_says_nothing_of_another_namespace(
    prometheus: RecordedPrometheus, scraped: dict[str, str]
) -> None:
    """A tenant's page may name any pod: the scrape keeps that as `exported_…`."""
    add_node(prometheus)
    add_container(prometheus, runtime="vllm")
    forged = {"exported_" + label: name for label, name in POD.items()}
    prometheus.add(CONFIG, 1, **scraped, **forged, kv_cache_memory_bytes=str(60 * GIB))
    assert only(prometheus).taken_ahead is None


def test_pods_that_differ_have_the_smaller_cache(prometheus: RecordedPrometheus) -> None:
    add_node(prometheus)
    add_container(prometheus, runtime="vllm", pods=("chat-0", "chat-1"))
    for pod, size in (("chat-0", 2), ("chat-1", 1)):
        where = {"namespace": "team-a", "pod": pod}
        prometheus.add(CONFIG, 1, **where, kv_cache_memory_bytes=str(size * GIB))
    taken = only(prometheus).taken_ahead
    assert taken is not None
    assert (taken.share, taken.pool_bytes) == (None, GIB)


def test_of_two_containers_nobody_knows_whose_cache_it_is(prometheus: RecordedPrometheus) -> None:
    """Taken off both of them it would leave one of them too little."""
    add_node(prometheus)
    for name in ("main", "draft"):
        add_container(prometheus, runtime="vllm", container=name)
    prometheus.add(CONFIG, 1, **POD, kv_cache_memory_bytes=str(3 * GIB))
    taken = [history.taken_ahead for history in look(prometheus).histories]
    assert [each and each.pool_bytes for each in taken] == [None, None]


def test_a_recorded_cache_size_counts_where_vllm_was_told_none(
    prometheus: RecordedPrometheus,
) -> None:
    add_node(prometheus)
    workload = workload_of(add_container(prometheus, runtime="sglang"))
    prometheus.add("workload:gpuatlas_kv_cache_pool_bytes:max", 2 * GIB, **workload)
    assert only(prometheus).taken_ahead == TakenAhead(
        runtime="sglang",
        setting="--mem-fraction-static",
        pool_bytes=2 * GIB,
        source="workload:gpuatlas_kv_cache_pool_bytes:max",
    )
