from __future__ import annotations

import json
import math
from collections.abc import Iterable
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.devices import Promise, Registration
from gpuatlas.model.objects import Container
from gpuatlas.model.pages import Sample
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.units import (
    MAX_CARD_BYTES,
    MAX_CARDS_PER_NODE,
    MAX_TENANTS_PER_CARD,
    MIB,
)
from gpuatlas.sources.hami.annotations import read_node, read_pod
from gpuatlas.sources.hami.families import FAMILIES
from gpuatlas.sources.hami.fields import MAX_CORES
from gpuatlas.sources.hami.monitor import MONITOR_NAMES, read_monitor
from gpuatlas.sources.hami.scheduler import SCHEDULER_NAMES, read_scheduler

QUICK = settings(deadline=None, max_examples=200)

REASONS = {
    "empty",
    "empty-id",
    "bad-text",
    "not-json",
    "wrong-shape",
    "wrong-field-count",
    "not-a-number",
    "out-of-range",
    "too-large",
    "duplicate",
    "unknown-vendor",
    "missing-label",
    "underflow",
    "contradiction",
}

REGISTER_KEYS = [f.register.replace("{word}", "Ascend910B") for f in FAMILIES if f.register]
ALLOCATED_KEYS = [f.allocated.replace("{word}", "Ascend910B") for f in FAMILIES]
RESOURCES = sorted(
    {
        name
        for f in FAMILIES
        if f.derivation
        for name in (f.derivation.resource, f.derivation.memory, f.derivation.cores_resource)
        if name
    }
)

NUMBERS = st.one_of(
    st.integers(0, 200).map(str),
    st.integers(-(2**70), 2**70).map(str),
    st.sampled_from(["", "NaN", "1e9", "0x10", " 7", "+7", "٣", "9" * 400]),
)
IDS = st.one_of(
    st.sampled_from(["GPU-1", "GPU-2", "GPU-1[0-1]", "n-metax-0", "n-AWSNeuron-1", ""]),
    st.text(max_size=8),
)
FLAGS = st.sampled_from(["true", "false", "True", "", "yes", "1"])
TEXT_RECORDS = st.one_of(
    st.lists(st.one_of(NUMBERS, IDS, FLAGS), max_size=11).map(",".join),
    st.tuples(IDS, NUMBERS, NUMBERS, NUMBERS, IDS, NUMBERS, FLAGS, NUMBERS, IDS).map(",".join),
    st.tuples(IDS, NUMBERS, NUMBERS, IDS, FLAGS, IDS).map(",".join),
    st.tuples(IDS, IDS, NUMBERS, NUMBERS).map(",".join),
)
SEPARATORS = st.sampled_from([":", ";", ":;", "::", ""])
TEXTS = st.lists(st.tuples(TEXT_RECORDS, SEPARATORS).map("".join), max_size=6).map("".join)

JSON_VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**64 - 1),
        st.floats(allow_nan=False, allow_infinity=False),
        IDS,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(IDS, inner, max_size=3)),
    max_leaves=6,
)
JSON_NAMES = st.sampled_from(
    [
        *("id", "index", "count", "devmem", "devcore", "type", "numa", "mode", "health"),
        *("uuid", "totalDevCount", "totalVRam", "totalCompute", "model", "healthy"),
        *("capacity", "containerIndex", "deviceIndex", "gpuUUID", "migUUID", "gpuInstanceID"),
    ]
)
JSON_RECORDS = st.dictionaries(JSON_NAMES, JSON_VALUES, max_size=9)
JSON_TEXTS = st.one_of(
    JSON_VALUES,
    st.lists(st.one_of(JSON_RECORDS, JSON_VALUES), max_size=4),
    st.fixed_dictionaries(
        {
            "devices": st.lists(JSON_RECORDS, max_size=3),
            "profiles": st.dictionaries(
                st.one_of(st.text(max_size=6), st.just("1g.7gb")), JSON_VALUES, max_size=2
            ),
        }
    ),
).map(json.dumps)
VALUES = st.one_of(st.text(max_size=40), TEXTS, JSON_TEXTS, JSON_TEXTS.map(lambda t: t[:-1]))

LIMITS = st.dictionaries(
    st.sampled_from(["nvidia.com/gpu", "nvidia.com/gpumem", "nvidia.com/gpucores", "x/y"]),
    st.integers(0, 2**40),
    max_size=3,
)
CONTAINERS = st.lists(
    st.builds(
        Container,
        name=st.sampled_from("abcd"),
        kind=st.sampled_from(["init", "sidecar", "main"]),
        image=st.just("i"),
        limits=LIMITS,
        env=st.just({}),
    ),
    max_size=4,
)


def check_rejections(rejections: Iterable[Rejection]) -> None:
    for rejection in rejections:
        assert rejection.reason in REASONS
        assert rejection.where
        assert 0 < len(rejection.message) <= 200
        assert rejection.message.isprintable()


def check_card_id(card: str) -> None:
    assert 0 < len(card) <= 128
    assert card.isascii()
    assert card.isprintable()
    assert not set(card) & set("\"'\\` ")


def check_memory(amount: int | None) -> None:
    assert amount is None or 0 < amount <= MAX_CARD_BYTES


def check_cores(cores: int | None) -> None:
    assert cores is None or 0 < cores <= MAX_CORES


def check_registration(registration: Registration) -> None:
    cards = [device.card for device in registration.devices]
    assert len(cards) == len(set(cards)) <= MAX_CARDS_PER_NODE
    for device in registration.devices:
        check_card_id(device.card)
        check_memory(device.memory_bytes)
        check_cores(device.cores)
        assert 0 <= device.index < MAX_CARDS_PER_NODE
        assert device.slots is not None
        assert 0 <= device.slots <= MAX_TENANTS_PER_CARD
        assert device.numa >= 0
        assert (device.model + device.mode).isprintable()


@QUICK
@given(
    st.dictionaries(st.sampled_from(REGISTER_KEYS), VALUES, max_size=3),
    st.dictionaries(st.sampled_from(RESOURCES), st.integers(-5, 2**60), max_size=3),
)
def test_node_annotations(annotations: dict[str, str], capacity: dict[str, int]) -> None:
    registrations, rejections = read_node("n", annotations, capacity)
    for registration in registrations:
        check_registration(registration)
    check_rejections(rejections)


def check_promise(promise: Promise, names: set[str]) -> None:
    check_card_id(promise.card)
    check_memory(promise.memory_bytes)
    check_cores(promise.cores)
    assert promise.container in names
    assert promise.partition == "" or promise.partition.isascii()


@QUICK
@given(
    st.dictionaries(
        st.sampled_from([*ALLOCATED_KEYS, "hami.io/vgpu-mig-allocations", "hami.io/x-allocated"]),
        VALUES,
        max_size=4,
    ),
    CONTAINERS,
)
def test_pod_annotations(annotations: dict[str, str], containers: list[Container]) -> None:
    promises, rejections = read_pod("team", "pod", annotations, containers)
    names = {container.name for container in containers} | {""}
    assert len(promises) <= 128
    for promise in promises:
        check_promise(promise, names)
    check_rejections(rejections)


@QUICK
@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["GPU-1", "GPU-2"]), st.integers(1, 90000), st.integers(1, 100)
            ),
            min_size=1,
            max_size=3,
        ),
        min_size=1,
        max_size=4,
    ),
    st.data(),
)
def test_padding_and_fillers_never_change_what_is_promised(
    segments: list[list[tuple[str, int, int]]], data: st.DataObject
) -> None:
    padding = st.sampled_from(["", ";", ",,0,0:;", ";,,0,0:;;"])
    containers = [
        Container(name=f"c{n}", kind="main", image="i", limits={"nvidia.com/gpu": 1}, env={})
        for n in range(len(segments))
    ]
    text = ""
    expected = []
    for position, segment in enumerate(segments):
        text += data.draw(padding)
        text += "".join(f"{card},NVIDIA,{mib},{cores}:" for card, mib, cores in segment) + ";"
        expected += [(f"c{position}", card, mib * MIB, cores) for card, mib, cores in segment]
    annotations = {"hami.io/vgpu-devices-allocated": text + data.draw(padding)}
    promises, rejections = read_pod("team", "pod", annotations, containers)
    assert rejections == ()
    assert [(p.container, p.card, p.memory_bytes, p.cores) for p in promises] == expected


OTHER_LABELS = (
    *("deviceuuid", "device_index", "nodeid", "exported_node", "podnamespace"),
    *("podname", "exported_pod", "container", "ctrname", "container_index"),
)


def samples(names: Iterable[str]) -> st.SearchStrategy[list[Sample]]:
    names_and_ids = st.one_of(
        st.sampled_from(["a", "GPU-1", "NPU-1", "n-GCU-0", ""]), st.text(max_size=4)
    )
    cards = {
        "device_uuid": st.one_of(st.sampled_from(["GPU-1", "NPU-1", "n-GCU-0"]), names_and_ids),
        "namespace": names_and_ids,
        "pod": st.one_of(st.sampled_from(["a", "b"]), names_and_ids),
        "node": names_and_ids,
    }
    others = dict.fromkeys(OTHER_LABELS, names_and_ids)
    others["device_type"] = st.sampled_from(["NVIDIA-NVIDIA A10G", "Ascend-910B4", "", "AMD"])
    others["data"] = st.one_of(NUMBERS, st.just("268435456"))
    labels = st.fixed_dictionaries(cards, optional=others)
    values = st.one_of(st.floats(), st.sampled_from([0.0, 1.0, 2.0**63, 1.8e19, 100.0, 3e8]))
    return st.lists(
        st.builds(Sample, st.sampled_from([*sorted(names), "other"]), labels, values), max_size=12
    )


def check_ratio(ratio: float | None) -> None:
    assert ratio is None or 0 <= ratio <= 1


@QUICK
@given(samples(MONITOR_NAMES))
def test_monitor_samples(page: list[Sample]) -> None:
    result = read_monitor(page, target="t", node="", at=0.0)
    for card, host in result.hosts.items():
        check_card_id(card)
        assert host.used_bytes is None or 0 <= host.used_bytes <= MAX_CARD_BYTES
        check_ratio(host.utilization)
    for (tenant, card), reading in result.containers.items():
        check_card_id(card)
        assert tenant.namespace
        assert tenant.pod
        for amount in (reading.used_bytes, reading.limit_bytes):
            assert amount is None or 0 <= amount <= MAX_CARD_BYTES
        check_ratio(reading.utilization)
        assert reading.idle_seconds is None or 0 <= reading.idle_seconds < 4e8
    check_rejections(result.rejections)


@QUICK
@given(samples(MONITOR_NAMES), st.randoms(use_true_random=False))
def test_the_order_of_the_lines_does_not_matter(page: list[Sample], random: Random) -> None:
    shuffled = list(page)
    random.shuffle(shuffled)
    first = read_monitor(page, target="t", node="n", at=0.0)
    second = read_monitor(shuffled, target="t", node="n", at=0.0)
    assert first.hosts == second.hosts
    assert first.containers == second.containers


@QUICK
@given(samples(SCHEDULER_NAMES))
def test_scheduler_samples(page: list[Sample]) -> None:
    result = read_scheduler(page, target="t", at=0.0)
    for (node, card), device in result.devices.items():
        check_card_id(card)
        assert node
        for amount in (device.limit_bytes, device.allocated_bytes):
            assert amount is None or 0 <= amount <= MAX_CARD_BYTES
        for cores in (device.limit_cores, device.allocated_cores):
            assert cores is None or (math.isfinite(cores) and 0 <= cores <= MAX_CORES)
        assert device.shared is None or 0 <= device.shared <= MAX_TENANTS_PER_CARD
    assert all(total >= 0 for total in result.pods.values())
    check_rejections(result.rejections)
