"""S15, split-count, memory-scaling and mode: what a node registered and what it was told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.configuration import drift
from gpuatlas.model.checks import CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.devices import RegisteredDevice
from gpuatlas.model.layer import LayerConfig, LayerObjects, NodeSettings
from gpuatlas.model.objects import Node
from gpuatlas.model.pages import DcgmPage
from gpuatlas.model.units import MIB
from gpuatlas_harness.checked_books import TOLD, a_driver_page, a_layer, defaults, overrides
from gpuatlas_harness.checked_layers import (
    a_checked_cluster,
    a_daemon_set,
    a_plugin_pod,
    a_shared_node,
    signals,
    the_finding,
)
from gpuatlas_harness.observed import a_device, a_node, a_registration, uuid

OK, MISSING = InputState.OK, InputState.MISSING
LINES = {
    "deviceSplitCount": "deviceSplitCount: 10",
    "deviceMemoryScaling": "deviceMemoryScaling: 1.5",
}


def judge(
    *devices: RegisteredDevice,
    configs: tuple[LayerConfig, ...] = (TOLD,),
    pages: tuple[DcgmPage, ...] | None = None,
    layer: LayerObjects | None = None,
) -> CheckResult:
    node = a_shared_node("gpu-a", *devices)
    return drift(
        a_checked_cluster(
            [node],
            [a_plugin_pod()],
            layer=layer or a_layer(configs=configs),
            dcgm=(a_driver_page(),) if pages is None else pages,
        )
    )


def test_a_healthy_node_shows_what_it_was_told() -> None:
    result = judge()
    assert (result.state, result.findings, result.missing) == (OK, (), ())
    assert result.nodes == (("gpu-a", OK),)


def test_another_number_of_slots_is_told_with_the_line() -> None:
    told = defaults(LINES, split_count=10, memory_scaling=1.5)
    result = judge(a_device(1, slots=4), configs=(told,))
    assert the_finding(result) == Finding(
        check="S15",
        signal="split-count",
        object="ConfigMap/kube-system/hami-scheduler-device",
        node="gpu-a",
        source="ConfigMap kube-system/hami-scheduler-device device-config.yaml",
        record="deviceSplitCount: 10; hami.io/node-nvidia-register of node gpu-a: "
        f"{uuid(1)} count 4",
    )


def test_another_scaling_is_told_with_both_sizes() -> None:
    told = defaults(LINES, split_count=10, memory_scaling=1.5)
    found = the_finding(judge(a_device(1, memory_bytes=23_028 * MIB), configs=(told,)))
    assert (found.signal, found.record) == (
        "memory-scaling",
        "deviceMemoryScaling: 1.5; hami.io/node-nvidia-register of node gpu-a: "
        f"{uuid(1)} devmem 23028 of 23028 MiB (1)",
    )


# The driver's 23,028 MiB times 1.5 is 34,542 MiB; 512 MiB times 1.5 are its tolerance.
@pytest.mark.parametrize(
    ("registered", "expected"),
    [
        pytest.param(34_542 - 768, [], id="as much less as the driver may reserve"),
        pytest.param(34_542 - 769, ["memory-scaling"], id="less"),
        pytest.param(34_542 + 768, [], id="as much more"),
        pytest.param(34_542 + 769, ["memory-scaling"], id="more"),
    ],
)
def test_how_far_two_totals_may_be_apart(registered: int, expected: list[str]) -> None:
    assert signals(judge(a_device(1, memory_bytes=registered * MIB))) == expected


def test_of_a_large_card_a_hundredth_is_rounding() -> None:
    pages = (a_driver_page(141_312),)
    scaled = int(141_312 * 1.5)
    within = a_device(1, memory_bytes=int(scaled * 0.991) * MIB)
    beyond = a_device(1, memory_bytes=int(scaled * 0.989) * MIB)
    assert signals(judge(within, pages=pages)) == []
    assert signals(judge(beyond, pages=pages)) == ["memory-scaling"]


def test_each_setting_of_a_node_is_told_once_for_all_its_cards() -> None:
    devices = tuple(a_device(n, slots=4, memory_bytes=MIB) for n in (1, 2, 3))
    result = judge(*devices, pages=(a_driver_page(cards=(1, 2, 3)),))
    assert signals(result) == ["memory-scaling", "split-count"]


def test_a_nodes_own_part_counts_before_the_defaults() -> None:
    own = NodeSettings(name="gpu-a", split_count=4, memory_scaling=1.0)
    lines = {"gpu-a/devicesplitcount": '"devicesplitcount": 4'}
    configs = (TOLD, overrides(own, lines=lines))
    assert signals(judge(a_device(1, slots=4, memory_bytes=23_028 * MIB), configs=configs)) == []
    found = the_finding(judge(a_device(1, memory_bytes=23_028 * MIB), configs=configs))
    assert (found.object, found.signal) == (
        "ConfigMap/kube-system/hami-device-plugin",
        "split-count",
    )
    assert found.record.startswith('"devicesplitcount": 4; ')


def test_the_part_of_another_node_says_nothing() -> None:
    own = NodeSettings(name="gpu-b", split_count=4)
    result = judge(configs=(TOLD, overrides(own)))
    assert signals(result) == ["unknown-node"]


def test_either_of_two_installations_may_be_the_nodes() -> None:
    other = replace(defaults(split_count=4, memory_scaling=1.0), name="second")
    assert signals(judge(configs=(other, TOLD))) == []


@pytest.mark.parametrize(
    ("told", "registered", "expected"),
    [
        ("mig", "hami-core", ["mode"]),
        ("hami-core", "mig", ["mode"]),
        ("mig", "mig", []),
        ("", "mig", []),
        ("mig", "", []),  # seven fields (v2.4) name no mode
    ],
)
def test_modes(told: str, registered: str, expected: list[str]) -> None:
    own = NodeSettings(name="gpu-a", mode=told)
    # In mode mig neither slots nor memory are what the settings say.
    device = a_device(1, mode=registered, slots=7, memory_bytes=23_028 * MIB)
    assert signals(judge(device, configs=(TOLD, overrides(own)))) == expected


def test_hami_2_4_has_its_defaults_on_the_command_line() -> None:
    plugin = a_daemon_set(flags={"device-split-count": "10", "device-memory-scaling": "1.5"})
    layer = a_layer(configs=(), controllers=(plugin,))
    assert judge(layer=layer).findings == ()
    assert judge(layer=layer).state is OK
    found = the_finding(judge(a_device(1, slots=5), layer=layer))
    assert (found.object, found.source) == (
        "DaemonSet/kube-system/hami-device-plugin",
        "options of DaemonSet/kube-system/hami-device-plugin",
    )
    assert found.record.startswith("--device-split-count=10; ")


@pytest.mark.parametrize("value", ["", "ten", "nan", "inf"])
def test_an_option_that_is_no_number_says_nothing(value: str) -> None:
    plugin = a_daemon_set(flags={"device-split-count": value})
    layer = a_layer(configs=(defaults(memory_scaling=1.5),), controllers=(plugin,))
    assert judge(layer=layer).findings == ()


def test_a_configured_size_stands_in_for_the_drivers() -> None:
    own = NodeSettings(name="gpu-a", preconfigured_bytes=64 * 1024 * MIB)
    card = a_device(1, memory_bytes=96 * 1024 * MIB)
    assert signals(judge(card, configs=(TOLD, overrides(own)))) == []
    everywhere = defaults(split_count=10, memory_scaling=1.5, preconfigured_bytes=1)
    assert signals(judge(card, configs=(everywhere,))) == []
    elsewhere = NodeSettings(name="gpu-b", preconfigured_bytes=1)
    assert "memory-scaling" in signals(judge(card, configs=(TOLD, overrides(elsewhere))))


def test_without_the_drivers_total_the_scaling_is_not_known() -> None:
    result = judge(pages=())
    (lack,) = result.missing
    assert (lack.input, lack.node, lack.reason.startswith(f"card {uuid(1)}: ")) == (
        *("physical memory", "gpu-a"),
        True,
    )
    assert (result.state, result.nodes) == (MISSING, (("gpu-a", MISSING),))


def test_without_a_scaling_the_drivers_total_is_not_needed() -> None:
    assert judge(configs=(defaults(split_count=10),), pages=()).state is OK


def test_many_nodes_that_took_none_of_it_are_one_finding() -> None:
    nodes = [
        a_shared_node(f"gpu-{n}", a_device(n, slots=4), capacity={"nvidia.com/gpu": 10})
        for n in range(1, 8)
    ]
    pages = tuple(a_driver_page(node=f"gpu-{n}", cards=(n,)) for n in range(1, 8))

    def judged(some: list[Node]) -> CheckResult:
        return drift(a_checked_cluster(some, (), layer=a_layer(), dcgm=pages))

    assert [(f.node, f.count) for f in judged(nodes[:5]).findings] == [
        (f"gpu-{n}", 1) for n in range(1, 6)
    ]
    found = the_finding(judged(nodes))
    assert (found.node, found.count, found.signal) == ("", 7, "split-count")
    assert found.record.startswith(
        "deviceSplitCount: 10; hami.io/node-nvidia-register of node gpu-1"
    )


def test_other_vendors_cards_have_no_such_settings() -> None:
    device = a_device(1, slots=7, memory_bytes=MIB, mode="")
    registration = a_registration(
        device, vendor="ascend", family="Ascend910B3", source="hami.io/node-register-Ascend910B3"
    )
    node = a_node("gpu-a", registration)
    assert drift(a_checked_cluster([node], layer=a_layer())).findings == ()


def test_memory_of_volcano_is_in_a_unit_that_nobody_names() -> None:
    registration = a_registration(
        a_device(1, memory_bytes=MIB), layer="volcano", source="volcano.sh/node-vgpu-register"
    )
    told = replace(TOLD, component="volcano-device-plugin")
    context = a_checked_cluster(
        [a_node("gpu-a", registration)], layer=a_layer(configs=(told,)), dcgm=(a_driver_page(),)
    )
    assert (drift(context).findings, drift(context).state) == ((), OK)


def test_configuration_that_cannot_be_read_is_missing() -> None:
    layer = a_layer(configs=(), unread={"configmaps": "403: no right"})
    result = judge(layer=layer)
    assert (result.state, result.missing) == (
        MISSING,
        (MissingInput(check="S15", input="configmaps", reason="403: no right"),),
    )


def test_configuration_that_nobody_found_is_missing() -> None:
    result = judge(layer=a_layer(configs=()))
    assert (result.state, result.missing) == (
        MISSING,
        (
            MissingInput(
                check="S15",
                input="configmaps",
                reason="no ConfigMap of the layer hami was found that its DaemonSet mounts",
            ),
        ),
    )


def test_it_does_not_apply_without_a_layer_that_has_settings() -> None:
    assert drift(a_checked_cluster([a_node()])).state is InputState.NOT_APPLICABLE
