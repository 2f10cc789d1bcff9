from __future__ import annotations

import json

import pytest

from gpuatlas.model.devices import RegisteredDevice
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.hami.annotations import read_node

KEY = "hami.io/node-nvidia-register"
GOOD = "GPU-good,10,1024,100,NVIDIA-Tesla T4,0,true,3,hami-core"
GOOD_DEVICE = RegisteredDevice(
    card="GPU-good",
    index=3,
    slots=10,
    memory_bytes=1024 * 1024 * 1024,
    cores=100,
    model="Tesla T4",
    healthy=True,
    mode="hami-core",
    numa=0,
)


def read(
    text: str, key: str = KEY
) -> tuple[tuple[RegisteredDevice, ...] | None, tuple[Rejection, ...]]:
    registrations, rejections = read_node("gpu-a", {key: text}, {})
    assert len(registrations) <= 1
    return (registrations[0].devices if registrations else None), rejections


@pytest.mark.parametrize(
    ("record", "reason", "message"),
    [
        ("GPU-x,10,1024,100,T4,0", "wrong-field-count", "has 6 fields, expected 7, 8, 9"),
        ("GPU-x,10,1024,100,T4,0,true,0,m,x", "wrong-field-count", "has 10 fields"),
        ("GPU-x", "wrong-field-count", "has 1 fields"),
        (",10,1024,100,T4,0,true,0,m", "empty-id", "the record names no card"),
        ("GPU x,10,1024,100,T4,0,true,0,m", "bad-text", "'GPU x' is no card id"),
        ('GPU-",10,1024,100,T4,0,true,0,m', "bad-text", "is no card id"),
        ("GPU-é,10,1024,100,T4,0,true,0,m", "bad-text", "is no card id"),
        ("G" * 129 + ",10,1024,100,T4,0,true,0,m", "bad-text", "is no card id"),
        ("GPU-x,ten,1024,100,T4,0,true,0,m", "not-a-number", "count is 'ten'"),
        ("GPU-x,10,1_024,100,T4,0,true,0,m", "not-a-number", "memory is '1_024'"),
        ("GPU-x,10,,100,T4,0,true,0,m", "not-a-number", "memory is ''"),
        ("GPU-x,10,1024.5,100,T4,0,true,0,m", "not-a-number", "memory is '1024.5'"),
        ("GPU-x,10,٣,100,T4,0,true,0,m", "not-a-number", "memory is '٣'"),
        ("GPU-x,10,-1,100,T4,0,true,0,m", "out-of-range", "memory is '-1'"),
        ("GPU-x,10,17825792,100,T4,0,true,0,m", "out-of-range", "memory is '17825792'"),
        ("GPU-x,10," + "9" * 5000 + ",100,T4,0,true,0,m", "out-of-range", "has 5000 digits"),
        ("GPU-x,4294967295,1024,100,T4,0,true,0,m", "out-of-range", "count is"),
        ("GPU-x,10,1024,4294967295,T4,0,true,0,m", "out-of-range", "cores is"),
        ("GPU-x,10,1024,100,T4,0,true,99999,m", "out-of-range", "index is"),
        ("GPU-x,10,1024,100,T4,9999,true,0,m", "out-of-range", "numa is"),
        ("GPU-x,10,1024,100,T4,0,maybe,0,m", "bad-text", "health is 'maybe'"),
        ("GPU-x,10,1024,100,T\n4,0,true,0,m", "bad-text", "type is"),
        ("GPU-x,10,1024,100,T4,0,true,0," + "m" * 129, "bad-text", "mode is"),
        ("GPU-good,5,2048,100,T4,0,true,0,m", "duplicate", "listed twice; the first record"),
    ],
)
def test_a_bad_text_record_is_refused_alone(record: str, reason: str, message: str) -> None:
    devices, (rejection,) = read(f"{GOOD}:{record}:")
    assert devices == (GOOD_DEVICE,)
    assert (rejection.source, rejection.reason) == ("hami-annotations", reason)
    assert rejection.where == f"node gpu-a annotation {KEY} record 1"
    assert message in rejection.message
    assert len(rejection.message) <= 200


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({}, "empty-id"),
        ({"id": ""}, "empty-id"),
        ({"id": 7}, "bad-text"),
        ({"id": ["GPU-x"]}, "bad-text"),
        ({"id": "GPU-x", "devmem": True}, "not-a-number"),
        ({"id": "GPU-x", "devmem": None}, "not-a-number"),
        ({"id": "GPU-x", "devmem": 1.5}, "not-a-number"),
        ({"id": "GPU-x", "devmem": -1}, "out-of-range"),
        ({"id": "GPU-x", "devmem": 2**63}, "out-of-range"),
        ({"id": "GPU-x", "index": -1}, "out-of-range"),
        ({"id": "GPU-x", "health": "yes"}, "bad-text"),
        ({"id": "GPU-x", "type": 4}, "bad-text"),
        ({"id": "GPU-x", "numa": [1]}, "not-a-number"),
        ("GPU-x", "wrong-shape"),
        (None, "wrong-shape"),
        ([], "wrong-shape"),
    ],
)
def test_a_bad_json_record_is_refused_alone(record: object, reason: str) -> None:
    good = {"id": "GPU-good", "index": 3, "count": 10, "devmem": 1024, "devcore": 100}
    good |= {"type": "NVIDIA-Tesla T4", "mode": "hami-core", "health": True}
    devices, (rejection,) = read(json.dumps([record, good]))
    assert devices == (GOOD_DEVICE,)
    assert rejection.reason == reason
    assert rejection.where == f"node gpu-a annotation {KEY} record 0"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ('[{"id":"GPU-x"', "not-json"),
        ('{"id":"GPU-x"}', "wrong-shape"),
        ("[" * 2000, "not-json"),
        ("x" * (256 * 1024 + 1), "too-large"),
        ("[" + "{}," * 1024 + "{}]", "too-large"),
        ("G,1:" * 1025, "too-large"),
        ("garbage", "wrong-field-count"),
        ('["x"]', "wrong-shape"),
    ],
)
def test_an_unreadable_annotation_registers_nothing_at_all(text: str, reason: str) -> None:
    devices, (rejection,) = read(text)
    assert devices is None
    assert rejection.reason == reason


@pytest.mark.parametrize("text", ["[]", "null", " [ ] "])
def test_an_empty_list_is_a_registration_of_no_cards(text: str) -> None:
    assert read(text) == ((), ())


def test_a_flood_of_bad_records_is_counted_and_not_quoted() -> None:
    devices, rejections = read(f"{GOOD}:" + "GPU-x,1:" * 1000)
    assert devices == (GOOD_DEVICE,)
    assert len(rejections) == 17
    assert rejections[-1] == Rejection(
        "hami-annotations", "wrong-field-count", "node gpu-a", "984 more records like this"
    )


def test_a_registration_of_an_unknown_vendor_is_named() -> None:
    annotations = {"hami.io/node-acme-register": "x", "hami.io/node-register-Acme1": "[]"}
    registrations, rejections = read_node("gpu-a", annotations, {})
    assert registrations == ()
    assert [(r.reason, r.where) for r in rejections] == [
        ("unknown-vendor", "node gpu-a annotation hami.io/node-acme-register"),
        ("unknown-vendor", "node gpu-a annotation hami.io/node-register-Acme1"),
    ]


def test_eight_fields_carry_an_index_and_seven_are_in_the_drivers_order() -> None:
    devices, rejections = read("GPU-a,1,10,100,T4,0,true,5:GPU-b,1,10,100,T4,0,true:")
    assert rejections == ()
    assert devices is not None
    assert [(d.card, d.index) for d in devices] == [("GPU-a", 5), ("GPU-b", 1)]


def test_a_json_record_without_an_index_is_card_zero_wherever_it_stands() -> None:
    devices, _ = read('[{"id":"GPU-b","index":1},{"id":"GPU-a"}]')
    assert devices is not None
    assert [(d.card, d.index) for d in devices] == [("GPU-b", 1), ("GPU-a", 0)]


def test_json_leaves_zero_values_out_and_missing_health_is_false() -> None:
    devices, rejections = read('[{"id":"GPU-a"}]')
    assert rejections == ()
    assert devices == (
        RegisteredDevice(
            card="GPU-a",
            index=0,
            slots=0,
            memory_bytes=None,
            cores=None,
            model="",
            healthy=False,
            mode="",
            numa=0,
        ),
    )


@pytest.mark.parametrize(
    ("written", "model"),
    [
        ("NVIDIA-NVIDIA A10G", "NVIDIA A10G"),
        ("NVIDIA A10G", "NVIDIA A10G"),
        ("NVIDIA-Tesla T4", "Tesla T4"),
        ("Tesla T4", "Tesla T4"),
    ],
)
def test_the_nvidia_prefix_is_taken_off(written: str, model: str) -> None:
    devices, _ = read(f"GPU-a,1,10,100,{written},0,true:")
    assert devices is not None
    assert devices[0].model == model


def test_the_kernels_missing_numa_node_is_read_as_node_zero() -> None:
    devices, rejections = read("GPU-a,1,10,100,T4,-1,true:")
    assert rejections == ()
    assert devices is not None
    assert devices[0].numa == 0


@pytest.mark.parametrize(
    ("key", "text", "reason"),
    [
        ("volcano.sh/node-vgpu-register", "GPU-a,1,10,T4:", "wrong-field-count"),
        ("volcano.sh/node-vgpu-register", "GPU-a,1,10,100,T4,0,true:", "wrong-field-count"),
        ("metax-tech.com/node-gpu-devices", "GPU-a,1", "not-json"),
        ("metax-tech.com/node-gpu-devices", '{"uuid":"x"}', "wrong-shape"),
        ("metax-tech.com/node-gpu-devices", '[{"totalVRam":1}]', "empty-id"),
        ("metax-tech.com/node-gpu-devices", "[3]", "wrong-shape"),
        ("enflame.com/gcu-drs-capacity", "[]", "wrong-shape"),
        ("enflame.com/gcu-drs-capacity", '{"devices":{}}', "wrong-shape"),
        ("enflame.com/gcu-drs-capacity", '{"devices":[{"index":"0"}]}', "not-a-number"),
        ("enflame.com/gcu-drs-capacity", '{"devices":["0"]}', "wrong-shape"),
    ],
)
def test_each_vendors_own_encoding_is_judged(key: str, text: str, reason: str) -> None:
    devices, (rejection,) = read(text, key)
    assert devices is None
    assert rejection.reason == reason


def test_drs_cards_without_an_index_or_a_profile_size_are_still_cards() -> None:
    text = '{"devices":[{"capacity":2},{"index":"x","capacity":"3"}],"profiles":{"odd":"0"}}'
    devices, rejections = read(text, "enflame.com/gcu-drs-capacity")
    assert rejections == ()
    assert devices is not None
    assert [(d.card, d.slots, d.memory_bytes) for d in devices] == [
        ("gpu-a-enflame-drs-0", 2, None),
        ("gpu-a-enflame-drs-1", 3, None),
    ]
