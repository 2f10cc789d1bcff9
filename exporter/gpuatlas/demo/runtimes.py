"""What the containers of each kind of workload look like in a pod's spec.

One row per runtime (facts/k8s.md 4): image, command and port as a reader would see them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """`args` may hold `{cards}`, the number of cards of the pod.

    `starts_seconds` is the time until the container is ready.
    """

    container: str
    image: str
    command: tuple[str, ...]
    args: tuple[str, ...] = ()
    port: int | None = None
    env: tuple[tuple[str, str], ...] = ()
    starts_seconds: int = 15
    downloads: bool = False  # an init container fetches the model first
    companion: str = ""  # a second container without a device


RUNTIMES: Final[Mapping[str, Runtime]] = {
    "vllm": Runtime(
        container="vllm",
        image="docker.io/vllm/vllm-openai:v0.11.0",
        command=("vllm", "serve", "/models/current"),
        args=("--tensor-parallel-size={cards}", "--gpu-memory-utilization=0.9"),
        port=8000,
        env=(("VLLM_LOGGING_LEVEL", "INFO"),),
        starts_seconds=90,
        downloads=True,
    ),
    "triton": Runtime(
        container="server",
        image="nvcr.io/nvidia/tritonserver:25.08-py3",
        command=("tritonserver",),
        args=("--model-repository=/models",),
        port=8000,
        starts_seconds=30,
    ),
    "pytorch": Runtime(
        container="main",
        image="docker.io/pytorch/pytorch:2.8.0-cuda12.9-cudnn9-runtime",
        command=("torchrun",),
        args=("--standalone", "--nproc-per-node={cards}", "/workspace/main.py"),
        env=(("NCCL_DEBUG", "WARN"),),
    ),
    "jupyter": Runtime(
        container="notebook",
        image="quay.io/jupyter/pytorch-notebook:cuda12-python-3.12",
        command=("start-notebook.sh",),
        args=("--ServerApp.ip=0.0.0.0",),
        port=8888,
        env=(("NB_PREFIX", "/notebook"),),
        companion="git-sync",
    ),
}
