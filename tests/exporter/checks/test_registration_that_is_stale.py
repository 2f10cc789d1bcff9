"""S12: a node's registration is missing, given up or out of date."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.handshakes import heartbeat_at
from gpuatlas.checks.registration import HEARTBEAT_SECONDS, registration_stale
from gpuatlas.model.checks import Finding, InputState, MissingInput
from gpuatlas.model.devices import Handshake
from gpuatlas.model.rejections import Rejection
from gpuatlas_harness.checked_layers import (
    REGISTER,
    a_checked_cluster,
    a_plugin_pod,
    a_shared_node,
    signals,
    the_finding,
)
from gpuatlas_harness.checked_registrations import PAGE, a_bare_node
from gpuatlas_harness.observed import NOW, a_dcgm_page, a_device, a_node, a_reading, a_registration

OK, MISSING = InputState.OK, InputState.MISSING
GONE = ("Deleted_2027-01-15 07:00:00", Handshake(state="deleted", at=NOW - 3600))
REPORTED = "Reported 2027-01-15 07:58:00.1 +0000 UTC m=+9.1"


def reported(age: float, *, zoned: bool = True) -> tuple[str, Handshake]:
    return REPORTED, Handshake(state="reported", at=NOW - age, zoned=zoned)


def test_a_healthy_registration_is_no_finding() -> None:
    context = a_checked_cluster([a_shared_node()], [a_plugin_pod()], dcgm=(PAGE,))
    result = registration_stale(context)
    assert (result.state, result.findings, result.missing) == (OK, (), ())
    assert result.nodes == (("gpu-a", OK),)


def test_a_plugin_that_registers_nothing() -> None:
    result = registration_stale(a_checked_cluster([a_bare_node()], [a_plugin_pod()]))
    assert result.findings == (
        Finding(
            check="S12",
            signal="missing",
            object="Node/gpu-a",
            source="node annotations",
            record=(
                "no hami.io/node-nvidia-register annotation; allocatable 10, pod "
                "kube-system/hami-device-plugin-gpu-a is Ready"
            ),
            node="gpu-a",
            namespace="kube-system",
            pod="hami-device-plugin-gpu-a",
        ),
    )
    assert result.state is OK


@pytest.mark.parametrize("register", ["", "  "])
def test_an_empty_annotation_is_no_registration(register: str) -> None:
    node = a_bare_node({REGISTER: register})
    assert signals(registration_stale(a_checked_cluster([node], [a_plugin_pod()]))) == ["missing"]


def test_an_annotation_that_cannot_be_read_is_a_missing_input() -> None:
    refused = Rejection("hami", "not-json", f"node gpu-a {REGISTER}", '"[{" is not JSON')
    node = replace(a_bare_node({REGISTER: "[{"}), rejections=(refused,))
    result = registration_stale(a_checked_cluster([node], [a_plugin_pod()]))
    assert result.findings == ()
    assert result.missing == (
        MissingInput(
            check="S12",
            input="registration",
            node="gpu-a",
            reason=f'the annotation {REGISTER} of hami cannot be read: "[{{" is not JSON',
        ),
    )
    without_a_word = replace(node, rejections=())
    again = registration_stale(a_checked_cluster([without_a_word], [a_plugin_pod()]))
    assert again.missing[0].reason.endswith("no record in it has the right form")


def test_a_plugin_that_just_started_has_time_to_register() -> None:
    young = a_plugin_pod(created_at=NOW - 119)
    assert registration_stale(a_checked_cluster([a_bare_node()], [young])).findings == ()


def test_without_a_ready_plugin_or_devices_the_registration_is_not_awaited() -> None:
    ill = a_checked_cluster([a_bare_node()], [a_plugin_pod(ready=False)])
    assert registration_stale(ill).findings == ()
    empty = a_checked_cluster([a_bare_node(allocatable={})], [a_plugin_pod()])
    assert registration_stale(empty).findings == ()


def test_volcano_registers_its_own_resource() -> None:
    node = a_bare_node(capacity={"volcano.sh/vgpu-number": 10})
    plugin = a_plugin_pod(labels={"name": "volcano-device-plugin"})
    finding = the_finding(registration_stale(a_checked_cluster([node], [plugin])))
    assert finding.record.startswith("no volcano.sh/node-vgpu-register annotation; allocatable 10")
    hamis = a_bare_node(capacity={"nvidia.com/gpu": 10})
    assert registration_stale(a_checked_cluster([hamis], [plugin])).findings == ()


def test_a_node_that_the_scheduler_gave_up() -> None:
    node = a_shared_node(handshake=GONE)
    context = a_checked_cluster([node], [a_plugin_pod()], dcgm=(PAGE,))
    assert registration_stale(context).findings == (
        Finding(
            check="S12",
            signal="dropped",
            object="Node/gpu-a",
            source="node annotation hami.io/node-handshake",
            record="Deleted_2027-01-15 07:00:00; allocatable 10",
            node="gpu-a",
        ),
    )


def test_giving_up_a_node_without_devices_is_right() -> None:
    node = a_shared_node(handshake=GONE, allocatable={"nvidia.com/gpu": 0})
    context = a_checked_cluster([node], [a_plugin_pod()], dcgm=(PAGE,))
    assert registration_stale(context).findings == ()


def test_what_a_layer_left_behind_is_no_finding() -> None:
    ill = a_device(1, healthy=False)
    node = a_shared_node("gpu-a", ill, handshake=GONE, labels={})
    context = a_checked_cluster([node], [], dcgm=(a_dcgm_page(a_reading(2)),))
    assert registration_stale(context).findings == ()


def test_one_layers_word_says_nothing_of_the_other() -> None:
    volcano = a_registration(
        a_device(2),
        layer="volcano",
        family="volcano",
        source="volcano.sh/node-vgpu-register",
        handshake=Handshake(state="deleted", at=NOW),
    )
    node = a_shared_node()
    both = replace(
        node,
        registrations=(*node.registrations, volcano),
        annotations={**node.annotations, "volcano.sh/node-vgpu-handshake": "Deleted_x"},
    )
    page = a_dcgm_page(a_reading(1), a_reading(2))
    context = a_checked_cluster([both], [a_plugin_pod()], dcgm=(page,))
    assert registration_stale(context).findings == ()
    offering = replace(both, allocatable={**both.allocatable, "volcano.sh/vgpu-number": 10})
    plugin = a_plugin_pod(uid="v", labels={"name": "volcano-device-plugin"})
    serving = a_checked_cluster([offering], [a_plugin_pod(), plugin], dcgm=(page,))
    finding = the_finding(registration_stale(serving))
    assert finding.source == "node annotation volcano.sh/node-vgpu-handshake"
    assert finding.record == "Deleted_x; allocatable 10"


def test_an_old_request_is_normal() -> None:
    old = ("Requesting_2020-01-01 00:00:00", Handshake(state="requesting", at=NOW - 10_000_000))
    context = a_checked_cluster([a_shared_node(handshake=old)], [a_plugin_pod()], dcgm=(PAGE,))
    assert registration_stale(context).findings == ()
    assert heartbeat_at(context, "gpu-a") is None


@pytest.mark.parametrize(
    ("age", "expected"), [(HEARTBEAT_SECONDS, []), (HEARTBEAT_SECONDS + 1, ["heartbeat"])]
)
def test_a_heartbeat_that_stopped(age: float, expected: list[str]) -> None:
    node = a_shared_node(handshake=reported(age))
    context = a_checked_cluster([node], [a_plugin_pod()], dcgm=(PAGE,))
    result = registration_stale(context)
    assert signals(result) == expected
    assert heartbeat_at(context, "gpu-a") == NOW - age
    if expected:
        finding = the_finding(result)
        assert finding.source == "node annotation hami.io/node-handshake"
        assert finding.record == f"{REPORTED}"


def test_a_heartbeat_needs_a_zone_and_a_plugin_that_reports() -> None:
    zoneless = a_shared_node(handshake=reported(9999, zoned=False))
    upgraded = a_shared_node(handshake=reported(9999), register='[{"id":"x"}]')
    timeless = a_shared_node(handshake=(REPORTED, Handshake(state="reported", at=None)))
    for node in (zoneless, upgraded, timeless):
        context = a_checked_cluster([node], [a_plugin_pod()], dcgm=(PAGE,))
        assert heartbeat_at(context, "gpu-a") is None
        assert registration_stale(context).findings == ()
    assert heartbeat_at(a_checked_cluster([]), "nowhere") is None


def test_it_does_not_apply_where_nothing_registers() -> None:
    result = registration_stale(a_checked_cluster([a_node("plain")]))
    assert result.state is InputState.NOT_APPLICABLE
