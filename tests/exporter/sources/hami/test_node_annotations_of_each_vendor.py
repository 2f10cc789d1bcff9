"""Cards of other vendors that HAMi registers, in each of its versions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpuatlas.model.devices import Handshake
from gpuatlas.sources.hami.annotations import read_node
from gpuatlas_harness.registered import device, other

NodeLoader = Callable[[str, str], tuple[dict[str, str], dict[str, int]]]

EXPECTED = {
    ("v2.4", "npu-a"): other(
        "ascend",
        "Ascend910B3",
        "hami.io/node-register-Ascend910B3",
        device(
            "0A1B2C3D-00000000-00000000-00000000-00000001",
            slots=4,
            mib=65536,
            cores=20,
            model="Ascend910B3",
            mode="",
        ),
        device(
            "0A1B2C3D-00000000-00000000-00000000-00000002",
            index=1,
            slots=4,
            mib=65536,
            cores=20,
            model="Ascend910B3",
            mode="",
        ),
        handshake=Handshake(state="reported", at=1732090530.0),
    ),
    ("v2.5", "dcu-b"): other(
        "hygon",
        "DCU",
        "hami.io/node-dcu-register",
        device("DCU-b0000000000000001", slots=30, mib=16368, model="DCU-Z100L"),
        handshake=Handshake(state="deleted", at=1746525600.0),
    ),
    ("v2.5", "bi-b"): other(
        "iluvatar",
        "Iluvatar",
        "iluvatar.ai/vcuda-core",
        device("bi-b-iluvatar-0", slots=100, mib=32768, model="Iluvatar", mode=""),
        device("bi-b-iluvatar-1", index=1, slots=100, mib=32768, model="Iluvatar", mode=""),
    ),
    ("v2.5", "mt-b"): other(
        "mthreads",
        "Mthreads",
        "mthreads.com/sgpu-core",
        device("mt-b-mthreads-0", slots=100, mib=49152, cores=16, model="Mthreads", mode=""),
        device(
            "mt-b-mthreads-1", index=1, slots=100, mib=49152, cores=16, model="Mthreads", mode=""
        ),
    ),
    ("v2.7", "bi-c"): other(
        "iluvatar",
        "MR-V100",
        "hami.io/node-MR-V100-register",
        device("MR-c0000001", mib=32768, model="MR-V100", mode=""),
        handshake=Handshake(state="requesting", at=1762507800.0),
    ),
    ("v2.7", "xpu-c"): other(
        "kunlunxin",
        "XPU",
        "hami.io/node-register-xpu",
        device("00000000-03-00.0", slots=4, mib=98304, model="XPU", mode=""),
        handshake=Handshake(state="requesting", at=1762507800.0),
    ),
    ("v2.8", "amd-d"): other(
        "amd",
        "AMD",
        "amd.com/gpu",
        device("amd-d-AMDGPU-0", slots=1, mib=None, model="AMD", mode=""),
        device("amd-d-AMDGPU-1", index=1, slots=1, mib=None, model="AMD", mode=""),
    ),
    ("v2.9", "va-e"): other(
        "vastai",
        "Vastai",
        "hami.io/node-va-register",
        device("VA-e0000001", slots=4, mib=16384, model="Vastai", mode=""),
        handshake=Handshake(state="requesting", at=1779321599.0),
    ),
    ("v2.9", "gcu-e"): other(
        "enflame",
        "Enflame",
        "enflame.com/gcu-count",
        device("gcu-e-enflame-0", slots=100, mib=None, model="Enflame", mode=""),
    ),
    ("v2.10", "npu-f"): other(
        "ascend",
        "Ascend910B4",
        "hami.io/node-register-Ascend910B4",
        device(
            "0F1B2C3D-00000000-00000000-00000000-00000001",
            slots=20,
            mib=32768,
            cores=20,
            model="Ascend910B4",
            mode="",
        ),
        handshake=Handshake(state="reported", at=1787307072.0),
    ),
    ("v2.10", "amd-f"): other(
        "amd",
        "AMD",
        "hami.io/node-amd-register",
        device(
            "amd-gpu-f0000001",
            slots=8,
            mib=196592,
            cores=304,
            model="AMD Instinct MI300X",
            mode="",
        ),
    ),
    ("v2.10", "biren-f"): other(
        "biren",
        "Biren",
        "hami.io/node-biren-register",
        device("BR-f0000001", slots=4, mib=32768, model="Biren", mode=""),
        handshake=Handshake(state="requesting", at=1787307072.0),
    ),
    ("v2.10", "metax-f"): other(
        "metax",
        "Metax-SGPU",
        "metax-tech.com/node-gpu-devices",
        device("GPU-mx-f0000001", slots=16, mib=65536, model="MXC500", mode="", numa=1),
        device(
            "GPU-mx-f0000002", index=1, slots=16, mib=65536, model="MXC500", mode="", healthy=False
        ),
    ),
    ("v2.10", "metax-whole-f"): other(
        "metax",
        "Metax-GPU",
        "metax-tech.com/gpu",
        device("metax-whole-f-metax-0", slots=1, mib=None, model="Metax-GPU", mode=""),
        device("metax-whole-f-metax-1", index=1, slots=1, mib=None, model="Metax-GPU", mode=""),
    ),
    ("v2.10", "drs-f"): other(
        "enflame",
        "Enflame",
        "enflame.com/gcu-drs-capacity",
        device("drs-f-enflame-drs-0", slots=6, mib=43008, model="Enflame", mode=""),
        device("drs-f-enflame-drs-1", index=1, slots=6, mib=43008, model="Enflame", mode=""),
    ),
    ("v2.10", "gcu-f"): other(
        "enflame",
        "GCU",
        "enflame.com/gcu",
        device("gcu-f-GCU-0", slots=1, mib=None, model="GCU", mode=""),
    ),
    ("v2.10", "xpu-f"): other(
        "kunlunxin",
        "kunlun",
        "kunlunxin.com/xpu",
        device("xpu-f-kunlun-0", slots=100, mib=None, model="kunlun", mode=""),
        device("xpu-f-kunlun-1", index=1, slots=100, mib=None, model="kunlun", mode=""),
    ),
    ("v2.10", "mlu-f"): other(
        "cambricon",
        "MLU",
        "cambricon.com/mlu.smlu.vcore",
        device("mlu-f-cambricon-mlu-0", slots=100, mib=48128, model="MLU", mode=""),
        device("mlu-f-cambricon-mlu-1", index=1, slots=100, mib=48128, model="MLU", mode=""),
    ),
    ("v2.10", "inf-f"): other(
        "aws",
        "AWSNeuron",
        "aws.amazon.com/neuron",
        device("inf-f-AWSNeuron-0", slots=2, mib=None, cores=2, model="AWSNeuron", mode=""),
        device(
            "inf-f-AWSNeuron-1", index=1, slots=2, mib=None, cores=2, model="AWSNeuron", mode=""
        ),
    ),
}


@pytest.mark.parametrize(("version", "name"), EXPECTED, ids=str)
def test_the_registration_is_read_exactly(version: str, name: str, hami_node: NodeLoader) -> None:
    annotations, capacity = hami_node(version, name)
    registrations, rejections = read_node(name, annotations, capacity)
    assert rejections == ()
    assert registrations == (EXPECTED[version, name],)
