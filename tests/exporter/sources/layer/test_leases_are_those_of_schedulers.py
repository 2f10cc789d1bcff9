"""Which Lease a scheduler elects by, and what it says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.layer import LayerController, SchedulerLease
from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.layer.controllers import read_controller
from gpuatlas.sources.layer.leases import lease_places, read_lease
from gpuatlas_harness.layered import NAMESPACE, SERVICE, lease, scheduler


def controller(**flags: str) -> LayerController:
    record = read_controller(scheduler())
    assert record is not None
    named = {name.replace("_", "-"): value for name, value in flags.items()}
    return replace(record.controller, flags=named)


def test_a_lease_is_read() -> None:
    assert read_lease(lease()) == SchedulerLease(
        namespace=NAMESPACE,
        name="hami-lock",
        holder=f"{SERVICE}-7d9c_0f0e",
        renewed_at=1_787_307_072.5,
        duration_seconds=15.0,
    )


def test_what_a_lease_does_not_state_is_unknown() -> None:
    raw = lease()
    raw["spec"] = {}
    found = read_lease(raw)
    assert (found.holder, found.renewed_at, found.duration_seconds) == ("", None, None)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("renewTime", "yesterday", "bad-time"),
        ("renewTime", 5, "bad-time"),
        ("leaseDurationSeconds", -1, "bad-number"),
        ("leaseDurationSeconds", "15", "bad-number"),
        ("leaseDurationSeconds", 2**40, "bad-number"),
    ],
)
def test_a_broken_lease_is_refused(field: str, value: object, reason: str) -> None:
    raw = lease()
    raw["spec"][field] = value
    with pytest.raises(MalformedError) as caught:
        read_lease(raw)
    assert caught.value.reason == reason


def test_the_option_names_the_lease_and_else_the_scheduler() -> None:
    named = controller(scheduler_name="hami", leader_elect_resource_name="lock")
    assert list(lease_places([named])) == [(NAMESPACE, "lock")]
    assert list(lease_places([controller(scheduler_name="hami")])) == [(NAMESPACE, "hami")]
    assert list(lease_places([named, named])) == [(NAMESPACE, "lock")]


def test_no_lease_is_looked_for_where_none_is_named_or_nobody_elects() -> None:
    alone = controller(scheduler_name="hami", leader_elect="false")
    plugin = replace(controller(scheduler_name="hami"), component="hami-device-plugin")
    assert list(lease_places([controller(), alone, plugin])) == []


def test_a_scheduler_does_not_lead_to_leases_of_other_namespaces() -> None:
    raw = scheduler()
    command = raw["spec"]["template"]["spec"]["containers"][1]["command"]
    command.append("--leader-elect-resource-namespace=kube-system")
    record = read_controller(raw)
    assert record is not None
    assert list(lease_places([record.controller])) == [(NAMESPACE, "hami-lock")]


@settings(deadline=None, max_examples=200)
@given(
    holder=st.text() | st.integers(),
    renewed=st.text(max_size=30) | st.datetimes().map(str) | st.none() | st.floats(),
    duration=st.integers() | st.floats() | st.text(max_size=5) | st.none(),
)
def test_numbers_are_bounded(holder: object, renewed: object, duration: object) -> None:
    raw = lease()
    raw["spec"] = {
        "holderIdentity": holder,
        "renewTime": renewed,
        "leaseDurationSeconds": duration,
    }
    try:
        found = read_lease(raw)
    except MalformedError:
        return
    assert len(found.holder) <= 253
    assert found.renewed_at is None or 0 < found.renewed_at < 1e12
    assert found.duration_seconds is None or 0 < found.duration_seconds < 2**31
