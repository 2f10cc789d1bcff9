"""Each check from its fault to the notification and back: all parts but the hardware are real.

The simulated cluster answers as an API server and exporters do; `gpuatlas serve`, Prometheus with
our rules and Alertmanager with our example configuration run as processes. Time is compressed by
dividing the rules' durations (`compressed`); what they compare stays.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from gpuatlas.demo.server import SimulatedCluster
from gpuatlas_harness.alertmanager import (
    AlertmanagerServer,
    Notification,
    Receiver,
    delivered_to,
)
from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.check_faults import CHECK_FAULTS, CheckFault
from gpuatlas_harness.compressed import compressed_rules
from gpuatlas_harness.exporting import ServeProcess
from gpuatlas_harness.polling import poll
from gpuatlas_harness.prometheus import PrometheusServer, scrape_config

ROOT: Final = Path(__file__).resolve().parents[3]
RULES: Final = (
    *sorted((ROOT / "recording_rules").glob("*.yaml")),
    *(ROOT / "alerts" / f"{name}.yaml" for name in ("hardware", "sharing", "operations", "meta")),
)
# A minute passes in half a second, and Prometheus scrapes as often as it would in a minute.
FASTER: Final = 120
SCRAPE_SECONDS: Final = 60 / FASTER
LICENCE: Final = "gpu-licence/licence/not-after"
# Half an hour of `for`, an hour of history, and the way through all parts.
DEADLINE_SECONDS: Final = 150.0
# What would happen in an hour has to happen in half a minute.
DENSER: Final[Mapping[str, Mapping[str, float]]] = {
    "pcie-replays": {"per_minute": 60 * FASTER},
}


@dataclass(frozen=True)
class Installation:
    """The parts that a test talks to."""

    cluster: SimulatedCluster
    prometheus: PrometheusServer
    receiver: Receiver

    def alerts(self) -> set[tuple[str, str]]:
        """(check, signal) of every alert that fires."""
        firing = 'ALERTS{layer=~"hardware|sharing", alertstate="firing"} == 1'
        samples = self.prometheus.query(firing)
        return {(s.labels["check"], s.labels["signal"]) for s in samples}

    def told(self) -> set[str]:
        """The checks of which somebody was told that they fire."""
        layers = {"hardware", "sharing"}
        firing = (told for told in self.receiver.notifications() if told.status == "firing")
        return {told.check for told in firing if told.labels["layer"] in layers}

    def wait_until_quiet(self) -> None:
        poll(
            lambda: True if not self.alerts() else None,
            deadline_seconds=DEADLINE_SECONDS,
            waiting_for="all alerts to end",
        )


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    required(lambda: system_binary("prometheus", package="prometheus"))
    required(lambda: system_binary("prometheus-alertmanager", package="prometheus-alertmanager"))
    folder = tmp_path_factory.mktemp("installation")
    rules = compressed_rules(RULES, folder, by=FASTER)
    with (
        SimulatedCluster(faults=()) as cluster,
        ServeProcess(
            folder,
            "--kubeconfig",
            cluster.kubeconfig(folder / "kubeconfig"),
            "--scrape-interval",
            "1",
            "--scrape-timeout",
            "1",
            "--licence",
            LICENCE,
        ) as exporter,
        Receiver() as receiver,
        AlertmanagerServer(
            delivered_to(receiver.url, wait="100ms", interval="500ms"), work_dir=folder
        ) as alertmanager,
        PrometheusServer(
            _scrapes(cluster, exporter),
            work_dir=folder,
            interval_seconds=SCRAPE_SECONDS,
            rule_files=rules,
            alertmanagers=[alertmanager.address],
        ) as prometheus,
    ):
        running = Installation(cluster, prometheus, receiver)
        prometheus.wait_for(f"count(check:gpuatlas_check_state:max == 1) == {len(CHECK_FAULTS)}")
        yield running


def _scrapes(cluster: SimulatedCluster, exporter: ServeProcess) -> list[dict[str, object]]:
    dcgm = [
        url.removeprefix("http://").removesuffix("/metrics")
        for (kind, _), url in cluster.exporter_urls.items()
        if kind == "dcgm"
    ]
    return [
        scrape_config("gpuatlas", [exporter.url.removeprefix("http://")], honor_labels=True),
        scrape_config("dcgm-exporter", dcgm, honor_labels=True),
    ]


def test_on_a_healthy_cluster_each_check_looks_and_none_fires(installation: Installation) -> None:
    """Half an hour long. Two nodes of the scenario have no monitor: four checks see it in part."""
    end = time.monotonic() + 1800 / FASTER
    while time.monotonic() < end:
        assert installation.alerts() == set()
        time.sleep(SCRAPE_SECONDS)

    states = installation.prometheus.query('check:gpuatlas_check_state:max{state="ok"} == 0')
    assert {s.labels["check"] for s in states} == {"S01", "S02", "S03", "S05"}
    assert installation.told() == set()


@pytest.mark.parametrize("check", sorted(CHECK_FAULTS))
def test_the_check_fires_on_its_fault_alone_and_clears(
    check: str, installation: Installation
) -> None:
    fault = CHECK_FAULTS[check][0]
    installation.wait_until_quiet()
    installation.receiver.clear()
    spec = fault.spec
    options = {**spec.options, **DENSER.get(spec.name, {})}
    installation.cluster.faults.enable(spec.name, node=spec.node, card=spec.card, **options)
    try:
        told = _wait_for(installation, check, fault, "firing")
        expected = fault.pods_of(installation.cluster.world())
    finally:
        installation.cluster.faults.disable(spec.name, node=spec.node, card=spec.card)

    _wait_for(installation, check, fault, "resolved")
    installation.wait_until_quiet()
    assert installation.told() - {*fault.companions} == {check}
    assert [pod for pod in expected if pod not in told.annotations["pods"]] == []
    assert told.annotations["runbook_url"] == f"docs/runbooks/{check.lower()}.md"


def _wait_for(
    installation: Installation, check: str, fault: CheckFault, status: str
) -> Notification:
    def look() -> Notification | None:
        return next(
            (
                told
                for told in installation.receiver.notifications()
                if (told.check, told.labels.get("signal")) == (check, fault.signal)
                and told.status == status
            ),
            None,
        )

    return poll(
        look,
        deadline_seconds=DEADLINE_SECONDS,
        waiting_for=f"{check} {fault.signal} to be {status}; alerts: {installation.alerts()}",
    )
