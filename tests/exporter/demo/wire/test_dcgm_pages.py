from __future__ import annotations

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.dcgm import dcgm_page
from gpuatlas.demo.world import build_world

NODES = ("a10g-1", "a10g-2", "h100-1", "t4-1", "a100-1", "a100-2", "l40s-1", "kai-1", "volcano-1",
         "dra-1", "l40s-2")  # fmt: skip


def samples(world: World, node: str, field: str) -> list[Sample]:
    page = dcgm_page(world.node(node), world.at)
    families = text_string_to_metric_families(page)
    return [s for family in families for s in family.samples if s.name == f"DCGM_FI_{field}"]


def by_card(world: World, node: str, field: str) -> dict[str, set[float]]:
    result: dict[str, set[float]] = {}
    for sample in samples(world, node, field):
        result.setdefault(sample.labels["gpu"], set()).add(sample.value)
    return result


@pytest.mark.parametrize("node", NODES)
def test_a_page_parses_without_a_series_twice(world: World, node: str) -> None:
    seen = set()
    for family in text_string_to_metric_families(dcgm_page(world.node(node), world.at)):
        assert family.type in {"gauge", "counter"}
        assert family.documentation
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in seen
            seen.add(key)
            assert 0 <= sample.value < 1e15


@pytest.mark.parametrize("node", NODES)
def test_every_family_has_its_header_once(world: World, node: str) -> None:
    lines = dcgm_page(world.node(node), world.at).splitlines()
    names = [line.split()[2] for line in lines if line.startswith("# TYPE ")]
    assert len(set(names)) == len(names)
    assert [line.split()[2] for line in lines if line.startswith("# HELP ")] == names
    assert {re.split("[{ ]", line)[0] for line in lines if line[0] != "#"} == set(names)


def test_a_whole_cards_line_is_in_the_exporters_form(healthy_world: World) -> None:
    card = healthy_world.node("a100-1").cards[4]
    pod = card.tenants[0].pod
    page = dcgm_page(healthy_world.node("a100-1"), healthy_world.at)
    expected = (
        f'DCGM_FI_DEV_FB_USED{{gpu="4",UUID="{card.uuid}",pci_bus_id="{card.pci_bus_id}",'
        'device="nvidia4",modelName="NVIDIA A100-SXM4-80GB",Hostname="a100-1",'
        f'DCGM_FI_DRIVER_VERSION="570.195.03",container="main",namespace="research",'
        f'pod="{pod.name}"}} {card.used_mib}'
    )
    assert expected in page.splitlines()


@pytest.mark.parametrize("node", ["a10g-1", "a100-1", "l40s-1"])
def test_used_free_and_reserved_add_up_to_the_card(world: World, node: str) -> None:
    sizes = [
        by_card(world, node, f"DEV_FB_{part}") for part in ("USED", "FREE", "RESERVED", "TOTAL")
    ]
    model = world.node(node).spec.card
    for index in range(world.node(node).spec.count):
        used, free, reserved, total = (size[str(index)].copy().pop() for size in sizes)
        assert used + free + reserved == total == model.memory_mib
        assert used >= 0
        assert free >= 0


def test_sizes_of_every_instance_add_up_too(world: World) -> None:
    sizes: dict[tuple[str, str], list[float]] = {}
    for part in ("USED", "FREE", "RESERVED", "TOTAL"):
        for sample in samples(world, "h100-1", f"DEV_FB_{part}"):
            key = (sample.labels["gpu"], sample.labels.get("GPU_I_ID", ""))
            sizes.setdefault(key, []).append(sample.value)
    assert len(sizes) == 4 + 7 + 2 + 5
    for used, free, reserved, total in sizes.values():
        assert used + free + reserved == total
        assert min(used, free, reserved) >= 0


def test_cards_under_hami_have_no_pod_labels(world: World) -> None:
    for sample in samples(world, "a10g-1", "DEV_FB_USED"):
        assert not {"pod", "namespace", "container"} & sample.labels.keys()


def test_only_the_newer_exporter_writes_hostname_in_lower_case(world: World) -> None:
    for node in NODES:
        labels = samples(world, node, "DEV_SM_CLOCK")[0].labels
        newer = node in {"h100-1", "dra-1"}
        host, other = ("hostname", "Hostname")[:: 1 if newer else -1]
        assert labels[host] == node
        assert other not in labels


def test_the_newer_exporter_sorts_its_families(world: World) -> None:
    def names(node: str) -> list[str]:
        page = dcgm_page(world.node(node), world.at)
        return re.findall(r"^# TYPE (\S+)", page, flags=re.MULTILINE)

    assert names("h100-1") == sorted(names("h100-1"))
    assert names("a10g-1") != sorted(names("a10g-1"))


def test_a_cut_card_has_a_series_per_instance_with_the_cards_values(world: World) -> None:
    temperatures = [
        sample for sample in samples(world, "h100-1", "DEV_GPU_TEMP") if sample.labels["gpu"] == "0"
    ]
    assert [(s.labels["GPU_I_PROFILE"], s.labels["GPU_I_ID"]) for s in temperatures] == [
        ("3g.40gb", "1"), ("2g.20gb", "3"), ("1g.10gb", "7"), ("1g.10gb", "8"),
    ]  # fmt: skip
    assert len({sample.value for sample in temperatures}) == 1
    assert temperatures[0].labels["pod"].startswith("chat-70b-lora-")


def test_a_cut_card_has_neither_utilisation_nor_row_repair(world: World) -> None:
    for field in ("DEV_GPU_UTIL", "DEV_MEM_COPY_UTIL", "DEV_ROW_REMAP_FAILURE"):
        assert sorted(by_card(world, "h100-1", field)) == ["3", "4", "5", "6", "7"]
    engines = samples(world, "h100-1", "PROF_GR_ENGINE_ACTIVE")
    assert len([sample for sample in engines if sample.labels["gpu"] == "1"]) == 7


def test_a_free_instance_has_no_pod(world: World) -> None:
    free = [
        sample
        for sample in samples(world, "h100-1", "DEV_FB_USED")
        if sample.labels["gpu"] == "2" and sample.labels["GPU_I_ID"] == "2"
    ]
    assert [("pod" in sample.labels, sample.value) for sample in free] == [(False, 12)]


def test_virtual_gpus_get_copies_of_the_cards_values(world: World) -> None:
    card = world.node("t4-1").cards[0]
    power = [s for s in samples(world, "t4-1", "DEV_POWER_USAGE") if s.labels["gpu"] == "0"]
    assert sorted(sample.labels["vgpu"] for sample in power) == ["0", "1"]
    assert {sample.value for sample in power} == {card.sensors.power_watts}
    assert not any("pod_uid" in sample.labels for sample in power)


def test_virtual_gpus_have_true_values_of_memory_and_utilisation(world: World) -> None:
    card = world.node("t4-1").cards[0]
    used = [s for s in samples(world, "t4-1", "DEV_FB_USED") if s.labels["gpu"] == "0"]
    own = {s.labels["pod_uid"]: s.value for s in used if "pod_uid" in s.labels}
    assert own == {tenant.pod.uid: tenant.resident_mib for tenant in card.tenants}
    assert [s.value for s in used if "pod" not in s.labels] == [card.used_mib]
    utilisation = [s for s in samples(world, "t4-1", "DEV_GPU_UTIL") if s.labels["gpu"] == "0"]
    assert len(utilisation) == 3


def test_memory_temperature_and_limits_are_there_where_the_model_has_them(world: World) -> None:
    assert samples(world, "a10g-1", "DEV_MEMORY_TEMP") == []
    assert len(samples(world, "a100-1", "DEV_MEMORY_TEMP")) == 8
    assert by_card(world, "a100-1", "DEV_SLOWDOWN_TEMP")["0"] == {89}
    assert samples(world, "l40s-1", "DEV_SLOWDOWN_TEMP") == []
    assert len(samples(world, "l40s-1", "DEV_GPU_TEMP_LIMIT")) == 4


def test_an_xid_is_there_once_it_happened(world: World, healthy_world: World) -> None:
    assert samples(healthy_world, "a100-2", "DEV_XID_ERRORS") == []
    (sample,) = samples(world, "a100-2", "DEV_XID_ERRORS")
    assert (sample.value, sample.labels["gpu"]) == (48, "1")
    assert sample.labels["err_code"] == "48"
    assert sample.labels["err_msg"] == "Double Bit ECC Error"


def test_xids_are_counted_by_number_and_as_none_on_the_other_cards(world: World) -> None:
    families = text_string_to_metric_families(dcgm_page(world.node("a100-2"), world.at))
    counted = {
        sample.labels["gpu"]: (sample.labels.get("xid"), sample.value)
        for family in families
        for sample in family.samples
        if sample.name.startswith("DCGM_EXP_XID_ERRORS_COUNT")
    }
    assert counted == {"0": (None, 0), "1": ("48", 1), "2": (None, 0), "3": (None, 0)}


def test_a_storm_of_xids_is_counted(scenario: Scenario, thursday: float) -> None:
    fault = FaultSpec(name="xid-storm", node="a100-1", card=0)
    world = build_world(scenario, seed=7, at=thursday, faults=(fault,))
    (last,) = samples(world, "a100-1", "DEV_XID_ERRORS")
    assert last.value == 31
    page = dcgm_page(world.node("a100-1"), world.at)
    (line,) = [x for x in page.splitlines() if "COUNT{" in x and 'xid="31"' in x]
    assert line.endswith('window_size_in_ms="300000",xid="31"} 12')


def test_a_lost_card_has_no_series(scenario: Scenario, thursday: float) -> None:
    fault = FaultSpec(name="fell-off-bus", node="a100-1", card=3)
    world = build_world(scenario, seed=7, at=thursday, faults=(fault,))
    assert sorted(by_card(world, "a100-1", "DEV_SM_CLOCK")) == list("0124567")
