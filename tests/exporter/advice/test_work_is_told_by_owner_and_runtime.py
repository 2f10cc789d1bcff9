from __future__ import annotations

import pytest

from gpuatlas.advice.work import MEMORY_AHEAD, Work, work_of
from gpuatlas.sources.runtimes.table import ROWS


@pytest.mark.parametrize(
    ("kind", "runtime", "work"),
    [
        ("Deployment", "vllm", Work.SERVING),
        ("InferenceService", "unknown", Work.SERVING),
        ("Job", "vllm", Work.BATCH),
        ("PyTorchJob", "pytorch", Work.BATCH),
        ("StatefulSet", "deepspeed", Work.BATCH),
        ("Notebook", "unknown", Work.INTERACTIVE),
        ("StatefulSet", "jupyter", Work.INTERACTIVE),
        ("Deployment", "pytorch", Work.UNKNOWN),
        ("Deployment", "unknown", Work.UNKNOWN),
        ("", "", Work.UNKNOWN),
    ],
)
def test_the_owner_wins(kind: str, runtime: str, work: Work) -> None:
    assert work_of(kind, runtime) is work


def test_every_runtime_that_is_recognised_is_thought_of() -> None:
    """A new runtime stays unknown work until somebody says what it does."""
    unknown = {row.name for row in ROWS if work_of("", row.name) is Work.UNKNOWN}
    assert unknown == {"pytorch", "tensorflow", "jax", "paddle", "xgboost", "ray"}
    assert {row.name for row in ROWS} >= MEMORY_AHEAD
