"""Cards of NVIDIA's that HAMi and Volcano register, in each of their versions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpuatlas.model.devices import Handshake
from gpuatlas.sources.hami.annotations import read_node
from gpuatlas_harness.registered import device, nvidia, other

NodeLoader = Callable[[str, str], tuple[dict[str, str], dict[str, int]]]

EXPECTED = {
    ("v2.4", "gpu-a"): nvidia(
        Handshake(state="requesting", at=1732090530.0),
        device("GPU-a0000000-0000-4000-8000-000000000001", mib=46056, model="NVIDIA A10G", mode=""),
        device(
            "GPU-a0000000-0000-4000-8000-000000000002",
            index=1,
            mib=46056,
            model="NVIDIA A10G",
            mode="",
            numa=1,
            healthy=False,
        ),
    ),
    ("v2.5", "gpu-b"): nvidia(
        Handshake(state="reported", at=1746496800.0, zoned=True),
        device("GPU-b0000000-0000-4000-8000-000000000001", mib=15360, model="Tesla T4"),
        device(
            "GPU-b0000000-0000-4000-8000-000000000002",
            index=1,
            slots=7,
            mib=40960,
            model="NVIDIA A100-SXM4-40GB",
            mode="mig",
            numa=1,
        ),
    ),
    ("v2.7", "gpu-c"): nvidia(
        Handshake(state="requesting", at=1762507800.0),
        device(
            "GPU-c0000000-0000-4000-8000-000000000001", mib=81559, model="NVIDIA H100 80GB HBM3"
        ),
    ),
    ("v2.8", "gpu-d"): nvidia(
        Handshake(state="requesting", at=1768867200.0),
        device("GPU-d0000000-0000-4000-8000-000000000001", mib=23028, model="NVIDIA A10G"),
        device(
            "GPU-d0000000-0000-4000-8000-000000000002",
            index=1,
            mib=15360,
            model="Tesla T4",
            numa=1,
            healthy=False,
        ),
    ),
    ("v2.9", "gpu-e"): nvidia(
        Handshake(state="requesting", at=1779321599.0),
        device("GPU-e0000000-0000-4000-8000-000000000001", mib=23028, model="NVIDIA A10G"),
    ),
    ("v2.10", "gpu-f"): nvidia(
        Handshake(state="requesting", at=1787307072.0),
        device("GPU-f0000000-0000-4000-8000-000000000001", mib=34542, model="NVIDIA A10G"),
        device(
            "GPU-f0000000-0000-4000-8000-000000000002",
            index=1,
            slots=7,
            mib=81559,
            model="NVIDIA H100 80GB HBM3",
            mode="mig",
            numa=1,
        ),
    ),
    ("volcano", "gpu-v"): other(
        "nvidia",
        "volcano",
        "volcano.sh/node-vgpu-register",
        device(
            "GPU-70000000-0000-4000-8000-000000000001",
            mib=32768,
            cores=None,
            model="Tesla V100-SXM2-32GB",
        ),
        device(
            "GPU-70000000-0000-4000-8000-000000000002",
            index=1,
            mib=32768,
            cores=None,
            model="Tesla V100-SXM2-32GB",
            healthy=False,
        ),
        handshake=Handshake(state="requesting", at=1772366400.0),
        layer="volcano",
    ),
}


@pytest.mark.parametrize(("version", "name"), EXPECTED, ids=str)
def test_the_registration_is_read_exactly(version: str, name: str, hami_node: NodeLoader) -> None:
    annotations, capacity = hami_node(version, name)
    registrations, rejections = read_node(name, annotations, capacity)
    assert rejections == ()
    assert registrations == (EXPECTED[version, name],)


def test_two_layers_on_one_node_are_kept_apart(hami_node: NodeLoader) -> None:
    annotations, capacity = hami_node("volcano", "gpu-w")
    (hami, volcano), rejections = read_node("gpu-w", annotations, capacity)
    assert rejections == ()
    assert (hami.layer, hami.handshake) == ("hami", Handshake(state="deleted", at=1772366400.0))
    assert (volcano.layer, volcano.handshake) == (
        "volcano",
        Handshake(state="reported", at=1772366400.0),
    )
    card = "GPU-70000000-0000-4000-8000-000000000003"
    assert volcano.devices == (
        device(card, mib=12288, cores=None, model="NVIDIA TITAN Xp", mode=""),
    )
    assert hami.devices == (device(card, mib=12288, model="NVIDIA TITAN Xp"),)


def test_a_node_without_any_layer_registers_nothing() -> None:
    annotations = {"kubeadm.alpha.kubernetes.io/cri-socket": "unix:///run/containerd.sock"}
    assert read_node("cpu-a", annotations, {"nvidia.com/gpu": 8}) == ((), ())
