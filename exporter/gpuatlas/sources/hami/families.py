"""The device families that HAMi and Volcano know: one row each. A new vendor is a new row.

Keys: facts/hami.md 2.1 (nodes), 3.3 (pods); units and placeholders: 2.3; made-up cards: the
`GetNodeDevices` of each vendor in HAMi v2.4 to v2.10. `{word}` in a key stands for the family's
CommonWord, which is a pattern where one vendor has one word per chip.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gpuatlas.model.units import MIB


class Encoding(StrEnum):
    """The shapes of a register annotation."""

    RECORDS = "records"  # HAMi's own: colon text or a JSON list
    VOLCANO = "volcano"
    METAX = "metax"
    ENFLAME = "enflame"


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """How HAMi makes up a node's cards from its capacity where nothing registers them.

    There is one card for every `units_per_card` of `resource`, rounded up; `card` is its id. Memory
    is the node's amount of the resource `memory`, `memory_unit` bytes each, in equal shares; ""
    where HAMi puts in a constant of its own (65536 MiB for MetaX, 98304 for Kunlunxin, 192000 for
    AMD, 100 for Enflame, 0 for AWS), which says nothing of the card and is dropped. AWS: the number
    of neuroncores is the amount of `cores_resource` divided by the number of cards, and it is at
    once the number of containers that the card takes.
    """

    resource: str
    card: str
    slots: int = 1
    cores: int | None = 100
    units_per_card: int = 1
    memory: str = ""
    memory_unit: int = MIB
    cores_resource: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One device family of one layer.

    `word` is HAMi's CommonWord, a regular expression where there are many. `requests` are the
    resources that make a container ask for a device of the family. `fixed_cores` stands for cards
    whose registered figure HAMi overrides; `cores_are_mask` for promises that list cores as bits;
    `instances` is the annotation that names the MIG instances behind the promises.
    """

    word: str
    vendor: str  # key of gpuatlas.model.vendors.VENDORS
    layer: str = "hami"
    register: str = ""
    encoding: Encoding = Encoding.RECORDS
    handshake: str = ""
    allocated: str = ""
    instances: str = ""
    requests: tuple[str, ...] = ()
    model_prefix: str = ""
    memory_unit: int = MIB  # of the layer's memory figures, in registrations and promises
    fixed_cores: int | None = None
    cores_are_mask: bool = False
    derivation: Derivation | None = None


FAMILIES: Final[tuple[Family, ...]] = (
    Family(
        word="NVIDIA",
        vendor="nvidia",
        register="hami.io/node-nvidia-register",
        handshake="hami.io/node-handshake",
        allocated="hami.io/vgpu-devices-allocated",
        instances="hami.io/vgpu-mig-allocations",
        requests=(
            "nvidia.com/gpu",
            "nvidia.com/vgpu",
            "nvidia.com/gpumem",
            "nvidia.com/gpumem-percentage",
            "nvidia.com/gpucores",
        ),
        model_prefix="NVIDIA-",
    ),
    Family(
        # Memory is in units of gpu-memory-factor MiB, and the factor stands in a ConfigMap only
        # (facts/errata.md). Its default 1 is taken: with another one the figures are too small.
        word="volcano",
        vendor="nvidia",
        layer="volcano",
        register="volcano.sh/node-vgpu-register",
        encoding=Encoding.VOLCANO,
        handshake="volcano.sh/node-vgpu-handshake",
        allocated="volcano.sh/vgpu-ids-new",
        requests=(
            "volcano.sh/vgpu-number",
            "volcano.sh/vgpu-memory",
            "volcano.sh/vgpu-memory-percentage",
            "volcano.sh/vgpu-cores",
        ),
        model_prefix="NVIDIA-",
    ),
    Family(
        word="Ascend[0-9A-Za-z-]{0,32}",
        vendor="ascend",
        register="hami.io/node-register-{word}",
        handshake="hami.io/node-handshake-{word}",
        allocated="hami.io/{word}-devices-allocated",
        requests=("huawei.com/{word}",),
    ),
    Family(
        word="DCU",
        vendor="hygon",
        register="hami.io/node-dcu-register",
        handshake="hami.io/node-handshake-dcu",
        allocated="hami.io/dcu-devices-allocated",
        requests=("hygon.com/dcunum",),
    ),
    Family(  # v2.7.1 and newer
        word="(?:MR|BI)-[0-9A-Za-z-]{1,32}",
        vendor="iluvatar",
        register="hami.io/node-{word}-register",
        handshake="hami.io/node-handshake-{word}",
        allocated="hami.io/{word}-devices-allocated",
        requests=("iluvatar.ai/{word}-vgpu",),
    ),
    Family(  # up to v2.7.0; v2.4 counted its cards from 1
        word="Iluvatar",
        vendor="iluvatar",
        allocated="hami.io/iluvatar-vgpu-devices-allocated",
        requests=("iluvatar.ai/vgpu",),
        derivation=Derivation(
            resource="iluvatar.ai/vcuda-core",
            units_per_card=100,
            card="{node}-iluvatar-{index}",
            slots=100,
            memory="iluvatar.ai/vcuda-memory",
            memory_unit=256 * MIB,
        ),
    ),
    Family(
        word="XPU",
        vendor="kunlunxin",
        register="hami.io/node-register-xpu",
        handshake="hami.io/node-handshake-xpu",
        allocated="hami.io/xpu-devices-allocated",
        requests=("kunlunxin.com/vxpu",),
    ),
    Family(
        word="kunlun",
        vendor="kunlunxin",
        allocated="hami.io/kunlun-allocated",
        requests=("kunlunxin.com/xpu",),
        derivation=Derivation(
            resource="kunlunxin.com/xpu", card="{node}-kunlun-{index}", slots=100
        ),
    ),
    Family(  # registers itself from v2.10.0; made up in v2.8 and v2.9
        word="AMD",
        vendor="amd",
        register="hami.io/node-amd-register",
        allocated="hami.io/amd-devices-allocated",
        requests=("amd.com/gpu",),
        derivation=Derivation(resource="amd.com/gpu", card="{node}-AMDGPU-{index}"),
    ),
    Family(
        word="Biren",
        vendor="biren",
        register="hami.io/node-biren-register",
        handshake="hami.io/node-handshake-biren",
        allocated="hami.io/Biren-devices-allocated",
        requests=("birentech.com/gpu",),
        fixed_cores=100,
    ),
    Family(
        word="Vastai",
        vendor="vastai",
        register="hami.io/node-va-register",
        handshake="hami.io/node-handshake-va",
        allocated="hami.io/Vastai-devices-allocated",
        requests=("vastaitech.com/va",),
        fixed_cores=100,
    ),
    Family(
        word="Metax-SGPU",
        vendor="metax",
        register="metax-tech.com/node-gpu-devices",
        encoding=Encoding.METAX,
        allocated="hami.io/metax-sgpu-devices-allocated",
        requests=("metax-tech.com/sgpu",),
    ),
    Family(
        word="Metax-GPU",
        vendor="metax",
        allocated="hami.io/metax-gpu-devices-allocated",
        requests=("metax-tech.com/gpu",),
        derivation=Derivation(resource="metax-tech.com/gpu", card="{node}-metax-{index}"),
    ),
    Family(  # DRS from v2.10.0, shared cards of 100 "percent of memory" before
        word="Enflame",
        vendor="enflame",
        register="enflame.com/gcu-drs-capacity",
        encoding=Encoding.ENFLAME,
        allocated="hami.io/enflame-vgpu-devices-allocated",
        requests=(
            "enflame.com/drs-gcu",
            "enflame.com/gcu-memory",
            "enflame.com/gcu-core",
            "enflame.com/vgcu",
        ),
        derivation=Derivation(
            resource="enflame.com/gcu-count", card="{node}-enflame-{index}", slots=100
        ),
    ),
    Family(
        word="GCU",
        vendor="enflame",
        allocated="hami.io/enflame-gcu-devices-allocated",
        requests=("enflame.com/gcu",),
        derivation=Derivation(resource="enflame.com/gcu", card="{node}-GCU-{index}"),
    ),
    Family(
        word="MLU",
        vendor="cambricon",
        allocated="hami.io/cambricon-mlu-devices-allocated",
        requests=("cambricon.com/vmlu",),
        derivation=Derivation(
            resource="cambricon.com/mlu.smlu.vcore",
            units_per_card=100,
            card="{node}-cambricon-mlu-{index}",
            slots=100,
            memory="cambricon.com/mlu.smlu.vmemory",
            memory_unit=256 * MIB,
        ),
    ),
    Family(
        word="Mthreads",
        vendor="mthreads",
        allocated="hami.io/mthreads-vgpu-devices-allocated",
        requests=("mthreads.com/vgpu",),
        derivation=Derivation(
            resource="mthreads.com/sgpu-core",
            units_per_card=16,
            card="{node}-mthreads-{index}",
            slots=100,
            cores=16,
            memory="mthreads.com/sgpu-memory",
            memory_unit=512 * MIB,
        ),
    ),
    Family(
        word="AWSNeuron",
        vendor="aws",
        allocated="hami.io/aws-neuron-devices-allocated",
        requests=("aws.amazon.com/neuron", "aws.amazon.com/neuroncore"),
        cores_are_mask=True,
        derivation=Derivation(
            resource="aws.amazon.com/neuron",
            card="{node}-AWSNeuron-{index}",
            cores_resource="aws.amazon.com/neuroncore",
        ),
    ),
)
