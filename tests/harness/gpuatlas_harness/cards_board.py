"""Cards and their tenants as series, and the boards about cards."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.tokens import STATE_CODES, State
from gpuatlas_harness.boards import BoardFile, read_boards

STATE: Final = "card:gpuatlas_card_state:with_checks"


def a_card(
    card: str,
    *,
    node: str = "n",
    index: str = "0",
    state: State = State.WORKING,
    cluster: str = "c",
) -> dict[str, str]:
    """What the rules and our exporter say of a card."""
    where = f'cluster="{cluster}", node="{node}", card="{card}"'
    return {
        f'{STATE}{{{where}, state="{state}"}}': f"{STATE_CODES[state]}x5",
        f"card:gpuatlas_card_info:group{{{where}}}": "1x5",
        f'gpuatlas_card_info{{{where}, index="{index}", model="A10G", sharing="hami"}}': "1x5",
        f'gpuatlas_card_tenants{{{where}, index="{index}"}}': "2x5",
        f'node:gpuatlas_cards:count{{cluster="{cluster}", node="{node}"}}': "1x5",
    }


WHERE: Final = 'cluster="c", node="n", card="GPU-a"'
SHARE: Final = f'{WHERE}, namespace="red", pod="chat-0", container="main"'
OWNER: Final = 'cluster="c", namespace="red", pod="chat-0"'
WORKLOAD: Final = 'workload_kind="Deployment", workload="chat"'
HELD: Final = {
    f'gpuatlas_allocation_info{{{SHARE}, partition="p", evidence="annotation"}}': "1x5",
    f'gpuatlas_partition_info{{{WHERE}, partition="p", kind="vgpu"}}': "1x5",
    f"pod:gpuatlas_pod_workload_info:group{{{OWNER}, {WORKLOAD}}}": "1x5",
}


def board(name: str) -> BoardFile:
    return next(board for board in read_boards() if board.name == name)
