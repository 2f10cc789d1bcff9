"""The page of the past against the page of a running exporter, at the same instant."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from gpuatlas.cli.demonstration.past_cluster import PastCluster
from gpuatlas.cli.demonstration.past_exporter import PastExporter
from gpuatlas.cli.demonstration.scrape_targets import EXPORTER, endpoint_targets
from gpuatlas.cli.demonstration.stretch import (
    Episode,
    StretchOrder,
    licences,
    write_stretch,
)
from gpuatlas.demo.scenario import FaultSpec
from gpuatlas.demo.scenario_file import load_scenario
from gpuatlas.demo.server import SimulatedCluster
from gpuatlas.demo.world import build_world
from gpuatlas.runtime.backfill.series import series_labels
from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.live import LiveObserver
from gpuatlas.runtime.settings import ServerSettings, Settings
from gpuatlas.runtime.web.address import ListenAddress
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.layer.settings import LayerSettings
from gpuatlas_harness.http import loopback_session
from gpuatlas_harness.polling import poll
from gpuatlas_harness.simulated import EVENING

# What a running process knows and a past does not.
OF_A_PROCESS: Final = (
    "#",
    "process_",
    "python_",
    "gpuatlas_refresh",
    "gpuatlas_source_read_duration_seconds",
    # Of the objects by the machine's clock, of the pages by the simulated one.
    "gpuatlas_source_last_success_timestamp_seconds",
)
# On loopback the webhook has another port each time, and a connection is cut in one of two ways.
WEBHOOK: Final = re.compile(r"127\.0\.0\.1:[0-9]+|10\.[0-9.]+:443")
CUT: Final = re.compile(r"no TLS handshake: (unexpected eof[^?]*\?|Connection reset by peer)")
FAULTS: Final = (
    (),
    (
        FaultSpec(name="webhook-unreachable", node="a10g-1"),
        FaultSpec(name="authority-wrong", node="a10g-2"),
        FaultSpec(name="endpoint-gone", node="a100-1", options={"endpoint": "dcgm"}),
        FaultSpec(name="licence-ends"),
        FaultSpec(name="certificate-ends", node="a10g-1"),
    ),
)


def comparable(page: str, addresses: Sequence[tuple[str, str]]) -> list[str]:
    """The sample lines that are of the cluster, with the addresses of the past in them."""
    for live, past in addresses:
        page = page.replace(live, past)
    page = CUT.sub("cut", WEBHOOK.sub("the webhook", page))
    return sorted(line for line in page.splitlines() if not line.startswith(OF_A_PROCESS))


def past_page(faults: Sequence[FaultSpec]) -> str:
    scenario = load_scenario()
    with closing(PastCluster(licences(scenario))) as cluster:
        exporter = PastExporter(cluster, began=EVENING)
        world = build_world(scenario, seed=1, at=EVENING, faults=faults)
        cluster.show(world)
        return exporter.page(world).decode()


@pytest.mark.parametrize("faults", FAULTS)
def test_both_say_the_same_of_every_series(faults: Sequence[FaultSpec], tmp_path: Path) -> None:
    with SimulatedCluster(start=EVENING, speed=0, faults=faults) as cluster:
        settings = Settings(
            kubernetes=KubernetesSettings(kubeconfig=cluster.kubeconfig(tmp_path / "kubeconfig")),
            layer=LayerSettings(licences=licences(cluster.scenario)),
            server=ServerSettings(listen=ListenAddress("127.0.0.1", 0)),
        )
        observer = LiveObserver(settings, clock=cluster.now)
        with (
            Exporter(settings, observer, clock=cluster.now) as exporter,
            loopback_session() as session,
        ):
            poll(
                lambda: session.get(f"{exporter.url}/readyz", timeout=10).ok or None,
                deadline_seconds=60,
                waiting_for="the exporter's first page",
            )
            live = session.get(f"{exporter.url}/metrics", timeout=30).text
        targets = endpoint_targets(cluster.world())
        addresses = [
            (url.removeprefix("http://").removesuffix("/metrics"), targets[key].instance)
            for key, url in cluster.exporter_urls.items()
        ]
    past = past_page(faults)

    shown = comparable(past, ())
    assert shown == comparable(live, addresses)
    assert len(shown) > 1500


def test_a_stretch_has_what_prometheus_would_have_scraped() -> None:
    scenario = load_scenario()
    hot = FaultSpec(name="xid", node="a100-2", card=1, options={"code": 48}, since=EVENING - 600)
    gone = FaultSpec(
        name="endpoint-http-500", node="a10g-2", options={"endpoint": "dcgm"}, since=EVENING
    )
    order = StretchOrder(
        scenario=scenario,
        seed=1,
        instants=(EVENING - 120, EVENING, EVENING + 120),
        episodes=(Episode(fault=hot), Episode(fault=gone, until=EVENING + 60)),
        began=EVENING - 120,
    )

    block = write_stretch(order).block

    columns = {tuple(sorted(series_labels(key).items())): c for key, c in block.columns.items()}
    up = {
        dict(key)["instance"]: list(c)
        for key, c in columns.items()
        if dict(key)["__name__"] == "up"
    }
    world = build_world(scenario, seed=1, at=EVENING)
    a10g_2 = endpoint_targets(world)["dcgm", "a10g-2"]
    assert len(up) == len(endpoint_targets(world)) + 1
    assert up.pop(a10g_2.instance) == [1, 0, 1]
    assert set(map(tuple, up.values())) == {(1.0, 1.0, 1.0)}
    temperatures = [
        [math.isnan(value) for value in column]
        for key, column in columns.items()
        if dict(key)["__name__"] == "DCGM_FI_DEV_GPU_TEMP"
        and dict(key)["instance"] == a10g_2.instance
    ]
    assert temperatures == [[False, True, False]] * 4
    build = [
        (dict(key), list(column))
        for key, column in columns.items()
        if dict(key)["__name__"] == "gpuatlas_build_info"
    ]
    ((labels, values),) = build
    assert (labels["job"], labels["instance"], labels["cluster"]) == (
        EXPORTER.job,
        EXPORTER.instance,
        "demo",
    )
    assert values == [1, 1, 1]
    assert block.instants == order.instants


def test_an_episode_has_a_beginning_and_an_end() -> None:
    episode = Episode(fault=FaultSpec(name="licence-missing", since=100.0), until=200.0)

    assert [episode.is_on(at) for at in (99, 100, 199, 200)] == [False, True, True, False]
    assert Episode(fault=FaultSpec(name="licence-missing")).is_on(0)


def test_a_sparse_stretch_stands_still_between_its_looks() -> None:
    names = frozenset({"gpuatlas_build_info", "vllm:kv_cache_usage_perc", "DCGM_FI_DEV_FB_USED"})
    instants = tuple(EVENING + 240 * number for number in range(12))
    order = StretchOrder(
        scenario=load_scenario(),
        seed=1,
        instants=instants,
        episodes=(),
        began=EVENING,
        every=5,
        names=names,
    )

    block = write_stretch(order).block

    columns = [(series_labels(key), list(column)) for key, column in block.columns.items()]
    assert block.instants == tuple(instants[number] for number in (0, 3, 4, 5, 8, 9, 10))
    assert {labels["__name__"] for labels, _ in columns} == names | {"up"}
    for _, column in columns:
        for looked_at, *standing in ((0, 1, 2), (3, 4, 5)):
            assert all(repr(column[looked_at]) == repr(column[index]) for index in standing)
    (cache,) = [
        column
        for labels, column in columns
        if labels["__name__"] == "vllm:kv_cache_usage_perc" and labels["pod"].startswith("chat-7b-")
    ]
    assert len(set(cache)) == 3


def test_servers_and_machines_are_named_as_a_prometheus_operator_names_them() -> None:
    world = build_world(load_scenario(), seed=1, at=EVENING)

    targets = endpoint_targets(world)

    (pod,) = [pod for pod in world.pods if pod.workload.name == "chat-7b"]
    server = targets["service", "assistants/chat-7b/0"]
    assert server.labels == {
        "cluster": "demo",
        "job": "monitoring/inference-servers",
        "instance": server.instance,
        "namespace": "assistants",
        "pod": pod.name,
        "container": "vllm",
    }
    assert server.instance.endswith(":8000")
    assert server.leaves_out("vllm:time_to_first_token_seconds_bucket")
    assert not server.leaves_out("vllm:time_to_first_token_seconds_sum")
    machine = targets["node-exporter", "a10g-1"]
    assert (machine.job, machine.instance) == ("node-exporter", "10.20.0.11:9100")
    assert machine.labels["namespace"] == "monitoring"
