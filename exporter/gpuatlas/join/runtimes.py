"""One runtime for a workload from those of its pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gpuatlas.model.pod_spec import UNKNOWN_RUNTIME, Runtime


def prevailing_runtime(runtimes: Iterable[Runtime]) -> Runtime:
    """The runtime of most pods, the first by name of several; unknown only where all are.

    Leaders and workers can state different things: of the pods with that runtime, one that states
    what it takes ahead speaks for all.
    """
    found = list(runtimes)
    known = [r for r in found if r.name != UNKNOWN_RUNTIME.name]
    counts = Counter(r.name for r in known or found)
    name = min(counts, key=lambda n: (-counts[n], n), default=UNKNOWN_RUNTIME.name)
    speaking = [r for r in found if r.name == name]
    return min(speaking, key=_rank, default=UNKNOWN_RUNTIME)


def _rank(runtime: Runtime) -> tuple[bool, bool, float, str, str]:
    """Stated shares first, the largest of them."""
    share = runtime.memory_ahead
    return (
        not runtime.memory_ahead_setting,
        share is None,
        -(share or 0.0),
        runtime.memory_ahead_setting,
        runtime.evidence,
    )
