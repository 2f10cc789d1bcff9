from __future__ import annotations

import json

import pytest

from gpuatlas.model.devices import Promise
from gpuatlas.model.objects import Container
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.units import MIB
from gpuatlas.sources.hami.annotations import read_pod

KEY = "hami.io/vgpu-devices-allocated"
MIG_KEY = "hami.io/vgpu-mig-allocations"
MAIN = Container(name="main", kind="main", image="i", limits={"nvidia.com/gpu": 2}, env={})
GOOD = Promise(
    layer="hami",
    vendor="nvidia",
    card="GPU-good",
    container="main",
    memory_bytes=1024 * MIB,
    cores=10,
    source=KEY,
)


def read(annotations: dict[str, str]) -> tuple[tuple[Promise, ...], tuple[Rejection, ...]]:
    return read_pod("team-a", "x", annotations, (MAIN,))


@pytest.mark.parametrize(
    ("record", "reason", "message"),
    [
        ("GPU-x,NVIDIA,1024", "wrong-field-count", "has 3 fields, expected UUID,type,MiB,cores"),
        ("GPU-x,NVIDIA,1024,10,1", "wrong-field-count", "has 5 fields"),
        ("garbage", "wrong-field-count", "has 1 fields"),
        ("GPU-x,NVIDIA,many,10", "not-a-number", "memory is 'many'"),
        ("GPU-x,NVIDIA,1024,", "not-a-number", "cores is ''"),
        ("GPU-x,NVIDIA,-1024,10", "out-of-range", "memory is '-1024'"),
        ("GPU-x,NVIDIA,17825792,10", "out-of-range", "memory is '17825792'"),
        ("GPU-x,NVIDIA,1024,4294967295", "out-of-range", "cores is '4294967295'"),
        (",NVIDIA,1024,10", "empty-id", "the record names no card"),
        ("GPU-x\n,NVIDIA,1024,10", "bad-text", "is no card id"),
        ("GPU-x\\,NVIDIA,1024,10", "bad-text", "is no card id"),
        ("G" * 129 + ",NVIDIA,1024,10", "bad-text", "is no card id"),
        ("GPU-x[0-1,NVIDIA,1024,10", "bad-text", "no card id with a MIG slot"),
        ("GPU-x[],NVIDIA,1024,10", "bad-text", "no card id with a MIG slot"),
        ("[0-1],NVIDIA,1024,10", "bad-text", "no card id with a MIG slot"),
    ],
)
def test_a_bad_record_is_refused_alone(record: str, reason: str, message: str) -> None:
    promises, (rejection,) = read({KEY: f"GPU-good,NVIDIA,1024,10:{record}:;"})
    assert promises == (GOOD,)
    assert (rejection.source, rejection.reason) == ("hami-annotations", reason)
    assert rejection.where == f"pod team-a/x annotation {KEY}"
    assert message in rejection.message


@pytest.mark.parametrize(
    "text",
    [
        "GPU-x,NVIDIA,1,1:" * 129,
        ";" * 5000,
        ":" * 5000,
        "," * 1000,
        "x" * (256 * 1024 + 1),
        "GPU-x,NVIDIA,1,1:;" * 14563,
    ],
)
def test_a_flood_is_refused_whole(text: str) -> None:
    promises, (rejection,) = read({KEY: text})
    assert promises == ()
    assert rejection.reason == "too-large"


@pytest.mark.parametrize("text", ["", ";", ";;;", ",,0,0:;", " "])
def test_an_allocation_of_nothing_is_no_error(text: str) -> None:
    assert read({KEY: text}) == ((), ())


def test_128_devices_are_read() -> None:
    promises, rejections = read({KEY: "GPU-x,NVIDIA,1,1:" * 128 + ";"})
    assert len(promises) == 128
    assert rejections == ()


def test_many_annotations_together_are_bounded() -> None:
    annotations = {f"hami.io/Ascend{n:03}-devices-allocated": "NPU,A,1,1:" * 100 for n in range(50)}
    promises, rejections = read(annotations)
    assert len(promises) == 100
    assert {r.reason for r in rejections} == {"too-large"}
    assert len(rejections) == 17


def test_an_unknown_vendor_is_named_and_other_peoples_annotations_are_not_read() -> None:
    promises, (rejection,) = read(
        {
            "hami.io/acme-devices-allocated": "ACME-1,ACME,1,1:;",
            "metax-tech.com/gpu-devices-allocated": "[]",
            "example.com/budget-allocated": "all",
        }
    )
    assert promises == ()
    assert (rejection.reason, rejection.where) == (
        "unknown-vendor",
        "pod team-a/x annotation hami.io/acme-devices-allocated",
    )


def mig(**changes: object) -> dict[str, object]:
    record = {
        "containerIndex": 0,
        "deviceIndex": 0,
        "gpuUUID": "GPU-good",
        "profile": "1g.10gb",
        "migUUID": "MIG-1",
        "gpuInstanceID": 3,
        "computeInstanceID": 0,
    }
    return {name: value for name, value in (record | changes).items() if value is not None}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[{", "not-json"),
        ("{}", "wrong-shape"),
        ("[1]", "wrong-shape"),
        (json.dumps([mig()] * 129), "too-large"),
        ("x" * (256 * 1024 + 1), "too-large"),
        (json.dumps([mig(containerIndex=-1)]), "out-of-range"),
        (json.dumps([mig(containerIndex="a")]), "not-a-number"),
        (json.dumps([mig(deviceIndex=None)]), "not-a-number"),
        (json.dumps([mig(gpuUUID=None)]), "empty-id"),
        (json.dumps([mig(migUUID="MIG 1")]), "bad-text"),
        (json.dumps([mig(migUUID=None, gpuInstanceID=-2)]), "out-of-range"),
    ],
)
def test_a_bad_mig_annotation_costs_the_identity_only(text: str, reason: str) -> None:
    promises, (rejection,) = read({KEY: "GPU-good,NVIDIA,1024,10:;", MIG_KEY: text})
    assert promises == (GOOD,)
    assert rejection.reason == reason


@pytest.mark.parametrize(
    ("record", "partition"),
    [
        (mig(), "gi-3"),
        (mig(gpuInstanceID=None), "MIG-1"),
        (mig(migUUID=None, gpuInstanceID=0), "gi-0"),
        (mig(migUUID=None, gpuInstanceID=None), ""),
        (mig(gpuUUID="GPU-other"), ""),
        (mig(deviceIndex=1), ""),
        (mig(containerIndex=1), ""),
    ],
)
def test_a_mig_instance_is_given_to_its_own_device_only(
    record: dict[str, object], partition: str
) -> None:
    promises, rejections = read({KEY: "GPU-good,NVIDIA,1024,10:;", MIG_KEY: json.dumps([record])})
    assert rejections == ()
    assert [promise.partition for promise in promises] == [partition]


def test_a_mig_annotation_says_nothing_of_other_layers() -> None:
    annotations = {"volcano.sh/vgpu-ids-new": "GPU-good,NVIDIA,1024,10:", MIG_KEY: "garbage"}
    promises, rejections = read(annotations)
    assert rejections == ()
    assert [(p.layer, p.partition) for p in promises] == [("volcano", "")]


def test_the_first_of_two_mig_records_of_one_device_counts() -> None:
    text = json.dumps([mig(), mig(gpuInstanceID=4)])
    promises, _ = read({KEY: "GPU-good,NVIDIA,1024,10:;", MIG_KEY: text})
    assert [promise.partition for promise in promises] == ["gi-3"]
