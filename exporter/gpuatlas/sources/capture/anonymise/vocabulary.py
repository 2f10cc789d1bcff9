"""What may stay as it is: words that our readers interpret and that say nothing about a user."""

from __future__ import annotations

import re
from typing import Final

from gpuatlas.model.layer import MAIN_CONTAINERS
from gpuatlas.sources.hami.families import FAMILIES
from gpuatlas.sources.kubernetes.components import COMPONENTS
from gpuatlas.sources.kubernetes.kept import KEPT_ENV
from gpuatlas.sources.runtimes.memory import VARIABLES
from gpuatlas.sources.runtimes.table import ROWS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Namespaces that installers choose, not users.
NAMESPACES: Final = frozenset(
    {
        "default",
        "kube-system",
        "kube-public",
        "gpu-operator",
        "nvidia-gpu-operator",
        "gmp-system",
        "gke-managed-system",
        "hami-system",
        "volcano-system",
        "kai-scheduler",
        "kai-resource-reservation",
        "runai-reservation",
        "monitoring",
    }
)
SCHEDULERS: Final = frozenset(
    {
        "default-scheduler",
        "hami-scheduler",
        "volcano",
        "kai-scheduler",
        "runai-scheduler",
        "koord-scheduler",
        "yunikorn",
        "scheduler-plugins-scheduler",
    }
)

# Parts of the names of public serving, training and notebook images (facts/k8s.md 4): the runtime
# is told from them.
IMAGE_WORDS: Final = _words(
    """
    vllm openai sglang lmsysorg nvcr io nvidia tritonserver huggingface huggingfaceserver text
    generation inference tensorrt llm trt nim ollama ggml llama cpp rayproject ray ml pytorch
    tensorflow serving jax paddlepaddle paddle deepspeed mpi jupyter jupyterhub notebook scipy
    datascience kserve cuda dcgm exporter k8s device plugin hami volcano vgpu monitor scheduler
    ascend latest server
    """
)

_WORDS: Final = _words(
    """
    true false True False TRUE FALSE t f T F on off yes no none void null all default auto success
    failed allocating Reported Requesting Deleted UTC CST hami-core mig mps vgpu time-slicing
    time-sharing single mixed
    compute graphics fraction binpack spread topology-aware mutex numa force disable Regular
    Fraction leader follower head worker launcher master predictor transformer explainer Healthy
    Unhealthy Unknown utility video display graphics amd64 arm64 linux windows spot on-demand
    pending rebooting nvidia amd intel vGPU
    pods podgroups All ExactCount FromClass FromClaim TimeSlicing MPS MigInstance Open Closed
    Closing Hold HoldAndDrain llminferenceservice
    """
)
_NUMBER: Final = re.compile(r"[-+]?[0-9]{1,20}(\.[0-9]{1,20})?([KMGTPE]i?|m|k|%|s)?")
_VERSION: Final = re.compile(r"v?[0-9]{1,4}(\.[0-9]{1,6}){1,3}")
_TIME: Final = re.compile(r"[0-9]{4}[-.][0-9]{2}[-.][0-9]{2}(T[0-9]{2})?|[0-9]{2}(\.[0-9]{1,9})?Z")
_PROFILE: Final = re.compile(r"([0-9]c\.)?[0-9]g\.[0-9]{1,3}gb(\+[a-z.]{1,12})*(-[0-9]{1,3})?")
# Kubelet ids of cards by number; parts of a PCI address, with a digit so that no word passes.
_DEVICE: Final = re.compile(r"(nvidia|gi|vgpu|davinci)[0-9]{1,4}")
_PCI_PART: Final = re.compile(r"(?=[A-Fa-f]*[0-9])[0-9A-Fa-f]{2,4}")
# The reason of a condition is a CamelCase word; a kubelet's may end in a resource's name.
_REASON: Final = re.compile(r"[A-Z][A-Za-z]{1,60}(nvidia\.com/[a-z0-9.-]{1,40})?")
UUID: Final = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9A-Za-z])"
)
# Device files as drivers name them, and the folders in which they lie.
_DEVICE_FILE: Final = re.compile(
    r"dev|dri|(nvidia|davinci)[0-9]{1,4}|nvidia(ctl|-uvm|-uvm-tools|-modeset|-caps|-cap[0-9]{1,4})?"
    r"|davinci_manager|card[0-9]{1,4}|renderD[0-9]{1,4}"
)
# Words of runtime classes that tell how a container is kept apart (facts/hami.md 6.3, I7).
_RUNTIME_CLASS: Final = re.compile(
    r"(nvidia|ascend|gvisor|runsc|kata|qemu|legacy|cdi|runc|crun|experimental)"
)
_RUN: Final = re.compile(r"[A-Za-z0-9]+")
JSON_KEY: Final = re.compile(r"[A-Za-z_]{1,32}")

_PATTERNS: Final = (_NUMBER, _VERSION, _TIME, _PROFILE, _DEVICE, _PCI_PART)
_FAMILY_WORDS: Final = re.compile("|".join(f"(?:{family.word})" for family in FAMILIES))
_COMPONENT_WORDS: Final = frozenset(
    word
    for component in COMPONENTS
    for word in (component.name, *component.values, *component.containers, *component.ports)
)


def is_uuid(text: str) -> bool:
    """Whether the text is a UUID, perhaps with a vendor's prefix or a suffix."""
    return UUID.search(text) is not None


def is_harmless(text: str) -> bool:
    """Whether a piece of text may stay."""
    return (
        text in _WORDS
        or text in _COMPONENT_WORDS
        or text in SCHEDULERS
        or any(pattern.fullmatch(text) for pattern in _PATTERNS)
        or _FAMILY_WORDS.fullmatch(text) is not None
    )


def is_version(text: str) -> bool:
    """Whether a text is a number of a version and no more."""
    return _VERSION.fullmatch(text) is not None


def is_reason(text: str) -> bool:
    """Whether a text is a reason as the control plane writes them."""
    return not text or _REASON.fullmatch(text) is not None


def is_device_file(name: str) -> bool:
    """Whether a part of a path is a device file of a driver, or a folder of such."""
    return _DEVICE_FILE.fullmatch(name) is not None


def runtime_class(name: str) -> str:
    """A runtime class with all but the words that tell its kind crossed out."""
    return "".join(
        piece if _RUNTIME_CLASS.fullmatch(piece) else _RUN.sub("x", piece)
        for piece in _RUNTIME_CLASS.split(name)
    )


_CONTAINERS: Final = frozenset({*MAIN_CONTAINERS, "main", "server", "worker", "kserve-container"})


def is_container(name: str) -> bool:
    """Whether a container's name belongs to a component that we know, or says nothing."""
    return name in _COMPONENT_WORDS or name in _CONTAINERS


# Labels that vendors' discovery writes from the hardware: kept with their values.
_HARDWARE_LABEL: Final = re.compile(
    r"nvidia\.com/(gpu|mig|cuda|mps|vgpu|gfd)[.\-](?!clique|deploy)[A-Za-z0-9.\-]+"
    r"|kubernetes\.io/(arch|os)|(beta\.|node\.)kubernetes\.io/instance-type"
    r"|cloud\.google\.com/gke-(accelerator|gpu-[a-z-]+|max-shared-clients-per-gpu)"
    r"|karpenter\.[a-z0-9.]+/(sku|instance)-gpu-[a-z-]+|feature\.node\.kubernetes\.io/pci-.+"
    r"|kubernetes\.azure\.com/(accelerator|dcgm-exporter)|accelerator|gpu"
    r"|node\.koordinator\.sh/gpu-model"
)
# Labels of metrics that tell cards, instances, versions and errors apart.
_HARDWARE_METRIC_LABELS: Final = _words(
    """
    gpu device pci_bus_id modelName model_name GPU_I_ID GPU_I_PROFILE DCGM_FI_DRIVER_VERSION
    err_code err_msg window_size_in_ms xid clock_event health_watch health_error_code peer_gpu
    link_status nvlink nvswitch vgpu zone device_index deviceidx device_type devicetype
    device_cores devicecores devicememorylimit device_memory_limit vdevice_index vdeviceid
    container_index containeridx context module data offset context_size module_size buffer_size
    migname mig_name profile instance_id instanceid gpu_instance_id compute_instance_id
    placement_start placement_size sharedcontainers shared_containers deviceusedcore quota_name
    quotaName limit version revision build_date go_version compiler platform le quantile
    """
)


def keeps_label(key: str) -> bool:
    """Whether a node's label keeps its value."""
    return _HARDWARE_LABEL.fullmatch(key) is not None


_VARIABLES: Final = frozenset(
    {*KEPT_ENV, *VARIABLES, *(name for row in ROWS for name in row.env if not name.endswith("*"))}
)
_VARIABLE_STARTS: Final = tuple(
    name.removesuffix("*") for row in ROWS for name in row.env if name.endswith("*")
)


def variable_name(name: str) -> str:
    """A variable's name as far as a table of ours has it: tenants choose what follows."""
    if name in _VARIABLES:
        return name
    start = next((start for start in _VARIABLE_STARTS if name.startswith(start)), "")
    return f"{start}X"


# Labels of operators by which programs are told, with the values that tell something.
_PROGRAM_LABELS: Final = frozenset(pair for row in ROWS for pair in row.labels)


def tells_program(key: str, value: str) -> bool:
    """Whether a label or annotation is one that our table of runtimes knows."""
    return (key, value) in _PROGRAM_LABELS


def keeps_metric_label(name: str) -> bool:
    """Whether a label of a metric keeps its value."""
    return name in _HARDWARE_METRIC_LABELS
