"""A real Prometheus on both sides: it scrapes our page, and our exporter reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gpuatlas.demo.server import SimulatedCluster
from gpuatlas_harness.evening import OF_THE_CLOCK
from gpuatlas_harness.exporting import ServeProcess
from gpuatlas_harness.prometheus import PrometheusServer, scrape_config

StartPrometheus = Callable[..., PrometheusServer]


@pytest.fixture
def scraped(cluster: SimulatedCluster, prometheus_server: StartPrometheus) -> PrometheusServer:
    """A Prometheus that already has every exporter's page, as clusters with one have."""
    jobs: dict[str, list[str]] = {}
    for (kind, _), url in cluster.exporter_urls.items():
        jobs.setdefault(kind, []).append(urlsplit(url).netloc)
    configs = [scrape_config(job, targets) for job, targets in sorted(jobs.items())]
    server = prometheus_server(configs)
    server.wait_for("count(DCGM_FI_DEV_FB_USED)")
    server.wait_for("count({__name__=~'hami_vgpu_memory_used_bytes'})")
    return server


def test_prometheus_scrapes_the_page_and_answers_promql(
    exporter: ServeProcess, prometheus_server: StartPrometheus
) -> None:
    config = scrape_config("gpuatlas", [urlsplit(exporter.url).netloc], honor_labels=True)
    server = prometheus_server([config])
    query = 'sum by (node) (gpuatlas_card_memory_overcommitted_bytes{node="a10g-1"})'
    (answer,) = server.wait_for(query)
    assert answer.labels == {"node": "a10g-1"}
    # 5,972 MiB on card 0 and 972 MiB on card 1.
    assert answer.value == 6_944 * 1024 * 1024
    (free,) = server.query('sum(gpuatlas_card_state{state="free"})')
    assert free.value == sum(exporter.page().values("gpuatlas_card_state", state="free"))


def test_the_page_is_the_same_when_prometheus_is_read_instead_of_the_endpoints(
    cluster: SimulatedCluster, scraped: PrometheusServer, tmp_path: Path
) -> None:
    kubeconfig = cluster.kubeconfig(tmp_path / "kubeconfig")
    direct_dir, other_dir = tmp_path / "direct", tmp_path / "prometheus"
    direct_dir.mkdir()
    other_dir.mkdir()
    with ServeProcess(direct_dir, "--kubeconfig", kubeconfig) as direct:
        expected = direct.page().about_the_cluster()
    arguments = ("--kubeconfig", kubeconfig, "--prometheus-url", scraped.url)
    with ServeProcess(other_dir, *arguments) as other:
        found = other.page().about_the_cluster()
    ages = {k for k in expected | found if k[0].startswith(OF_THE_CLOCK)}
    assert {k: v for k, v in found.items() if k not in ages} == {
        k: v for k, v in expected.items() if k not in ages
    }
