"""The pages of all sources, served over HTTP and read by their own parsers."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER, Target
from gpuatlas.sources.dcgm.fields import DCGM_NAMES
from gpuatlas.sources.hami.monitor import MONITOR_NAMES
from gpuatlas.sources.hami.scheduler import SCHEDULER_NAMES
from gpuatlas.sources.scrape.readers import READERS
from gpuatlas.sources.scrape.scraper import Scraper
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas.sources.scrape.transport import DirectTransport

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
PAGES = {
    "/dcgm": (FIXTURES / "dcgm/4.6.0-4.8.3/mig.prom").read_bytes(),
    "/monitor": (FIXTURES / "hami/v2.10/monitor.prom").read_bytes(),
    "/scheduler": (FIXTURES / "hami/v2.10/scheduler.prom").read_bytes(),
}


def test_the_table_has_every_name_of_every_parser() -> None:
    assert {source: make().wanted for source, make in READERS.items()} == {
        DCGM: DCGM_NAMES,
        HAMI_MONITOR: MONITOR_NAMES,
        HAMI_SCHEDULER: SCHEDULER_NAMES,
    }


def test_all_sources(
    http_server: Callable[[Callable[[BaseHTTPRequestHandler], None]], int],
    answer: Callable[..., None],
) -> None:
    port = http_server(
        lambda handler: answer(
            handler, gzip.compress(PAGES[handler.path]), headers={"Content-Encoding": "gzip"}
        )
    )

    def target(source: str, node: str, path: str) -> Target:
        return Target(
            source=source,
            namespace="ops",
            pod=f"pod-of{path[1:]}",
            node=node,
            host="127.0.0.1",
            port=port,
            path=path,
        )

    scraper = Scraper(DirectTransport(), ScrapeSettings(), time.time)
    result = scraper.read(
        [
            target(DCGM, "gpu-a", "/dcgm"),
            target(HAMI_MONITOR, "gpu-a", "/monitor"),
            target(HAMI_SCHEDULER, "", "/scheduler"),
        ]
    )
    scraper.close()
    assert result.silent == {}
    assert {one.source: one.up for one in result.statuses} == dict.fromkeys(READERS, True)
    (dcgm,) = result.dcgm
    assert (dcgm.node, list(dcgm.cards)) == ("gpu-a", ["GPU-48300000-0000-4000-8000-000000000002"])
    (monitor,) = result.monitors
    assert (monitor.node, monitor.target) == ("gpu-a", "gpu-a")
    assert monitor.containers
    (scheduler,) = result.schedulers
    assert scheduler.target == "ops/pod-ofscheduler"
    assert scheduler.devices
