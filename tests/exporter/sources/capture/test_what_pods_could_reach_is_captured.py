"""How a pod could reach cards, in captures: kept, and without names the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.objects import Pod
from gpuatlas.sources.capture.anonymise import anonymise
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.trimming import trim_capture

Object = dict[str, Any]

KEY = b"a key for tests"
NOW = 1_787_307_072.0


def a_pod(*paths: str, env: str = "all", runtime_class: str = "", **status: Any) -> Object:
    """A pod that asks for no card; its one container mounts each of the paths."""
    volumes = [{"name": f"zq{n}", "hostPath": {"path": path}} for n, path in enumerate(paths)]
    container = {
        "name": "zqmain",
        "securityContext": {"privileged": True, "runAsUser": 7},
        "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": env}],
        "volumeMounts": [{"name": volume["name"], "mountPath": "/zq"} for volume in volumes],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "zqpod", "namespace": "zqspace", "uid": "u"},
        "spec": {
            "nodeName": "zqnode",
            "hostPID": True,
            "runtimeClassName": runtime_class,
            "containers": [container],
            "volumes": [*volumes, {"name": "zqtoken", "secret": {"secretName": "zqsecret"}}],
        },
        "status": {"phase": "Running", **status},
    }


def a_capture(body: Object) -> Capture:
    return Capture(clock=NOW, objects=(RawObject(body=body, where=""),))


def the_pod(capture: Capture) -> Pod:
    (pod,) = project_capture(capture, now=NOW).observations.pods.values()
    return pod


def hidden(body: Object) -> Pod:
    """The pod of the anonymised capture, from which the names are gone."""
    capture = anonymise(a_capture(body), key=KEY)
    assert "zq" not in json.dumps([dict(raw.body) for raw in capture.objects])
    return the_pod(capture)


def test_a_trimmed_pod_is_the_same_pod() -> None:
    body = a_pod("/dev/nvidia0", "/", "/var/zq", startTime="2026-08-21T10:00:05Z", message="gone")
    trimmed = trim_capture(a_capture(body))
    assert the_pod(trimmed) == the_pod(a_capture(body))
    text = json.dumps(dict(trimmed.objects[0].body))
    assert [
        word for word in ("zqtoken", "zqsecret", "/var", "runAsUser", "mountPath") if word in text
    ] == []


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/", "/"),
        ("/dev", "/dev"),
        ("/dev/nvidia0", "/dev/nvidia0"),
        ("/dev/nvidiactl", "/dev/nvidiactl"),
        ("/dev/nvidia-uvm-tools", "/dev/nvidia-uvm-tools"),
        ("/dev/davinci_manager", "/dev/davinci_manager"),
        ("/dev/dri/renderD128", "/dev/dri/renderD128"),
        ("/dev/nvidiazq", "/dev/nvidiaword-3"),
        ("/dev/dri/zq", "/dev/dri/word-3"),
    ],
)
def test_device_files_stay_and_other_names_do_not(path: str, shown: str) -> None:
    access = hidden(a_pod(path)).access
    assert (access.host_devices, access.host_pid, len(access.privileged)) == ((shown,), True, 1)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("", ""),
        ("nvidia", "nvidia"),
        ("zq-nvidia-legacy", "x-nvidia-legacy"),
        ("gvisor", "gvisor"),
        ("kata-qemu-zq", "kata-qemu-x"),
        ("zq", "x"),
    ],
)
def test_of_a_runtime_class_its_kind_stays(name: str, shown: str) -> None:
    assert hidden(a_pod("/dev", runtime_class=name)).access.runtime_class == shown


@pytest.mark.parametrize("value", ["all", "none", "void", "", "0,1"])
def test_values_that_readers_go_by_stay(value: str) -> None:
    assert hidden(a_pod("/dev", env=value)).containers[0].env == {"NVIDIA_VISIBLE_DEVICES": value}


@pytest.mark.parametrize("value", ["1", "t", "T", "TRUE", "true", "True", "0", "F", "False"])
def test_switches_stay(value: str) -> None:
    body = a_pod("/dev")
    body["spec"]["containers"][0]["env"] = [{"name": "CUDA_DISABLE_CONTROL", "value": value}]
    assert hidden(body).containers[0].env == {"CUDA_DISABLE_CONTROL": value}


def test_what_the_kubelet_says_stays_without_names() -> None:
    said = (
        "Allocate failed due to rpc error: code = Unknown desc = no binding pod found on node "
        "zqnode, which is unexpected"
    )
    pod = hidden(a_pod("/dev", message=said, startTime="2026-08-21T10:00:05Z"))
    assert pod.message == said.replace("zqnode", pod.node)
    assert pod.started_at == 1_787_306_405.0


NAMES = st.text("nvidiadrc0-zZ/._ …é", max_size=12)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.sampled_from(["/", "/dev", "/dev/nvidia", "/dev/davinci", "/dev/dri"]), max_size=3),
    st.lists(NAMES, min_size=3, max_size=3),
    NAMES,
)
def test_as_much_can_be_reached_as_before(
    starts: list[str], ends: list[str], runtime_class: str
) -> None:
    paths = [f"{start}{end}" for start, end in zip(starts, ends, strict=False)]
    body = a_pod("/dev/nvidia9", *paths, runtime_class=runtime_class)
    plain = the_pod(a_capture(body)).access
    found = the_pod(anonymise(a_capture(body), key=KEY)).access
    assert len(found.host_devices) == len(plain.host_devices)
    assert ("nvidia" in found.runtime_class) == ("nvidia" in plain.runtime_class)
    assert bool(found.runtime_class) == bool(plain.runtime_class)
