"""ConfigMaps of the layers: defaults, settings of nodes, last writes, and broken texts."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.layer import LayerConfig, NodeSettings
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import MAX_CARD_BYTES, MIB
from gpuatlas.sources.layer.configs import read_configs, read_text
from gpuatlas_harness.layered import (
    NAMESPACE,
    RELEASE,
    SERVICE,
    WRITTEN,
    config_map,
    device_config,
    node_config,
)

DEFAULTS, NODES = "device-config.yaml", "config.json"
Object = dict[str, Any]


def test_the_defaults_are_those_of_the_section_nvidia() -> None:
    assert list(read_configs(device_config(), "hami-device-plugin")) == [
        LayerConfig(
            namespace=NAMESPACE,
            name=f"{SERVICE}-device",
            key=DEFAULTS,
            component="hami-scheduler",  # its own label goes before who mounts it
            defaults=NodeSettings(name="", memory_scaling=1.5, core_scaling=1.0, split_count=10),
            changed_at=WRITTEN,
            lines={
                "deviceSplitCount": "deviceSplitCount: 10",
                "deviceMemoryScaling": "deviceMemoryScaling: 1.5",
                "deviceCoreScaling": "deviceCoreScaling: 1",
            },
        )
    ]


def test_settings_of_nodes_are_read_with_their_lines() -> None:
    raw = node_config()
    raw["metadata"]["labels"] = {}
    assert list(read_configs(raw, "hami-device-plugin")) == [
        LayerConfig(
            namespace=NAMESPACE,
            name=f"{RELEASE}-device-plugin",
            key=NODES,
            component="hami-device-plugin",
            defaults=NodeSettings(name=""),
            nodes=(
                NodeSettings(
                    name="gpu-a",
                    memory_scaling=1.0,
                    split_count=5,
                    mode="mig",
                    hidden=("GPU-00000002-0000-4000-8000-000000000000", "3"),
                ),
                NodeSettings(name="gpu-b", core_scaling=2.0),
            ),
            changed_at=WRITTEN,
            lines={
                "gpu-a/name": '"name": "gpu-a"',
                "gpu-a/operatingmode": '"operatingmode": "mig"',
                "gpu-a/devicememoryscaling": '"devicememoryscaling": 1',
                "gpu-a/devicesplitcount": '"devicesplitcount": 5',
                "gpu-b/name": '"name": "gpu-b"',
                "gpu-b/devicecorescaling": '"devicecorescaling": 2',
            },
        )
    ]


def test_keys_of_json_are_taken_in_any_case_and_the_last_one_counts() -> None:
    text = '{"NodeConfig":[{"NAME":"a","DeviceSplitCount":4,"devicesplitcount":6}]}'
    found = read_text(NODES, text)
    assert found.nodes == (NodeSettings(name="a", split_count=6),)
    assert found.lines["a/devicesplitcount"] == '"devicesplitcount":6'


@pytest.mark.parametrize(
    ("text", "preconfigured", "factor"),
    [
        ("preConfiguredDeviceMemory: 0, memoryFactor: 1", None, 1),
        ("preConfiguredDeviceMemory: 98304, memoryFactor: 0", 98304 * MIB, 1),
        ("gpuMemoryFactor: 10", None, 10),
    ],
)
def test_memory_is_in_mebibytes_and_its_factor_at_least_one(
    text: str, preconfigured: int | None, factor: int
) -> None:
    found = read_text(DEFAULTS, f"nvidia: {{{text}}}")
    assert found.error == ""
    assert (found.defaults.preconfigured_bytes, found.defaults.memory_factor) == (
        preconfigured,
        factor,
    )
    node = '{"nodeconfig":[{"name":"a","preconfigureddevicememory":1024}]}'
    assert read_text(NODES, node).nodes == (NodeSettings(name="a", preconfigured_bytes=2**30),)


def test_silence_is_no_error() -> None:
    silent = NodeSettings(name="")
    for text in ("", "hygon: {}\n", "nvidia: {}\n", "nvidia:\n", "nvidia: {deviceSplitCount: }"):
        found = read_text(DEFAULTS, text)
        assert (found.defaults, found.error) == (silent, "")
    for text in ("{}", '{"nodeconfig": null}', '{"nodeconfig": []}', '{"nodeconfig": [{"x":1}]}'):
        found = read_text(NODES, text)
        assert (found.nodes, found.error) == ((), "")


@pytest.mark.parametrize(
    ("key", "text", "error"),
    [
        (DEFAULTS, "nvidia:\n  a: [", "line 3: not YAML: did not find expected node content"),
        (DEFAULTS, "nvidia: 3", "line 1: no mapping where the section nvidia belongs"),
        (DEFAULTS, "just text", "line 1: no mapping where the section nvidia belongs"),
        (NODES, '{"nodeconfig":\n [}', "line 2: not JSON: "),
        (NODES, "", "line 1: not JSON: "),
        (NODES, "[]", 'line 1: "nodeconfig" is no list of nodes'),
        (NODES, '{"nodeconfig": {"name": "a"}}', 'line 1: "nodeconfig" is no list of nodes'),
        (NODES, '{"nodeconfig": ["a"]}', 'line 1: "nodeconfig" is no list of nodes'),
        (DEFAULTS, "x" * (2**20 + 1), "larger than 1048576 bytes"),
        (NODES, "\ud800", "line 1: not JSON: "),
    ],
)
def test_texts_that_cannot_be_used_say_why(key: str, text: str, error: str) -> None:
    found = read_text(key, text)
    assert found.error.startswith(error)
    assert (found.defaults, found.nodes) == (NodeSettings(name=""), ())


@pytest.mark.parametrize(
    ("setting", "value", "must"),
    [
        ("deviceSplitCount", "ten", "no whole number from 0 to 4096"),
        ("deviceSplitCount", "'10'", "no whole number from 0 to 4096"),
        ("deviceSplitCount", "1.5", "no whole number from 0 to 4096"),
        ("deviceSplitCount", "-1", "no whole number from 0 to 4096"),
        ("deviceSplitCount", "1e300", "no whole number from 0 to 4096"),
        ("deviceSplitCount", "1e999", "no whole number from 0 to 4096"),
        ("preConfiguredDeviceMemory", "2097153", "no whole number from 0 to 2097152"),
        ("memoryFactor", "-1", "no whole number from 0 to 2097152"),
        ("deviceMemoryScaling", "0", "no number above 0 and up to 100"),
        ("deviceMemoryScaling", ".nan", "no number above 0 and up to 100"),
        ("deviceCoreScaling", "101", "no number above 0 and up to 100"),
        ("deviceCoreScaling", "true", "no number above 0 and up to 100"),
    ],
)
def test_a_value_that_hami_cannot_take_is_told_and_the_others_are_read(
    setting: str, value: str, must: str
) -> None:
    text = f"nvidia:\n  {setting}: {value}\n  deviceMemoryScaling: 2\n  deviceSplitCount: 7\n"
    found = read_text(DEFAULTS, text)
    assert found.error == f"line 2: {setting} is {must}: {setting}: {value}"
    assert found.defaults.split_count == 7
    assert found.defaults.memory_scaling == 2.0


def test_maps_without_these_texts_say_nothing() -> None:
    raw = config_map("other", {"config.yaml": "profiles: []"})
    assert list(read_configs(raw, "hami-scheduler")) == []
    raw["data"] = {DEFAULTS: {"nvidia": 1}, NODES: None}
    assert list(read_configs(raw, "hami-scheduler")) == []


def test_a_map_with_both_texts_is_two_configurations() -> None:
    raw = config_map("both", {DEFAULTS: "nvidia: {deviceSplitCount: 2}", NODES: "{}"})
    assert [found.key for found in read_configs(raw, "")] == [DEFAULTS, NODES]


def test_the_last_write_is_that_of_the_key() -> None:
    raw = config_map("both", {DEFAULTS: "", NODES: "{}"})
    later = "2026-09-01T00:00:00Z"
    raw["metadata"]["managedFields"].append(
        {"time": later, "fieldsV1": {"f:data": {f"f:{NODES}": {}}}}
    )
    written = {found.key: found.changed_at for found in read_configs(raw, "")}
    assert written == {DEFAULTS: WRITTEN, NODES: 1_788_220_800.0}


@pytest.mark.parametrize("managed", [None, [], "x", [{"time": "2026-09-01T00:00:00Z"}], [7]])
def test_where_nothing_tells_of_the_last_write_it_is_unknown(managed: object) -> None:
    raw = device_config()
    raw["metadata"]["managedFields"] = managed
    (found,) = read_configs(raw, "")
    assert found.changed_at is None


def test_a_broken_time_and_a_missing_name_cost_the_map() -> None:
    raw = device_config()
    raw["metadata"]["managedFields"][0]["time"] = "noon"
    with pytest.raises(MalformedError, match="noon"):
        list(read_configs(raw, ""))
    del raw["metadata"]["name"]
    with pytest.raises(MalformedError, match=r"without metadata\.name"):
        list(read_configs(raw, ""))


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
NAMES = st.sampled_from(
    [
        "deviceSplitCount",
        "deviceMemoryScaling",
        "deviceCoreScaling",
        "preConfiguredDeviceMemory",
        "memoryFactor",
        "operatingmode",
        "name",
    ]
)


def check(found: NodeSettings) -> None:
    assert found.split_count is None or 0 <= found.split_count <= 4096
    assert found.preconfigured_bytes is None or 0 < found.preconfigured_bytes <= MAX_CARD_BYTES
    assert found.memory_factor is None or found.memory_factor >= 1
    for scaling in (found.memory_scaling, found.core_scaling):
        assert scaling is None or 0 < scaling <= 100


@settings(deadline=None, max_examples=200)
@given(section=st.dictionaries(NAMES, VALUES) | VALUES | st.lists(VALUES, max_size=2))
def test_defaults_are_bounded_whatever_is_written(section: object) -> None:
    found = read_text(DEFAULTS, yaml.safe_dump({"nvidia": section}, allow_unicode=True))
    check(found.defaults)
    assert len(found.error) <= 200


@settings(deadline=None, max_examples=200)
@given(
    nodes=st.lists(
        st.dictionaries(NAMES.map(str.lower), VALUES)
        | st.fixed_dictionaries({"filterdevices": st.dictionaries(st.just("uuid"), VALUES)})
        | VALUES,
        max_size=3,
    )
)
def test_settings_of_nodes_are_bounded_whatever_is_written(nodes: list[object]) -> None:
    found = read_text(NODES, json.dumps({"nodeconfig": nodes}))
    for node in found.nodes:
        check(node)
        assert node.name


@settings(deadline=None, max_examples=150)
@given(key=st.sampled_from([DEFAULTS, NODES]), text=st.text(max_size=120))
def test_any_text_is_read_or_told(key: str, text: str) -> None:
    found = read_text(key, text)
    assert len(found.error) <= 200
