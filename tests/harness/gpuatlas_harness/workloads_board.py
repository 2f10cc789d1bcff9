"""Two workloads as series, and the boards about workloads."""

from __future__ import annotations

from typing import Final

from gpuatlas_harness.boards import BoardFile, read_boards

CHAT: Final = 'cluster="c", namespace="red", workload_kind="Deployment", workload="chat"'
TUNE: Final = 'cluster="c", namespace="red", workload_kind="Job", workload="tune"'
STATE: Final = "workload:gpuatlas_workload_state:with_checks"
# Two workloads: one that works, one that waits.
LISTED: Final = {
    f'{STATE}{{{CHAT}, state="working"}}': "2x5",
    f'{STATE}{{{TUNE}, state="waiting"}}': "1x5",
    f'gpuatlas_workload_info{{{CHAT}, runtime="vllm", scheduler="hami"}}': "1x5",
    f'gpuatlas_workload_info{{{TUNE}, runtime="pytorch", queue="shared"}}': "1x5",
    f"workload:gpuatlas_memory_reserved_bytes:sum{{{CHAT}}}": "400x5",
}
CHOSEN: Final = {
    "chosen_cluster": "c",
    "chosen_namespace": "red",
    "chosen_kind": "Deployment",
    "chosen_name": "chat",
    "chosen_workloads": "chat",
}


def workloads_boards() -> list[BoardFile]:
    return [board for board in read_boards() if board.body["uid"].startswith("gpuatlas-workloads")]
