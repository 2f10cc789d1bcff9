"""What the reader asks, in which order, and what it makes of whole answers."""

from __future__ import annotations

import pytest

from gpuatlas.model.layer import LayerObjects
from gpuatlas.sources.layer.asks import ASKS
from gpuatlas.sources.layer.parse import parse_layer
from gpuatlas.sources.layer.reader import LayerReader
from gpuatlas.sources.layer.settings import LayerSettings
from gpuatlas_harness.layer_lists import FakeLists
from gpuatlas_harness.layer_reads import CONFIG_MAPS, NOW, QUIET, read
from gpuatlas_harness.layered import (
    NAMESPACE,
    RELEASE,
    SERVICE,
    config_map,
    device_plugin,
    installation,
    lease,
    scheduler,
    webhook,
)


def test_an_installation_is_read_whole() -> None:
    lists = FakeLists(installation())
    objects, statuses = LayerReader(lists, QUIET).read(NOW)
    expected = parse_layer(installation())
    assert objects.read_at == NOW
    assert objects.controllers == expected.controllers
    assert objects.webhooks == expected.webhooks
    assert objects.endpoints == expected.endpoints
    assert objects.leases == expected.leases
    assert objects.configs == expected.configs
    assert objects.unread == {
        "certificate": "the certificates that webhooks serve were not looked at: add "
        "--probe-webhook where the endpoints of their Services can be reached"
    }
    up = {status.source: status.up for status in statuses}
    assert up == {ask.source: True for ask in ASKS} | {"webhook-certificate": None}
    assert {s.last_success_at for s in statuses if s.up} == {NOW}


def test_lists_are_narrowed_and_the_rest_is_read_by_name() -> None:
    lists = FakeLists(installation())
    read(lists)
    components = (
        "app.kubernetes.io/component in (hami-ascend-device-plugin,hami-device-plugin,"
        "hami-scheduler,kai-vgpu-monitor,volcano-device-plugin,volcano-vgpu-device-plugin)"
    )
    names = "app.kubernetes.io/name in (volcano-device-plugin,volcano-vgpu-device-plugin)"
    core = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
    assert lists.asked == [
        ("/apis/apps/v1/daemonsets", components),
        ("/apis/apps/v1/daemonsets", names),
        ("/apis/apps/v1/deployments", components),
        ("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", ""),
        ("/api/v1/services", "app.kubernetes.io/component=hami-scheduler"),
        ("/apis/discovery.k8s.io/v1/endpointslices", f"kubernetes.io/service-name in ({SERVICE})"),
        (f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/hami-lock", ""),
        (f"{core}/{RELEASE}-device-plugin", ""),
        (f"{core}/{SERVICE}-device", ""),
    ]


def test_a_cluster_without_a_layer_is_asked_for_controllers_alone() -> None:
    other = webhook()
    other["webhooks"][0]["name"] = "somebody.example.com"
    lists = FakeLists([other, config_map("x", {}), lease("x")])
    objects, statuses = LayerReader(lists, LayerSettings()).read(NOW)
    assert objects == LayerObjects(read_at=NOW)
    assert [path for path, _ in lists.asked] == [
        "/apis/apps/v1/daemonsets",
        "/apis/apps/v1/daemonsets",
        "/apis/apps/v1/deployments",
    ]
    assert {status.up for status in statuses} == {None}


def test_long_lists_come_in_pages() -> None:
    plugins = [device_plugin() for _ in range(5)]
    for number, raw in enumerate(plugins):
        raw["metadata"]["name"] = f"plugin-{number}"
    lists = FakeLists(plugins)
    lists.page = 2
    assert [c.name for c in read(lists).controllers] == [f"plugin-{n}" for n in range(5)]


@pytest.mark.parametrize("there", [True, False], ids=["read", "gone"])
def test_what_tenants_controllers_name_costs_the_layer_nothing(there: bool) -> None:  # noqa: FBT001
    """Their namespace comes first by name, and they name more than is ever read."""
    named = [f"x-{number}" for number in range(64)]
    imitation = device_plugin()
    imitation["metadata"]["namespace"] = "a-team"
    volumes = [{"configMap": {"name": name}} for name in named]
    imitation["spec"]["template"]["spec"]["volumes"] = volumes
    theirs = [config_map(name, {"config.json": "{}"}) for name in named]
    for raw in theirs:
        raw["metadata"]["namespace"] = "a-team"
    lists = FakeLists([imitation, *(theirs if there else ()), *installation()])
    objects = read(lists)
    own = {config.name for config in objects.configs if config.namespace == NAMESPACE}
    assert own == {config.name for config in parse_layer(installation()).configs}
    assert CONFIG_MAPS not in objects.unread


def test_a_service_without_any_slice_has_no_endpoints() -> None:
    lists = FakeLists([raw for raw in installation() if raw["kind"] != "EndpointSlice"])
    assert [(e.port, e.ready, e.total) for e in read(lists).endpoints] == [
        (443, 0, 0),
        (31993, 0, 0),
    ]


def test_controllers_that_name_a_thousand_things_have_a_few_read() -> None:
    flood = []
    for number in range(100):
        raw = scheduler()
        raw["metadata"]["name"] = f"s{number}"
        raw["metadata"]["namespace"] = f"team-{number}"
        flood.append(raw)
    lists = FakeLists(flood)
    assert len(read(lists).controllers) == 64
    assert sum("/leases/" in path for path, _ in lists.asked) == 32
    assert sum("/configmaps/" in path for path, _ in lists.asked) == 32
