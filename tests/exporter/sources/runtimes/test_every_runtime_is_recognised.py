"""Each row of the table by each kind of evidence, as manifests in the field write it."""

from __future__ import annotations

import pytest

from gpuatlas.model.pod_spec import UNKNOWN_RUNTIME
from gpuatlas.sources.runtimes.detect import detect
from gpuatlas.sources.runtimes.table import ROWS

KSERVE = "serving.kserve.io/server-type"
OPERATOR = "training.kubeflow.org/operator-name"

IMAGES = {
    "docker.io/vllm/vllm-openai:v0.11.0": ("vllm", "image vllm"),
    "registry.example:5000/mirror/vllm-openai@sha256:0011": ("vllm", "image vllm"),
    "ghcr.io/llm-d/llm-d-cuda:v0.4.0": ("vllm", "image llm-d-cuda"),
    "lmsysorg/sglang:v0.5.3-cu126": ("sglang", "image sglang"),
    "nvcr.io/nvidia/tensorrt-llm/release:1.0.0": ("tensorrt-llm", "image tensorrt-llm"),
    "registry.example/ml/tensorrt_llm:1.0": ("tensorrt-llm", "image tensorrt-llm"),
    "ghcr.io/huggingface/text-generation-inference:3.3": ("tgi", "image text-generation-inference"),
    "nvcr.io/nvidia/tritonserver:25.08-trtllm-python-py3": ("triton", "image tritonserver"),
    "nvcr.io/nim/meta/llama-3.1-8b-instruct:1.8.4": ("nim", "image nim/"),
    "ollama/ollama:0.12.3": ("ollama", "image ollama"),
    "ghcr.io/ggml-org/llama.cpp:server-cuda": ("llama.cpp", "image llama-cpp"),
    "kserve/huggingfaceserver:v0.16.0-gpu": ("kserve-huggingface", "image huggingfaceserver"),
    "pytorch/torchserve-kfs:0.12.0": ("torchserve", "image torchserve"),
    "tensorflow/serving:2.19.0-gpu": ("tensorflow-serving", "image tensorflow-serving"),
    "openvino/model_server:2025.3-gpu": ("openvino", "image openvino"),
    "rayproject/ray:2.50.0-gpu": ("ray", "image ray"),
    "rayproject/base-deps:2.50.0": ("ray", "image rayproject/"),
    "registry.example/team/ray:2.50.0-gpu": ("ray", "image ray"),
    "anyscale/ray-llm:2.46.0-cu124": ("ray", "image ray-llm"),
    "pytorch/pytorch:2.8.0-cuda12.9-cudnn9-runtime": ("pytorch", "image pytorch"),
    "nvcr.io/nvidia/pytorch:25.08-py3": ("pytorch", "image pytorch"),
    "tensorflow/tensorflow:2.19.0-gpu": ("tensorflow", "image tensorflow"),
    "nvcr.io/nvidia/jax:25.08-py3": ("jax", "image jax"),
    "paddlepaddle/paddle:3.2.0-gpu-cuda12.9": ("paddle", "image paddle"),
    "deepspeed/deepspeed:latest": ("deepspeed", "image deepspeed"),
    "quay.io/jupyter/pytorch-notebook:cuda12-python-3.12": ("jupyter", "image jupyter"),
    "kubeflownotebookswg/jupyter-pytorch-cuda-full:v1.10.0": ("jupyter", "image jupyter"),
    "kubeflownotebookswg/codeserver-python:v1.10.0": ("code-server", "image codeserver"),
    "kubeflownotebookswg/rstudio-tidyverse:v1.10.0": ("rstudio", "image rstudio"),
    "localhost/vllm": ("vllm", "image vllm"),
}

COMMANDS = {
    "vllm serve /models/current --port 8000": ("vllm", "command vllm serve"),
    "/opt/venv/bin/vllm serve m": ("vllm", "command vllm serve"),
    "python3 -m vllm.entrypoints.openai.api_server --model=m": (
        "vllm",
        "command vllm.entrypoints",
    ),
    "python3 -m sglang.launch_server --tp 4": ("sglang", "command sglang.launch_server"),
    "trtllm-serve m --backend pytorch": ("tensorrt-llm", "command trtllm-serve"),
    "text-generation-launcher --model-id m": ("tgi", "command text-generation-launcher"),
    "/opt/tritonserver/bin/tritonserver --model-store=/m": ("triton", "command tritonserver"),
    "ollama serve": ("ollama", "command ollama serve"),
    "/app/llama-server -m /models/a.gguf -ngl 99": ("llama.cpp", "command llama-server"),
    "python -m huggingfaceserver --model_id m": (
        "kserve-huggingface",
        "command huggingfaceserver",
    ),
    "torchserve --start --model-store /m": ("torchserve", "command torchserve"),
    "/usr/bin/tensorflow_model_server --port=9000": (
        "tensorflow-serving",
        "command tensorflow_model_server",
    ),
    "serve run app:deployment": ("ray-serve", "command serve run"),
    "ulimit -n 65536; ray start --head --block": ("ray", "command ray start"),
    "torchrun --nproc-per-node=8 train.py": ("pytorch", "command torchrun"),
    "python -m torch.distributed.run train.py": ("pytorch", "command torch.distributed"),
    "python -m torch.distributed.launch train.py": ("pytorch", "command torch.distributed"),
    "accelerate launch train.py": ("pytorch", "command accelerate launch"),
    "python -m paddle.distributed.launch train.py": ("paddle", "command paddle.distributed"),
    "deepspeed --num_gpus=8 train.py": ("deepspeed", "command deepspeed"),
    "mpirun -np 16 --hostfile /etc/mpi/hostfile ./train": ("mpi", "command mpirun"),
    "mpiexec -n 2 ./train": ("mpi", "command mpiexec"),
    "horovodrun -np 4 python train.py": ("mpi", "command horovodrun"),
    "jupyter lab --ip=0.0.0.0": ("jupyter", "command jupyter lab"),
    "jupyter notebook": ("jupyter", "command jupyter notebook"),
    "start-notebook.sh": ("jupyter", "command start-notebook.sh"),
    "jupyterhub-singleuser": ("jupyter", "command jupyterhub-singleuser"),
}

OPTIONS = {
    "--model m --gpu-memory-utilization=0.9": ("vllm", "option --gpu-memory-utilization"),
    "--model m --tensor_parallel_size 2": ("vllm", "option --tensor-parallel-size"),
    "--model-path m --mem-fraction-static 0.8": ("sglang", "option --mem-fraction-static"),
    "--model-repository=/models": ("triton", "option --model-repository"),
    "-m a.gguf -ngl 99": ("llama.cpp", "option -ngl"),
    "python train.py --deepspeed ds.json": ("deepspeed", "option --deepspeed"),
}

VARIABLES = {
    "VLLM_USE_V1": ("vllm", "variable VLLM_*"),
    "SGLANG_USE_MODELSCOPE": ("sglang", "variable SGLANG_*"),
    "NIM_CACHE_PATH": ("nim", "variable NIM_*"),
    "OLLAMA_KEEP_ALIVE": ("ollama", "variable OLLAMA_*"),
    "LLAMA_ARG_N_GPU_LAYERS": ("llama.cpp", "variable LLAMA_ARG_*"),
    "NB_PREFIX": ("jupyter", "variable NB_PREFIX"),
    "JUPYTERHUB_API_URL": ("jupyter", "variable JUPYTERHUB_*"),
    "PET_NNODES": ("pytorch", "variable PET_*"),
    "MASTER_ADDR": ("pytorch", "variable MASTER_ADDR"),
    "TF_CONFIG": ("tensorflow", "variable TF_CONFIG"),
    "JAX_COORDINATOR_ADDRESS": ("jax", "variable JAX_*"),
    "PADDLE_MASTER": ("paddle", "variable PADDLE_*"),
    "RAY_ADDRESS": ("ray", "variable RAY_*"),
    "OMPI_MCA_orte_keep_fqdn_hostnames": ("mpi", "variable OMPI_MCA_*"),
}

LABELS = {
    (KSERVE, "vllmserver"): "vllm",
    (KSERVE, "tritonserver"): "triton",
    (KSERVE, "huggingfaceserver"): "kserve-huggingface",
    (KSERVE, "torchserve"): "torchserve",
    (KSERVE, "tensorflow-serving"): "tensorflow-serving",
    (KSERVE, "ovms"): "openvino",
    (KSERVE, "mlserver"): "mlserver",
    (KSERVE, "sklearnserver"): "kserve-sklearn",
    (KSERVE, "xgbserver"): "kserve-xgboost",
    (KSERVE, "lgbserver"): "kserve-lightgbm",
    (KSERVE, "lightgbmserver"): "kserve-lightgbm",
    (KSERVE, "paddleserver"): "kserve-paddle",
    (KSERVE, "pmmlserver"): "kserve-pmml",
    (KSERVE, "predictiveserver"): "kserve-predictive",
    (KSERVE, "autogluonserver"): "kserve-autogluon",
    (KSERVE, "pytorchserver"): "kserve-pytorch",
    ("ray.io/serve", "true"): "ray-serve",
    ("ray.io/is-ray-node", "yes"): "ray",
    (OPERATOR, "pytorchjob-controller"): "pytorch",
    (OPERATOR, "tfjob-controller"): "tensorflow",
    (OPERATOR, "jaxjob-controller"): "jax",
    (OPERATOR, "paddlejob-controller"): "paddle",
    (OPERATOR, "xgboostjob-controller"): "xgboost",
    (OPERATOR, "mpi-operator"): "mpi",
    (OPERATOR, "mpijob-controller"): "mpi",
}


def found(
    *, image: str = "", command: str = "", env: str = "", label: tuple[str, str] | None = None
) -> tuple[str, str]:
    labels = dict([label]) if label else {}
    runtime = detect([image] if image else [], command, {env: ""} if env else {}, labels, {})
    return runtime.name, runtime.evidence


@pytest.mark.parametrize(("image", "expected"), IMAGES.items())
def test_images(image: str, expected: tuple[str, str]) -> None:
    assert found(image=image) == expected


@pytest.mark.parametrize(("command", "expected"), COMMANDS.items())
def test_programs_on_the_command_line(command: str, expected: tuple[str, str]) -> None:
    assert found(command=command) == expected


@pytest.mark.parametrize(("command", "expected"), COMMANDS.items())
def test_programs_inside_a_shell(command: str, expected: tuple[str, str]) -> None:
    wrapped = f'/bin/bash -c "set -eu; pip install requests && exec {command}"'
    assert found(command=wrapped) == expected


@pytest.mark.parametrize(("command", "expected"), OPTIONS.items())
def test_options_on_the_command_line(command: str, expected: tuple[str, str]) -> None:
    assert found(command=command) == expected


@pytest.mark.parametrize(("name", "expected"), VARIABLES.items())
def test_variables(name: str, expected: tuple[str, str]) -> None:
    assert found(env=name) == expected


@pytest.mark.parametrize(("label", "expected"), LABELS.items())
def test_labels_and_annotations_of_operators(label: tuple[str, str], expected: str) -> None:
    evidence = f"label {label[0]}={label[1]}"
    assert found(label=label) == (expected, evidence)
    annotated = detect([], "", {}, {}, dict([label]))
    assert (annotated.name, annotated.evidence) == (expected, evidence)


def test_every_row_is_tested_here() -> None:
    tested = {
        name for table in (IMAGES, COMMANDS, OPTIONS, VARIABLES) for name, _ in table.values()
    } | set(LABELS.values())
    assert tested == {row.name for row in ROWS}


@pytest.mark.parametrize(
    ("image", "command"),
    [
        ("registry.example/team/trainer:7", "python train.py"),
        ("registry.example/x-ray-analyzer:1", ""),
        ("registry.vllm.example/team/app:vllm", ""),
        ("registry.example/team/app", "python serve.py --engine vllm"),
        ("", ""),
        ("", "pip install vllm deepspeed torchserve"),
        ("", "bash -c 'pip install deepspeed\ncd /opt/deepspeed\npython train.py'"),
        ("", "python train.py --strategy deepspeed"),
        ("", "echo vllm; serve x"),
        ("", "vllm 'bench' serve"),
        ("", "python -m torch_distributed"),
        ("", "--gpu-memory"),
    ],
)
def test_what_only_looks_like_a_runtime_is_unknown(image: str, command: str) -> None:
    assert detect([image], command, {"PATH": "", "WORLD_SIZE": ""}, {}, {}) is UNKNOWN_RUNTIME
