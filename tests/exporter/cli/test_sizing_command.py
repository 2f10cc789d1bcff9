"""`gpuatlas sizing`: a Prometheus with days of recordings, an API server, patches on disk."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from gpuatlas_harness.recorded import RecordedPrometheus, recorded_prometheus
from gpuatlas_harness.recorded_cluster import (
    GIB,
    add_container,
    add_days,
    add_node,
    workload_of,
)

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import FakeApi, Run

MIB = 1024 * 1024
DEPLOYMENT = "/apis/apps/v1/namespaces/team-a/deployments/chat"
RAY = "/apis/ray.io/v1/namespaces/team-b/rayclusters/train"


AWAY = json.dumps(
    {
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
)


@pytest.fixture
def prometheus() -> Iterator[RecordedPrometheus]:
    """Two weeks of a container that could be smaller, one that fits, and one seen for 3 days."""
    with recorded_prometheus(1_787_307_072.0) as server:
        add_node(server)
        chat = add_container(server)
        server.add("gpuatlas_workload_cards_requested", 1, **chat, resource="nvidia.com/gpu")
        add_days(server, chat, [5 * GIB] * 14, p95=0.4)
        search = add_container(server, "search", pods=("search-0",))
        add_days(server, search, [11 * GIB] * 14, p95=0.4)
        young = add_container(server, "young", namespace="team-b", pods=("young-0",))
        add_days(server, young, [5 * GIB] * 3, p95=0.4)
        yield server


def add_ray(prometheus: RecordedPrometheus) -> None:
    ray = add_container(
        prometheus, "train", namespace="team-b", kind="RayCluster", pods=("train-0",)
    )
    request = {**workload_of(ray), "resource": "nvidia.com/gpu"}
    prometheus.add("gpuatlas_workload_cards_requested", 1, **request)
    add_days(prometheus, ray, [5 * GIB] * 14, p95=0.4)


def test_the_screen(prometheus: RecordedPrometheus, run: Run) -> None:
    result = run("sizing", "--prometheus-url", prometheus.url)
    assert (result.exit_code, result.stderr) == (0, "")
    said = " ".join(result.stdout.split())
    assert "Deployment/chat · main memory 12,288 5,120 5,632 6,656 smaller" in said
    assert "Deployment/young · main memory 12,288 5,120 – – cannot size: window too short" in said
    assert "Deployment/search" not in said
    assert "3 containers 1 could be smaller 1 fits 1 cannot be sized" in said
    assert "could be given back: 6,656 MiB of memory" in said
    assert "what fits is not listed: --all lists it" in said

    everything = run("sizing", "--prometheus-url", prometheus.url, "--all")
    assert "Deployment/search · main" in everything.stdout


def test_the_document(prometheus: RecordedPrometheus, run: Run) -> None:
    result = run("sizing", "--prometheus-url", prometheus.url, "-o", "json", "--node", "gpu-*")
    document = json.loads(result.stdout)
    assert (document["kind"], document["at"]) == ("Sizing", "2026-08-21T10:11:12Z")
    assert document["basis"] == {
        "kind": "prometheus",
        "address": prometheus.url,
        "window_days": 14,
    }
    chat = document["containers"][0]
    assert (chat["namespace"], chat["name"], chat["container"]) == ("team-a", "chat", "main")
    assert (chat["sharing"], chat["nodes"], chat["containers"]) == ("hami", ["gpu-a"], 1)
    assert (chat["verdict"], chat["resources"][0]["verdict"]) == ("smaller", "smaller")
    memory = chat["resources"][0]
    assert (memory["present"], memory["peak"]) == (12 * GIB, 5 * GIB)
    assert (memory["proposed"], memory["saving"]) == (5632 * MIB, 6656 * MIB)
    assert document["summary"]["given_back"] == {
        "memory_bytes": 6656 * MIB,
        "compute_cards": 0,
        "cards": 0,
    }
    assert document["summary"]["verdicts"] == {"cannot": 1, "fits": 1, "smaller": 1}
    assert document["summary"]["cannot"] == {"short-window": 1}


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("--namespace", "team-b"), ["young"]),
        (("--workload", "Deployment/c*"), ["chat"]),
        (("--workload", "team-a/Deployment/chat", "--workload", "young"), ["chat", "young"]),
        (("--node", "gpu-a", "-n", "team-a"), ["chat", "search"]),
    ],
)
def test_only_what_is_asked_for(
    arguments: tuple[str, ...], names: list[str], prometheus: RecordedPrometheus, run: Run
) -> None:
    result = run("sizing", "--prometheus-url", prometheus.url, *arguments, "-o", "json")
    assert [each["name"] for each in json.loads(result.stdout)["containers"]] == names


def test_a_node_that_is_not_there(prometheus: RecordedPrometheus, run: Run) -> None:
    result = run("sizing", "--prometheus-url", prometheus.url, "--node", "b*")
    assert result.exit_code == 3
    assert "no node with cards is called 'b*'; nodes with cards: gpu-a" in result.stderr


def test_exit_codes(prometheus: RecordedPrometheus, run: Run) -> None:
    asked = ("sizing", "--prometheus-url", prometheus.url)
    assert run(*asked).exit_code == 0
    assert run(*asked, "--exit-code").exit_code == 1
    assert run(*asked, "--exit-code", "--workload", "search").exit_code == 0


def test_a_prometheus_that_cannot_be_reached(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        result = run("sizing", "--prometheus-url", f"http://127.0.0.1:{taken.getsockname()[1]}")
    assert result.exit_code == 3
    assert result.stderr.startswith("Error: no answer from http://127.0.0.1:")
    assert result.stdout == ""


def test_a_prometheus_without_recordings_says_what_is_missing(run: Run) -> None:
    with recorded_prometheus(1_787_307_072.0) as empty:
        result = run("sizing", "--prometheus-url", empty.url)
    assert result.exit_code == 0
    assert result.stdout.startswith("No container was promised a part of a card in the window")
    assert result.stderr.startswith("warning: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--prometheus-url is required: what a workload needs is its peak over days"),
        (("--prometheus-url", "prom:9090"), "must begin with http:// or https://"),
        (("--prometheus-url", "http://p", "--window", "soon"), "'soon' is no duration"),
        (("--prometheus-url", "http://p", "--window", "36h"), "must be whole days"),
        (("--prometheus-url", "http://p", "--window", "0d"), "must be whole days"),
        (("--prometheus-url", "http://p", "--window", "367d"), "from 1d to 366d"),
        (("--prometheus-url", "http://p", "--patch", "-", "-o", "json"), "both be on standard"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], said: str, run: Run) -> None:
    result = run("sizing", *arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert result.stdout == ""


def deployment(**resources: Any) -> dict[str, Any]:
    limits = {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 12288, **resources}
    container = {"name": "main", "resources": {"limits": limits}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat", "namespace": "team-a"},
        "spec": {"template": {"spec": {"containers": [container]}}},
    }


def test_patches_in_a_folder(
    prometheus: RecordedPrometheus, run: Run, api: FakeApi, tmp_path: Path
) -> None:
    add_ray(prometheus)
    template = deployment()["spec"]["template"]
    api.answers[DEPLOYMENT] = (200, deployment())
    api.answers[RAY] = (200, {"spec": {"workerGroupSpecs": [{"template": template}]}})
    folder = tmp_path / "patches"
    kubeconfig = api.kubeconfig(tmp_path)
    asked = ("sizing", "--prometheus-url", prometheus.url, "--kubeconfig", kubeconfig)

    result = run(*asked, "--patch", folder)
    assert (result.exit_code, result.stderr) == (0, f"{folder}: 2 patches\n")
    assert "could be smaller" in result.stdout
    assert sorted(path.name for path in folder.iterdir()) == [
        "team-a_deployment_chat.yaml",
        "team-b_raycluster_train.yaml",
    ]
    strategic = yaml.safe_load((folder / "team-a_deployment_chat.yaml").read_text("utf-8"))
    assert strategic["spec"]["template"]["spec"]["containers"] == [
        {"name": "main", "resources": {"limits": {"nvidia.com/gpumem": 5632}}}
    ]
    operations = yaml.safe_load((folder / "team-b_raycluster_train.yaml").read_text("utf-8"))
    assert [each["op"] for each in operations] == ["test", "test", "replace"]
    assert run(*asked, "--patch", folder).exit_code == 0  # ours give way to new ones


def test_patches_without_a_kubeconfig(
    prometheus: RecordedPrometheus, run: Run, tmp_path: Path
) -> None:
    add_ray(prometheus)
    folder = tmp_path / "patches"
    result = run("sizing", "--prometheus-url", prometheus.url, "--patch", folder)
    assert (result.exit_code, result.stderr) == (
        0,
        f"{folder}: 1 patch, 1 with values for a person\n",
    )
    text = (folder / "team-b_raycluster_train.values.yaml").read_text("utf-8")
    assert "THIS IS NO PATCH" in text
    assert "no Kubernetes configuration: KUBECONFIG is not set" in " ".join(
        text.replace("#", "").split()
    )


def test_one_object_that_may_not_be_read_costs_no_other(
    prometheus: RecordedPrometheus, run: Run, api: FakeApi, tmp_path: Path
) -> None:
    add_ray(prometheus)
    api.forbid(DEPLOYMENT, "deployments", "apps")
    api.answers[RAY] = (200, {"spec": {"headGroupSpec": deployment()["spec"]}})
    result = run(
        *("sizing", "--prometheus-url", prometheus.url, "--patch", "-"),
        *("--kubeconfig", api.kubeconfig(tmp_path)),
    )
    assert (result.exit_code, result.stderr) == (0, "")
    first, second = list(yaml.safe_load_all(result.stdout))
    assert first["kind"] == "Deployment"
    assert second[-1]["value"] == 5632
    assert "the object itself could not be looked at" in result.stdout
    assert "could be smaller" not in result.stdout


def test_a_server_that_is_away_is_asked_once(
    prometheus: RecordedPrometheus, run: Run, tmp_path: Path
) -> None:
    add_ray(prometheus)
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(AWAY, encoding="utf-8")
    asked = ("sizing", "--prometheus-url", prometheus.url, "--kubeconfig", kubeconfig)
    result = run(*asked, "--patch", tmp_path / "patches")
    assert result.exit_code == 0
    assert result.stderr.endswith("1 patch, 1 with values for a person\n")
    texts = [path.read_text("utf-8") for path in (tmp_path / "patches").iterdir()]
    assert all("http://127.0.0.1:1: no connection" in text for text in texts)


def test_what_cannot_be_written_is_a_warning(
    prometheus: RecordedPrometheus, run: Run, api: FakeApi, tmp_path: Path
) -> None:
    api.answers[DEPLOYMENT] = (200, deployment(**{"nvidia.com/gpumem": 8192}))
    result = run(
        *("sizing", "--prometheus-url", prometheus.url, "--patch", "-"),
        *("--kubeconfig", api.kubeconfig(tmp_path)),
    )
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith(
        "warning: no patch for Deployment team-a/chat: nvidia.com/gpumem is 8192 and its pods are "
        "promised 12,288 MiB"
    )


def test_a_file_of_somebody_else_is_kept(
    prometheus: RecordedPrometheus, run: Run, tmp_path: Path
) -> None:
    mine = tmp_path / "team-a_deployment_chat.yaml"
    mine.write_text("mine\n", encoding="utf-8")
    result = run("sizing", "--prometheus-url", prometheus.url, "--patch", tmp_path)
    assert result.exit_code == 3
    assert "is there already and is none of our patches" in result.stderr
    assert mine.read_text("utf-8") == "mine\n"


def test_several_clusters_and_one_kubeconfig(run: Run) -> None:
    with recorded_prometheus(1_787_307_072.0) as server:
        for cluster in ("east", "west"):
            add_node(server, cluster=cluster)
            add_days(server, add_container(server, cluster=cluster), [5 * GIB] * 14)
        result = run("sizing", "--prometheus-url", server.url, "--patch", "-")
        assert result.exit_code == 2
        assert "the Prometheus has several (east, west): name one with --cluster" in result.stderr
        one = run("sizing", "--prometheus-url", server.url, "--cluster", "east", "-o", "json")
    assert [each["cluster"] for each in json.loads(one.stdout)["containers"]] == ["east"]
