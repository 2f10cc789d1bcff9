from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import pytest

from gpuatlas.model.pages import Sample, SchedulerDevice, SchedulerPage
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.hami.scheduler import SCHEDULER_NAMES, read_scheduler
from gpuatlas_harness.renamed import kept_by_prometheus

PageLoader = Callable[[str, str], list[Sample]]

CARD = {"node": "gpu-a", "device_uuid": "GPU-1", "device_index": "0", "device_type": "NVIDIA A10G"}
CARD_OLD = {"nodeid": "gpu-a", "deviceuuid": "GPU-1", "deviceidx": "0"}
POD = {"namespace": "team-a", "pod": "x", "node": "gpu-a", "device_uuid": "GPU-1"}
LIMIT, LIMIT_OLD = "hami_gpu_memory_limit_bytes", "GPUDeviceMemoryLimit"
ALLOCATED, ALLOCATED_OLD = "hami_gpu_memory_allocated_bytes", "GPUDeviceMemoryAllocated"
SHARE = "hami_vgpu_memory_allocated_bytes"
GIB = 1024**3


def read(samples: Iterable[Sample]) -> SchedulerPage:
    return read_scheduler(samples, target="t", at=1.0)


def device(
    node: str,
    card: str,
    *,
    index: str = "0",
    model: str = "",
    limit: int | None = None,
    cores: float | None = None,
    allocated: int | None = None,
    allocated_cores: float | None = None,
    shared: int | None = None,
) -> SchedulerDevice:
    return SchedulerDevice(
        node=node,
        card=card,
        index=index,
        model=model,
        limit_bytes=limit,
        limit_cores=cores,
        allocated_bytes=allocated,
        allocated_cores=allocated_cores,
        shared=shared,
    )


def page(
    *devices: SchedulerDevice, pods: dict[tuple[str, str], int], version: str = ""
) -> SchedulerPage:
    keyed = {(d.node, d.card): d for d in devices}
    return SchedulerPage(target="t", at=1.0, devices=keyed, pods=pods, version=version)


EXPECTED = {
    "v2.4": page(
        device(
            "gpu-a",
            "GPU-a0000000-0000-4000-8000-000000000001",
            limit=48_293_216_256,
            cores=100.0,
            allocated=7_340_032_000,
            allocated_cores=30.0,
            shared=1,
        ),
        pods={("team-a", "filler"): 7_340_032_000},
    ),
    "v2.7": page(
        device(
            "gpu-c",
            "GPU-c0000000-0000-4000-8000-000000000001",
            limit=85_520_809_984,
            cores=100.0,
            allocated=20_971_520_000,
            allocated_cores=50.0,
            shared=1,
        ),
        pods={("team-c", "two-cards"): 41_943_040_000},
    ),
    "v2.8": page(
        device(
            "gpu-d",
            "GPU-d0000000-0000-4000-8000-000000000001",
            limit=24_146_608_128,
            allocated=7_340_032_000,
        ),
        device("amd-d", "amd-d-AMDGPU-0", shared=1),
        pods={("team-d", "padded"): 8_388_608_000},
        version="v2.8.2",
    ),
    "v2.9": page(
        device(
            "gpu-e",
            "GPU-e0000000-0000-4000-8000-000000000001",
            model="NVIDIA A10G",
            limit=24_146_608_128,
            cores=100.0,
            allocated=17_825_792_000,
            allocated_cores=40.0,
            shared=2,
        ),
        pods={("team-e", "with-init"): 17_825_792_000},
        version="v2.9.0",
    ),
    "v2.10": page(
        device(
            "gpu-f",
            "GPU-f0000000-0000-4000-8000-000000000001",
            model="NVIDIA A10G",
            limit=36_219_912_192,
            cores=100.0,
            allocated=10_737_418_240,
            allocated_cores=30.0,
            shared=1,
        ),
        device("gcu-f", "gcu-f-GCU-0", model="GCU"),
        device("inf-f", "inf-f-AWSNeuron-0", model="AWSNeuron"),
        pods={("team-f", "infer-0"): 10_737_418_240, ("team-f", "npu-0"): 17_179_869_184},
        version="v2.10.0",
    ),
}


@pytest.mark.parametrize("version", EXPECTED)
def test_the_page_of_each_version_is_read_exactly(version: str, hami_page: PageLoader) -> None:
    assert read(hami_page(version, "scheduler")) == EXPECTED[version]


@pytest.mark.parametrize("version", EXPECTED)
def test_only_the_wanted_names_matter(version: str, hami_page: PageLoader) -> None:
    samples = [s for s in hami_page(version, "scheduler") if s.name in SCHEDULER_NAMES]
    assert read(samples) == EXPECTED[version]


@pytest.mark.parametrize("version", EXPECTED)
def test_a_prometheus_that_renames_our_labels_changes_nothing(
    version: str, hami_page: PageLoader
) -> None:
    exporter = {"namespace": "kube-system", "pod": "hami-scheduler-x", "node": "cpu-a"}
    samples = kept_by_prometheus(hami_page(version, "scheduler"), exporter)
    assert read(samples) == EXPECTED[version]


@pytest.mark.parametrize("order", [1, -1])
def test_both_name_sets_are_one_card(order: int) -> None:
    samples = [
        Sample(LIMIT, CARD, 24.0 * GIB),
        Sample(LIMIT_OLD, {**CARD_OLD, "devicetype": "NVIDIA-NVIDIA A10G"}, 23.0 * GIB),
    ][::order]
    expected = device("gpu-a", "GPU-1", model="NVIDIA A10G", limit=24 * GIB)
    assert read(samples).devices == {("gpu-a", "GPU-1"): expected}


def test_the_cores_label_makes_no_second_card() -> None:
    samples = [
        Sample(ALLOCATED, {**CARD, "device_cores": cores}, 1.0 * GIB) for cores in ("30", "60")
    ]
    result = read(samples)
    assert [d.allocated_bytes for d in result.devices.values()] == [GIB]
    assert result.rejections == ()


def test_two_values_for_one_card_leave_it_unknown() -> None:
    samples = [
        Sample(ALLOCATED, {**CARD, "device_cores": "30"}, 1.0 * GIB),
        Sample(ALLOCATED, {**CARD, "device_cores": "60"}, 2.0 * GIB),
        Sample(LIMIT, CARD, 24.0 * GIB),
    ]
    result = read(samples)
    assert result.devices["gpu-a", "GPU-1"] == device(
        "gpu-a", "GPU-1", model="NVIDIA A10G", limit=24 * GIB
    )
    assert result.rejections == (
        Rejection(
            "hami-scheduler",
            "contradiction",
            f"t {ALLOCATED}",
            "two different values for card GPU-1; neither is shown",
        ),
    )


def test_a_pod_with_two_values_for_one_share_has_no_sum() -> None:
    samples = [
        Sample(SHARE, {**POD, "container_index": "0"}, 1.0 * GIB),
        Sample(SHARE, {**POD, "container_index": "0", "device_used_core": "1"}, 2.0 * GIB),
        Sample(SHARE, {**POD, "pod": "y", "container_index": "0"}, 3.0 * GIB),
    ]
    assert read(samples).pods == {("team-a", "y"): 3 * GIB}


def test_shares_are_summed_over_containers_and_cards_and_positions_may_be_text() -> None:
    samples = [
        Sample(SHARE, {**POD, "container_index": "0"}, 1.0 * GIB),
        Sample(SHARE, {**POD, "container_index": "Ascend310P"}, 2.0 * GIB),
        Sample(SHARE, {**POD, "container_index": "0", "device_uuid": "GPU-2"}, 4.0 * GIB),
    ]
    assert read(samples).pods == {("team-a", "x"): 7 * GIB}


@pytest.mark.parametrize(
    ("labels", "value"),
    [
        ({**POD, "device_uuid": ""}, 1.0),
        (POD, math.nan),
        (POD, -1.0),
        (POD, 1.8446744073709548e19),
        ({**POD, "device_uuid": "n-metax-0"}, 65536.0 * 1024**2),
    ],
)
def test_a_pod_with_one_unknown_share_has_no_sum(labels: dict[str, str], value: float) -> None:
    samples = [Sample(SHARE, POD | {"container_index": "1"}, 1.0), Sample(SHARE, labels, value)]
    assert read(samples).pods == {}


def test_an_exporter_that_counts_in_mib_is_not_shown_as_bytes() -> None:
    dra = {**CARD_OLD, "devicebrand": "Tesla", "devicename": "hami-gpu-0"}
    result = read([Sample(LIMIT_OLD, dra, 8192.0), Sample(ALLOCATED_OLD, dra, 4096.0)])
    assert result.devices == {("gpu-a", "GPU-1"): device("gpu-a", "GPU-1")}
    assert [r.reason for r in result.rejections] == ["out-of-range"]
    assert "seems to count in MiB" in result.rejections[0].message


def test_a_limit_of_zero_is_unknown_and_an_allocation_of_zero_is_zero() -> None:
    result = read([Sample(LIMIT, CARD, 0.0), Sample(ALLOCATED, CARD, 0.0)])
    assert result.devices["gpu-a", "GPU-1"] == device(
        "gpu-a", "GPU-1", model="NVIDIA A10G", allocated=0
    )


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        (LIMIT, math.nan, "not-a-number"),
        (LIMIT, math.inf, "out-of-range"),
        (LIMIT, 1.7e13, "out-of-range"),
        (LIMIT, 1.8446744073709548e19, "underflow"),
        (ALLOCATED, -1.0, "out-of-range"),
        ("hami_gpu_core_limit_ratio", 4294967295.0, "out-of-range"),
        ("hami_gpu_core_allocated_ratio", math.nan, "not-a-number"),
        ("hami_gpu_shared_count", 4097.0, "out-of-range"),
    ],
)
def test_a_bad_value_is_refused_and_unknown(name: str, value: float, reason: str) -> None:
    result = read([Sample(name, CARD, value)])
    assert result.devices == {("gpu-a", "GPU-1"): device("gpu-a", "GPU-1", model="NVIDIA A10G")}
    assert [r.reason for r in result.rejections] == [reason]


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (Sample(LIMIT, {"device_uuid": "GPU-1"}, 1e9), "missing-label"),
        (Sample(LIMIT, {"node": "gpu-a"}, 1e9), "empty-id"),
        (Sample(LIMIT, {**CARD, "node": "a\nb"}, 1e9), "bad-text"),
        (Sample(LIMIT, {**CARD, "device_uuid": 'GPU-"'}, 1e9), "bad-text"),
        (Sample(SHARE, {"namespace": "n", "device_uuid": "GPU-1"}, 1e9), "missing-label"),
    ],
)
def test_a_sample_that_names_nothing_costs_itself_only(sample: Sample, reason: str) -> None:
    result = read([sample, Sample(ALLOCATED, CARD, 5.0)])
    assert [d.allocated_bytes for d in result.devices.values()] == [5]
    assert result.pods == {}
    assert [r.reason for r in result.rejections] == [reason]


def test_a_followers_page_has_pods_and_no_cards() -> None:
    result = read([Sample(SHARE, POD, 1.0 * GIB)])
    assert (result.devices, result.pods) == ({}, {("team-a", "x"): GIB})
