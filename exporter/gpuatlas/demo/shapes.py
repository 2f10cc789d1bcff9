"""The kinds of workloads that are not built into Kubernetes: one row each.

Built-in kinds (Deployment, Job …) have no row: their pods are named in `lifecycle`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.demo import shapes_batch as batch
from gpuatlas.demo import shapes_serving as serving
from gpuatlas.demo.members import Member, Shape
from gpuatlas.demo.scenario import Waits, WorkloadSpec


@dataclass(frozen=True, slots=True)
class Kind:
    """One row.

    `together`: all pods begin at once. `resubmitted`: when they are renewed, that is a new object
    of the same name. `led`: the first pod answers for all of them.
    """

    shape: Callable[[Member], Shape]
    together: bool = False
    resubmitted: bool = False
    led: bool = False


SHAPES: Final[Mapping[str, Kind]] = {
    "InferenceService": Kind(serving.inference_service),
    "KnativeInferenceService": Kind(serving.knative_inference_service),
    "LLMInferenceService": Kind(serving.llm_inference_service),
    "LeaderWorkerSet": Kind(serving.leader_worker_set, together=True, led=True),
    "Notebook": Kind(serving.notebook),
    "PyTorchJob": Kind(batch.pytorch_job, together=True, resubmitted=True),
    "RayService": Kind(serving.ray_service),
    "SparkApplication": Kind(batch.spark_application, together=True, resubmitted=True),
    "TrainJob": Kind(batch.train_job, together=True, resubmitted=True),
    "VolcanoJob": Kind(batch.volcano_job, together=True, resubmitted=True),
    "Workflow": Kind(batch.workflow, together=True, resubmitted=True),
}


def is_resubmitted(workload: WorkloadSpec) -> bool:
    """Whether each of its lives is a new object of the same name."""
    kind = SHAPES.get(workload.kind)
    return kind is not None and kind.resubmitted


def answers_alone(workload: WorkloadSpec, ordinal: int) -> bool:
    """Whether this pod of the workload takes requests itself."""
    kind = SHAPES.get(workload.kind)
    return ordinal == 0 or kind is None or not kind.led


def begins_together(workload: WorkloadSpec) -> bool:
    """Whether all its pods begin at once."""
    kind = SHAPES.get(workload.kind)
    return kind is not None and kind.together


def shape_of(workload: WorkloadSpec, seed: int, ordinal: int, generation: int) -> Shape | None:
    """The pod `ordinal` of a workload; None for a built-in kind."""
    kind = SHAPES.get(workload.kind)
    if kind is None:
        return None
    waiting = workload.lives.pods if isinstance(workload.lives, Waits) else 0
    count = waiting or len(workload.places)
    member = Member(
        workload=workload,
        seed=seed,
        ordinal=ordinal,
        generation=generation,
        count=count,
        life=generation if kind.resubmitted else 0,
    )
    return kind.shape(member)
