"""Shares are read where they stand in the spec, never assumed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuatlas.sources.runtimes.detect import detect

VLLM = "--gpu-memory-utilization"
SGLANG = "--mem-fraction-static"
PREALLOCATE = "XLA_PYTHON_CLIENT_PREALLOCATE"
FRACTION = "XLA_PYTHON_CLIENT_MEM_FRACTION"
GROWTH = "TF_FORCE_GPU_ALLOW_GROWTH"


def ahead(
    command: str = "", env: Mapping[str, str] | None = None, image: str = ""
) -> tuple[float | None, str]:
    runtime = detect([image], command, env or {}, {}, {})
    return runtime.memory_ahead, runtime.memory_ahead_setting


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("vllm serve m --gpu-memory-utilization 0.9", (0.9, VLLM)),
        ("vllm serve m --gpu-memory-utilization=0.45 --port 1", (0.45, VLLM)),
        ("vllm serve m --gpu_memory_utilization=.5", (0.5, VLLM)),
        ("bash -c 'vllm serve m --gpu-memory-utilization=\"0.7\"'", (0.7, VLLM)),
        ("vllm serve m --gpu-memory-utilization 0.2 --gpu-memory-utilization 0.8", (0.8, VLLM)),
        ("vllm serve m --gpu-memory-utilization 1", (1.0, VLLM)),
        ("--model m --gpu-memory-utilization 0.9", (0.9, VLLM)),
        ("python -m sglang.launch_server --mem-fraction-static 0.85", (0.85, SGLANG)),
        ("vllm serve m", (None, "")),
        ("vllm serve m --gpu-memory-utilization $UTIL", (None, VLLM)),
        ("vllm serve m --gpu-memory-utilization", (None, VLLM)),
        ("vllm serve m --gpu-memory-utilization; echo 0.9", (None, VLLM)),
        ("vllm serve m --gpu-memory-utilization 0", (None, VLLM)),
        ("vllm serve m --gpu-memory-utilization 1.2", (None, VLLM)),
        ("vllm serve m --gpu-memory-utilization -0.5", (None, VLLM)),
        ("vllm serve m --gpu-memory-utilization nan", (None, VLLM)),
        ("vllm serve m --gpu-memory-utilization 1e-1", (None, VLLM)),
        (f"vllm serve m --gpu-memory-utilization 0.{'9' * 400}", (None, VLLM)),
        ("vllm serve m --gpu-memory-utilization .", (None, VLLM)),
        ("vllm serve m --gpu-memory-utilization \u0660.9", (None, VLLM)),
    ],
)
def test_options(command: str, expected: tuple[float | None, str]) -> None:
    assert ahead(command) == expected


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({FRACTION: ".8"}, (0.8, FRACTION)),
        ({FRACTION: "0.75", PREALLOCATE: "true"}, (0.75, FRACTION)),
        ({"XLA_CLIENT_MEM_FRACTION": ".3", FRACTION: ".8"}, (0.3, "XLA_CLIENT_MEM_FRACTION")),
        ({FRACTION: ".8", PREALLOCATE: "false"}, (0.0, PREALLOCATE)),
        ({PREALLOCATE: "False"}, (0.0, PREALLOCATE)),
        ({PREALLOCATE: "0"}, (0.0, PREALLOCATE)),
        ({PREALLOCATE: "true"}, (None, PREALLOCATE)),
        ({FRACTION: "lots"}, (None, FRACTION)),
        ({FRACTION: ""}, (None, FRACTION)),
        ({GROWTH: "true"}, (0.0, GROWTH)),
        ({GROWTH: "false"}, (None, GROWTH)),
        ({GROWTH: ""}, (None, GROWTH)),
        ({}, (None, "")),
    ],
)
def test_variables(env: dict[str, str], expected: tuple[float | None, str]) -> None:
    assert ahead(env=env) == expected


def test_the_command_line_stands_over_variables() -> None:
    assert ahead("python app.py --gpu-memory-utilization 0.9", {FRACTION: ".5"}) == (0.9, VLLM)


@pytest.mark.parametrize("image", ["vllm/vllm-openai", "pytorch/pytorch", "ollama/ollama"])
def test_variables_of_another_framework_say_nothing(image: str) -> None:
    assert ahead(env={FRACTION: ".5", GROWTH: "true"}, image=image) == (None, "")


@pytest.mark.parametrize("image", ["nvcr.io/nvidia/jax", "quay.io/jupyter/base", "rayproject/ray"])
def test_variables_count_wherever_the_framework_may_run(image: str) -> None:
    assert ahead(env={FRACTION: ".5"}, image=image) == (0.5, FRACTION)


def test_an_unknown_runtime_with_a_setting_keeps_the_setting() -> None:
    runtime = detect([], "python a.py", {}, {}, {"x": "y"})
    assert (runtime.name, runtime.memory_ahead_setting) == ("unknown", "")
    both = {FRACTION: ".5", GROWTH: "true"}
    assert ahead(env=both, image="tensorflow/tensorflow") == (0.0, GROWTH)
