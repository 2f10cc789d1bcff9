"""DaemonSets and Deployments of the layers: what runs, how much of it, with which options."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.layer import LayerController
from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.layer.controllers import flags_of, read_controller
from gpuatlas_harness.layered import NAMESPACE, RELEASE, device_plugin, scheduler

Object = dict[str, Any]


def test_a_device_plugin_is_read_from_its_status() -> None:
    record = read_controller(device_plugin())
    assert record is not None
    assert record.controller == LayerController(
        kind="DaemonSet",
        namespace=NAMESPACE,
        name=f"{RELEASE}-device-plugin",
        component="hami-device-plugin",
        version="2.10.0",
        node_selector={"gpu": "on"},
        images={
            "device-plugin": "projecthami/hami:v2.10.0",
            "vgpu-monitor": "projecthami/hami:v2.10.0",
        },
        desired=2,
        ready=1,
        updated=2,
        settled=True,
        flags={"mig-strategy": "none", "disable-core-limit": "false"},
    )
    assert record.config_maps == (f"{RELEASE}-device-plugin", f"{RELEASE}-scheduler-device")


def test_a_scheduler_is_read_from_its_spec_and_status() -> None:
    record = read_controller(scheduler())
    assert record is not None
    found = record.controller
    assert (found.kind, found.desired, found.ready, found.updated) == ("Deployment", 2, 1, 2)
    assert found.settled is False  # generation 8, seen 7
    assert found.flags == {
        "scheduler-name": "hami-scheduler",
        "leader-elect": "true",
        "leader-elect-resource-name": "hami-lock",
        "force-overwrite-default-scheduler": "true",
    }
    assert record.config_maps == (f"{RELEASE}-scheduler-device",)


def test_counts_that_the_server_leaves_out_are_its_defaults() -> None:
    raw = scheduler()
    del raw["spec"]["replicas"]
    raw["status"] = {}
    record = read_controller(raw)
    assert record is not None
    found = record.controller
    assert (found.desired, found.ready, found.updated) == (1, 0, 0)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["--scheduler-name=a"], {"scheduler-name": "a"}),
        (["-scheduler-name", "a"], {"scheduler-name": "a"}),
        (["--scheduler-name"], {"scheduler-name": ""}),
        (["--leader-elect", "--scheduler-name=a"], {"leader-elect": "true", "scheduler-name": "a"}),
        (["--leader-elect=false"], {"leader-elect": "false"}),
        (["scheduler-name=a", "--unknown=b", "", "-"], {}),
    ],
)
def test_options_are_read_in_the_forms_that_go_takes(
    line: list[str], expected: dict[str, str]
) -> None:
    assert dict(flags_of(line)) == expected


def test_a_component_that_only_its_pods_are_labelled_by_is_known() -> None:
    raw = device_plugin()
    raw["metadata"]["labels"] = {}
    raw["spec"]["template"]["metadata"]["labels"] = {"name": "volcano-device-plugin"}
    record = read_controller(raw)
    assert record is not None
    assert record.controller.component == "volcano-device-plugin"


def test_volcanos_chart_labels_by_name() -> None:
    raw = device_plugin()
    raw["metadata"]["labels"] = {"app.kubernetes.io/name": "volcano-vgpu-device-plugin"}
    record = read_controller(raw)
    assert record is not None
    assert record.controller.component == "volcano-vgpu-device-plugin"


@pytest.mark.parametrize(
    "labels",
    [{}, {"app": "nvidia-dcgm-exporter"}, {"app.kubernetes.io/component": "web"}, None, "x"],
)
def test_controllers_of_other_programs_are_none(labels: object) -> None:
    raw = device_plugin()
    raw["metadata"]["labels"] = labels
    raw["spec"]["template"]["metadata"]["labels"] = labels
    assert read_controller(raw) is None


@pytest.mark.parametrize("value", [-1, 1.5, True, "2", 2**31, [], {}])
def test_counts_that_are_none_cost_the_controller(value: object) -> None:
    for field in ("desiredNumberScheduled", "numberReady", "updatedNumberScheduled"):
        raw = device_plugin()
        raw["status"][field] = value
        with pytest.raises(MalformedError, match=f"status.{field} is no whole number") as caught:
            read_controller(raw)
        assert caught.value.reason == "bad-number"


def test_a_controller_without_a_name_is_refused() -> None:
    raw = device_plugin()
    del raw["metadata"]["name"]
    with pytest.raises(MalformedError, match=r"without metadata\.name"):
        read_controller(raw)


def test_floods_are_cut() -> None:
    raw = device_plugin()
    pod = raw["spec"]["template"]["spec"]
    pod["volumes"] = [{"configMap": {"name": f"c{n}"}} for n in range(1000)]
    pod["containers"] = [{"name": f"c{n}", "image": "x" * 1000} for n in range(1000)]
    pod["nodeSelector"] = {f"k{n}": "v" for n in range(1000)}
    record = read_controller(raw)
    assert record is not None
    assert len(record.config_maps) == 64
    assert len(record.controller.images) == 64
    assert len(record.controller.node_selector) == 64
    assert {len(image) for image in record.controller.images.values()} == {253}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["containers", "volumes", "nodeSelector", "status", "template", "labels", "command", "args"]
)


@settings(deadline=None, max_examples=150)
@given(
    changes=st.lists(st.tuples(FIELDS, JSON), max_size=4),
    words=st.lists(st.text(max_size=30), max_size=5),
)
def test_nothing_but_our_error_is_raised(
    changes: list[tuple[str, object]], words: list[str]
) -> None:
    raw = device_plugin()
    template = raw["spec"]["template"]
    template["spec"]["containers"][0]["args"] = words
    places: dict[str, Object] = {
        "containers": template["spec"],
        "volumes": template["spec"],
        "nodeSelector": template["spec"],
        "status": raw,
        "template": raw["spec"],
        "labels": template["metadata"],
        "command": template["spec"]["containers"][0],
        "args": template["spec"]["containers"][1],
    }
    for field, value in changes:
        places[field][field] = value
    try:
        record = read_controller(raw)
    except MalformedError:
        return
    assert record is not None
    found = record.controller
    assert min(found.desired, found.ready, found.updated) >= 0
    assert max(map(len, [*found.flags.values(), *found.node_selector.values(), ""])) <= 253
