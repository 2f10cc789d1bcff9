"""The harness itself, on the real servers."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import pytest
import requests
import yaml

from gpuatlas_harness.binaries import skip_or_fail
from gpuatlas_harness.fixtures import PrometheusFactory
from gpuatlas_harness.http import loopback_session
from gpuatlas_harness.kube import KubeError, KubeServer, Object
from gpuatlas_harness.processes import Readiness, ServerFailedError, ServerProcess, free_ports
from gpuatlas_harness.prometheus import promtool_check_metrics, scrape_config

GO_MOD = Path(__file__).with_name("go.mod")
READ_NODES = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "watch"]}]


def node(name: str, *, gpus: int = 8) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"nvidia.com/gpu.product": "NVIDIA-H200"}},
        "status": {
            "capacity": {"cpu": "16", "nvidia.com/gpu": str(gpus)},
            "allocatable": {"cpu": "15", "nvidia.com/gpu": str(gpus)},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(name: str, *, namespace: str, on: str, phase: str = "Running") -> Object:
    container = {
        "name": "train",
        "image": "train:1",
        "resources": {"limits": {"nvidia.com/gpu": "2"}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"nodeName": on, "containers": [container]},
        "status": {"phase": phase, "podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}]},
    }


def config_map(name: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default"},
        "data": {"key": "value"},
    }


def access(kubeconfig: Path, path: str, *, kube: KubeServer) -> requests.Response:
    """GET a path with the token or the client certificate of a kubeconfig."""
    config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    user = config["users"][0]["user"]
    headers = {"Authorization": f"Bearer {user['token']}"} if "token" in user else {}
    with loopback_session(ca=kube.ca, headers=headers) as session:
        if "client-key-data" in user:
            files = [kubeconfig.with_suffix(suffix) for suffix in (".crt", ".key")]
            for file, key in zip(
                files, ("client-certificate-data", "client-key-data"), strict=True
            ):
                file.write_bytes(base64.b64decode(user[key]))
            session.cert = (str(files[0]), str(files[1]))
        return session.get(config["clusters"][0]["cluster"]["server"] + path, timeout=10)


def required_version() -> str:
    lines = GO_MOD.read_text(encoding="utf-8").splitlines()
    return next(line.split()[1] for line in lines if line.strip().startswith("k8s.io/kubernetes v"))


def test_the_server_tells_the_version_it_was_built_from(kube: KubeServer) -> None:
    assert kube.version() == required_version()


def test_an_applied_node_and_its_pod_read_back_with_their_status(kube: KubeServer) -> None:
    applied = kube.apply([node("gpu-1"), pod("job-0", namespace="team-a", on="gpu-1")])

    assert [thing["kind"] for thing in applied] == ["Node", "Pod"]
    read_node = kube.get("Node", "gpu-1")
    assert read_node["status"]["capacity"] == {"cpu": "16", "nvidia.com/gpu": "8"}
    assert read_node["status"]["allocatable"]["nvidia.com/gpu"] == "8"
    read_pod = kube.get("Pod", "job-0", namespace="team-a")
    assert read_pod["spec"]["nodeName"] == "gpu-1"
    assert read_pod["status"]["phase"] == "Running"
    assert read_pod["status"]["podIP"] == "10.1.2.3"
    assert read_pod["spec"]["containers"][0]["resources"] == {
        "limits": {"nvidia.com/gpu": "2"},
        "requests": {"nvidia.com/gpu": "2"},
    }


def test_applying_again_changes_the_object_and_keeps_its_identity(kube: KubeServer) -> None:
    running = kube.apply([node("gpu-1"), pod("job-0", namespace="team-a", on="gpu-1")])[1]

    done = kube.apply([pod("job-0", namespace="team-a", on="gpu-1", phase="Succeeded")])[0]

    assert done["metadata"]["uid"] == running["metadata"]["uid"]
    assert done["status"]["phase"] == "Succeeded"


def test_a_job_can_be_applied_twice_with_its_status(kube: KubeServer) -> None:
    def job(active: int) -> Object:
        template = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "c:1"}]}
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "train", "namespace": "team-a"},
            "spec": {"template": {"spec": template}},
            "status": {"active": active},
        }

    kube.apply([job(1)])
    kube.apply([job(3)])

    read = kube.get("Job", "train", namespace="team-a", api_version="batch/v1")
    assert read["status"]["active"] == 3


def test_a_custom_resource_can_be_applied_right_after_its_definition(kube: KubeServer) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    definition: Object = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "queues.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"plural": "queues", "kind": "Queue"},
            "versions": [version],
        },
    }
    queue: Object = {
        "apiVersion": "example.com/v1",
        "kind": "Queue",
        "metadata": {"name": "q"},
        "spec": {"weight": 2},
        "status": {"pending": 5},
    }

    kube.apply([definition, queue])

    read = kube.get("Queue", "q", api_version="example.com/v1")
    assert (read["spec"], read["status"]) == ({"weight": 2}, {"pending": 5})


def test_an_unknown_field_is_refused(kube: KubeServer) -> None:
    wrong = node("gpu-1")
    wrong["spec"] = {"noSuchField": 1}

    with pytest.raises(KubeError, match="noSuchField"):
        kube.apply([wrong])


def test_a_deleted_pod_is_gone_at_once(kube: KubeServer) -> None:
    kube.apply([node("gpu-1"), pod("job-0", namespace="team-a", on="gpu-1")])

    kube.delete("Pod", "job-0", namespace="team-a")

    with pytest.raises(KubeError) as refused:
        kube.get("Pod", "job-0", namespace="team-a")
    assert refused.value.code == 404


def test_reset_deletes_what_was_applied(kube: KubeServer) -> None:
    kube.apply([node("gpu-1"), pod("job-0", namespace="team-a", on="gpu-1")])

    kube.reset()

    assert kube.list_objects("Node")["items"] == []
    assert kube.list_objects("Pod")["items"] == []


def test_a_watch_gives_later_events_and_a_bookmark(kube: KubeServer) -> None:
    before = kube.list_objects("Node")["metadata"]["resourceVersion"]
    kube.apply([node("gpu-1")])
    kube.delete("Node", "gpu-1")

    watch = kube.watch("Node", resource_version=before, timeout_seconds=5)
    # The node is created, then its status is set, then it is deleted.
    assert [next(watch)["type"] for _ in range(3)] == ["ADDED", "MODIFIED", "DELETED"]
    # Of another kind: the watch learns of it only by a bookmark.
    elsewhere = kube.apply([config_map("progress")])[0]["metadata"]["resourceVersion"]
    rest = list(watch)

    assert {event["type"] for event in rest} == {"BOOKMARK"}
    assert int(rest[-1]["object"]["metadata"]["resourceVersion"]) >= int(elsewhere)


def test_a_restart_keeps_address_and_data(kube: KubeServer) -> None:
    applied = kube.apply([node("gpu-1")])[0]
    url, pid = kube.url, kube.apiserver.pid

    kube.restart()

    assert kube.apiserver.pid != pid
    assert kube.url == url
    read = kube.get("Node", "gpu-1")
    assert read["metadata"]["uid"] == applied["metadata"]["uid"]
    assert read["status"]["capacity"]["nvidia.com/gpu"] == "8"


def test_while_the_server_is_stopped_nothing_answers(kube: KubeServer) -> None:
    kube.stop_apiserver()
    try:
        with pytest.raises(requests.ConnectionError):
            kube.version()
    finally:
        kube.start_apiserver()

    assert kube.version() == required_version()


def test_after_compaction_an_old_resource_version_is_gone(kube: KubeServer) -> None:
    old = kube.apply([node("gpu-1")])[0]["metadata"]["resourceVersion"]
    kube.apply([node("gpu-1", gpus=4)])

    kube.compact()

    events = list(kube.watch("Node", resource_version=old, timeout_seconds=4))
    assert [(event["type"], event["object"]["code"]) for event in events] == [("ERROR", 410)]
    assert events[0]["object"]["reason"] == "Expired"
    with pytest.raises(KubeError) as refused:
        kube.list_objects(
            "Node", parameters={"resourceVersion": old, "resourceVersionMatch": "Exact"}
        )
    assert refused.value.code == 410


def test_after_compaction_a_continued_list_is_gone(kube: KubeServer) -> None:
    kube.apply([node("gpu-1"), node("gpu-2")])
    first = kube.list_objects("Node", parameters={"limit": "1"})
    assert [item["metadata"]["name"] for item in first["items"]] == ["gpu-1"]
    kube.apply([node("gpu-2", gpus=4)])

    kube.compact()

    with pytest.raises(KubeError) as refused:
        kube.list_objects(
            "Node", parameters={"limit": "1", "continue": first["metadata"]["continue"]}
        )
    assert refused.value.code == 410


def test_a_service_account_reads_what_its_rules_allow(kube: KubeServer) -> None:
    kube.apply([node("gpu-1")])
    kubeconfig = kube.service_account_kubeconfig("nodes-only", READ_NODES)

    nodes = access(kubeconfig, "/api/v1/nodes", kube=kube)
    pods = access(kubeconfig, "/api/v1/pods", kube=kube)

    assert nodes.status_code == 200
    assert [item["metadata"]["name"] for item in nodes.json()["items"]] == ["gpu-1"]
    assert pods.status_code == 403
    assert pods.json()["reason"] == "Forbidden"


def test_the_admin_kubeconfig_reads_everything(kube: KubeServer) -> None:
    assert access(kube.kubeconfig, "/api/v1/pods", kube=kube).status_code == 200


def test_a_client_certificate_names_user_and_groups(kube: KubeServer) -> None:
    master = kube.client_certificate_kubeconfig("alice", ["system:masters"])
    nobody = kube.client_certificate_kubeconfig("bob", [])

    assert access(master, "/api/v1/pods", kube=kube).status_code == 200
    refused = access(nobody, "/api/v1/pods", kube=kube)
    assert refused.status_code == 403
    assert 'User "bob" cannot list resource "pods"' in refused.json()["message"]


def test_prometheus_scrapes_another(prometheus_server: PrometheusFactory) -> None:
    prometheus = prometheus_server([])
    watched = prometheus.url.removeprefix("http://")
    watcher = prometheus_server([scrape_config("prometheus", [watched])], interval_seconds=0.2)

    (up,) = watcher.wait_for("up == 1")

    assert up.value == 1.0
    assert up.labels == {"__name__": "up", "instance": watched, "job": "prometheus"}
    assert [sample.value for sample in watcher.query("scalar(vector(2)) * 3")] == [6.0]


def test_prometheus_evaluates_rule_files(
    prometheus_server: PrometheusFactory, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.yml"
    rule = {"record": "answer", "expr": "vector(42)"}
    rules.write_text(yaml.safe_dump({"groups": [{"name": "g", "rules": [rule]}]}), "utf-8")

    prometheus = prometheus_server([], interval_seconds=0.2, rule_files=[rules])

    assert [sample.value for sample in prometheus.wait_for("answer")] == [42.0]


def test_waiting_for_a_target_that_is_down_tells_why(prometheus_server: PrometheusFactory) -> None:
    (port,) = free_ports(1)
    target = f"127.0.0.1:{port}"
    prometheus = prometheus_server([scrape_config("gone", [target])], interval_seconds=0.2)
    prometheus.wait_for("up == 0")

    with pytest.raises(TimeoutError, match=f"http://{target}/metrics down .*connection refused"):
        prometheus.wait_for("up == 1", deadline_seconds=0.1)


@pytest.mark.usefixtures("prometheus_server")
@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ("# HELP a_total A.\n# TYPE a_total counter\na_total 1\n", ""),
        ("# HELP a A.\n# TYPE a counter\na 1\n", 'a counter metrics should have "_total" suffix'),
        ("a{ 1\n", "error while linting"),
    ],
    ids=["clean", "against-the-style", "unreadable"],
)
def test_promtool_tells_what_is_wrong_with_a_page(page: str, problem: str) -> None:
    said = promtool_check_metrics(page)

    assert said == "" if problem == "" else problem in said


@pytest.mark.parametrize("ci", [None, "", "false"])
def test_a_missing_program_skips_at_a_desk(monkeypatch: pytest.MonkeyPatch, ci: str | None) -> None:
    monkeypatch.delenv("CI", raising=False)
    if ci is not None:
        monkeypatch.setenv("CI", ci)

    with pytest.raises(pytest.skip.Exception, match="no etcd"):
        skip_or_fail("no etcd")


def test_a_missing_program_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")

    with pytest.raises(pytest.fail.Exception, match="no etcd"):
        skip_or_fail("no etcd")


def test_a_server_that_ends_early_shows_its_log(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no such flag')"]
    readiness = Readiness("http://127.0.0.1:1/", deadline_seconds=30)
    server = ServerProcess("broken", command, readiness=readiness, log_dir=tmp_path)

    with pytest.raises(ServerFailedError, match=r"broken ended with code 1\n.*\nno such flag"):
        server.start()

    assert not server.running


def test_a_server_that_never_answers_is_stopped(tmp_path: Path) -> None:
    command = [sys.executable, "-uc", "print('deaf'); import time; time.sleep(60)"]
    (port,) = free_ports(1)
    readiness = Readiness(f"http://127.0.0.1:{port}/", deadline_seconds=1)
    server = ServerProcess("deaf", command, readiness=readiness, log_dir=tmp_path)

    with pytest.raises(ServerFailedError, match=f"waited 1 s for deaf at .*{port}"):
        server.start()

    assert not server.running
