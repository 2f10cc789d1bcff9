from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.objects import Pod
from gpuatlas.model.pod_spec import NO_ACCESS, PodAccess
from gpuatlas.sources.kubernetes.project import project_pod
from gpuatlas.sources.kubernetes.reach import read_access

Object = dict[str, Any]
Recorded = Callable[[str], Object]


def a_spec(*volumes: tuple[str, str], privileged: bool = False, **more: Any) -> Object:
    """A pod whose only container mounts each of the volumes (name, path on the node)."""
    return {
        "volumes": [{"name": name, "hostPath": {"path": path}} for name, path in volumes],
        "containers": [
            {
                "name": "main",
                "securityContext": {"privileged": privileged},
                "volumeMounts": [{"name": name, "mountPath": "/x"} for name, _ in volumes],
            }
        ],
        **more,
    }


def kept(spec: Object, phase: str = "Running") -> Pod | None:
    metadata = {"name": "p", "namespace": "team-a", "uid": "u"}
    return project_pod({"metadata": metadata, "spec": spec, "status": {"phase": phase}})


def with_env(name: str, value: Any) -> Object:
    return {"containers": [{"name": "main", "env": [{"name": name, **value}]}]}


def test_a_pod_that_is_handed_all_cards_without_asking(recorded: Recorded) -> None:
    pod = project_pod(recorded("sidestep-0"))
    assert pod is not None
    assert (pod.asks, pod.started_at) == (False, 1_787_306_405.0)
    assert pod.access == PodAccess(runtime_class="nvidia")
    assert pod.containers[0].env == {"NVIDIA_VISIBLE_DEVICES": "all"}


def test_device_files_of_the_node_count_where_a_container_mounts_them(recorded: Recorded) -> None:
    pod = project_pod(recorded("driver-tools-x1"))
    assert pod is not None
    assert not pod.asks
    assert pod.access == PodAccess(
        privileged=("prepare",), host_devices=("/dev/nvidia0", "/dev"), host_pid=True
    )
    assert pod.message == "The container was restarted for a reason."


def test_a_pod_that_asks_has_its_access_too_and_when_its_grace_ends(recorded: Recorded) -> None:
    raw = recorded("infer-0")
    raw["spec"]["runtimeClassName"] = "gvisor"
    pod = project_pod(raw)
    assert pod is not None
    assert (pod.asks, pod.access.runtime_class) == (True, "gvisor")
    assert (pod.deleting, pod.deleting_at) == (True, 1_787_310_000.0)  # 2026-08-21T11:00:00Z


@pytest.mark.parametrize("name", ["NVIDIA_VISIBLE_DEVICES", "ASCEND_VISIBLE_DEVICES"])
@pytest.mark.parametrize("value", ["all", "0", "0,1", "GPU-aaaaaaaa-0000-4000-8000-000000000001"])
def test_variables_that_hand_out_cards(name: str, value: str) -> None:
    pod = kept(with_env(name, {"value": value}))
    assert pod is not None
    assert not pod.asks


@pytest.mark.parametrize(
    "value",
    [
        {"value": ""},
        {"value": "none"},
        {"value": "void"},
        {},
        {"valueFrom": {"configMapKeyRef": {"name": "m", "key": "k"}}},
        {"value": ["all"]},
    ],
)
def test_variables_that_hand_out_none_or_are_no_literal(value: Object) -> None:
    assert kept(with_env("NVIDIA_VISIBLE_DEVICES", value)) is None


@pytest.mark.parametrize(
    ("path", "read"),
    [
        ("/dev", "/dev"),
        ("/dev/", "/dev"),
        ("//dev", "/dev"),
        ("/dev/../dev/./nvidia0", "/dev/nvidia0"),
        ("/dev/nvidia-uvm", "/dev/nvidia-uvm"),
        ("/dev/nvidia-caps", "/dev/nvidia-caps"),
        ("/dev/davinci0", "/dev/davinci0"),
        ("/dev/davinci_manager", "/dev/davinci_manager"),
        ("/dev/dri", "/dev/dri"),
        ("/dev/dri/renderD128", "/dev/dri/renderD128"),
    ],
)
def test_paths_that_show_device_files(path: str, read: str) -> None:
    pod = kept(a_spec(("v", path)))
    assert pod is not None
    assert pod.access == PodAccess(host_devices=(read,))


@pytest.mark.parametrize(
    "path",
    ["", "dev", "/dev/shm", "/dev/log", "/dev/fuse", "/developer", "/var/dev", "/dev/../etc"],
)
def test_other_paths_are_no_devices(path: str) -> None:
    assert kept(a_spec(("v", path))) is None


def test_the_nodes_root_counts_in_a_privileged_container_only() -> None:
    """Agents for logs and metrics mount it on every node, and can open no device below it."""
    assert kept(a_spec(("root", "/"))) is None
    pod = kept(a_spec(("root", "/"), privileged=True))
    assert pod is not None
    assert pod.access == PodAccess(privileged=("main",), host_devices=("/",))


def test_a_volume_that_nobody_mounts_and_one_that_is_no_host_path() -> None:
    spec = a_spec()
    spec["volumes"] = [
        {"name": "a", "hostPath": {"path": "/dev"}},
        {"name": "b", "emptyDir": {}},
        {"name": "c", "hostPath": {"path": 7}},
    ]
    assert kept(spec) is None


@pytest.mark.parametrize(
    ("runtime_class", "is_kept"),
    [("nvidia", True), ("nvidia-legacy", True), ("", False), ("kata", False)],
)
def test_privileges_count_with_nvidias_runtime(runtime_class: str, *, is_kept: bool) -> None:
    pod = kept(a_spec(privileged=True, runtimeClassName=runtime_class))
    assert (pod is not None) is is_kept
    assert kept(a_spec(runtimeClassName=runtime_class)) is None


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_what_has_ended_reaches_nothing(phase: str) -> None:
    assert kept(with_env("NVIDIA_VISIBLE_DEVICES", {"value": "all"}), phase) is None
    assert kept(a_spec(("v", "/dev")), phase) is None


@pytest.mark.parametrize("phase", ["Pending", "Running", "Unknown", ""])
def test_what_has_not_ended_can(phase: str) -> None:
    assert kept(a_spec(("v", "/dev")), phase) is not None


def test_pods_that_were_given_the_same_share_one_object() -> None:
    assert read_access(a_spec()) is NO_ACCESS
    spec = a_spec(("v", "/dev"), runtimeClassName="nvidia")
    assert read_access(spec) is read_access(a_spec(("w", "/dev/"), runtimeClassName="nvidia"))


def test_texts_and_numbers_of_volumes_are_bounded() -> None:
    spec = a_spec(*((f"v{i}", f"/dev/nvidia{i}") for i in range(300)))
    assert len(read_access(spec).host_devices) == 64
    (path,) = read_access(a_spec(("v", f"/dev/nvidia{'9' * 5000}\n"))).host_devices
    assert len(path) == 200
    assert len(read_access({"runtimeClassName": "x" * 5000}).runtime_class) == 253


def test_a_long_message_is_cut_and_a_bad_time_costs_itself_only(recorded: Recorded) -> None:
    raw = recorded("infer-0")
    raw["status"] |= {"message": "a\n" * 5000, "startTime": "yesterday"}
    raw["metadata"]["deletionTimestamp"] = "soon"
    pod = project_pod(raw)
    assert pod is not None
    assert pod.message == ("a\ufffd" * 100)[:199] + "\u2026"
    assert (pod.started_at, pod.deleting, pod.deleting_at) == (None, True, None)


LISTS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["a", "b", "", 3]),
            "hostPath": st.sampled_from(
                [{"path": "/dev"}, {"path": "/"}, {"path": ".."}, [], None]
            ),
            "securityContext": st.sampled_from([{"privileged": True}, {"privileged": 1}, None]),
            "volumeMounts": st.sampled_from([[{"name": "a"}], [{"name": "b"}, 5], {}, None]),
        },
    )
    | st.none(),
    max_size=4,
)


@settings(deadline=None, max_examples=200)
@given(LISTS, LISTS, LISTS, st.booleans() | st.integers(0, 1))
def test_any_spec_is_read(volumes: Any, inits: Any, containers: Any, host_pid: Any) -> None:
    spec = {
        "volumes": volumes,
        "initContainers": inits,
        "containers": containers,
        "hostPID": host_pid,
    }
    access = read_access(spec)
    assert access.host_pid is (host_pid is True)
    assert set(access.host_devices) <= {"/", "/dev"}
    assert "/" not in access.host_devices or access.privileged
