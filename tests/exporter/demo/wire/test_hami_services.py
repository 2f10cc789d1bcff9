from __future__ import annotations

import base64
import re

import pytest
from cryptography import x509

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.addresses import Address, default_addresses
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world
from gpuatlas_harness.wired import Document, Objects, named

SLICES = "endpointslices.discovery.k8s.io"
WEBHOOKS = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
LEASES = "leases.coordination.k8s.io"


@pytest.fixture(scope="module")
def objects(healthy_world: World) -> Objects:
    return dict(documents(healthy_world))


def slice_of(objects: Objects, service: str) -> Document:
    (found,) = [
        d
        for d in objects[SLICES]
        if d["metadata"]["labels"]["kubernetes.io/service-name"] == service
    ]
    return found


def struck(scenario: Scenario, world: World, name: str, node: str = "a10g-1") -> Objects:
    fault = FaultSpec(name=name, node=node, since=world.at - 600)
    return dict(documents(build_world(scenario, seed=world.seed, at=world.at, faults=(fault,))))


def test_services_have_the_charts_ports_and_selectors(objects: Objects) -> None:
    found = named(objects, "services", "hami-scheduler")
    assert (found["kind"], found["apiVersion"]) == ("Service", "v1")
    assert found["metadata"]["labels"]["app.kubernetes.io/component"] == "hami-scheduler"
    spec = found["spec"]
    assert spec["type"] == "NodePort"
    assert spec["ports"] == [
        {"name": "http", "protocol": "TCP", "port": 443, "targetPort": 443, "nodePort": 31998},
        {"name": "monitor", "protocol": "TCP", "port": 31993, "targetPort": 9395,
         "nodePort": 31993},
    ]  # fmt: skip
    assert spec["selector"]["hami.io/scheduler-role"] == "leader"
    older = named(objects, "services", "hami-legacy-scheduler")["spec"]
    assert older["selector"] == {
        "app.kubernetes.io/component": "hami-scheduler",
        "app.kubernetes.io/name": "hami",
        "app.kubernetes.io/instance": "hami-legacy",
    }
    monitor = named(objects, "services", "hami-device-plugin-monitor")["spec"]
    assert [(p["name"], p["port"], p["targetPort"]) for p in monitor["ports"]] == [
        ("monitorport", 31992, 9394)
    ]


def test_no_two_services_have_an_address_or_a_node_port_in_common(objects: Objects) -> None:
    addresses = [s["spec"]["clusterIP"] for s in objects["services"]]
    ports = [p["nodePort"] for s in objects["services"] for p in s["spec"]["ports"]]
    assert len(set(addresses)) == len(addresses) == 4
    assert len(set(ports)) == len(ports) == 6
    assert all(30_000 <= port <= 32_767 for port in ports)
    assert all(re.fullmatch(r"10\.96\.\d{1,3}\.\d{1,3}", address) for address in addresses)


def test_endpoints_are_the_pods_that_the_service_selects(objects: Objects) -> None:
    pods = {p["metadata"]["uid"]: p for p in objects["pods"]}
    for service in objects["services"]:
        found = slice_of(objects, service["metadata"]["name"])
        assert found["addressType"] == "IPv4"
        assert found["metadata"]["ownerReferences"][0]["uid"] == service["metadata"]["uid"]
        assert [p["name"] for p in found["ports"]] == [p["name"] for p in service["spec"]["ports"]]
        (endpoint,) = found["endpoints"]
        pod = pods[endpoint["targetRef"]["uid"]]
        assert endpoint["addresses"] == [pod["status"]["podIP"]]
        assert endpoint["nodeName"] == pod["spec"]["nodeName"]
        assert endpoint["conditions"] == {"ready": True, "serving": True, "terminating": False}
        labels = pod["metadata"]["labels"]
        assert service["spec"]["selector"].items() <= labels.items()


def test_endpoints_have_real_addresses_where_there_are_some(healthy_world: World) -> None:
    addresses = dict(default_addresses(healthy_world))
    addresses["hami-webhook", "hami"] = Address("127.0.0.1", 4443)
    addresses["hami-scheduler", "hami"] = Address("127.0.0.1", 4395)
    objects = dict(documents(healthy_world, addresses))
    found = slice_of(objects, "hami-scheduler")
    assert found["endpoints"][0]["addresses"] == ["127.0.0.1"]
    assert {p["name"]: p["port"] for p in found["ports"]} == {"http": 4443, "monitor": 4395}
    ports = named(objects, "services", "hami-scheduler")["spec"]["ports"]
    assert [(p["port"], p["targetPort"]) for p in ports] == [(443, 4443), (31993, 4395)]


def test_without_the_leaders_label_nothing_is_behind_the_newer_service(
    scenario: Scenario, healthy_world: World
) -> None:
    objects = struck(scenario, healthy_world, "webhook-no-endpoints")
    assert slice_of(objects, "hami-scheduler")["endpoints"] == []
    (pod,) = [p for p in objects["pods"] if p["metadata"]["name"].startswith("hami-scheduler-")]
    assert "hami.io/scheduler-role" not in pod["metadata"]["labels"]
    assert pod["status"]["conditions"][0]["status"] == "True"


def test_the_older_service_has_an_endpoint_that_is_not_ready(
    scenario: Scenario, healthy_world: World
) -> None:
    objects = struck(scenario, healthy_world, "webhook-no-endpoints", node="a10g-2")
    (endpoint,) = slice_of(objects, "hami-legacy-scheduler")["endpoints"]
    assert endpoint["conditions"]["ready"] is False
    found = named(objects, "deployments", "hami-legacy-scheduler")
    assert found["status"]["readyReplicas"] == 0
    assert found["status"]["conditions"][1]["status"] == "False"


def test_a_scheduler_that_does_not_run_has_no_endpoint(
    scenario: Scenario, healthy_world: World
) -> None:
    fault = FaultSpec(name="endpoint-gone", node="a10g-1", options={"endpoint": "hami-scheduler"})
    world = build_world(scenario, seed=7, at=healthy_world.at, faults=(fault,))
    assert slice_of(dict(documents(world)), "hami-scheduler")["endpoints"] == []


def test_the_webhook_is_the_charts(objects: Objects) -> None:
    found = named(objects, WEBHOOKS, "hami-webhook")
    assert found["apiVersion"] == "admissionregistration.k8s.io/v1"
    assert "namespace" not in found["metadata"]
    (webhook,) = found["webhooks"]
    bundle = base64.b64decode(webhook["clientConfig"].pop("caBundle"), validate=True)
    certificate = x509.load_pem_x509_certificate(bundle)
    lifetime = certificate.not_valid_after_utc - certificate.not_valid_before_utc
    assert lifetime.days == 100 * 365
    ignored = {
        "matchExpressions": [{"key": "hami.io/webhook", "operator": "NotIn", "values": ["ignore"]}]
    }
    assert webhook == {
        "name": "vgpu.hami.io",
        "clientConfig": {
            "service": {
                "name": "hami-scheduler",
                "namespace": "hami-system",
                "path": "/webhook",
                "port": 443,
            }
        },
        "rules": [
            {
                "operations": ["CREATE"],
                "apiGroups": [""],
                "apiVersions": ["v1"],
                "resources": ["pods"],
                "scope": "*",
            }
        ],
        "failurePolicy": "Ignore",
        "matchPolicy": "Equivalent",
        "namespaceSelector": ignored,
        "objectSelector": ignored,
        "sideEffects": "None",
        "timeoutSeconds": 10,
        "admissionReviewVersions": ["v1beta1"],
        "reinvocationPolicy": "Never",
    }
    names = [d["metadata"]["name"] for d in objects[WEBHOOKS]]
    assert names == ["hami-legacy-webhook", "hami-webhook"]


def test_an_empty_bundle_is_no_field(scenario: Scenario, healthy_world: World) -> None:
    objects = struck(scenario, healthy_world, "authority-missing")
    (webhook,) = named(objects, WEBHOOKS, "hami-webhook")["webhooks"]
    assert webhook["clientConfig"].keys() == {"service"}


def test_the_lease_is_held_by_the_leaders_pod_and_fresh(
    objects: Objects, healthy_world: World
) -> None:
    for namespace, name in (
        ("hami-system", "hami-scheduler"), ("hami-legacy", "hami-legacy-scheduler"),
    ):  # fmt: skip
        found = named(objects, LEASES, name)
        assert found["metadata"]["namespace"] == namespace
        spec = found["spec"]
        pod, identity = spec["holderIdentity"].split("_")
        assert pod in {p["metadata"]["name"] for p in objects["pods"]}
        assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", identity)
        assert spec["leaseDurationSeconds"] == 15
        assert spec["renewTime"] == "2026-06-18T13:10:00.000000Z"


def test_the_lease_is_renewed_every_other_second(scenario: Scenario, thursday: float) -> None:
    times = [
        named(
            dict(documents(build_world(scenario, seed=7, at=thursday + more))),
            LEASES,
            "hami-scheduler",
        )["spec"]["renewTime"][17:19]
        for more in range(4)
    ]
    assert times == ["00", "00", "02", "02"]


def test_a_lost_leader_stops_to_renew_it(scenario: Scenario, healthy_world: World) -> None:
    objects = struck(scenario, healthy_world, "leader-lost")
    spec = named(objects, LEASES, "hami-scheduler")["spec"]
    assert spec["renewTime"] == "2026-06-18T12:50:00.000000Z"
    other = named(objects, LEASES, "hami-legacy-scheduler")["spec"]
    assert other["renewTime"] == "2026-06-18T13:10:00.000000Z"
