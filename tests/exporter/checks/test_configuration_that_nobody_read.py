"""S15, not-restarted, unreadable and unknown-node."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.configuration import EXAMPLE_NODE, drift
from gpuatlas.model.checks import CheckResult, Finding, InputState
from gpuatlas.model.layer import LayerConfig, NodeSettings
from gpuatlas.model.objects import Pod
from gpuatlas_harness.checked_books import (
    TOLD,
    a_driver_page,
    a_layer,
    a_scheduler_pod,
    overrides,
)
from gpuatlas_harness.checked_layers import (
    COMPONENT,
    a_checked_cluster,
    a_plugin_pod,
    a_shared_node,
    signals,
    the_finding,
)
from gpuatlas_harness.observed import NOW

CHANGED = NOW - 600


def judge(*pods: Pod, configs: tuple[LayerConfig, ...]) -> CheckResult:
    return drift(
        a_checked_cluster(
            [a_shared_node()], pods, layer=a_layer(configs=configs), dcgm=(a_driver_page(),)
        )
    )


def test_a_plugin_that_started_before_the_last_change_is_named() -> None:
    old = a_plugin_pod(started_at=CHANGED - 61)
    result = judge(old, configs=(replace(TOLD, changed_at=CHANGED),))
    assert the_finding(result) == Finding(
        check="S15",
        signal="not-restarted",
        object="ConfigMap/kube-system/hami-scheduler-device",
        namespace="kube-system",
        pod="hami-device-plugin-gpu-a",
        source="ConfigMap kube-system/hami-scheduler-device managedFields",
        record="device-config.yaml written 2027-01-15T07:50:00Z; "
        "pod hami-device-plugin-gpu-a startTime 2027-01-15T07:48:59Z",
    )
    assert result.state is InputState.OK


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(a_plugin_pod(started_at=CHANGED - 60), id="made in the same upgrade"),
        pytest.param(a_plugin_pod(started_at=NOW), id="restarted since"),
        pytest.param(a_plugin_pod(started_at=None, phase="Pending"), id="not started yet"),
        pytest.param(a_plugin_pod(started_at=0.0, deleting=True), id="on its way out"),
        pytest.param(a_plugin_pod(started_at=0.0, phase="Failed"), id="ended"),
        pytest.param(a_plugin_pod(started_at=0.0, namespace="other"), id="of another namespace"),
        pytest.param(a_plugin_pod(started_at=0.0, labels={}), id="of no component"),
    ],
)
def test_pods_that_know_the_last_change(pod: Pod) -> None:
    assert signals(judge(pod, configs=(replace(TOLD, changed_at=CHANGED),))) == []


def test_who_reads_which_text() -> None:
    plugin, scheduler = a_plugin_pod(started_at=0.0), a_scheduler_pod(started_at=0.0)
    of_nodes = overrides(changed_at=CHANGED)
    assert [f.pod for f in judge(plugin, scheduler, configs=(TOLD, of_nodes)).findings] == [
        "hami-device-plugin-gpu-a"
    ]
    shared = replace(TOLD, changed_at=CHANGED)
    assert sorted(f.pod for f in judge(plugin, scheduler, configs=(shared,)).findings) == [
        *("hami-device-plugin-gpu-a", "hami-scheduler-0"),
    ]


@pytest.mark.parametrize(
    ("component", "labels"),
    [
        pytest.param("volcano-vgpu-node-plugin", {"name": "volcano-device-plugin"}, id="Volcano's"),
        pytest.param(
            "hami-ascend-device-plugin", {COMPONENT: "hami-ascend-device-plugin"}, id="Ascend's"
        ),
    ],
)
def test_other_plugins_read_their_own(component: str, labels: dict[str, str]) -> None:
    pod = a_plugin_pod(started_at=0.0, labels=labels)
    own = replace(overrides(changed_at=CHANGED), component=component)
    assert signals(judge(pod, configs=(TOLD, own))) == ["not-restarted"]
    hamis = a_plugin_pod(started_at=0.0)
    assert signals(judge(hamis, configs=(TOLD, own))) == []


def test_a_change_of_unknown_time_says_nothing() -> None:
    assert signals(judge(a_plugin_pod(started_at=0.0), configs=(TOLD,))) == []


def test_a_text_that_cannot_be_read_is_told_and_missing() -> None:
    error = "line 3: deviceSplitCount is no whole number from 0 to 4096: deviceSplitCount: ten"
    result = judge(a_plugin_pod(), configs=(replace(TOLD, error=error),))
    assert the_finding(result) == Finding(
        check="S15",
        signal="unreadable",
        object="ConfigMap/kube-system/hami-scheduler-device",
        namespace="kube-system",
        source="ConfigMap kube-system/hami-scheduler-device device-config.yaml",
        record=error,
    )
    assert (result.state, [lack.input for lack in result.missing]) == (
        InputState.MISSING,
        ["configmaps"],
    )


def test_a_node_that_is_not_there_is_told_with_its_line() -> None:
    lines = {"gpu-z/name": '"name": "gpu-z",'}
    result = judge(configs=(TOLD, overrides(NodeSettings(name="gpu-z"), lines=lines)))
    assert the_finding(result) == Finding(
        check="S15",
        signal="unknown-node",
        object="ConfigMap/kube-system/hami-device-plugin",
        namespace="kube-system",
        source="ConfigMap kube-system/hami-device-plugin config.json",
        record='"name": "gpu-z",',
    )


@pytest.mark.parametrize("name", ["gpu-a", EXAMPLE_NODE])
def test_nodes_that_are_there_and_the_charts_example(name: str) -> None:
    assert signals(judge(configs=(TOLD, overrides(NodeSettings(name=name))))) == []
