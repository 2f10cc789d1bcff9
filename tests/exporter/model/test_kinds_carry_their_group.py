"""facts/k8s.md 2.2: one kind's name can stand for objects of several API groups."""

from __future__ import annotations

import pytest

from gpuatlas.join.owner_table import OWNERS
from gpuatlas.model.workload_kinds import has_usual_group, kind_name


@pytest.mark.parametrize(
    ("group", "kind", "name"),
    [
        ("", "Pod", "Pod"),
        ("apps", "Deployment", "Deployment"),
        ("batch", "Job", "Job"),
        ("batch.volcano.sh", "Job", "Job.batch.volcano.sh"),
        ("", "Job", "Job.core"),
        ("kueue.x-k8s.io", "Workload", "Workload"),
        ("scheduling.k8s.io", "Workload", "Workload.scheduling.k8s.io"),
        ("serving.knative.dev", "Service", "Service"),
        ("", "Service", "Service.core"),
        ("serving.kserve.io", "InferenceService", "InferenceService"),
        ("kubeflow.org", "PyTorchJob", "PyTorchJob"),
        ("ml.example", "PyTorchJob", "PyTorchJob.ml.example"),
        ("ml.example", "Train", "Train.ml.example"),
        ("extensions", "Deployment", "Deployment.extensions"),
    ],
)
def test_a_kind_alone_means_one_group(group: str, kind: str, name: str) -> None:
    assert kind_name(group, kind) == name


@pytest.mark.parametrize("kind", sorted({row.kind for row in OWNERS}), ids="/".join)
def test_owners_of_the_table_are_written_without_their_group(kind: tuple[str, str]) -> None:
    assert has_usual_group(*kind)
