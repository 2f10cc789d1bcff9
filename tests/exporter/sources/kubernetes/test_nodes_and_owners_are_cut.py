from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from gpuatlas.model.devices import RegisteredDevice, Registration
from gpuatlas.model.objects import Node, Owner, OwnerLink
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.kubernetes.owners import project_owner
from gpuatlas.sources.kubernetes.project import project_node

Object = dict[str, Any]
Recorded = Callable[[str], Object]

DEVICE = RegisteredDevice(
    card="GPU-aaaaaaaa-0000-4000-8000-000000000001",
    index=0,
    slots=10,
    memory_bytes=46_056 * 1024 * 1024,
    cores=100,
    model="NVIDIA A10G",
    healthy=True,
)
REGISTRATION = Registration(
    layer="hami", vendor="nvidia", family="NVIDIA", source="a key", devices=(DEVICE,)
)
REFUSED = Rejection("hami-annotations", "not-json", "here", "why")


def read_node(
    name: str, annotations: Mapping[str, str], capacity: Mapping[str, int]
) -> tuple[tuple[Registration, ...], tuple[Rejection, ...]]:
    assert (name, capacity["nvidia.com/gpu"]) == ("gpu-hami", 10)
    assert annotations["hami.io/node-handshake"] == "Requesting_2026-08-21 10:11:12"
    return (REGISTRATION,), (REFUSED,)


def nothing(*_: object) -> tuple[tuple[()], tuple[()]]:
    return (), ()


def test_a_node_with_cards(recorded: Recorded) -> None:
    raw = recorded("gpu-hami")
    register = raw["metadata"]["annotations"]["hami.io/node-nvidia-register"]
    assert project_node(raw, read_node) == Node(
        uid="11111111-0000-4000-8000-000000000001",
        name="gpu-hami",
        labels={
            "kubernetes.io/hostname": "gpu-hami",
            "gpu": "on",
            "nvidia.com/gpu.product": "NVIDIA-A10G",
            "nvidia.com/gpu.memory": "23028",
        },
        annotations={
            "hami.io/node-handshake": "Requesting_2026-08-21 10:11:12",
            "hami.io/node-nvidia-register": register,
        },
        capacity={"nvidia.com/gpu": 10, "example.com/fpga": 2},
        allocatable={"nvidia.com/gpu": 10},
        ready=True,
        unschedulable=True,
        kubelet_version="v1.36.1",
        registrations=(REGISTRATION,),
        rejections=(REFUSED,),
    )


def test_a_node_without_cards_is_dropped(recorded: Recorded) -> None:
    assert project_node(recorded("plain-cpu"), nothing) is None


@pytest.mark.parametrize(
    ("where", "key", "value"),
    [
        pytest.param("labels", "nvidia.com/gpu.present", "true", id="GPU Operator"),
        pytest.param(
            "labels", "feature.node.kubernetes.io/pci-0302_10de.present", "true", id="PCI id"
        ),
        pytest.param("labels", "cloud.google.com/gke-accelerator", "nvidia-t4", id="GKE"),
        pytest.param("labels", "kubernetes.azure.com/accelerator", "nvidia", id="AKS"),
        pytest.param("labels", "gpu", "on", id="HAMi's node selector"),
        pytest.param("annotations", "hami.io/node-register-Ascend910B3", "[]", id="Ascend"),
        pytest.param("annotations", "volcano.sh/node-vgpu-register", "", id="Volcano"),
        pytest.param("annotations", "metax-tech.com/node-gpu-devices", "[]", id="MetaX"),
    ],
)
def test_a_node_that_says_it_has_cards_is_kept_before_its_plugin_runs(
    recorded: Recorded, where: str, key: str, value: str
) -> None:
    raw = recorded("plain-cpu")
    raw["metadata"].setdefault(where, {})[key] = value
    node = project_node(raw, nothing)
    assert node is not None
    assert getattr(node, where)[key] == value


@pytest.mark.parametrize("value", ["off", "False", "none", ""])
def test_a_label_may_say_that_there_are_no_cards(recorded: Recorded, value: str) -> None:
    raw = recorded("plain-cpu")
    raw["metadata"]["labels"] |= {"gpu": value, "nvidia.com/gpu.present": value}
    assert project_node(raw, nothing) is None


def test_a_node_is_not_ready_unless_it_says_so(recorded: Recorded) -> None:
    raw = recorded("gpu-hami")
    raw["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
    del raw["spec"]["unschedulable"]
    node = project_node(raw, nothing)
    assert node is not None
    assert (node.ready, node.unschedulable) == (False, False)


def test_an_owner_link_is_metadata_only() -> None:
    raw = {
        "metadata": {
            "name": "chat-6d4cf56db6",
            "namespace": "team-a",
            "uid": "33333333-0000-4000-8000-000000000001",
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "name": "chat",
                    "uid": "44444444-0000-4000-8000-000000000001",
                    "controller": True,
                }
            ],
        }
    }
    assert project_owner(raw, api_group="apps", kind="ReplicaSet") == OwnerLink(
        uid="33333333-0000-4000-8000-000000000001",
        api_group="apps",
        kind="ReplicaSet",
        namespace="team-a",
        name="chat-6d4cf56db6",
        controller=Owner(
            api_group="apps",
            kind="Deployment",
            name="chat",
            uid="44444444-0000-4000-8000-000000000001",
        ),
    )


@pytest.mark.parametrize("key", ["workflow-template", "cluster-workflow-template"])
def test_an_owner_says_what_its_name_and_its_run_were_made_from(key: str) -> None:
    labels = {f"workflows.argoproj.io/{key}": "nightly-report", "team.example.com/x": "y"}
    raw = {
        "metadata": {"name": "nightly-x7k2p", "generateName": "nightly-", "uid": "u"}
        | {"labels": labels}
    }
    link = project_owner(raw, api_group="argoproj.io", kind="Workflow")
    assert (link.generate_name, link.template) == ("nightly-", "nightly-report")


def test_what_a_name_was_made_from_is_cut_like_all_text_that_nobody_checks() -> None:
    raw = {
        "metadata": {"name": "a", "generateName": "n" * 10_000}
        | {"labels": {"workflows.argoproj.io/workflow-template": "a\nb" + "t" * 10_000}}
    }
    link = project_owner(raw, api_group="argoproj.io", kind="Workflow")
    assert (len(link.generate_name), len(link.template)) == (253, 253)
    assert link.template.startswith("a\N{REPLACEMENT CHARACTER}b")
