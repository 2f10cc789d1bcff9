"""The ConfigMaps say what the nodes have registered (facts/hami.md 4.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world
from gpuatlas_harness.wired import Document, Objects

YEAR = 365 * 86_400


@pytest.fixture(scope="module")
def objects(healthy_world: World) -> Objects:
    return dict(documents(healthy_world))


def config_map(objects: Objects, namespace: str, name: str) -> Document:
    (found,) = [
        d
        for d in objects["configmaps"]
        if (d["metadata"]["namespace"], d["metadata"]["name"]) == (namespace, name)
    ]
    return found


def data(objects: Objects, namespace: str, name: str, key: str) -> Any:
    text = config_map(objects, namespace, name)["data"][key]
    return json.loads(text) if key.endswith(".json") else yaml.safe_load(text)


def struck(scenario: Scenario, world: World, name: str, **options: Any) -> Objects:
    node = options.pop("node", "a10g-1")
    fault = FaultSpec(name=name, node=node, options=options, since=world.at - 600)
    return dict(documents(build_world(scenario, seed=world.seed, at=world.at, faults=(fault,))))


@pytest.mark.parametrize(
    ("namespace", "release", "node"),
    [("hami-system", "hami", "a10g-1"), ("hami-legacy", "hami-legacy", "a10g-2")],
)
def test_the_configuration_agrees_with_the_registration(
    objects: Objects, healthy_world: World, namespace: str, release: str, node: str
) -> None:
    defaults = data(objects, namespace, f"{release}-scheduler-device", "device-config.yaml")
    nvidia = defaults["nvidia"]
    assert (nvidia["deviceSplitCount"], nvidia["deviceMemoryScaling"]) == (10, 1)
    assert nvidia["resourceMemoryName"] == "nvidia.com/gpumem"
    (settings,) = data(objects, namespace, f"{release}-device-plugin", "config.json")["nodeconfig"]
    spec = healthy_world.node(node).spec
    assert settings == {
        "name": node,
        "operatingmode": "hami-core",
        "devicememoryscaling": spec.memory_scaling,
        "devicesplitcount": spec.slots,
        "migstrategy": "none",
        "filterdevices": {"uuid": [], "index": []},
    }


def test_only_the_newer_file_has_the_newer_keys(objects: Objects) -> None:
    newer = data(objects, "hami-system", "hami-scheduler-device", "device-config.yaml")
    older = data(objects, "hami-legacy", "hami-legacy-scheduler-device", "device-config.yaml")
    assert newer["nvidia"]["memoryFactor"] == 1
    assert "memoryFactor" not in older["nvidia"]
    assert older["nvidia"].keys() <= newer["nvidia"].keys()


def test_ascends_chip_is_in_the_newer_form(objects: Objects) -> None:
    newer = data(objects, "hami-system", "hami-scheduler-device", "device-config.yaml")
    (chip,) = newer["vnpus"]["configs"]
    assert (chip["chipName"], chip["commonWord"]) == ("910B3", "Ascend910B3")
    assert (chip["memoryAllocatable"], chip["aiCore"]) == (65536, 20)
    assert {t["name"]: t["memory"] for t in chip["templates"]} == {
        "vir05_1c_16g": 16384, "vir10_3c_32g": 32768,
    }  # fmt: skip
    nodes = data(objects, "hami-system", "hami-device-node-config", "node-config.yaml")
    assert nodes == {"nodes": [{"name": "ascend-1", "hami-vnpu-core": False, "vDeviceCount": 4}]}
    older = data(objects, "hami-legacy", "hami-legacy-scheduler-device", "device-config.yaml")
    assert "vnpus" not in older


def test_the_scheduler_elects_by_the_lease_that_is_there(objects: Objects) -> None:
    for namespace, name in (
        ("hami-system", "hami-scheduler"), ("hami-legacy", "hami-legacy-scheduler"),
    ):  # fmt: skip
        config = data(objects, namespace, name, "config.yaml")
        assert config["kind"] == "KubeSchedulerConfiguration"
        assert config["leaderElection"] == {
            "leaderElect": True, "resourceName": name, "resourceNamespace": namespace,
        }  # fmt: skip
        assert config["profiles"] == [{"schedulerName": name}]


def test_volcanos_configuration_agrees_with_its_registration(objects: Objects) -> None:
    defaults = data(objects, "volcano-system", "volcano-vgpu-device-config", "device-config.yaml")
    assert defaults["nvidia"]["deviceSplitCount"] == 10
    (settings,) = data(objects, "volcano-system", "volcano-vgpu-node-config", "config.json")[
        "nodeconfig"
    ]
    assert (settings["name"], settings["devicesplitcount"]) == ("volcano-1", 10)


def test_every_config_map_that_a_pod_mounts_is_there(objects: Objects) -> None:
    there = {(d["metadata"]["namespace"], d["metadata"]["name"]) for d in objects["configmaps"]}
    mounted = {
        (p["metadata"]["namespace"], v["configMap"]["name"])
        for p in objects["pods"]
        for v in p["spec"].get("volumes", [])
        if "configMap" in v
    }
    assert mounted
    assert mounted <= there


def test_they_carry_the_labels_of_their_component(objects: Objects) -> None:
    labels = {
        d["metadata"]["name"]: d["metadata"]["labels"]["app.kubernetes.io/component"]
        for d in objects["configmaps"]
        if d["metadata"]["namespace"] == "hami-system"
    }
    assert labels == {
        "hami-scheduler": "hami-scheduler",
        "hami-scheduler-device": "hami-scheduler",
        "hami-device-plugin": "hami-device-plugin",
        "hami-device-node-config": "hami-scheduler",
    }


def test_their_data_are_older_than_the_pods_that_read_them(objects: Objects) -> None:
    (entry,) = config_map(objects, "hami-system", "hami-device-plugin")["metadata"]["managedFields"]
    assert entry["manager"] == "helm"
    assert entry["time"] == "2026-01-01T00:00:00Z"
    assert entry["fieldsV1"]["f:data"].keys() == {".", "f:config.json", "f:ld.so.preload"}
    (pod,) = [p for p in objects["pods"] if p["metadata"]["name"].startswith("hami-device-plugin-")]
    assert entry["time"] <= pod["status"]["startTime"]


# Faults


@pytest.mark.parametrize(
    ("fault", "options", "changed"),
    [
        ("config-split-count", {}, {"devicesplitcount": 20}),
        ("config-split-count", {"count": 7}, {"devicesplitcount": 7}),
        ("config-memory-scaling", {}, {"devicememoryscaling": 1.2}),
        ("config-mode", {}, {"operatingmode": "mig"}),
    ],
)
def test_a_setting_differs_from_what_runs(
    scenario: Scenario, healthy_world: World, objects: Objects, fault: str,
    options: Document, changed: Document,
) -> None:  # fmt: skip
    found = struck(scenario, healthy_world, fault, **options)
    place = ("hami-system", "hami-device-plugin", "config.json")
    (before,), (after,) = (data(where, *place)["nodeconfig"] for where in (objects, found))
    assert after == before | changed
    assert found["nodes"] == objects["nodes"]


def test_a_file_that_is_no_json(scenario: Scenario, healthy_world: World) -> None:
    found = struck(scenario, healthy_world, "config-unreadable")
    text = config_map(found, "hami-system", "hami-device-plugin")["data"]["config.json"]
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    assert '"devicesplitcount": 10' in text


def test_a_node_that_does_not_exist(scenario: Scenario, healthy_world: World) -> None:
    found = struck(scenario, healthy_world, "config-unknown-node", called="gone-1")
    settings = data(found, "hami-system", "hami-device-plugin", "config.json")["nodeconfig"]
    assert [entry["name"] for entry in settings] == ["a10g-1", "gone-1"]


def test_a_file_that_was_written_again(scenario: Scenario, healthy_world: World) -> None:
    found = struck(scenario, healthy_world, "config-not-applied")
    fields = config_map(found, "hami-system", "hami-device-plugin")["metadata"]["managedFields"]
    assert [(f["manager"], f["time"]) for f in fields] == [
        ("helm", "2026-01-01T00:00:00Z"), ("kubectl-edit", "2026-06-18T13:00:00Z"),
    ]  # fmt: skip
    assert "f:data" in fields[1]["fieldsV1"]


# The licence


def test_the_licence_has_always_a_year_left(scenario: Scenario) -> None:
    for years in (0.0, 0.5, 0.999, 1.0, 3.7):
        at = scenario.since + years * YEAR
        world = build_world(scenario, seed=7, at=at, faults=())
        assert world.licence
        assert YEAR <= world.licence.ends_at - at <= 2 * YEAR


def test_the_licence_says_when_it_ends(objects: Objects) -> None:
    found = config_map(objects, "gpu-licence", "licence")
    assert found["data"] == {"licensee": "Example Ltd.", "not-after": "2028-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("fault", "options", "text"),
    [
        ("licence-ends", {}, "2026-06-20T13:00:00Z"),
        ("licence-ends", {"days": 0}, "2026-06-18T13:00:00Z"),
        ("licence-unreadable", {}, "see the contract"),
    ],
)
def test_faults_of_the_licence(
    scenario: Scenario, healthy_world: World, fault: str, options: Document, text: str
) -> None:
    found = struck(scenario, healthy_world, fault, node="", **options)
    assert config_map(found, "gpu-licence", "licence")["data"]["not-after"] == text


def test_a_missing_licence_is_no_object(scenario: Scenario, healthy_world: World) -> None:
    found = struck(scenario, healthy_world, "licence-missing", node="")
    assert "gpu-licence" not in {d["metadata"]["namespace"] for d in found["configmaps"]}


def test_a_fault_of_the_file_counts_from_midnight(scenario: Scenario, healthy_world: World) -> None:
    """Nobody said when it began: it never looks months old."""
    fault = FaultSpec(name="licence-ends")
    world = build_world(scenario, seed=7, at=healthy_world.at, faults=(fault,))
    found = config_map(dict(documents(world)), "gpu-licence", "licence")
    assert found["data"]["not-after"] == "2026-06-20T00:00:00Z"
