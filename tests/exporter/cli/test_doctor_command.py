"""`gpuatlas doctor` as a person runs it: a simulated cluster, none, a Prometheus, none."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest

from gpuatlas.demo.server import SimulatedCluster
from gpuatlas_harness.serving import serving

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import FakeApi, Run

START = 1_787_307_072.0


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A simulated cluster that stands still, without faults. It answers no reviews."""
    with SimulatedCluster(seed=3, start=START, speed=0, faults=()) as cluster:
        yield cluster.kubeconfig(tmp_path_factory.mktemp("demo") / "kubeconfig")


def document(run: Run, *arguments: str | Path, code: int) -> dict[str, Any]:
    result = run("doctor", *arguments, "-o", "json")
    assert (result.exit_code, result.stderr) == (code, "")
    loaded: dict[str, Any] = json.loads(result.stdout)
    return loaded


def states(shown: dict[str, Any], area: str) -> list[str]:
    return [result["state"] for result in shown["results"] if result["area"] == area]


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_what_a_simulated_cluster_has(run: Run, kubeconfig: Path) -> None:
    shown = document(run, "--kubeconfig", kubeconfig, code=0)
    assert shown["kind"] == "Doctor"
    assert states(shown, "Sources") == ["ok"] * 5
    texts = [result["text"] for result in shown["results"]]
    assert "56 cards on 12 nodes" in texts
    assert "11 of 11 dcgm pages read" in texts
    # What nobody said is not ok.
    assert states(shown, "Rights") == ["unknown"]
    assert states(shown, "Prometheus") == ["unknown"]


def test_no_configuration_at_all(run: Run) -> None:
    result = run("doctor")
    assert (result.exit_code, result.stderr) == (3, "")
    assert "✖ failed    1. no Kubernetes configuration: KUBECONFIG is not set" in result.stdout


def test_an_api_server_that_is_away(run: Run, tmp_path: Path, nowhere: str) -> None:
    path = tmp_path / "kubeconfig"
    cluster = {"name": "c", "cluster": {"server": nowhere}}
    context = {"name": "x", "context": {"cluster": "c", "user": "u"}}
    users = [{"name": "u", "user": {"token": "t"}}]
    path.write_text(
        json.dumps(
            {"clusters": [cluster], "users": users, "contexts": [context], "current-context": "x"}
        )
    )
    shown = document(run, "--kubeconfig", path, code=3)
    assert states(shown, "API server") == ["failed"]
    assert "no connection" in shown["results"][0]["text"]


def test_an_api_server_that_refuses_nodes(run: Run, api: FakeApi, tmp_path: Path) -> None:
    api.answers["/version"] = (200, {"gitVersion": "v1.34.0"})
    api.forbid("/api/v1/nodes", "nodes")
    shown = document(run, "--kubeconfig", api.kubeconfig(tmp_path), code=3)
    (sources,) = [result for result in shown["results"] if result["area"] == "Sources"]
    assert sources["state"] == "failed"
    assert sources["remedy"].startswith("kubectl auth can-i list nodes")
    assert states(shown, "DCGM fields") == ["unknown"]
    assert sources["text"].startswith("nodes and pods were not read: ")
    assert 'Grant the verb "list" on "nodes"' in sources["text"]


def test_a_prometheus_that_is_away(run: Run, kubeconfig: Path, nowhere: str) -> None:
    shown = document(run, "--kubeconfig", kubeconfig, "--prometheus-url", nowhere, code=3)
    assert states(shown, "Prometheus") == ["failed"]
    for area in ("Scrape", "Rules", "History", "Exporter"):
        assert states(shown, area) == ["unknown"]


def other_clusters(path: str, content: str) -> tuple[int, bytes]:
    """A Prometheus that scrapes dev and prod alone, and has the API of queries alone."""
    query = parse_qs(content)["query"][0]
    kind = "matrix" if query.endswith("s]") or path.endswith("_range") else "vector"
    metrics = [{"cluster": "prod"}, {"cluster": "dev"}] if "group by (cluster)" in query else []
    result = [{"metric": metric, "value": [START, "1"]} for metric in metrics]
    return 200, json.dumps({"data": {"resultType": kind, "result": result}}).encode()


def test_a_matcher_that_matches_nothing(run: Run, kubeconfig: Path) -> None:
    with serving(other_clusters, method="POST") as address:
        options = ("--prometheus-url", f"http://{address}", "--prometheus-matcher", "cluster=prd")
        shown = document(run, "--kubeconfig", kubeconfig, *options, code=1)
    assert [
        (result["area"], result["text"], result["act"], result["remedy"])
        for result in shown["results"]
        if result["state"] == "todo"
    ] == [
        (
            "Prometheus",
            "no up, gpuatlas or DCGM series has cluster=prd (--prometheus-matcher); there are "
            "cluster=dev, cluster=prod",
            "set",
            "--prometheus-matcher to a value that is there (in the chart: prometheus.matchers)",
        )
    ]


def test_a_capture_is_no_installation(run: Run, captures: Path) -> None:
    result = run("doctor", "--from", captures / "hami-a10g")
    assert result.exit_code == 2
    assert "a capture folder has no installation to examine" in result.stderr


def test_help_offers_no_folder_and_says_what_a_prometheus_is_for(run: Run) -> None:
    shown = " ".join(run("doctor", "--help").stdout.split())
    assert "--from" not in shown.split()
    assert "With --prometheus-url that Prometheus is examined as well" in shown


def test_in_a_pod_the_account_of_the_pod_is_used(run: Run) -> None:
    env = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "1"}
    result = run("doctor", columns=200, **env)
    assert result.exit_code == 3
    assert "the service account in /var/run/secrets/kubernetes.io/serviceaccount" in result.stdout
    assert "set: automountServiceAccountToken: true" in result.stdout
