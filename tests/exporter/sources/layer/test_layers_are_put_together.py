"""All objects of a layer, in any order, among those of others; each bad one costs itself."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.layer.bounds import MAX_CONTROLLERS, MAX_SERVICES
from gpuatlas.sources.layer.parse import config_places, parse_layer, read_controllers, service_names
from gpuatlas_harness.layered import (
    NAMESPACE,
    RELEASE,
    SERVICE,
    config_map,
    device_config,
    device_plugin,
    installation,
    lease,
    scheduler,
    service,
    webhook,
)

Object = dict[str, Any]


def test_an_installation_is_read_whole() -> None:
    found = parse_layer(installation())
    assert [c.object for c in found.controllers] == [
        f"DaemonSet/{NAMESPACE}/{RELEASE}-device-plugin",
        f"Deployment/{NAMESPACE}/{SERVICE}",
    ]
    assert [w.webhook for w in found.webhooks] == ["vgpu.hami.io"]
    assert [(e.service, e.port, e.ready, e.total) for e in found.endpoints] == [
        (SERVICE, 443, 1, 2),
        (SERVICE, 31993, 1, 2),
    ]
    assert [(one.namespace, one.name) for one in found.leases] == [(NAMESPACE, "hami-lock")]
    assert [(c.name, c.key) for c in found.configs] == [
        (f"{RELEASE}-device-plugin", "config.json"),
        (f"{SERVICE}-device", "device-config.yaml"),
    ]
    assert (found.read_at, found.probes, found.licences, found.unread) == (None, (), (), {})
    assert found.rejections == ()


@pytest.mark.parametrize("seed", range(5))
def test_the_order_does_not_matter(seed: int) -> None:
    shuffled = installation()
    random.Random(seed).shuffle(shuffled)  # noqa: S311
    assert parse_layer(shuffled) == parse_layer(installation())


def test_what_no_controller_names_is_nobodys() -> None:
    others = [
        lease("somebodys-lock"),
        config_map("somebodys", {"device-config.yaml": "nvidia: {deviceSplitCount: 1}"}),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "tls"}},
        {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "x"}},
        {},
    ]
    assert parse_layer([*others, *installation()]) == parse_layer(installation())
    assert parse_layer(others) == LayerObjects()


def test_of_an_object_that_comes_twice_the_first_one_counts() -> None:
    changed = device_config("nvidia: {deviceSplitCount: 99}")
    assert parse_layer([*installation(), changed]) == parse_layer(installation())


def test_a_webhook_is_found_by_its_scheduler_even_if_no_service_may_be_read() -> None:
    renamed = webhook()
    renamed["webhooks"][0]["name"] = "renamed.example.com"
    assert len(parse_layer([renamed, scheduler()]).webhooks) == 1
    assert len(parse_layer([renamed, service()]).webhooks) == 1
    assert parse_layer([renamed]).webhooks == ()


def test_without_slices_nothing_is_said_of_endpoints_unless_all_were_read() -> None:
    objects = [raw for raw in installation() if raw["kind"] != "EndpointSlice"]
    assert parse_layer(objects).endpoints == ()
    ends = parse_layer(objects, every_slice=True).endpoints
    assert [(e.port, e.ready, e.total) for e in ends] == [(443, 0, 0), (31993, 0, 0)]


def test_each_bad_object_costs_itself_only() -> None:
    objects = installation()
    by_kind = {raw["kind"]: raw for raw in objects}
    by_kind["DaemonSet"]["status"]["numberReady"] = -1
    by_kind["Lease"]["spec"]["renewTime"] = "noon"
    by_kind["MutatingWebhookConfiguration"]["webhooks"][0]["clientConfig"]["service"]["port"] = 0
    found = parse_layer(objects)
    kinds = "kubernetes-daemonsets.apps", "kubernetes-leases.coordination.k8s.io"
    assert found.rejections == (
        Rejection(
            kinds[0],
            "bad-number",
            f"DaemonSet {NAMESPACE}/{RELEASE}-device-plugin",
            "status.numberReady is no whole number from 0 to 2147483647",
        ),
        Rejection(
            "kubernetes-mutatingwebhookconfigurations.admissionregistration.k8s.io",
            "bad-number",
            f"MutatingWebhookConfiguration {RELEASE}-webhook",
            "clientConfig.service.port is no port from 1 to 65535",
        ),
        Rejection(
            kinds[1],
            "bad-time",
            f"Lease {NAMESPACE}/hami-lock",
            '"noon" is not an RFC 3339 time',
        ),
    )
    assert [c.kind for c in found.controllers] == ["Deployment"]
    assert (found.webhooks, found.leases) == ((), ())
    # The scheduler mounts only one of the two.
    assert [c.key for c in found.configs] == ["device-config.yaml"]
    assert len(found.endpoints) == 2


def labelled(raw: Object, namespace: str, name: str) -> Object:
    """The same object, as somebody makes it elsewhere."""
    return {**raw, "metadata": {**raw["metadata"], "namespace": namespace, "name": name}}


TENANTS = [labelled(scheduler(), "a-team", f"mine-{number:03}") for number in range(100)]


def test_tenants_who_label_their_own_take_nobodys_place() -> None:
    plugins = [labelled(device_plugin(), f"z-layer-{n}", "volcano-plugin") for n in range(3)]
    found = parse_layer([*TENANTS, *plugins, *installation()])

    objects = [c.object for c in found.controllers]
    assert len(objects) == MAX_CONTROLLERS == 64
    assert {c.object for c in parse_layer(installation()).controllers} <= set(objects)
    assert {f"DaemonSet/z-layer-{n}/volcano-plugin" for n in range(3)} <= set(objects)
    mine = [f"Deployment/a-team/mine-{number:03}" for number in range(59)]
    assert [name for name in objects if "mine" in name] == mine
    assert found.webhooks == parse_layer(installation()).webhooks


def test_what_is_left_out_is_told_one_by_one() -> None:
    found = parse_layer([*TENANTS, *installation()])
    left_out = [
        Rejection(
            "kubernetes-deployments.apps",
            "too-many",
            f"Deployment a-team/mine-{number:03}",
            "more than 64 have the label of a sharing layer: take it off the others",
        )
        for number in range(62, 100)
    ]
    assert list(found.rejections) == left_out


def test_without_a_webhook_each_namespace_has_its_turn() -> None:
    own = [raw for raw in installation() if raw["kind"] in {"DaemonSet", "Deployment"}]
    found = parse_layer([*TENANTS, *own])
    assert len(found.controllers) == MAX_CONTROLLERS
    assert [c.object for c in found.controllers if c.namespace == NAMESPACE] == [
        f"DaemonSet/{NAMESPACE}/{RELEASE}-device-plugin",
        f"Deployment/{NAMESPACE}/{SERVICE}",
    ]


def test_services_of_tenants_do_not_make_the_question_endless() -> None:
    services = [labelled(service(), "a-team", f"mine-{number:03}") for number in range(100)]
    objects = [*services, *installation()]

    assert len(service_names(objects)) == MAX_SERVICES + 1 == 33
    assert SERVICE in service_names(objects)
    found = parse_layer(objects, every_slice=True)
    assert {(e.namespace, e.service) for e in found.endpoints} == {
        (NAMESPACE, SERVICE),
        *(("a-team", f"mine-{number:03}") for number in range(32)),
    }
    assert [(r.source, r.reason, r.where) for r in found.rejections] == [
        ("kubernetes-services", "too-many", f"Service a-team/mine-{number:03}")
        for number in range(32, 100)
    ]


def test_what_to_ask_for_by_name_follows_from_the_controllers() -> None:
    records = read_controllers(installation())
    assert config_places(records) == {
        (NAMESPACE, f"{RELEASE}-device-plugin"): "hami-device-plugin",
        (NAMESPACE, f"{SERVICE}-device"): "hami-device-plugin",
    }
    assert service_names([webhook()]) == {SERVICE}
    assert service_names([service()]) == {SERVICE}
    assert service_names([webhook(url="https://a.example.com")]) == frozenset()
