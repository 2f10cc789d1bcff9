"""What a capture keeps of a layer's objects says the same, and holds little else."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.layer.configs import read_text
from gpuatlas.sources.layer.parse import parse_layer
from gpuatlas.sources.layer.trim import reduced, trim_layer
from gpuatlas_harness.layered import (
    DEVICE_CONFIG,
    NODE_CONFIG,
    config_map,
    device_plugin,
    installation,
    lease,
    service,
)

Object = dict[str, Any]
DEFAULTS, NODES = "device-config.yaml", "config.json"


def trimmed(objects: Iterable[Object]) -> list[Object]:
    return [cut for raw in objects if (cut := trim_layer(raw)) is not None]


def test_an_installation_is_the_same_when_trimmed() -> None:
    objects = installation(b"bundle")
    assert parse_layer(trimmed(objects)) == parse_layer(objects)
    assert len(trimmed(objects)) == len(objects)


def test_trimming_twice_changes_nothing() -> None:
    once = trimmed(installation())
    assert trimmed(once) == once


def test_trimmed_objects_are_plain_json() -> None:
    once = trimmed(installation())
    assert json.loads(json.dumps(once)) == once


def test_a_controller_keeps_only_what_is_read() -> None:
    raw = device_plugin()
    raw["metadata"]["annotations"] = {"a": "s3cret"}
    pod = raw["spec"]["template"]["spec"]
    pod["containers"][0]["env"] = [{"name": "PASSWORD", "value": "s3cret"}]
    pod["containers"][0]["command"] += ["--password=s3cret", "s3cret"]
    pod["volumes"].append({"name": "x", "secret": {"secretName": "s3cret"}})
    cut = trim_layer(raw)
    assert cut is not None
    assert "s3cret" not in json.dumps(cut)
    containers = cut["spec"]["template"]["spec"]["containers"]  # type: ignore[index]
    assert containers[0]["args"] == ["--mig-strategy=none", "--disable-core-limit=false"]


def test_a_configuration_keeps_only_the_settings_that_are_read_on_their_lines() -> None:
    cut = reduced(DEFAULTS, DEVICE_CONFIG)
    assert cut.splitlines() == [
        "nvidia: {",
        "",
        "",
        "deviceSplitCount: 10,",
        "deviceMemoryScaling: 1.5,",
        "deviceCoreScaling: 1}",
    ]
    cut = reduced(NODES, NODE_CONFIG)
    assert "migstrategy" not in cut
    assert json.loads(cut)["nodeconfig"][1] == {"name": "gpu-b", "devicecorescaling": 2}


@pytest.mark.parametrize(
    "text",
    [
        "nvidia:\n  deviceSplitCount: ten\n",
        "nvidia: [",
        "a: &x 5\nnvidia: {deviceSplitCount: *x}",
        "nvidia:\n  deviceSplitCount:\n    5\n",
        "nvidia: 5",
    ],
)
def test_a_text_that_cannot_be_cut_without_changing_what_it_says_stays(text: str) -> None:
    assert read_text(DEFAULTS, reduced(DEFAULTS, text)) == read_text(DEFAULTS, text)


def test_objects_that_say_nothing_are_none() -> None:
    other = device_plugin()
    other["metadata"]["labels"] = other["spec"]["template"]["metadata"]["labels"] = {}
    plain = service()
    plain["metadata"]["labels"] = {}
    for raw in (
        other,
        plain,
        config_map("x", {"y": "s3cret"}),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}},
        {},
    ):
        assert trim_layer(raw) is None


def paths(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all fields of an object."""
    if isinstance(value, dict):
        inner = [found for key, item in value.items() for found in paths(item, (*path, key))]
    elif isinstance(value, list):
        inner = [found for n, item in enumerate(value) for found in paths(item, (*path, n))]
    else:
        inner = []
    return [*([path] if path else []), *inner]


def put(raw: Any, path: tuple[Any, ...], value: object) -> None:
    for key in path[:-1]:
        raw = raw[key]
    raw[path[-1]] = value


WHOLE = installation(b"bundle")
PLACES = [(n, path) for n, raw in enumerate(WHOLE) for path in paths(raw) if path[0] != "kind"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@settings(deadline=None, max_examples=100)
@given(
    changes=st.lists(
        st.tuples(st.sampled_from(PLACES), JSON | st.just("2026-08-21T10:00:00Z")), max_size=3
    )
)
def test_whatever_stands_anywhere_says_the_same_trimmed(
    changes: list[tuple[tuple[int, tuple[Any, ...]], object]],
) -> None:
    objects = copy.deepcopy(WHOLE)
    for (number, path), value in changes:
        try:
            put(objects[number], path, value)
        except (TypeError, KeyError, IndexError):
            continue  # an earlier change took the place away
    assert parse_layer(trimmed(objects)) == parse_layer(objects)
    assert parse_layer(trimmed(objects), every_slice=True) == parse_layer(objects, every_slice=True)


@settings(deadline=None, max_examples=200)
@given(
    text=st.text(max_size=80)
    | st.builds(
        "nvidia:\n  {}: {}\n  deviceSplitCount: {}\n".format,
        st.sampled_from(["deviceMemoryScaling", "x", "deviceSplitCount"]),
        st.text(max_size=10),
        st.integers(),
    )
)
def test_any_text_says_the_same_reduced(text: str) -> None:
    for key in (DEFAULTS, NODES):
        assert read_text(key, reduced(key, text)) == read_text(key, text)


def test_a_lease_keeps_its_times() -> None:
    cut = trim_layer(lease())
    assert cut is not None
    assert cut["spec"] == lease()["spec"]
