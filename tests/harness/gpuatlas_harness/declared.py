"""What a pod's own object declares of its placement, as it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuatlas.model.pod_spec import PodScheduling
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.placement.pod import read_scheduling

Object = dict[str, Any]


def read_pod(
    spec: Object | None = None,
    status: Object | None = None,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> tuple[PodScheduling, tuple[Rejection, ...]]:
    return read_scheduling(
        spec or {}, status or {}, labels or {}, annotations or {}, "pod team-a/app-0"
    )
