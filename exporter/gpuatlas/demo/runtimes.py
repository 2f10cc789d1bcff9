"""What the containers of each kind of workload look like in a pod's spec.

One row per runtime (facts/k8s.md 4): image, command and port as a reader would see them; of servers
that tell of their work also the page and what is usually asked of them, which is invented.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.serving import Traffic


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The metrics of a server: in whose form (`wire.service_pages`), and on which port.

    `own_port` is False where the requests come in by the same one.
    """

    form: str
    port: int
    traffic: Traffic
    own_port: bool = False


_CHAT: Final = Traffic(requests_per_second=2.0, seconds=5.0, tokens=(420, 240))
_PICTURES: Final = Traffic(requests_per_second=40.0, seconds=0.08)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """`args` may hold `{cards}`, the number of cards of the pod.

    `starts_seconds` is the time until the container is ready.
    """

    container: str
    image: str
    command: tuple[str, ...] = ()  # none: what the image starts by itself
    args: tuple[str, ...] = ()
    port: int | None = None
    env: tuple[tuple[str, str], ...] = ()
    starts_seconds: int = 15
    downloads: bool = False  # an init container fetches the model first
    companion: str = ""  # a second container without a device
    page: Page | None = None


# The second keeps `_created` series off the page, as many who pay for series do.
_VLLM_ENV: Final = (
    ("VLLM_LOGGING_LEVEL", "INFO"),
    ("PROMETHEUS_DISABLE_CREATED_SERIES", "True"),
)

RUNTIMES: Final[Mapping[str, Runtime]] = {
    "vllm": Runtime(
        container="vllm",
        image="docker.io/vllm/vllm-openai:v0.11.0",
        command=("vllm", "serve", "/models/current"),
        args=("--tensor-parallel-size={cards}", "--gpu-memory-utilization=0.9"),
        port=8000,
        env=_VLLM_ENV,
        starts_seconds=90,
        downloads=True,
        page=Page(form="vllm", port=8000, traffic=_CHAT),
    ),
    "triton": Runtime(
        container="server",
        image="nvcr.io/nvidia/tritonserver:25.08-py3",
        command=("tritonserver",),
        args=("--model-repository=/models",),
        port=8000,
        starts_seconds=30,
        page=Page(form="triton", port=8002, traffic=_PICTURES, own_port=True),
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
    # On half a card: vLLM takes this share of the whole card, whatever it was promised.
    "vllm-half": Runtime(
        container="vllm",
        image="docker.io/vllm/vllm-openai:v0.11.0",
        command=("bash", "-c"),
        args=("exec vllm serve /models/current --gpu-memory-utilization 0.45",),
        port=8000,
        env=_VLLM_ENV,
        starts_seconds=60,
        page=Page(form="vllm", port=8000, traffic=_CHAT),
    ),
    "sglang": Runtime(
        container="sglang",
        image="docker.io/lmsysorg/sglang:v0.5.3",
        command=("python3", "-m", "sglang.launch_server"),
        args=(
            "--model-path=/models/current",
            "--tp={cards}",
            "--mem-fraction-static=0.85",
            "--enable-metrics",
        ),
        port=30000,
        starts_seconds=90,
        page=Page(form="sglang", port=30000, traffic=_CHAT),
    ),
    "tgi": Runtime(
        container="tgi",
        image="ghcr.io/huggingface/text-generation-inference:3.3.6",
        args=("--model-id=/models/current", "--num-shard={cards}"),
        port=80,
        starts_seconds=60,
        page=Page(form="tgi", port=80, traffic=_CHAT),
    ),
    "ollama": Runtime(
        container="ollama",
        image="docker.io/ollama/ollama:0.12.3",
        port=11434,
        env=(("OLLAMA_KEEP_ALIVE", "10m"),),
    ),
    "huggingface": Runtime(
        container="server",
        image="docker.io/kserve/huggingfaceserver:v0.16.0-gpu",
        args=("--model_name=current", "--model_dir=/mnt/models"),
        port=8080,
        starts_seconds=45,
    ),
    "ray": Runtime(
        container="ray-worker",
        image="docker.io/rayproject/ray:2.50.0-gpu",
        command=("/bin/bash", "-lc", "--"),
        args=("ulimit -n 65536; ray start --block --num-gpus={cards}",),
        port=8080,
        env=(("RAY_CLUSTER_NAME", "cards"),),
        starts_seconds=30,
    ),
    "deepspeed": Runtime(
        container="main",
        image="docker.io/deepspeed/deepspeed:v0.17.6",
        command=("deepspeed",),
        args=("--num_gpus={cards}", "/workspace/train.py", "--deepspeed"),
    ),
    "jax": Runtime(
        container="main",
        image="registry.example/research/trainer:2026.4",
        command=("python3", "train.py"),
        env=(("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.8"),),
    ),
    "spark": Runtime(
        container="spark",
        image="docker.io/apache/spark:3.5.7-python3",
        command=("/opt/entrypoint.sh",),
    ),
    "watcher": Runtime(  # looks at cards, computes nothing
        container="watcher",
        image="registry.example/platform/gpu-watch:1.4",
    ),
}
