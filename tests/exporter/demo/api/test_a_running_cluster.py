from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import yaml
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.demo.clock import SimulatedClock
from gpuatlas.demo.scenario import FaultSpec, Scenario, ScenarioError
from gpuatlas.demo.server import SimulatedCluster

Document = dict[str, Any]


def pods(cluster: SimulatedCluster, session: requests.Session) -> list[Document]:
    items: list[Document] = session.get(cluster.api_url + "/api/v1/pods", timeout=30).json()[
        "items"
    ]
    return items


def exporter(cluster: SimulatedCluster, session: requests.Session, url: str) -> Document:
    """The pod whose address and port are those of a page."""
    port = urlsplit(url).port
    for pod in pods(cluster, session):
        for container in pod["spec"]["containers"]:
            if port in [entry["containerPort"] for entry in container.get("ports", [])]:
                return pod
    raise AssertionError(url)


def proxied(cluster: SimulatedCluster, session: requests.Session, url: str) -> requests.Response:
    metadata = exporter(cluster, session, url)["metadata"]
    pod = f"{metadata['name']}:{urlsplit(url).port}"
    path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{pod}"
    return session.get(f"{cluster.api_url}{path}/proxy/metrics", timeout=30)


def test_every_page_is_the_same_directly_and_through_the_api(
    cluster: SimulatedCluster, session: requests.Session
) -> None:
    kinds = Counter(kind for kind, _ in cluster.exporter_urls)
    assert kinds == {
        "dcgm": 11, "hami-monitor": 2, "hami-scheduler": 2, "node-exporter": 12, "service": 32,
    }  # fmt: skip
    for key, url in cluster.exporter_urls.items():
        direct, through = session.get(url, timeout=30), proxied(cluster, session, url)
        assert direct.status_code == through.status_code
        assert direct.text == through.text
        assert direct.headers["Content-Type"].startswith("text/plain")
        if key == ("dcgm", "a10g-2"):
            assert direct.status_code == 500
        else:
            assert direct.status_code == 200
            assert len(list(text_string_to_metric_families(direct.text))) > 5


def test_a_pods_address_is_the_one_that_answers(
    cluster: SimulatedCluster, session: requests.Session
) -> None:
    for url in cluster.exporter_urls.values():
        pod = exporter(cluster, session, url)
        assert pod["status"]["podIP"] == "127.0.0.1"
        assert pod["status"]["phase"] == "Running"


def test_a_page_is_read_by_the_name_of_its_port(
    cluster: SimulatedCluster, session: requests.Session
) -> None:
    pod = exporter(cluster, session, cluster.exporter_urls["dcgm", "a100-1"])["metadata"]
    base = f"{cluster.api_url}/api/v1/namespaces/gpu-operator/pods/{pod['name']}"
    assert session.get(f"{base}:metrics/proxy/metrics", timeout=30).status_code == 200
    assert session.get(f"{base}:metrics/proxy/other", timeout=30).status_code == 404
    refused = session.get(f"{base}:81/proxy/metrics", timeout=30)
    assert refused.status_code == 503
    assert refused.json()["reason"] == "ServiceUnavailable"


@pytest.mark.parametrize(("pod", "status"), [("scratch", 503), ("nobody", 404)])
def test_pods_without_a_page_have_none(
    cluster: SimulatedCluster, session: requests.Session, pod: str, status: int
) -> None:
    path = f"/api/v1/namespaces/lab/pods/{pod}:8080/proxy/metrics"
    answer = session.get(cluster.api_url + path, timeout=30)
    assert answer.status_code == status
    assert answer.json()["kind"] == "Status"


def test_two_clusters_of_one_seed_serve_the_same_bytes(
    scenario: Scenario, thursday: float, session: requests.Session
) -> None:
    texts = []
    for _ in range(2):
        with SimulatedCluster(scenario, seed=3, start=thursday, speed=0) as cluster:
            texts.append(
                [
                    session.get(url, timeout=30).text
                    for _, url in sorted(cluster.exporter_urls.items())
                ]
                + [
                    session.get(cluster.api_url + path, timeout=30).text
                    for path in ("/api/v1/nodes", "/apis/batch/v1/jobs")
                ]
            )
    assert texts[0] == texts[1]


def test_time_can_be_moved_forth_and_back(
    cluster: SimulatedCluster, session: requests.Session, thursday: float
) -> None:
    url = cluster.exporter_urls["dcgm", "a100-1"]
    first = session.get(url, timeout=30).text
    cluster.advance(3600)
    assert cluster.now() == thursday + 3600
    assert session.get(url, timeout=30).text != first
    cluster.at(thursday)
    assert session.get(url, timeout=30).text == first


def test_time_cannot_be_moved_before_the_scenario(
    cluster: SimulatedCluster, scenario: Scenario, thursday: float
) -> None:
    with pytest.raises(ScenarioError, match="before the scenario"):
        cluster.at(scenario.since - 1)
    assert cluster.now() == thursday


def test_a_cluster_cannot_start_before_its_scenario(scenario: Scenario) -> None:
    before = threading.active_count()
    with pytest.raises(ScenarioError, match="before the scenario"):
        SimulatedCluster(scenario, start=scenario.since - 1)
    assert threading.active_count() == before


def test_faults_are_switched_while_it_runs(
    cluster: SimulatedCluster, session: requests.Session
) -> None:
    url = cluster.exporter_urls["dcgm", "l40s-1"]
    healthy = session.get(url, timeout=30)
    cluster.faults.enable("endpoint-http-500", node="l40s-1")
    assert session.get(url, timeout=30).status_code == 500
    cluster.faults.disable("endpoint-http-500", node="l40s-1")
    assert session.get(url, timeout=30).text == healthy.text


def test_a_healthy_cluster_can_be_asked_for(
    scenario: Scenario, thursday: float, session: requests.Session
) -> None:
    with SimulatedCluster(scenario, start=thursday, speed=0, faults=()) as cluster:
        assert cluster.faults.active() == ()
        for url in cluster.exporter_urls.values():
            assert session.get(url, timeout=30).status_code == 200


def test_an_exporter_that_hangs_does_not_answer_until_the_end(
    cluster: SimulatedCluster, session: requests.Session
) -> None:
    cluster.faults.enable("endpoint-hangs", node="l40s-1")
    with pytest.raises(requests.ReadTimeout):
        session.get(cluster.exporter_urls["dcgm", "l40s-1"], timeout=0.2)
    # The others do.
    assert session.get(cluster.exporter_urls["dcgm", "a100-1"], timeout=30).status_code == 200


def test_an_exporter_that_is_gone_hangs_up(
    cluster: SimulatedCluster, session: requests.Session
) -> None:
    url = cluster.exporter_urls["dcgm", "l40s-1"]
    path = proxied(cluster, session, url).url
    cluster.faults.enable("endpoint-gone", node="l40s-1")
    with pytest.raises(requests.ConnectionError):
        session.get(url, timeout=30)
    assert session.get(path, timeout=30).status_code == 503


def test_a_kubeconfig_names_the_server_and_a_token(
    cluster: SimulatedCluster, tmp_path: Path
) -> None:
    path = cluster.kubeconfig(tmp_path / "config")
    config = yaml.safe_load(path.read_text("utf-8"))
    (context,) = config["contexts"]
    assert config["current-context"] == context["name"]
    assert config["clusters"][0]["cluster"]["server"] == cluster.api_url
    assert config["users"][0]["user"] == {"token": "simulated"}
    assert path.stat().st_mode & 0o077 == 0


def test_closing_ends_all_threads_and_can_be_repeated(scenario: Scenario, thursday: float) -> None:
    before = threading.active_count()
    cluster = SimulatedCluster(scenario, start=thursday, speed=0)
    url = cluster.api_url
    with requests.Session() as session:
        # The connection stays open: closing does not wait for it.
        assert session.get(url + "/version", timeout=30).status_code == 200
        cluster.close()
        cluster.close()
        assert threading.active_count() == before
        with pytest.raises(requests.ConnectionError):
            session.get(url + "/version", timeout=30)


def test_more_faults_can_be_given_at_the_start(scenario: Scenario, thursday: float) -> None:
    fault = FaultSpec(name="needs-reset", node="a100-1", card=0)
    with SimulatedCluster(scenario, start=thursday, speed=0, faults=(fault,)) as cluster:
        assert cluster.world().node("a100-1").cards[0].sensors.recovery_action == 4
        assert cluster.world().node("a100-1").cards[2].sensors.event_reasons == 0


def test_the_clock_runs_at_its_speed() -> None:
    real = [100.0]
    clock = SimulatedClock(1000.0, 60.0, monotonic=lambda: real[0])
    real[0] += 2
    assert clock.now() == 1120.0
    clock.speed = 0
    real[0] += 5
    assert (clock.now(), clock.speed) == (1120.0, 0)
    clock.set(50.0)
    clock.speed = 1
    real[0] += 5
    assert clock.now() == 55.0


def test_objects_follow_the_clock_by_themselves(
    scenario: Scenario, thursday: float, session: requests.Session
) -> None:
    """At this speed pods come and go within a second or two, and watches hear of it."""
    with (
        SimulatedCluster(scenario, start=thursday, speed=3600) as cluster,
        session.get(
            cluster.api_url + "/api/v1/pods",
            params={
                "watch": "true",
                "resourceVersion": str(cluster.store.snapshot("pods").revision),
            },
            stream=True,
            timeout=30,
        ) as answer,
    ):
        assert b'"type":"' in next(answer.iter_lines())
        assert cluster.speed == 3600
