from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.dcgm import dcgm_page
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world
from gpuatlas_harness.wired import Document, Objects

CLAIMS = "resourceclaims.resource.k8s.io"


def pods(objects: Objects, app: str) -> list[Document]:
    return [p for p in objects["pods"] if p["metadata"]["labels"].get("app") == app]


def claim_of(objects: Objects, app: str) -> tuple[Document, Document]:
    """The only pod of an application, and its claim."""
    (pod,) = pods(objects, app)
    (entry,) = pod["status"]["resourceClaimStatuses"]
    return pod, claim(objects, entry["resourceClaimName"])


def claim(objects: Objects, name: str) -> Document:
    (found,) = [c for c in objects[CLAIMS] if c["metadata"]["name"] == name]
    return found


def devices(document: Document) -> list[str]:
    results = document["status"]["allocation"]["devices"]["results"]
    assert {(r["driver"], r["pool"]) for r in results} == {("gpu.nvidia.com", "dra-1")}
    return [result["device"] for result in results]


def test_the_slice_has_whole_cards_and_instances(world: World, objects: Objects) -> None:
    (document,) = objects["resourceslices.resource.k8s.io"]
    spec = document["spec"]
    assert spec["pool"] == {"name": "dra-1", "generation": 1, "resourceSliceCount": 1}
    assert (spec["driver"], spec["nodeName"]) == ("gpu.nvidia.com", "dra-1")
    by_name = {device["name"]: device for device in spec["devices"]}
    assert list(by_name) == [
        "gpu-0", "gpu-1", "gpu-2", "gpu-3-mig-3g40gb-9-0", "gpu-3-mig-3g40gb-9-4",
    ]  # fmt: skip
    cards = world.node("dra-1").cards
    assert by_name["gpu-1"]["capacity"] == {"memory": {"value": "81559Mi"}}
    assert by_name["gpu-1"]["attributes"] == {
        "architecture": {"string": "Hopper"},
        "brand": {"string": "Nvidia"},
        "cudaComputeCapability": {"version": "9.0.0"},
        "cudaDriverVersion": {"version": "13.0.0"},
        "driverVersion": {"version": "580.105.8"},
        "pcieBusID": {"string": "0000:1b:00.0"},
        "productName": {"string": "NVIDIA H100 80GB HBM3"},
        "resource.kubernetes.io/pcieRoot": {"string": "pci0000:1a"},
        "type": {"string": "gpu"},
        "uuid": {"string": cards[1].uuid},
    }
    instance = by_name["gpu-3-mig-3g40gb-9-4"]
    assert instance["attributes"]["parentUUID"] == {"string": cards[3].uuid}
    assert instance["attributes"]["uuid"] == {"string": cards[3].instances[1].uuid}
    assert instance["attributes"]["profile"] == {"string": "3g.40gb"}
    assert instance["capacity"]["memory"] == {"value": "40448Mi"}
    assert sorted(instance["capacity"])[1:] == [f"memorySlice{n}" for n in (4, 5, 6, 7)]


def test_the_node_has_no_cards_to_count(objects: Objects) -> None:
    (node,) = [n for n in objects["nodes"] if n["metadata"]["name"] == "dra-1"]
    assert not [key for key in node["status"]["capacity"] if "/" in key]


@pytest.mark.parametrize(
    ("app", "device_class", "device"),
    [
        ("translate-pro", "gpu.nvidia.com", "gpu-0"),
        ("embed-code", "mig.nvidia.com", "gpu-3-mig-3g40gb-9-0"),
    ],
)
def test_a_claim_from_a_template_belongs_to_its_pod(
    objects: Objects, app: str, device_class: str, device: str
) -> None:
    pod, document = claim_of(objects, app)
    name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
    entry = {"name": "gpu", "resourceClaimTemplateName": f"{app}-gpu"}
    assert pod["spec"]["resourceClaims"] == [entry]
    assert pod["spec"]["containers"][0]["resources"]["claims"] == [{"name": "gpu"}]
    assert document["metadata"]["name"].startswith(f"{name}-gpu-")
    assert document["metadata"]["annotations"] == {"resource.kubernetes.io/pod-claim-name": "gpu"}
    assert document["metadata"]["ownerReferences"][0]["uid"] == uid
    (request,) = document["spec"]["devices"]["requests"]
    assert request["exactly"]["deviceClassName"] == device_class
    assert devices(document) == [device]
    users = [{"resource": "pods", "name": name, "uid": uid}]
    assert document["status"]["reservedFor"] == users


def test_two_pods_share_one_claim(objects: Objects) -> None:
    users = pods(objects, "judge")
    assert len(users) == 2
    for pod in users:
        entry = {"name": "gpu", "resourceClaimName": "evaluation-card"}
        assert pod["spec"]["resourceClaims"] == [entry]
        assert "resourceClaimStatuses" not in pod["status"]
    document = claim(objects, "evaluation-card")
    assert "ownerReferences" not in document["metadata"]
    assert devices(document) == ["gpu-1"]
    uids = [user["uid"] for user in document["status"]["reservedFor"]]
    assert sorted(uids) == sorted(pod["metadata"]["uid"] for pod in users)
    (config,) = document["status"]["allocation"]["devices"]["config"]
    assert config["opaque"]["parameters"]["sharing"]["strategy"] == "TimeSlicing"
    assert config["source"] == "FromClaim"


def test_an_extended_resource_is_a_claim_behind_the_pods_back(objects: Objects) -> None:
    (pod,) = pods(objects, "forecast")
    (container,) = pod["spec"]["containers"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert "resourceClaims" not in pod["spec"]
    status = pod["status"]["extendedResourceClaimStatus"]
    document = claim(objects, status["resourceClaimName"])
    (mapping,) = status["requestMappings"]
    assert mapping == {
        "containerName": "server",
        "resourceName": "nvidia.com/gpu",
        "requestName": "container-0-request-0",
    }
    marks = {"resource.kubernetes.io/extended-resource-claim": "true"}
    assert document["metadata"]["annotations"] == marks
    assert document["spec"]["devices"]["requests"][0]["name"] == "container-0-request-0"
    assert devices(document) == ["gpu-2"]


def test_an_onlooker_holds_nothing(world: World, objects: Objects) -> None:
    pod, document = claim_of(objects, "gpu-watch")
    assert devices(document) == ["gpu-0", "gpu-1", "gpu-2"]
    results = document["status"]["allocation"]["devices"]["results"]
    assert all(result["adminAccess"] is True for result in results)
    (request,) = document["spec"]["devices"]["requests"]
    assert request["exactly"]["allocationMode"] == "All"
    assert pod["spec"]["nodeName"] == "dra-1"
    tenants = {
        tenant.pod.workload.name for card in world.node("dra-1").cards for tenant in card.tenants
    }
    assert tenants == {"translate-pro", "judge", "forecast"}


def test_a_claim_without_a_pod_keeps_its_device(world: World, objects: Objects) -> None:
    document = claim(objects, "kept-for-the-demo")
    assert devices(document) == ["gpu-3-mig-3g40gb-9-4"]
    assert "reservedFor" not in document["status"]
    assert world.node("dra-1").cards[3].instances[1].tenants == ()


def test_no_device_is_given_to_two_claims(objects: Objects) -> None:
    given = [
        device
        for document in objects[CLAIMS]
        for device in devices(document)
        if not document["spec"]["devices"]["requests"][0]["exactly"].get("adminAccess")
    ]
    assert len(given) == len(set(given)) == 5


def test_dcgm_names_nobody(world: World) -> None:
    for family in text_string_to_metric_families(dcgm_page(world.node("dra-1"), world.at)):
        for sample in family.samples:
            assert not {"pod", "namespace", "container"} & sample.labels.keys()


def test_a_lost_card_leaves_the_slice(scenario: Scenario, thursday: float) -> None:
    fault = FaultSpec(name="fell-off-bus", node="dra-1", card=3)
    world = build_world(scenario, seed=7, at=thursday, faults=(fault,))
    (document,) = documents(world)["resourceslices.resource.k8s.io"]
    assert [d["name"] for d in document["spec"]["devices"]] == ["gpu-0", "gpu-1", "gpu-2"]
