"""S16: scheduler and plugin, nodes, replicas, and a release that is known to be broken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.versions import skew
from gpuatlas.model.checks import CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.layer import LayerController, LayerObjects
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.pages import MonitorPage
from gpuatlas_harness.checked_books import a_book, a_layer, a_scheduler_pod, with_image
from gpuatlas_harness.checked_layers import (
    COMPONENT,
    a_checked_cluster,
    a_daemon_set,
    a_plugin_pod,
    a_scheduler_deployment,
    a_shared_node,
    signals,
    the_finding,
)
from gpuatlas_harness.observed import NOW, a_container, a_device, a_node

HAMI = "docker.io/projecthami/hami"
SCHEDULER_IMAGES = {"kube-scheduler": "registry.example/ks:v1.34.2"}


def a_plugin(image: str, node: str = "gpu-a", **changes: object) -> Pod:
    containers = tuple(
        with_image(a_container(name, limits={}), image)
        for name in ("device-plugin", "vgpu-monitor")
    )
    return a_plugin_pod(node, containers=containers, **changes)


def nodes(*names: str) -> list[Node]:
    return [a_shared_node(name, a_device(n)) for n, name in enumerate(names, start=1)]


def controllers(scheduler: str, plugin: str, /, **labels: str) -> tuple[LayerController, ...]:
    """Scheduler and plugin with these images and version labels."""
    return (
        a_daemon_set(images={"device-plugin": plugin}, version=labels.get("plugin", "")),
        a_scheduler_deployment(
            images=SCHEDULER_IMAGES | {"vgpu-scheduler-extender": scheduler},
            version=labels.get("scheduler", ""),
        ),
    )


def a_page(version: str, node: str = "gpu-a") -> MonitorPage:
    return MonitorPage(target=node, node=node, at=NOW, hosts={}, containers={}, version=version)


def judge(
    *pods: Pod,
    names: tuple[str, ...] = ("gpu-a",),
    layer: LayerObjects | None = None,
    **changes: object,
) -> CheckResult:
    return skew(a_checked_cluster(nodes(*names), pods, layer=layer or a_layer(), **changes))


def test_a_healthy_installation() -> None:
    result = judge(a_plugin(f"{HAMI}:v2.10.0"), a_scheduler_pod())
    assert result == CheckResult(check="S16", state=InputState.OK)


def test_scheduler_and_plugin_of_different_releases() -> None:
    layer = a_layer(controllers=controllers(f"{HAMI}:v2.9.0", f"{HAMI}:v2.8.3"))
    assert the_finding(judge(layer=layer)) == Finding(
        check="S16",
        signal="components",
        object="DaemonSet/kube-system/hami-device-plugin",
        namespace="kube-system",
        source="images of DaemonSet/kube-system/hami-device-plugin and "
        "Deployment/kube-system/hami-scheduler",
        record=f"{HAMI}:v2.8.3; {HAMI}:v2.9.0",
    )


@pytest.mark.parametrize(
    ("scheduler", "plugin"),
    [
        pytest.param(f"{HAMI}:v2.9.0", f"{HAMI}:v2.9.0-dirty", id="what a build adds"),
        pytest.param(f"{HAMI}:v2.9.0", "mirror.example/hami:v2.9.0@sha256:0f", id="a mirror"),
        pytest.param(f"{HAMI}:v2.9.0", f"{HAMI}:2.9.0", id="without the v"),
    ],
)
def test_the_same_release(scheduler: str, plugin: str) -> None:
    result = judge(layer=a_layer(controllers=controllers(scheduler, plugin)))
    assert (result.findings, result.state) == ((), InputState.OK)


def test_the_tag_is_believed_before_the_charts_label() -> None:
    old = controllers(f"{HAMI}:v2.9.0", f"{HAMI}:v2.9.0", scheduler="2.10.0", plugin="2.8.3")
    assert judge(layer=a_layer(controllers=old)).findings == ()


def test_latest_proves_nothing_and_the_label_stands_in() -> None:
    moving = controllers(f"{HAMI}:latest", f"{HAMI}:latest", scheduler="2.9.0", plugin="2.8.3")
    found = the_finding(judge(layer=a_layer(controllers=moving)))
    assert found.record == f"{HAMI}:latest (2.8.3); {HAMI}:latest (2.9.0)"


def test_what_a_program_says_of_itself_is_believed_before_the_label() -> None:
    moving = controllers(f"{HAMI}:latest", f"{HAMI}:latest", scheduler="2.9.0", plugin="2.8.3")
    result = judge(
        layer=a_layer(controllers=moving),
        monitors=(a_page("v2.10.0"),),
        schedulers=(a_book(target="kube-system/hami-scheduler-7d9f", version="v2.10.0"),),
    )
    assert (result.findings, result.missing) == ((), ())


def test_a_release_that_nothing_tells_is_missing() -> None:
    result = judge(layer=a_layer(controllers=controllers(f"{HAMI}:latest", f"{HAMI}:v2.9.0")))
    assert result.missing == (
        MissingInput(
            check="S16",
            input="version",
            reason=f"Deployment/kube-system/hami-scheduler runs {HAMI}:latest: use a tag that "
            "names a release, or set the label app.kubernetes.io/version",
        ),
    )
    assert (result.state, result.findings, result.nodes) == (InputState.MISSING, (), ())


def test_one_of_two_schedulers_may_be_the_plugins() -> None:
    daemon_set, deployment = controllers(f"{HAMI}:v2.9.0", f"{HAMI}:v2.9.0")
    other = replace(deployment, name="canary", images={"x": f"{HAMI}:v2.10.0"})
    assert judge(layer=a_layer(controllers=(daemon_set, other, deployment))).findings == ()


def test_other_namespaces_are_other_installations() -> None:
    daemon_set, deployment = controllers(f"{HAMI}:v2.9.0", f"{HAMI}:v2.8.3")
    moved = replace(deployment, namespace="hami-b")
    assert judge(layer=a_layer(controllers=(daemon_set, moved))).findings == ()


def test_ascends_plugin_counts_its_releases_in_another_way() -> None:
    ascend = a_daemon_set(
        name="ascend",
        component="hami-ascend-device-plugin",
        images={"device-plugin": "projecthami/ascend-device-plugin:v1.4.0"},
    )
    own = controllers(f"{HAMI}:v2.9.0", f"{HAMI}:v2.9.0")
    assert judge(layer=a_layer(controllers=(*own, ascend))).findings == ()


THREE = ("gpu-a", "gpu-b", "gpu-c")


def test_nodes_of_one_daemon_set_that_run_different_releases() -> None:
    images = {"gpu-a": "v2.10.0", "gpu-b": "v2.9.0", "gpu-c": "v2.10.0"}
    pods = [a_plugin(f"{HAMI}:{tag}", node) for node, tag in images.items()]
    assert the_finding(judge(*pods, names=THREE)) == Finding(
        check="S16",
        signal="nodes",
        object="DaemonSet/kube-system/hami-device-plugin",
        namespace="kube-system",
        pod="hami-device-plugin-gpu-b",
        source="image of pod kube-system/hami-device-plugin-gpu-b on node gpu-b",
        record=f"{HAMI}:v2.9.0; 2 of 3 run release 2.10.0",
    )


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(a_plugin("mirror.example/hami:v2.10.0", "gpu-b"), id="another registry"),
        pytest.param(a_plugin(f"{HAMI}:v2.10.0@sha256:0f", "gpu-b"), id="a digest"),
        pytest.param(a_plugin(f"{HAMI}:latest", "gpu-b"), id="a moving tag"),
        pytest.param(a_plugin(f"{HAMI}:v2.9.0", "gpu-b", deleting=True), id="on its way out"),
        pytest.param(a_plugin(f"{HAMI}:v2.9.0", "gpu-b", phase="Failed"), id="ended"),
        pytest.param(a_plugin(f"{HAMI}:v2.9.0", "gpu-b", controller=None), id="of no DaemonSet"),
        pytest.param(
            a_plugin(
                "projecthami/ascend-device-plugin:v1.4.0",
                "gpu-b",
                labels={COMPONENT: "hami-ascend-device-plugin"},
            ),
            id="another plugin",
        ),
    ],
)
def test_nodes_that_run_the_same(other: Pod) -> None:
    assert judge(a_plugin(f"{HAMI}:v2.10.0"), other, names=THREE[:2]).findings == ()


def test_the_same_moving_tag_can_be_two_releases() -> None:
    pods = [a_plugin(f"{HAMI}:latest", node) for node in THREE]
    pages = (a_page("v2.10.0"), a_page("v2.9.0", "gpu-b"), a_page("v2.10.0", "gpu-c"))
    found = the_finding(judge(*pods, names=THREE, monitors=pages))
    assert (found.signal, found.pod) == ("nodes", "hami-device-plugin-gpu-b")
    assert found.record == f"{HAMI}:latest (release 2.9.0); 2 of 3 run release 2.10.0"


def test_two_digests_of_a_moving_tag_are_two_images() -> None:
    pods = [
        a_plugin(f"{HAMI}:latest@sha256:{digest}", node)
        for node, digest in zip(THREE, "aab", strict=True)
    ]
    found = the_finding(judge(*pods, names=THREE))
    assert found.record == f"{HAMI}:latest@sha256:b; 2 of 3 run image {HAMI}:latest@sha256:a"


def test_replicas_of_the_scheduler_that_run_different_releases() -> None:
    replicas = [
        a_scheduler_pod("hami-scheduler-5f-a"),
        a_scheduler_pod("hami-scheduler-6c-b", image=f"{HAMI}:v2.9.0"),
        a_scheduler_pod("hami-scheduler-5f-c"),
    ]
    found = the_finding(judge(*replicas, a_plugin(f"{HAMI}:v2.10.0")))
    assert (found.signal, found.pod) == ("replicas", "hami-scheduler-6c-b")
    assert found.record == f"{HAMI}:v2.9.0; 2 of 3 run release 2.10.0"
    imitation = a_scheduler_pod("x", image=f"{HAMI}:v1.0.0", namespace="team-a")
    assert judge(replicas[0], imitation, a_plugin(f"{HAMI}:v2.10.0")).findings == ()


def test_a_broken_release_is_one_finding_for_all_its_nodes() -> None:
    broken = controllers(f"{HAMI}:v2.8.1", f"{HAMI}:v2.8.1")
    pods = [a_plugin(f"{HAMI}:v2.8.1", node) for node in THREE]
    assert the_finding(judge(*pods, names=THREE, layer=a_layer(controllers=broken))) == Finding(
        check="S16",
        signal="broken",
        object="DaemonSet/kube-system/hami-device-plugin",
        namespace="kube-system",
        source="image of DaemonSet/kube-system/hami-device-plugin",
        record=f"{HAMI}:v2.8.1: HAMi 2.8.1, its library's shared region is misread by every "
        "monitor",
        count=3,
    )


def test_a_broken_release_shows_in_the_daemon_set_or_in_pods_alone() -> None:
    broken = controllers(f"{HAMI}:v2.8.1", f"{HAMI}:v2.8.1")
    assert signals(judge(layer=a_layer(controllers=broken))) == ["broken"]
    left = judge(a_plugin(f"{HAMI}:v2.8.1"))
    assert signals(left) == ["broken"]
    assert signals(judge(a_plugin(f"{HAMI}:v2.8.2"))) == []


def test_controllers_that_cannot_be_read_are_missing() -> None:
    layer = a_layer(controllers=(), unread={"daemonsets.apps": "403", "deployments.apps": "403"})
    result = judge(a_plugin(f"{HAMI}:v2.10.0"), layer=layer)
    assert [lack.input for lack in result.missing] == ["daemonsets.apps", "deployments.apps"]
    assert result.state is InputState.MISSING


def test_it_does_not_apply_without_a_layer() -> None:
    result = skew(a_checked_cluster([a_node()], layer=a_layer()))
    assert result == CheckResult(check="S16", state=InputState.NOT_APPLICABLE)
