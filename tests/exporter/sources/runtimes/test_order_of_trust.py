"""Label before command before image before option before variable; launchers last."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuatlas.sources.runtimes.detect import detect

KSERVE = {"serving.kserve.io/server-type": "tritonserver"}
RAY = {"ray.io/is-ray-node": "yes", "ray.io/cluster": "llm"}
MPI = {"training.kubeflow.org/operator-name": "mpi-operator"}


@pytest.mark.parametrize(
    ("labels", "command", "image", "env", "expected"),
    [
        pytest.param(KSERVE, "vllm serve", "ollama/ollama", "TF_CONFIG", "triton", id="label"),
        pytest.param({}, "vllm serve", "ollama/ollama", "TF_CONFIG", "vllm", id="command"),
        pytest.param({}, "python app.py", "ollama/ollama", "TF_CONFIG", "ollama", id="image"),
        pytest.param({}, "python app.py", "team/app", "TF_CONFIG", "tensorflow", id="variable"),
        pytest.param(
            {}, "--tensor-parallel-size 2", "lmsysorg/sglang", "", "sglang", id="image over option"
        ),
        pytest.param(
            {}, "--tensor-parallel-size 2", "team/app", "TF_CONFIG", "vllm", id="option over env"
        ),
        pytest.param(
            {}, "mpirun -n 2 tritonserver", "team/app", "", "triton", id="what a launcher starts"
        ),
        pytest.param(
            MPI, "mpirun python train.py", "pytorch/pytorch", "", "pytorch", id="in an MPIJob"
        ),
        pytest.param(
            RAY, "ray start --head", "vllm/vllm-openai", "RAY_IP", "vllm", id="engine on Ray"
        ),
        pytest.param(
            RAY, "ray start --block", "rayproject/ray", "MASTER_ADDR", "ray", id="Ray over env"
        ),
        pytest.param(
            {**RAY, "ray.io/serve": "false"},
            "ray start",
            "rayproject/ray-llm",
            "",
            "ray-serve",
            id="the head of a RayService",
        ),
        pytest.param(
            {}, "torchrun a.py", "quay.io/jupyter/base", "", "pytorch", id="in a notebook"
        ),
        pytest.param(
            {}, "deepspeed --launcher torchrun a.py", "", "", "deepspeed", id="first row of two"
        ),
    ],
)
def test_the_stronger_evidence_wins(
    labels: Mapping[str, str], command: str, image: str, env: str, expected: str
) -> None:
    found = detect([image], command, {env: ""} if env else {}, labels, {})
    assert found.name == expected


def test_of_several_images_the_first_row_wins() -> None:
    images = ["istio/proxyv2:1.27", "pytorch/pytorch:2.8.0", "vllm/vllm-openai:v0.11.0"]
    assert detect(images, "", {}, {}, {}).evidence == "image vllm"
