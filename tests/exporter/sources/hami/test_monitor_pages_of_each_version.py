"""The monitor's page of each version, read exactly."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpuatlas.model.pages import ContainerReading, HostReading, MonitorPage, Sample, Tenant
from gpuatlas.sources.hami.monitor import MONITOR_NAMES, read_monitor
from gpuatlas_harness.renamed import kept_by_prometheus

PageLoader = Callable[[str, str], list[Sample]]

EXPECTED = {
    "v2.4": MonitorPage(
        target="t",
        node="n",
        at=1.0,
        hosts={
            "GPU-a0000000-0000-4000-8000-000000000001": HostReading(
                used_bytes=4_026_531_840, utilization=0.41
            ),
            "GPU-a0000000-0000-4000-8000-000000000002": HostReading(used_bytes=0, utilization=0.0),
        },
        containers={
            (
                Tenant("team-a", "filler", "main"),
                "GPU-a0000000-0000-4000-8000-000000000001",
            ): ContainerReading(
                used_bytes=3_525_312_512,
                limit_bytes=7_340_032_000,
                utilization=0.28,
                idle_seconds=0.0,
            )
        },
    ),
    "v2.7": MonitorPage(
        target="t",
        node="n",
        at=1.0,
        hosts={
            "GPU-c0000000-0000-4000-8000-000000000001": HostReading(
                used_bytes=21_474_836_480, utilization=0.97
            )
        },
        containers={
            (
                Tenant("team-c", "two-cards", "main"),
                "GPU-c0000000-0000-4000-8000-000000000001",
            ): ContainerReading(
                used_bytes=20_000_000_000,
                limit_bytes=20_971_520_000,
                utilization=0.5,
                idle_seconds=3.0,
            )
        },
    ),
    "v2.9": MonitorPage(
        target="t",
        node="n",
        at=1.0,
        hosts={
            "GPU-e0000000-0000-4000-8000-000000000001": HostReading(
                used_bytes=12_884_901_888, utilization=0.71
            )
        },
        containers={
            (
                Tenant("team-e", "with-init", "main"),
                "GPU-e0000000-0000-4000-8000-000000000001",
            ): ContainerReading(
                used_bytes=5_368_709_120,
                limit_bytes=8_388_608_000,
                utilization=0.28,
                idle_seconds=3.0,
            )
        },
        version="v2.9.0",
    ),
    "v2.10": MonitorPage(
        target="t",
        node="n",
        at=1.0,
        hosts={
            "GPU-f0000000-0000-4000-8000-000000000001": HostReading(
                used_bytes=6_442_450_944, utilization=0.35
            )
        },
        containers={
            (
                Tenant("team-f", "infer-0", "main"),
                "GPU-f0000000-0000-4000-8000-000000000001",
            ): ContainerReading(
                used_bytes=5_368_709_120,
                limit_bytes=10_737_418_240,
                utilization=0.28,
                idle_seconds=0.0,
            )
        },
        version="v2.10.0",
    ),
    "volcano": MonitorPage(
        target="t",
        node="n",
        at=1.0,
        hosts={
            "GPU-70000000-0000-4000-8000-000000000001": HostReading(
                used_bytes=8_589_934_592, utilization=0.88
            )
        },
        containers={
            (
                Tenant("team-v", "batch", "train"),
                "GPU-70000000-0000-4000-8000-000000000001",
            ): ContainerReading(
                used_bytes=4_294_967_296,
                limit_bytes=8_388_608_000,
                utilization=0.25,
                idle_seconds=None,
            )
        },
    ),
}


@pytest.mark.parametrize("version", EXPECTED)
def test_the_page_of_each_version_is_read_exactly(version: str, hami_page: PageLoader) -> None:
    page = read_monitor(hami_page(version, "monitor"), target="t", node="n", at=1.0)
    assert page == EXPECTED[version]


@pytest.mark.parametrize("version", EXPECTED)
def test_only_the_wanted_names_matter(version: str, hami_page: PageLoader) -> None:
    wanted = [sample for sample in hami_page(version, "monitor") if sample.name in MONITOR_NAMES]
    assert read_monitor(wanted, target="t", node="n", at=1.0) == EXPECTED[version]


@pytest.mark.parametrize("version", EXPECTED)
def test_a_prometheus_that_renames_our_labels_changes_nothing(
    version: str, hami_page: PageLoader
) -> None:
    exporter = {"namespace": "kube-system", "pod": "hami-device-plugin-x", "container": "monitor"}
    samples = kept_by_prometheus(hami_page(version, "monitor"), exporter)
    assert read_monitor(samples, target="t", node="n", at=1.0) == EXPECTED[version]


def test_ascend_pages_show_whole_cards_as_containers_and_sums_as_cards(
    hami_page: PageLoader,
) -> None:
    page = read_monitor(hami_page("ascend-plugin", "monitor"), target="t", node="n", at=1.0)
    first = "0F1B2C3D-00000000-00000000-00000000-00000001"
    second = "0F1B2C3D-00000000-00000000-00000000-00000002"
    assert page.hosts == {
        # 4 GiB is what the two containers have in all: the plugin's sum, not the driver's figure.
        first: HostReading(used_bytes=None, utilization=0.64),
        second: HostReading(used_bytes=3_145_728_000, utilization=0.0),
    }
    assert page.containers == {
        (Tenant("team-n", "npu-0", "main"), first): ContainerReading(
            used_bytes=3_221_225_472,
            limit_bytes=8_589_934_592,
            utilization=None,
            idle_seconds=None,
        ),
        (Tenant("team-n", "npu-1", "main"), first): ContainerReading(
            used_bytes=1_073_741_824, limit_bytes=None, utilization=None, idle_seconds=None
        ),
    }
