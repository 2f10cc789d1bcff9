from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.model.objects import Container, Node, Pod
from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER, Target
from gpuatlas.sources.kubernetes.discovery import find_targets
from gpuatlas.sources.scrape.transport import proxy_path


def a_container(name: str, *ports: tuple[str, int], kind: str = "main") -> Container:
    return Container(name=name, kind=kind, image="", limits={}, env={}, ports=ports)


def a_pod(
    name: str,
    labels: dict[str, str],
    *containers: Container,
    node: str = "gpu-a",
    namespace: str = "gpu-operator",
    ip: str = "192.0.2.1",
    created_at: float = 100.0,
) -> Pod:
    return Pod(
        uid=f"{namespace}/{name}",
        namespace=namespace,
        name=name,
        node=node,
        phase="Running",
        reason="",
        scheduler="default-scheduler",
        created_at=created_at,
        deleting=False,
        ready=True,
        ip=ip,
        host_network=False,
        waiting_reason="",
        labels=labels,
        annotations={},
        controller=None,
        containers=containers,
    )


def a_node(name: str, **annotations: str) -> Node:
    return Node(
        uid=name,
        name=name,
        labels={},
        annotations={key.replace("_", "-"): value for key, value in annotations.items()},
        capacity={},
        allocatable={},
        ready=True,
        unschedulable=False,
        kubelet_version="",
    )


COMPONENT = "app.kubernetes.io/component"
NAME = "app.kubernetes.io/name"
DCGM_POD = a_pod("dcgm", {"app": "nvidia-dcgm-exporter"}, a_container("e", ("metrics", 9400)))


@pytest.mark.parametrize(
    ("labels", "containers", "source", "port"),
    [
        pytest.param(
            {"app": "nvidia-dcgm-exporter"},
            [a_container("nvidia-dcgm-exporter", ("metrics", 9400))],
            DCGM,
            9400,
            id="GPU Operator",
        ),
        pytest.param(
            {NAME: "dcgm-exporter", COMPONENT: "dcgm-exporter"},
            [a_container("exporter", ("metrics", 9401))],
            DCGM,
            9401,
            id="the exporter's chart with another port",
        ),
        pytest.param(
            {NAME: "gke-managed-dcgm-exporter"},
            [a_container("dcgm-exporter", ("metrics", 9400))],
            DCGM,
            9400,
            id="GKE",
        ),
        pytest.param(
            {"app": "dcgm-exporter"},
            [a_container("exporter", ("health", 8080), ("gpu-metrics", 9500))],
            DCGM,
            9500,
            id="port name of the Operator's service",
        ),
        pytest.param(
            {"app": "dcgm-exporter"}, [a_container("exporter")], DCGM, 9400, id="no port declared"
        ),
        pytest.param(
            {COMPONENT: "hami-device-plugin"},
            [a_container("device-plugin", ("metrics", 1)), a_container("vgpu-monitor")],
            HAMI_MONITOR,
            9394,
            id="HAMi up to 2.9",
        ),
        pytest.param(
            {COMPONENT: "hami-device-plugin"},
            [a_container("device-plugin"), a_container("vgpu-monitor", ("metrics", 9494))],
            HAMI_MONITOR,
            9494,
            id="HAMi 2.10",
        ),
        pytest.param(
            {"name": "volcano-device-plugin"},
            [a_container("volcano-device-plugin"), a_container("monitor")],
            HAMI_MONITOR,
            9394,
            id="Volcano",
        ),
        pytest.param(
            {COMPONENT: "kai-vgpu-monitor"},
            [a_container("monitor", ("metrics", 9394))],
            HAMI_MONITOR,
            9394,
            id="KAI's isolation monitor",
        ),
    ],
)
def test_programs_of_a_node(
    labels: dict[str, str], containers: list[Container], source: str, port: int
) -> None:
    assert find_targets([a_pod("p", labels, *containers)]) == (
        Target(
            source=source,
            namespace="gpu-operator",
            pod="p",
            node="gpu-a",
            host="192.0.2.1",
            port=port,
        ),
    )


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(replace(DCGM_POD, phase="Pending"), id="pending"),
        pytest.param(replace(DCGM_POD, phase="Failed"), id="failed"),
        pytest.param(replace(DCGM_POD, ip=""), id="without address"),
        pytest.param(replace(DCGM_POD, deleting=True), id="going away"),
        pytest.param(replace(DCGM_POD, node=""), id="on no node"),
        pytest.param(replace(DCGM_POD, labels={"app": "web"}), id="something else"),
        pytest.param(replace(DCGM_POD, labels={}), id="without labels"),
        pytest.param(
            a_pod("p", {COMPONENT: "hami-device-plugin"}, a_container("device-plugin")),
            id="HAMi without its monitor",
        ),
        pytest.param(
            a_pod("p", {"name": "volcano-device-plugin"}, a_container("volcano-device-plugin")),
            id="Volcano without its monitor",
        ),
        pytest.param(
            a_pod(
                "p",
                {COMPONENT: "hami-device-plugin"},
                a_container("vgpu-monitor", ("metrics", 1), kind="init"),
            ),
            id="an init container of that name",
        ),
        pytest.param(
            a_pod("p", {COMPONENT: "hami-mock-device-plugin"}, a_container("vgpu-monitor")),
            id="HAMi's mock",
        ),
    ],
)
def test_pods_that_serve_no_page(pod: Pod) -> None:
    assert find_targets([pod]) == ()


def test_ascend_serves_pages_only_where_soft_splitting_is_on() -> None:
    labels = {COMPONENT: "hami-ascend-device-plugin"}
    port = a_container("device-plugin", ("monitorport", 9395))
    pods = [a_pod(n, labels, port, node=n) for n in ("npu-a", "npu-b", "npu-c")]
    nodes = {
        "npu-a": a_node("npu-a", hami_vnpu_core="true"),
        "npu-b": a_node("npu-b", hami_vnpu_core="false"),
    }
    assert [(t.source, t.node, t.port) for t in find_targets(pods, nodes)] == [
        (HAMI_MONITOR, "npu-a", 9395)
    ]


def test_all_schedulers_are_targets_of_no_node_the_leader_first() -> None:
    labels = {COMPONENT: "hami-scheduler"}
    containers = (
        a_container("kube-scheduler", ("metrics", 10259)),
        a_container("vgpu-scheduler-extender", ("https", 443), ("metrics", 9395)),
    )
    pods = [
        a_pod("s-1", labels | {"hami.io/scheduler-role": "follower"}, *containers),
        a_pod("s-2", labels, *containers),
        a_pod("s-3", labels | {"hami.io/scheduler-role": "leader"}, *containers, node="gpu-b"),
    ]
    found = find_targets(pods)
    assert [(t.pod, t.node, t.source, t.port) for t in found] == [
        ("s-3", "", HAMI_SCHEDULER, 9395),
        ("s-1", "", HAMI_SCHEDULER, 9395),
        ("s-2", "", HAMI_SCHEDULER, 9395),
    ]


def test_two_exporters_on_one_node_are_one_target_and_two_layers_are_two() -> None:
    pods = [
        DCGM_POD,
        replace(DCGM_POD, name="older", created_at=50.0, uid="o"),
        a_pod("v", {"name": "volcano-device-plugin"}, a_container("monitor"), namespace="volcano"),
        a_pod("h", {COMPONENT: "hami-device-plugin"}, a_container("vgpu-monitor")),
    ]
    assert [(t.source, t.pod) for t in find_targets(pods)] == [
        (DCGM, "older"),
        (HAMI_MONITOR, "h"),
        (HAMI_MONITOR, "v"),
    ]


def test_a_tenant_cannot_take_the_place_of_an_exporter_or_a_scheduler() -> None:
    labels = {COMPONENT: "hami-device-plugin"}
    monitors = [
        a_pod(f"m-{n}", labels, a_container("vgpu-monitor"), node=n, namespace="kube-system")
        for n in ("gpu-a", "gpu-b", "gpu-c")
    ]
    scheduler = a_pod("s", {COMPONENT: "hami-scheduler"}, a_container("vgpu-scheduler-extender"))
    real = replace(scheduler, namespace="kube-system")
    forged = [
        replace(scheduler, namespace="tenant", name="s-1", created_at=1.0),
        replace(scheduler, namespace="tenant", name="s-2", created_at=1.0),
        replace(monitors[0], namespace="tenant", name="m", created_at=1.0),
    ]
    found = find_targets([*forged, *monitors, real])
    assert {t.namespace for t in found} == {"kube-system"}
    assert len(found) == 4


def a_daemon(namespace: str, *nodes: str, **changes: object) -> list[Pod]:
    pods = (replace(DCGM_POD, name=f"x-{n}", namespace=namespace, node=n) for n in nodes)
    return [replace(pod, **changes) for pod in pods]  # type: ignore[arg-type]


def test_many_pods_on_one_node_are_no_daemon_set() -> None:
    real = a_daemon("gpu-operator", "a", "b", "c", created_at=100.0)
    crowd = [replace(real[0], namespace="tenant", name=f"m-{i}", created_at=1.0) for i in range(9)]
    found = find_targets([*crowd, *real])
    assert {t.namespace for t in found} == {"gpu-operator"}


def test_a_tenant_is_not_heard_on_nodes_without_a_program_of_their_own() -> None:
    """Its page could name the cards of other nodes, with more values than the real one."""
    real = a_daemon("gpu-operator", "a", "b", "c")
    found = find_targets([*real, *a_daemon("tenant", "cpu-1")])
    assert {t.node for t in found} == {"a", "b", "c"}
    crashed = [replace(real[0], phase="Failed"), *real[1:]]
    assert {t.node for t in find_targets([*crashed, *a_daemon("tenant", "a")])} == {"b", "c"}


def test_only_nodes_with_cards_make_an_installation() -> None:
    nodes = {name: a_node(name) for name in "ab"}
    found = find_targets(
        [*a_daemon("gpu-operator", "a", "b"), *a_daemon("tenant", "p", "q", "r")], nodes
    )
    assert {t.namespace for t in found} == {"gpu-operator"}


def test_two_installations_share_the_nodes() -> None:
    found = find_targets([*a_daemon("gke", "a", "b", "c"), *a_daemon("monitoring", "d", "e")])
    assert {t.node for t in found} == set("abcde")


def test_namespaces_can_be_named() -> None:
    pods = [DCGM_POD, replace(DCGM_POD, namespace="tenant", node="gpu-b")]
    assert [t.namespace for t in find_targets(pods, namespaces={"gpu-operator"})] == [
        "gpu-operator"
    ]


def test_the_order_does_not_depend_on_the_order_of_pods() -> None:
    pods = [replace(DCGM_POD, name=f"p{n}", node=f"n{n % 7}", uid=str(n)) for n in range(20)]
    expected = find_targets(pods)
    assert find_targets(reversed(pods)) == expected
    assert find_targets(pods[7:] + pods[:7]) == expected
    assert [t.node for t in expected] == sorted(f"n{n}" for n in range(7))


def test_the_way_through_the_api_server() -> None:
    target = Target(
        source=DCGM, namespace="gpu-operator", pod="dcgm-x", node="a", host="192.0.2.1", port=9400
    )
    path = "/api/v1/namespaces/gpu-operator/pods/dcgm-x:9400/proxy"
    assert proxy_path(target) == f"{path}/metrics"
    assert proxy_path(replace(target, path="/a b")) == f"{path}/a%20b"
