"""What the checks publish about each node of a layer, without a judgement."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.nodes import node_layers
from gpuatlas.model.checks import NodeLayer
from gpuatlas.model.devices import Handshake
from gpuatlas.model.layer import LayerController
from gpuatlas.model.objects import Node, Pod
from gpuatlas_harness.checked_tenants import (
    CARD,
    a_context,
    a_hami_node,
    a_page,
    a_plugin,
    a_tenant,
    a_volcano_node,
    layer_objects,
)
from gpuatlas_harness.observed import (
    NOW,
    a_container,
    a_dcgm_page,
    a_device,
    a_node,
    a_pod,
    a_reading,
    a_registration,
)

REGISTER = "hami.io/node-nvidia-register"


def facts(node: Node, *pods: Pod, **changes: object) -> NodeLayer:
    found = node_layers(a_context([node], pods, **changes))
    assert len(found) == 1
    return found[0]


def a_daemon_set(**selector: str) -> LayerController:
    return LayerController(
        kind="DaemonSet",
        namespace="kube-system",
        name="hami-device-plugin",
        component="hami-device-plugin",
        version="2.10.0",
        node_selector=selector,
        images={},
        desired=1,
        ready=1,
        updated=1,
        settled=True,
    )


def test_a_healthy_node() -> None:
    plugin = a_plugin(
        containers=(
            replace(a_container("vgpu-monitor", limits={}), image="hami:v9"),
            replace(
                a_container("device-plugin", limits={}),
                image="registry.example:5000/hami/hami:v2.10.0@sha256:0123",
            ),
        )
    )
    found = facts(
        a_hami_node(cards=2),
        plugin,
        a_tenant(),
        monitors=(a_page(hosts={CARD: (1, 0.0)}),),
        dcgm=(a_dcgm_page(a_reading(1), a_reading(2)),),
        layer=layer_objects(a_daemon_set(gpu="on")),
    )
    assert found == NodeLayer(
        node="gpu-a",
        layers=("hami",),
        monitor_up=True,
        plugin_ready=True,
        registered_cards=2,
        driver_cards=2,
        plugin_version="v2.10.0",
    )


def test_plain_nodes_belong_to_no_layer() -> None:
    assert node_layers(a_context([a_node()], [a_pod()])) == ()


def test_nodes_come_by_name() -> None:
    context = a_context([a_hami_node("gpu-b", first=2), a_volcano_node(), a_hami_node()])
    assert [(f.node, f.layers) for f in node_layers(context)] == [
        ("gpu-a", ("hami",)),
        ("gpu-b", ("hami",)),
        ("gpu-v", ("volcano",)),
    ]


def test_a_monitor_that_gives_no_page() -> None:
    silent = {("hami-monitor", "gpu-a"): "HTTP 500"}
    assert facts(a_hami_node(), a_plugin(), silent=silent).monitor_up is False


def test_a_monitor_that_nobody_can_read_is_not_down() -> None:
    silent = {("hami-monitor", ""): "connection refused"}
    assert facts(a_hami_node(), a_plugin(), silent=silent).monitor_up is None


def test_a_plugin_that_is_not_ready() -> None:
    assert facts(a_hami_node(), a_plugin(ready=False)).plugin_ready is False


def test_a_plugin_that_is_gone() -> None:
    assert facts(a_hami_node(), a_tenant()).plugin_ready is False


def test_without_pods_nobody_knows_of_the_plugin() -> None:
    found = facts(
        a_hami_node(labels={}),
        silent={("kubernetes-pods", ""): "HTTP 403"},
        layer=layer_objects(a_daemon_set(gpu="on")),
    )
    assert (found.plugin_ready, found.missing_labels) == (None, ())


def test_a_label_that_the_plugin_s_daemon_set_selects_by() -> None:
    found = facts(a_hami_node(labels={}), a_tenant(), layer=layer_objects(a_daemon_set(gpu="on")))
    assert found.missing_labels == ("gpu=on",)


def test_a_node_without_its_registration_has_none() -> None:
    node = replace(a_hami_node(), registrations=())
    assert facts(node, a_plugin()).registered_cards == 0


def test_a_registration_that_cannot_be_read_is_not_none() -> None:
    node = replace(a_hami_node(), registrations=(), annotations={REGISTER: "[{"})
    assert facts(node, a_plugin()).registered_cards is None


def test_ways_of_sharing_that_register_nothing() -> None:
    node = a_node(labels={"nvidia.com/gpu.sharing-strategy": "time-slicing"})
    found = facts(node)
    assert (found.layers, found.registered_cards) == (("time-slicing",), None)


def test_a_card_of_two_layers_is_one_card() -> None:
    both = a_hami_node()
    second = a_registration(
        a_device(1), layer="volcano", family="volcano", source="volcano.sh/node-vgpu-register"
    )
    node = replace(both, registrations=(*both.registrations, second))
    found = facts(node)
    assert (found.layers, found.registered_cards) == (("hami", "volcano"), 1)


def test_cards_of_a_page_without_a_node_are_where_the_join_has_them() -> None:
    page = a_dcgm_page(a_reading(1, host="exporter-x"), node="")
    assert facts(a_hami_node(), dcgm=(page,)).driver_cards == 1


def test_no_page_is_not_no_card() -> None:
    assert facts(a_hami_node()).driver_cards is None


@pytest.mark.parametrize(
    ("handshake", "at"),
    [
        (Handshake(state="reported", at=NOW - 10, zoned=True), NOW - 10),
        (Handshake(state="reported", at=NOW - 10), None),
        (Handshake(state="requesting", at=NOW - 10, zoned=True), None),
        (Handshake(state="reported", at=None, zoned=True), None),
        (None, None),
    ],
)
def test_only_a_report_with_a_zone_is_a_heartbeat(
    handshake: Handshake | None, at: float | None
) -> None:
    node = a_node("gpu-a", a_registration(a_device(1), handshake=handshake))
    assert facts(node).heartbeat_at == at


def test_the_oldest_lock_and_who_holds_it() -> None:
    node = replace(
        a_hami_node(),
        annotations={
            "hami.io/mutex.lock": "2026-08-21T10:11:12Z,team-a,infer-0",
            "volcano.sh/mutex.lock": "2026-08-21T10:11:13Z",
        },
    )
    found = facts(node)
    assert (found.lock_at, found.lock_owner) == (1_787_307_072.0, "team-a/infer-0")


def test_a_lock_without_a_readable_time_has_no_age() -> None:
    node = replace(a_hami_node(), annotations={"hami.io/mutex.lock": "yes,team-a,infer-0"})
    found = facts(node)
    assert (found.lock_at, found.lock_owner) == (None, "")


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("hami", ""),
        ("hami:v2.9.0", "v2.9.0"),
        ("registry.example:5000/hami", ""),
        ("registry.example:5000/a/hami:v2.9.0", "v2.9.0"),
        ("hami@sha256:0123", ""),
        ("", ""),
    ],
)
def test_the_version_is_the_image_s_tag(image: str, version: str) -> None:
    plugin = a_plugin(containers=(replace(a_container("device-plugin", limits={}), image=image),))
    assert facts(a_hami_node(), plugin).plugin_version == version


def test_nvidia_s_own_plugin_is_no_layer_s_version() -> None:
    node = a_node(labels={"nvidia.com/gpu.sharing-strategy": "mps"})
    plugin = a_pod(
        "nvidia-device-plugin",
        "gpu-a",
        labels={"app": "nvidia-device-plugin-daemonset"},
        containers=(replace(a_container(limits={}), image="plugin:v0.17"),),
    )
    assert facts(node, plugin).plugin_version == ""
