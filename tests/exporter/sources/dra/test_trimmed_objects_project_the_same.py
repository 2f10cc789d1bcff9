from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.dra.project import project_claim, project_slice
from gpuatlas.sources.dra.trim import trim_claim, trim_slice
from gpuatlas_harness.spoilt import junk_of, outcome, spoilt

Object = dict[str, Any]
Project = Callable[[object], object]
Trim = Callable[[object], dict[str, object]]

KINDS: dict[str, tuple[Project, Trim]] = {
    "ResourceSlice": (project_slice, trim_slice),
    "ResourceClaim": (project_claim, trim_claim),
}

WORDS = re.findall(
    r"\S+",
    """
    metadata spec status name namespace uid annotations driver pool generation
    resourceSliceCount nodeName devices basic attributes string version int bool strings
    capacity memory cores value taints key effect allowMultipleAllocations uuid parentUUID
    type profile requests exactly firstAvailable deviceClassName count adminAccess
    allocationMode allocation results request device consumedCapacity shareID config opaque
    parameters kind sharing strategy source reservedFor resource gpu.nvidia.com/uuid
    multiprocessors deviceID shares creationTimestamp
    """,
)
texts = st.one_of(
    st.sampled_from([*WORDS, "gpu.nvidia.com", "gpu.amd.com", "dra.net", "All", "MPS", "mig"]),
    st.sampled_from(["2026-08-21T10:00:00Z", "1", "80Gi", "-1", "true", ""]),
    st.text(max_size=8),
)
junk = junk_of(WORDS, texts, most=2**70)


def test_every_recorded_object_projects_the_same_after_trimming(
    recorded: dict[tuple[str, str], Object],
) -> None:
    for raw in recorded.values():
        project, trim = KINDS[raw["kind"]]
        assert outcome(project, trim(raw)) == outcome(project, raw)


def in_slice(**fields: object) -> Object:
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    devices = [{"name": "gpu-0", **fields}]
    spec = {"driver": "gpu.nvidia.com", "pool": pool, "devices": devices}
    return {"kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": spec}


def in_claim(requests: object = (), **devices: object) -> Object:
    return {
        "kind": "ResourceClaim",
        "metadata": {"name": "c"},
        "spec": {"devices": {"requests": requests}},
        "status": {"allocation": {"devices": devices}},
    }


RESULT = {"request": "r", "driver": "gpu.nvidia.com", "pool": "p", "device": "d"}
REQUEST = {"name": "r", "deviceClassName": "c"}


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(in_slice(nodeName="n"), id="a node of its own"),
        pytest.param(in_slice(basic={}), id="an empty v1beta1 device"),
        pytest.param(in_slice(basic={"nodeName": "n"}), id="a v1beta1 device with a node"),
        pytest.param(in_slice(attributes={"uuid": {"strings": ["GPU-1", "GPU-2"]}}), id="two ids"),
        pytest.param(in_slice(attributes={"type": {"ints": [[]]}}), id="a list of lists"),
        pytest.param(in_slice(taints=[{"key": "k"}] * 20), id="more taints than allowed"),
        pytest.param(
            {**in_slice(), "spec": {**in_slice()["spec"], "devices": [{"name": "d"}] * 130}},
            id="more devices than allowed",
        ),
        pytest.param(in_claim([{**REQUEST, "firstAvailable": "x"}]), id="alternatives as text"),
        pytest.param(in_claim([{**REQUEST, "firstAvailable": []}]), id="no alternatives"),
        pytest.param(in_claim([{**REQUEST, "firstAvailable": [{}] * 9}]), id="9 alternatives"),
        pytest.param(in_claim([{**REQUEST, "exactly": {}}]), id="an empty request"),
        pytest.param(in_claim([{**REQUEST, "count": 0}]), id="a count of 0"),
        pytest.param(in_claim([REQUEST] * 40, results=[RESULT] * 40), id="too many of all"),
    ],
)
def test_the_corners_project_the_same_after_trimming(raw: Object) -> None:
    project, trim = KINDS[raw["kind"]]
    assert outcome(project, trim(raw)) == outcome(project, raw)


@settings(deadline=None, max_examples=150)
@given(junk, st.sampled_from(list(KINDS.values())))
def test_junk_projects_the_same_after_trimming(raw: object, kind: tuple[Project, Trim]) -> None:
    project, trim = kind
    assert outcome(project, trim(raw)) == outcome(project, raw)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_spoilt_objects_project_the_same_after_trimming(
    recorded: dict[tuple[str, str], Object], data: st.DataObject
) -> None:
    raw: Any = data.draw(st.sampled_from(list(recorded.values())))
    project, trim = KINDS[raw["kind"]]
    raw = spoilt(data.draw, raw, junk, depth=8)
    assert outcome(project, trim(raw)) == outcome(project, raw)


def test_trimming_twice_changes_nothing(recorded: dict[tuple[str, str], Object]) -> None:
    for raw in recorded.values():
        _, trim = KINDS[raw["kind"]]
        assert trim(trim(raw)) == trim(raw)


def test_only_what_is_read_leaves(dra: Callable[[str, str], Object]) -> None:
    assert trim_slice(dra("hami-v0.1.0", "hami-a-hami-core-gpu.project-hami.io-7xv2d")) == {
        "metadata": {
            "name": "hami-a-hami-core-gpu.project-hami.io-7xv2d",
            "uid": "60000000-0000-4000-8000-000000000001",
            "creationTimestamp": "2026-05-15T08:00:00Z",
        },
        "spec": {
            "driver": "hami-core-gpu.project-hami.io",
            "nodeName": "hami-a",
            "pool": {"generation": 1, "name": "hami-a", "resourceSliceCount": 1},
            "devices": [
                {
                    "name": "hami-gpu-0",
                    "allowMultipleAllocations": True,
                    "attributes": {
                        "type": {"string": "hami-gpu"},
                        "uuid": {"string": "GPU-e0000000-0000-4000-8000-000000000001"},
                        "productName": {"string": "NVIDIA A10G"},
                        "driverVersion": {"version": "550.90.7"},
                        "cudaDriverVersion": {"version": "12.4.0"},
                        "pcieBusID": {"string": "0000:00:1e.0"},
                    },
                    "capacity": {"memory": {"value": "23028Mi"}, "cores": {"value": "100"}},
                }
            ],
        },
    }
    assert trim_claim(dra("nvidia-v25.8.1", "shared-mps")) == {
        "metadata": {
            "name": "shared-mps",
            "namespace": "team-a",
            "uid": "30000000-0000-4000-8000-000000000101",
            "creationTimestamp": "2026-02-01T09:00:00Z",
        },
        "spec": {
            "devices": {
                "requests": [
                    {
                        "name": "mps-gpu",
                        "exactly": {
                            "deviceClassName": "gpu.nvidia.com",
                            "allocationMode": "ExactCount",
                            "count": 1,
                        },
                    }
                ]
            }
        },
        "status": {
            "allocation": {
                "devices": {
                    "results": [
                        {
                            "request": "mps-gpu",
                            "driver": "gpu.nvidia.com",
                            "pool": "plain-a",
                            "device": "gpu-0",
                        }
                    ],
                    "config": [
                        {
                            "source": "FromClaim",
                            "requests": ["mps-gpu"],
                            "opaque": {
                                "driver": "gpu.nvidia.com",
                                "parameters": {
                                    "kind": "GpuConfig",
                                    "sharing": {"strategy": "MPS"},
                                },
                            },
                        }
                    ],
                }
            },
            "reservedFor": [
                {
                    "name": "serve-0",
                    "resource": "pods",
                    "uid": "30000000-0000-4000-8000-0000000000f1",
                },
                {
                    "name": "serve-1",
                    "resource": "pods",
                    "uid": "30000000-0000-4000-8000-0000000000f2",
                },
            ],
        },
    }


def test_an_object_keeps_the_shape_of_its_version(dra: Callable[[str, str], Object]) -> None:
    trimmed: Any = trim_slice(dra("nvidia-v25.3.2", "mig-a-gpu.nvidia.com-x7k2p"))
    assert [sorted(device) for device in trimmed["spec"]["devices"]] == [["basic", "name"]] * 3


@pytest.mark.parametrize("version", ["nvidia-v25.3.2", "nvidia-v25.12.0", "others"])
def test_selectors_labels_and_counters_do_not_leave(
    recorded: dict[tuple[str, str], Object], version: str
) -> None:
    for (found, _), raw in recorded.items():
        if found == version:
            trimmed = json.dumps(KINDS[raw["kind"]][1](raw))
            for word in ("cel", "labels", "consumesCounters", "sharedCounters", "nodeSelector"):
                assert f'"{word}"' not in trimmed
