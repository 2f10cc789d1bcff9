"""What a workload is for, as far as its owner and its runtime say: one row each. Pure.

The owner wins: an engine that a Job runs serves nobody. Sources: facts/k8s.md 2.2 and 4. That a
workload serves does not prove that it has targets for its latency; that it has none cannot be
known, so serving is treated as if it had.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Work(StrEnum):
    """Kinds of work, by what they ask of their neighbours."""

    SERVING = "serving"
    BATCH = "batch"
    INTERACTIVE = "interactive"
    UNKNOWN = "unknown"


_KINDS: Final[Mapping[Work, tuple[str, ...]]] = {
    # Of things called Service only Knative's owns pods.
    Work.SERVING: ("InferenceService", "LLMInferenceService", "RayService", "Service"),
    Work.BATCH: (
        *("Job", "CronJob", "JobSet", "TrainJob", "RayJob", "Workflow", "SparkApplication"),
        *("PyTorchJob", "TFJob", "MPIJob", "JAXJob", "PaddleJob", "XGBoostJob"),
    ),
    Work.INTERACTIVE: ("Notebook",),
}
_RUNTIMES: Final[Mapping[Work, tuple[str, ...]]] = {
    Work.SERVING: (
        *("vllm", "sglang", "tensorrt-llm", "tgi", "triton", "nim", "ollama", "llama.cpp"),
        *("torchserve", "tensorflow-serving", "openvino", "mlserver", "ray-serve"),
        *("kserve-huggingface", "kserve-sklearn", "kserve-xgboost", "kserve-lightgbm"),
        *("kserve-paddle", "kserve-pmml", "kserve-predictive", "kserve-autogluon"),
        "kserve-pytorch",
    ),
    # The frameworks themselves (pytorch, tensorflow, jax) may serve as well as train.
    Work.BATCH: ("deepspeed", "mpi"),
    Work.INTERACTIVE: ("jupyter", "rstudio", "code-server"),
}
# Runtimes that fill the card's memory at start, whatever they need (DESIGN 7; facts/k8s.md 4.1).
MEMORY_AHEAD: Final = frozenset({"vllm", "sglang", "tensorflow", "tensorflow-serving", "jax"})

_OF_KIND: Final = {kind: work for work, kinds in _KINDS.items() for kind in kinds}
_OF_RUNTIME: Final = {name: work for work, names in _RUNTIMES.items() for name in names}


def work_of(kind: str, runtime: str) -> Work:
    """What a workload of this owner kind and runtime does."""
    return _OF_KIND.get(kind) or _OF_RUNTIME.get(runtime, Work.UNKNOWN)
