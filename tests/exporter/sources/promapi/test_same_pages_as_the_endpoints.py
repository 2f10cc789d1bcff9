"""A real Prometheus scrapes real pages; what is read out of it is what is on the pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import pytest

from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER
from gpuatlas.sources.exposition import parse_text
from gpuatlas.sources.promapi.reader import PrometheusReader
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas.sources.scrape.readers import READERS, Page
from gpuatlas.sources.scrape.round import ScrapeRound
from gpuatlas_harness.polling import poll
from gpuatlas_harness.prometheus import PrometheusServer, scrape_config
from gpuatlas_harness.serving import serving

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
PAGES = {
    "whole": (DCGM, "dcgm/4.5.3-4.8.2/whole.prom"),
    "idle": (DCGM, "dcgm/4.4.1-4.6.0/whole.prom"),
    "mig": (DCGM, "dcgm/4.6.0-4.8.3/mig.prom"),
    "virtual": (DCGM, "dcgm/4.5.3-4.8.2/virtual-gpus.prom"),
    "copies": (DCGM, "dcgm/4.4.2-4.7.1/virtual-gpus.prom"),
    "old": (DCGM, "dcgm/3.3.5-3.4.1/old-namespace.prom"),
    "sentinels": (DCGM, "dcgm/3.3.5-3.4.1/sentinels.prom"),
    "monitor-new": (HAMI_MONITOR, "hami/v2.10/monitor.prom"),
    "monitor-old": (HAMI_MONITOR, "hami/v2.4/monitor.prom"),
    "scheduler-new": (HAMI_SCHEDULER, "hami/v2.10/scheduler.prom"),
    "scheduler-old": (HAMI_SCHEDULER, "hami/v2.7/scheduler.prom"),
}
HONOURED = ("true", "false")
WAIT = 60.0


class Factory(Protocol):
    def __call__(self, scrape_configs: list[dict[str, object]]) -> PrometheusServer: ...


@dataclass
class Exporters:
    """Serves the pages by path; a page that is taken out is answered with 500."""

    pages: dict[str, bytes] = field(default_factory=dict)
    address: str = ""


@pytest.fixture
def exporters() -> Iterator[Exporters]:
    served = Exporters({name: (FIXTURES / file).read_bytes() for name, (_, file) in PAGES.items()})

    def answer(path: str, _content: str) -> tuple[int, bytes]:
        page = served.pages.get(path[1:])
        return (500, b"") if page is None else (200, page)

    with serving(answer, content_type="text/plain; version=0.0.4") as served.address:
        yield served


def jobs(exporters: Exporters) -> list[dict[str, object]]:
    """Two jobs that differ in `honor_labels` scrape each page, with a pod's labels."""
    return [
        {
            **scrape_config(f"exporters-{honoured}", [], honor_labels=honoured == "true"),
            "static_configs": [
                {
                    "targets": [exporters.address],
                    "labels": {
                        "__metrics_path__": f"/{name}",
                        "honoured": honoured,
                        "instance": name,
                        "namespace": "ops",
                        "pod": f"exporter-{name}",
                        "container": "exporter",
                        "node": f"node-of-{name}",
                    },
                }
                for name in PAGES
            ],
        }
        for honoured in HONOURED
    ]


def read(prometheus: PrometheusServer, honoured: str, **settings: object) -> ScrapeRound:
    known = {"url": prometheus.url, "matchers": {"honoured": honoured}, **settings}
    reader = PrometheusReader(PrometheusSettings(**known))  # type: ignore[arg-type]
    try:
        return reader.read(0.0)
    finally:
        reader.close()


def direct(name: str) -> Page:
    source, file = PAGES[name]
    reader = READERS[source]()
    samples, _ = parse_text(
        (FIXTURES / file).read_bytes(), wanted=reader.wanted, source=source, where=name
    )
    return reader.read(samples, name, f"node-of-{name}", 0.0)


def without_instant(
    page: Page,
) -> Page:
    """Rejections quote the first of several, and series have no order in a Prometheus."""
    counts = tuple(replace(one, message="") for one in page.rejections)
    return replace(page, at=0.0, rejections=tuple(sorted(counts, key=lambda one: one.reason)))


@pytest.fixture
def prometheus(prometheus_server: Factory, exporters: Exporters) -> PrometheusServer:
    server = prometheus_server(jobs(exporters))
    server.wait_for(f"count(up == 1) == {len(HONOURED) * len(PAGES)}", deadline_seconds=WAIT)
    return server


def test_a_prometheus_and_its_endpoints(prometheus: PrometheusServer, exporters: Exporters) -> None:
    # One test, because the server takes longer to start than all of it.
    for honoured in HONOURED:
        result = read(prometheus, honoured)
        pages: list[Page] = [*result.dcgm, *result.monitors, *result.schedulers]
        assert {page.target for page in pages} == set(PAGES)
        for page in pages:
            assert without_instant(page) == without_instant(direct(page.target))
        assert result.silent == {}
        assert all(status.up for status in result.statuses)

    # A tenant leaves: its series end with the scrape, not five minutes later.
    exporters.pages["whole"] = exporters.pages["idle"]
    exporters.pages["idle"] = b""
    for honoured in HONOURED:
        poll(
            lambda honoured=honoured: (  # type: ignore[misc]
                _tenants(read(prometheus, honoured)).get("whole") == {"jupyter-ann"} or None
            ),
            deadline_seconds=WAIT,
            waiting_for="the next scrape",
        )

    # An endpoint fails: told as such, and its last page stands in while it is young.
    del exporters.pages["mig"]
    prometheus.wait_for('up{instance="mig",honoured="true"} == 0', deadline_seconds=WAIT)
    result = read(prometheus, "true")
    assert "mig" in {page.target for page in result.dcgm}
    status = next(one for one in result.statuses if one.source == DCGM)
    assert status.targets["stale"] == 1
    assert status.error.endswith("cannot scrape mig: its up is 0")


def _tenants(result: ScrapeRound) -> dict[str, set[str]]:
    return {
        page.target: {tenant.pod for card in page.cards.values() for tenant in card.tenants}
        for page in result.dcgm
    }
