"""What a value of the monitor's page is taken for, and which is none."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest

from gpuatlas.model.pages import ContainerReading, HostReading, MonitorPage, Sample, Tenant
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.hami.monitor import read_monitor

CARD = "GPU-1"
TENANT = Tenant("team-a", "infer-0", "main")
NEW = {"namespace": "team-a", "pod": "infer-0", "container": "main", "vdevice_index": "0"}
OLD = {"podnamespace": "team-a", "podname": "infer-0", "ctrname": "main", "vdeviceid": "0"}
USED, USED_OLD = "hami_vgpu_memory_used_bytes", "vGPU_device_memory_usage_in_bytes"
LIMIT = "hami_vgpu_memory_limit_bytes"
BUFFER = "hami_vgpu_memory_buffer_bytes"
DESC = "Device_memory_desc_of_container"
UTILIZATION = "hami_container_device_utilization_ratio"
IDLE = "hami_container_last_kernel_elapsed_seconds"
HOST_USED = "hami_host_gpu_memory_used_bytes"
HOST_UTILIZATION = "hami_host_gpu_utilization_ratio"


def read(samples: Iterable[Sample], node: str = "gpu-a") -> MonitorPage:
    return read_monitor(samples, target="gpu-a", node=node, at=1000.0)


def new(name: str, value: float, card: str = CARD, **labels: str) -> Sample:
    return Sample(name, {**NEW, "device_uuid": card, "zone": "vGPU", **labels}, value)


def old(name: str, value: float, card: str = CARD, **labels: str) -> Sample:
    return Sample(name, {**OLD, "deviceuuid": card, "zone": "vGPU", **labels}, value)


def host(name: str, value: float, card: str = CARD, **labels: str) -> Sample:
    described = {"device_uuid": card, "device_index": "0", "device_type": "NVIDIA-NVIDIA A10G"}
    return Sample(name, described | labels, value)


def reading(page: MonitorPage) -> ContainerReading:
    assert list(page.containers) == [(TENANT, CARD)]
    return page.containers[TENANT, CARD]


def reasons(page: MonitorPage) -> list[str]:
    return [rejection.reason for rejection in page.rejections]


@pytest.mark.parametrize("order", [1, -1])
def test_the_newer_name_wins_whatever_the_order(order: int) -> None:
    page = read([new(USED, 100.0), old(USED_OLD, 200.0), old(DESC, 300.0)][::order])
    assert reading(page).used_bytes == 100
    assert page.rejections == ()


def test_the_description_is_used_where_there_is_nothing_better() -> None:
    assert reading(read([old(DESC, 300.0)])).used_bytes == 300


def test_a_counter_below_zero_is_unknown() -> None:
    page = read([new(USED, 1.8446744073709548e19), new(LIMIT, 100.0)])
    assert reading(page).used_bytes is None
    assert reading(page).limit_bytes == 100
    assert page.rejections == (
        Rejection(
            "hami-monitor",
            "underflow",
            f"gpu-a {USED}",
            "1.8446744073709548e+19 bytes: the counter fell below zero",
        ),
    )


@pytest.mark.parametrize(
    ("samples", "used"),
    [
        ([new(USED, 0.0), new(BUFFER, 268435456.0)], None),
        ([new(USED, 0.0), new(BUFFER, 268435455.0)], 0),
        ([new(USED, 0.0)], 0),
        ([new(USED, 1.0), new(BUFFER, 268435456.0)], 1),
        ([old(USED_OLD, 0.0), old(DESC, 0.0, data="268435456")], None),
        ([old(USED_OLD, 0.0), old(DESC, 0.0, data="18446744073709551615")], None),
        ([new(USED, 0.0), new("hami_container_device_memory_bytes", 0.0, buffer_size="x")], 0),
        (
            [new(USED, 0.0), new("hami_container_device_memory_bytes", 0.0, buffer_size="9" * 400)],
            0,
        ),
    ],
)
def test_zero_beside_a_full_buffer_is_unknown(samples: list[Sample], used: int | None) -> None:
    page = read(samples)
    assert reading(page).used_bytes == used
    assert reasons(page) == ([] if used is not None else ["contradiction"])


@pytest.mark.parametrize("name", [USED, LIMIT, UTILIZATION, IDLE])
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (math.nan, "not-a-number"),
        (math.inf, "out-of-range"),
        (-math.inf, "out-of-range"),
        (-2.0, "out-of-range"),
    ],
)
def test_a_bad_value_is_refused_and_unknown(name: str, value: float, reason: str) -> None:
    page = read([new(name, value)])
    assert reading(page) == ContainerReading(
        used_bytes=None, limit_bytes=None, utilization=None, idle_seconds=None
    )
    assert reasons(page) == [reason]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (USED, 17e12 + 2**41),
        (LIMIT, 2.0**41 + 1),
        (UTILIZATION, 4294967295.0),
        (UTILIZATION, 130.0),
        (IDLE, 1.7e9),
    ],
)
def test_an_absurd_value_is_refused_and_unknown(name: str, value: float) -> None:
    page = read([new(name, value)])
    assert reading(page) == ContainerReading(
        used_bytes=None, limit_bytes=None, utilization=None, idle_seconds=None
    )
    assert reasons(page) == ["out-of-range"]


def test_a_bad_host_value_leaves_the_card_on_the_page() -> None:
    page = read([host(HOST_USED, math.nan), host(HOST_UTILIZATION, 101.0)])
    assert page.hosts == {CARD: HostReading(used_bytes=None, utilization=None)}
    assert reasons(page) == ["not-a-number", "out-of-range"]


def test_two_values_for_one_thing_leave_it_unknown() -> None:
    samples = [new(USED, 100.0), new(USED, 200.0, vdevice_index="1"), new(LIMIT, 5.0)]
    page = read(samples)
    assert reading(page).used_bytes is None
    assert reading(page).limit_bytes == 5
    assert reasons(page) == ["contradiction"]
    assert read(samples[::-1]).containers == page.containers


def test_two_host_values_for_one_card_leave_it_unknown() -> None:
    page = read([host(HOST_USED, 1.0), host(HOST_USED, 2.0, device_index="1")])
    assert page.hosts == {CARD: HostReading(used_bytes=None, utilization=None)}
    assert reasons(page) == ["contradiction"]


def test_the_same_value_twice_is_no_contradiction() -> None:
    page = read([new(USED, 100.0), new(USED, 100.0, vdevice_index="1")])
    assert reading(page).used_bytes == 100
    assert page.rejections == ()


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (Sample(USED, NEW, 1.0), "empty-id"),
        (Sample(USED, {"device_uuid": CARD, "namespace": "n"}, 1.0), "missing-label"),
        (Sample(USED, {"device_uuid": CARD, "pod": "p"}, 1.0), "missing-label"),
        (new(USED, 1.0, pod="a\nb"), "bad-text"),
        (new(USED, 1.0, container="x" * 254), "bad-text"),
        (new(USED, 1.0, namespace="team\N{REPLACEMENT CHARACTER}"), "bad-text"),
        (new(USED, 1.0, card="GPU-\N{REPLACEMENT CHARACTER}"), "bad-text"),
        (host(HOST_USED, 1.0, card=""), "empty-id"),
    ],
)
def test_a_sample_that_names_nothing_costs_itself_only(sample: Sample, reason: str) -> None:
    page = read([sample, new(LIMIT, 7.0)])
    assert reading(page).limit_bytes == 7
    assert reasons(page) == [reason]


@pytest.mark.parametrize(
    ("idle", "card_utilization", "expected"),
    [
        (1.0, 35.0, None),
        (2.0, None, None),
        (2.0, 0.0, 0.0),
        (3.0, 35.0, 0.0),
        (None, 35.0, 0.0),
    ],
)
def test_no_use_beside_a_kernel_of_just_now_is_a_watcher_that_does_not_run(
    idle: float | None, card_utilization: float | None, expected: float | None
) -> None:
    samples = [new(UTILIZATION, 0.0)]
    if idle is not None:
        samples.append(new(IDLE, idle))
    if card_utilization is not None:
        samples.append(host(HOST_UTILIZATION, card_utilization))
    assert reading(read(samples)).utilization == expected


def test_a_limit_of_zero_is_no_limit_in_force_and_no_limit_is_not_published() -> None:
    assert reading(read([new(LIMIT, 0.0)])).limit_bytes == 0
    assert reading(read([new(USED, 0.0)])).limit_bytes is None


@pytest.mark.parametrize(
    ("given", "labels", "expected"),
    [
        ("gpu-a", [{"node": "other"}], "gpu-a"),
        ("", [{"node": "gpu-b"}], "gpu-b"),
        ("", [{"nodeid": "gpu-b"}], "gpu-b"),
        ("", [{"exported_node": "gpu-b", "node": "prometheus"}], "gpu-b"),
        ("", [{"node": "gpu-b"}, {"node": "gpu-c"}], ""),
        ("", [{}], ""),
    ],
)
def test_the_node_comes_from_the_api_else_from_a_label(
    given: str, labels: list[dict[str, str]], expected: str
) -> None:
    samples = [host(HOST_USED, 1.0, card=f"GPU-{n}", **own) for n, own in enumerate(labels)]
    assert read(samples, node=given).node == expected


def test_an_empty_page_is_a_page() -> None:
    assert read([]) == MonitorPage(target="gpu-a", node="gpu-a", at=1000.0, hosts={}, containers={})


def test_a_flood_of_bad_samples_is_counted_and_not_quoted() -> None:
    page = read([new(USED, math.nan, card=f"GPU-{n}") for n in range(500)])
    assert len(page.rejections) == 17
    assert page.rejections[-1].message == "484 more records like this"
