from __future__ import annotations

from collections.abc import Callable

import pytest

from gpuatlas.model.devices import Promise
from gpuatlas.model.objects import Container
from gpuatlas.model.units import MIB
from gpuatlas.sources.hami.annotations import read_pod

PodLoader = Callable[[str, str], tuple[dict[str, str], tuple[Container, ...]]]

NVIDIA = ("hami", "nvidia", "hami.io/vgpu-devices-allocated")


def promise(
    origin: tuple[str, str, str],
    card: str,
    container: str,
    mib: int | None,
    cores: int | None,
    partition: str = "",
) -> Promise:
    layer, vendor, source = origin
    return Promise(
        layer=layer,
        vendor=vendor,
        card=card,
        container=container,
        memory_bytes=None if mib is None else mib * MIB,
        cores=cores,
        source=source,
        partition=partition,
    )


def hami(vendor: str, word: str) -> tuple[str, str, str]:
    return ("hami", vendor, f"hami.io/{word}-allocated")


VOLCANO = ("volcano", "nvidia", "volcano.sh/vgpu-ids-new")
MIG_CARD = "GPU-f0000000-0000-4000-8000-000000000002"

EXPECTED = {
    ("v2.4", "filler"): (
        promise(NVIDIA, "GPU-a0000000-0000-4000-8000-000000000001", "main", 7000, 30),
    ),
    ("v2.4", "unpadded"): (
        promise(NVIDIA, "GPU-a0000000-0000-4000-8000-000000000002", "main", 7000, None),
    ),
    ("v2.5", "mixed"): (
        promise(NVIDIA, "GPU-b0000000-0000-4000-8000-000000000001", "serve", 4096, 20),
        promise(NVIDIA, "GPU-b0000000-0000-4000-8000-000000000001", "embed", 2048, 10),
    ),
    ("v2.5", "mig"): (
        promise(NVIDIA, "GPU-b0000000-0000-4000-8000-000000000002", "main", 9856, None, "1-0"),
    ),
    ("v2.5", "moore"): (
        promise(hami("mthreads", "mthreads-vgpu-devices"), "mt-b-mthreads-1", "main", 16384, 8),
    ),
    ("v2.7", "two-cards"): (
        promise(NVIDIA, "GPU-c0000000-0000-4000-8000-000000000001", "main", 20000, 50),
        promise(NVIDIA, "GPU-c0000000-0000-4000-8000-000000000009", "main", 20000, 50),
    ),
    ("v2.7", "iluvatar"): (
        promise(hami("iluvatar", "MR-V100-devices"), "MR-c0000001", "main", 16384, 50),
    ),
    ("v2.7", "whole-kunlun"): (
        promise(hami("kunlunxin", "kunlun"), "xpu-d-kunlun-0", "main", None, None),
    ),
    ("v2.8", "padded"): (
        promise(NVIDIA, "GPU-d0000000-0000-4000-8000-000000000001", "serve", 7000, None),
        promise(NVIDIA, "GPU-d0000000-0000-4000-8000-000000000002", "embed", 1000, 10),
    ),
    ("v2.8", "whole-amd"): (
        promise(hami("amd", "amd-devices"), "amd-d-AMDGPU-0", "main", None, None),
    ),
    ("v2.9", "with-init"): (
        promise(NVIDIA, "GPU-e0000000-0000-4000-8000-000000000001", "warm", 9000, None),
        promise(NVIDIA, "GPU-e0000000-0000-4000-8000-000000000001", "main", 8000, 40),
    ),
    ("v2.9", "enflame-share"): (
        promise(hami("enflame", "enflame-vgpu-devices"), "gcu-e-enflame-0", "main", None, None),
    ),
    ("v2.10", "infer-0"): (
        promise(NVIDIA, "GPU-f0000000-0000-4000-8000-000000000001", "main", 10240, 30),
    ),
    ("v2.10", "mig-0"): (
        promise(NVIDIA, MIG_CARD, "a", 9728, 14, "gi-3"),
        promise(NVIDIA, MIG_CARD, "b", 9728, 14, "gi-4"),
    ),
    ("v2.10", "npu-0"): (
        promise(
            hami("ascend", "Ascend910B4-devices"),
            "0F1B2C3D-00000000-00000000-00000000-00000001",
            "main",
            16384,
            10,
        ),
    ),
    ("v2.10", "mlu-0"): (
        promise(
            hami("cambricon", "cambricon-mlu-devices"), "mlu-f-cambricon-mlu-1", "main", 12032, 25
        ),
    ),
    ("v2.10", "metax-0"): (
        promise(hami("metax", "metax-sgpu-devices"), "GPU-mx-f0000001", "main", 16384, 20),
    ),
    ("v2.10", "metax-whole-0"): (
        promise(hami("metax", "metax-gpu-devices"), "metax-whole-f-metax-1", "main", None, 100),
    ),
    ("v2.10", "drs-0"): (
        promise(hami("enflame", "enflame-vgpu-devices"), "drs-f-enflame-drs-1", "main", 21504, 50),
    ),
    ("v2.10", "neuron-0"): (
        promise(hami("aws", "aws-neuron-devices"), "inf-f-AWSNeuron-0", "whole", None, 2),
        promise(hami("aws", "aws-neuron-devices"), "inf-f-AWSNeuron-1", "half", None, 1),
    ),
    ("volcano", "batch"): (
        promise(VOLCANO, "GPU-70000000-0000-4000-8000-000000000001", "train", 8000, 25),
        promise(VOLCANO, "GPU-70000000-0000-4000-8000-000000000002", "eval", 10000, None, "0-1"),
    ),
}


@pytest.mark.parametrize(("version", "name"), EXPECTED, ids=str)
def test_the_promises_are_read_exactly(version: str, name: str, hami_pod: PodLoader) -> None:
    annotations, containers = hami_pod(version, name)
    promises, rejections = read_pod("team", name, annotations, containers)
    assert rejections == ()
    assert promises == EXPECTED[version, name]


def test_a_pod_without_annotations_has_no_promises() -> None:
    assert read_pod("team", "plain", {"prometheus.io/scrape": "true"}, ()) == ((), ())


def test_two_vendors_on_one_pod_are_both_read() -> None:
    annotations = {
        "hami.io/vgpu-devices-allocated": "GPU-a,NVIDIA,1,1:;",
        "hami.io/dcu-devices-allocated": "DCU-a,DCU,2,2:;",
    }
    main = Container(name="main", kind="main", image="i", limits={}, env={})
    promises, rejections = read_pod("team", "both", annotations, (main,))
    assert rejections == ()
    assert promises == (
        promise(hami("hygon", "dcu-devices"), "DCU-a", "main", 2, 2),
        promise(NVIDIA, "GPU-a", "main", 1, 1),
    )
