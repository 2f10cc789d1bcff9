"""English words of the signals of a workload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.texts.shapes.words import Words

_NO_EXPORTER: Final = "unknown: GPU Atlas's exporter does not know this workload"

WORDS: Final[Mapping[str, Words]] = {
    "workload.memory_reserved": Words(
        title="Reserved memory",
        short="reserved",
        description="Memory promised to all its pods; not memory in use. Bytes.",
        empty="no promise of memory: it shares its cards without limits",
    ),
    "workload.memory_used": Words(
        title="Memory in use",
        short="in use",
        description="Memory in use by all its pods, the larger of the driver's and the sharing layer's view"
        " of each container. Bytes.",
        empty="unknown: nobody tells the memory of its containers",
    ),
    "workload.memory_wasted": Words(
        title="Unused memory",
        short="unused",
        description="Memory promised and not in use now, where both are known; a moment, not a peak. Bytes.",
        empty="unknown: needs the promise and the use of a container",
    ),
    "workload.memory_occupancy": Words(
        title="Memory in use of what is reserved",
        short="in use",
        description="Memory in use over memory promised, for the containers of which both are known; not of"
        " the card. 100 % is the whole promise.",
        empty="unknown: needs the promise and the use of a container",
    ),
    "workload.compute_reserved": Words(
        title="Reserved compute",
        short="reserved",
        description="Compute promised to all its pods; not compute in use. In whole cards.",
        empty="no promise of compute",
    ),
    "workload.compute_utilization": Words(
        title="Compute in use",
        short="in use",
        description="Compute in use by all its pods where it is measured for each container. In whole cards.",
        empty="unknown: not measured apart from its neighbours",
    ),
    "workload.compute_occupancy": Words(
        title="Compute in use of what is reserved",
        short="in use",
        description="Compute in use over compute promised, for the containers of which both are known; not of"
        " the card. 100 % is the whole promise.",
        empty="unknown: needs the promise and the use of a container",
    ),
    "workload.cards": Words(
        title="Cards",
        description="Cards that it holds a share of, each once.",
        empty="it holds no card that is known",
    ),
    "workload.pods": Words(
        title="Running pods",
        short="pods",
        description="Its running pods that ask for accelerators.",
        empty="none runs",
    ),
    "workload.gang_min_members": Words(
        title="Gang",
        description="Pods that must be placed together before any of them starts.",
        empty="no gang",
    ),
    "workload.waiting": Words(
        title="Waiting",
        description="How long the pod that waits longest, or the workload in its queue, has been waiting.",
        empty="it waits for nothing",
    ),
    "workload.state": Words(
        title="State",
        description="State of the workload: 0 inactive, 1 waiting, 2 working, 3 idle, 4 unknown, 5 slowed, 6"
        " failed.",
        empty=_NO_EXPORTER,
    ),
}
