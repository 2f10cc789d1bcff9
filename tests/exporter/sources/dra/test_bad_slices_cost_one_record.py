from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.claims import ResourceSlice
from gpuatlas.model.rejections import MalformedError, Rejection
from gpuatlas.model.units import MAX_CARD_BYTES, MIB
from gpuatlas.sources.dra.project import project_slice
from gpuatlas_harness.spoilt import JUNK

Load = Callable[[str, str], dict[str, Any]]

HUGE = 1 << 20_000


@pytest.fixture
def raw(dra: Load) -> dict[str, Any]:
    return dra("nvidia-v25.8.1", "plain-a-gpu.nvidia.com-new01")


def projected(raw: object) -> ResourceSlice:
    found = project_slice(raw)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        pytest.param(("metadata",), None, "no-name", id="no metadata"),
        pytest.param(("metadata", "name"), "", "no-name", id="no name"),
        pytest.param(("metadata", "creationTimestamp"), "soon", "bad-time", id="bad time"),
        pytest.param(("spec",), None, "bad-text", id="no spec"),
        pytest.param(("spec", "driver"), None, "bad-text", id="no driver"),
        pytest.param(("spec", "driver"), ["gpu.nvidia.com"], "bad-text", id="a list of drivers"),
        pytest.param(("spec", "driver"), "gpu nvidia", "bad-text", id="a blank in the driver"),
        pytest.param(("spec", "pool"), None, "bad-text", id="no pool"),
        pytest.param(("spec", "pool", "name"), "", "bad-text", id="no pool name"),
        pytest.param(("spec", "pool", "name"), "a" * 254, "bad-text", id="long pool name"),
        pytest.param(("spec", "pool", "name"), 'a"b', "bad-text", id="a quote in the pool"),
        pytest.param(("spec", "pool", "generation"), None, "bad-pool", id="no generation"),
        pytest.param(("spec", "pool", "generation"), "3", "bad-pool", id="generation as text"),
        pytest.param(("spec", "pool", "generation"), True, "bad-pool", id="generation as flag"),
        pytest.param(("spec", "pool", "generation"), -1, "bad-pool", id="negative generation"),
        pytest.param(("spec", "pool", "generation"), HUGE, "bad-pool", id="huge generation"),
        pytest.param(("spec", "pool", "resourceSliceCount"), 0, "bad-pool", id="no slices"),
        pytest.param(("spec", "pool", "resourceSliceCount"), 1.5, "bad-pool", id="half a slice"),
    ],
)
def test_a_slice_that_cannot_be_identified_is_refused(
    raw: dict[str, Any], path: tuple[str, ...], value: object, reason: str
) -> None:
    holder = raw
    for name in path[:-1]:
        holder = holder[name]
    holder[path[-1]] = value
    with pytest.raises(MalformedError) as caught:
        project_slice(raw)
    assert caught.value.reason == reason
    assert len(str(caught.value)) <= 200


@pytest.mark.parametrize("raw", [None, [], "slice", 7, {}])
def test_what_is_no_object_is_refused(raw: object) -> None:
    with pytest.raises(MalformedError, match=r"metadata\.name"):
        project_slice(raw)


@pytest.mark.parametrize("device", [None, 7, "gpu-0", [], {}, {"name": ""}, {"name": "a b"}])
def test_a_device_without_a_usable_name_is_left_out(raw: dict[str, Any], device: object) -> None:
    raw["spec"]["devices"][0] = device
    found = projected(raw)
    assert [kept.name for kept in found.devices] == ["gpu-1"]
    (rejection,) = found.rejections
    assert rejection.source == "dra"
    assert rejection.reason == "bad-text"
    assert rejection.where == "resourceslice plain-a-gpu.nvidia.com-new01 devices"
    assert rejection.message.startswith("a device's name is ")


@pytest.mark.parametrize("devices", [None, {}, "gpu-0", 7])
def test_devices_that_are_no_list_are_none(raw: dict[str, Any], devices: object) -> None:
    raw["spec"]["devices"] = devices
    assert projected(raw).devices == ()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        pytest.param({"string": "GPU 1"}, "bad-text", id="blank"),
        pytest.param({"string": 'GPU-"1"'}, "bad-text", id="quote"),
        pytest.param({"string": "GPU-\n1"}, "bad-text", id="line end"),
        pytest.param({"string": "GPU-é"}, "bad-text", id="not ASCII"),
        pytest.param({"string": "G" * 129}, "bad-text", id="too long"),
    ],
)
def test_an_id_that_is_no_use_costs_the_id(
    raw: dict[str, Any], value: dict[str, Any], reason: str
) -> None:
    raw["spec"]["devices"][0]["attributes"]["uuid"] = value
    found = projected(raw)
    assert found.devices[0].uuid == ""
    assert found.devices[0].card == "gpu.nvidia.com/plain-a/gpu-0"
    assert found.devices[0].memory_bytes == 81559 * MIB
    assert found.devices[1].uuid == "GPU-b0000000-0000-4000-8000-000000000002"
    (rejection,) = found.rejections
    assert rejection.reason == reason
    assert rejection.where == "resourceslice plain-a-gpu.nvidia.com-new01 device gpu-0"
    assert rejection.message.startswith("uuid is ")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param({"string": "X"}, "X", id="string"),
        pytest.param({"version": "1.2.3"}, "1.2.3", id="version"),
        pytest.param({"int": 7}, "7", id="int"),
        pytest.param({"strings": ["X"]}, "X", id="a list of one"),
        pytest.param({"versions": ["1.2.3"]}, "1.2.3", id="a list of one version"),
        pytest.param({"ints": [7]}, "7", id="a list of one int"),
        pytest.param({"strings": ["X", "Y"]}, "", id="a list of two"),
        pytest.param({"strings": []}, "", id="an empty list"),
        pytest.param({"strings": "X"}, "", id="no list"),
        pytest.param({"bool": True}, "", id="a flag"),
        pytest.param({"bools": [True]}, "", id="a list of flags"),
        pytest.param({"string": 7.5}, "", id="a fraction"),
        pytest.param({"string": ["X"]}, "", id="a list in place of text"),
        pytest.param({"string": None}, "", id="null"),
        pytest.param({"string": "X", "int": 7}, "", id="two forms at once"),
        pytest.param({"int": HUGE}, "", id="a huge number"),
        pytest.param({"string": "X\nY"}, "X�Y", id="two lines"),
        pytest.param({"string": "X" * 300}, "X" * 127 + "…", id="long text"),
        pytest.param("X", "", id="no object"),
        pytest.param([], "", id="a list in place of an object"),
    ],
)
def test_the_forms_of_an_attribute(raw: dict[str, Any], value: object, text: str) -> None:
    raw["spec"]["devices"][0]["attributes"]["productName"] = value
    found = projected(raw)
    assert found.devices[0].model == text
    assert found.rejections == ()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        pytest.param("80 GiB", "bad-quantity", id="no quantity"),
        pytest.param("", "bad-quantity", id="empty"),
        pytest.param(True, "bad-quantity", id="a flag"),
        pytest.param(["80Gi"], "bad-quantity", id="a list"),
        pytest.param("-1", "out-of-range", id="negative"),
        pytest.param(str(MAX_CARD_BYTES + 1), "out-of-range", id="no card is so large"),
        pytest.param("1E", "out-of-range", id="an exabyte"),
        pytest.param(HUGE, "out-of-range", id="a huge number"),
        pytest.param(float("nan"), "out-of-range", id="not a number"),
    ],
)
def test_memory_that_cannot_be_read_is_unknown(
    raw: dict[str, Any], value: object, reason: str
) -> None:
    raw["spec"]["devices"][0]["capacity"]["memory"]["value"] = value
    found = projected(raw)
    assert found.devices[0].memory_bytes is None
    assert found.devices[0].uuid == "GPU-b0000000-0000-4000-8000-000000000001"
    (rejection,) = found.rejections
    assert rejection.reason == reason
    assert rejection.message.startswith("memory")
    assert len(rejection.message) <= 200


@pytest.mark.parametrize("capacity", [None, {}, {"memory": None}, {"memory": {}}, "80Gi", [1]])
def test_memory_that_is_not_there_is_unknown(raw: dict[str, Any], capacity: object) -> None:
    raw["spec"]["devices"][0]["capacity"] = capacity
    found = projected(raw)
    assert found.devices[0].memory_bytes is None
    assert found.rejections == ()


def test_a_size_of_0_says_nothing(raw: dict[str, Any]) -> None:
    raw["spec"]["devices"][0]["capacity"]["memory"]["value"] = "0"
    assert projected(raw).devices[0].memory_bytes is None
    assert projected(raw).rejections == ()


def test_another_type_is_no_card_that_we_know(raw: dict[str, Any]) -> None:
    raw["spec"]["devices"][0]["attributes"]["type"] = {"string": "quantum"}
    device = projected(raw).devices[0]
    assert (device.kind, device.is_whole) == ("other", False)


@pytest.mark.parametrize("taints", [None, {}, [None, 7, {}, {"value": "x"}, {"key": 7}]])
def test_taints_without_a_key_are_left_out(raw: dict[str, Any], taints: object) -> None:
    raw["spec"]["devices"][0]["taints"] = taints
    assert projected(raw).devices[0].taints == ()


def test_devices_beyond_the_apis_limit_are_left_out(raw: dict[str, Any]) -> None:
    raw["spec"]["devices"] = [{"name": f"gpu-{n}"} for n in range(130)]
    found = projected(raw)
    assert len(found.devices) == 128
    assert found.rejections == (
        Rejection(
            "dra",
            "too-many",
            "resourceslice plain-a-gpu.nvidia.com-new01 devices",
            "130 entries, of which 128 are read",
        ),
    )


def test_a_flood_of_bad_devices_is_counted_and_not_quoted(raw: dict[str, Any]) -> None:
    raw["spec"]["devices"] = [None] * 100 + [{"name": "gpu-1"}]
    found = projected(raw)
    assert [device.name for device in found.devices] == ["gpu-1"]
    assert len(found.rejections) == 17
    assert found.rejections[-1].message == "84 more records like this"


devices = st.lists(
    st.one_of(
        JUNK,
        st.fixed_dictionaries(
            {"name": st.one_of(st.sampled_from(["gpu-0", "gpu-0-mig-1"]), JUNK)},
            optional={
                "attributes": st.dictionaries(
                    st.sampled_from(["type", "uuid", "parentUUID", "gpu.nvidia.com/uuid"]),
                    st.dictionaries(st.sampled_from(["string", "int", "strings"]), JUNK),
                ),
                "capacity": st.dictionaries(
                    st.sampled_from(["memory", "shares", "multiprocessors"]),
                    st.dictionaries(st.just("value"), JUNK),
                ),
                "taints": JUNK,
                "basic": JUNK,
            },
        ),
    ),
    max_size=4,
)


@settings(deadline=None, max_examples=150)
@given(devices)
def test_whatever_the_devices_are_the_numbers_are_sound(raw_devices: list[object]) -> None:
    spec = {"driver": "gpu.nvidia.com", "pool": {"name": "p", "generation": 1}}
    spec["pool"]["resourceSliceCount"] = 1  # type: ignore[index]
    found = projected({"metadata": {"name": "s"}, "spec": {**spec, "devices": raw_devices}})
    for device in found.devices:
        assert device.memory_bytes is None or 0 < device.memory_bytes <= MAX_CARD_BYTES
        assert device.slots is None or 0 < device.slots <= 4096
        assert len(device.uuid) <= 128
        assert all(32 < ord(character) < 127 for character in device.uuid + device.name)
        assert device.card
