"""The list and the variables of the board Cards, on series written by hand."""

from __future__ import annotations

from pathlib import Path

from gpuatlas_dashboards.boards import cards_queries as queries
from gpuatlas_dashboards.catalogue import LANGUAGES
from gpuatlas_dashboards.variables import card as card_variable
from gpuatlas_dashboards.workload_variables import KEY
from gpuatlas_harness.board_answers import faults
from gpuatlas_harness.cards_board import HELD, STATE, WHERE, WORKLOAD, a_card


def test_the_list_has_a_row_for_each_card_whoever_knows_it(tmp_path: Path) -> None:
    series = a_card("GPU-a") | {
        f'{STATE}{{cluster="c", node="m", card="GPU-b", state="unknown"}}': "4x5",
        'DCGM_FI_DEV_GPU_TEMP{cluster="c", UUID="GPU-b", gpu="5", hostname="m"}': "40x5",
        f'{STATE}{{cluster="c", node="m", card="NPU-c", state="unknown"}}': "4x5",
    }
    rows = [
        (f'{{{WHERE}, index="0", model="A10G", sharing="hami"}}', 2.0),
        ('{cluster="c", node="m", card="GPU-b", index="5"}', 4.0),
        ('{cluster="c", node="m", card="NPU-c"}', 4.0),
    ]

    assert faults(tmp_path, series, {queries.LISTED: rows}) == ""


def test_a_pod_on_no_known_card_is_listed(tmp_path: Path) -> None:
    lost = 'cluster="c", node="n", namespace="red", pod="chat-0", container="main"'
    series = HELD | {f'gpuatlas_allocation_info{{{lost}, card="", evidence="unknown"}}': "1x5"}
    row = f'{{{lost}, {WORKLOAD}, {KEY}="c/red/Deployment/chat"}}'

    assert faults(tmp_path, series, {queries.UNPLACED: [(row, 1.0)]}) == ""


def test_cards_are_chosen_by_node_and_index(tmp_path: Path) -> None:
    definition = card_variable(LANGUAGES[0]).body["definition"]
    query = definition.removeprefix("query_result(").removesuffix(")")
    of_dcgm = 'card:gpuatlas_card_info:group{cluster="d", node="m", card="GPU-b"}'
    series = a_card("GPU-a") | {
        of_dcgm: "1x5",
        'card:gpuatlas_card_info:group{cluster="c", node="n", card="NPU-c"}': "1x5",
        'DCGM_FI_DEV_GPU_TEMP{cluster="d", UUID="GPU-b", gpu="5", hostname="m"}': "40x5",
    }
    answer = [
        ('{card="GPU-a", name="n / 0"}', 1.0),
        ('{card="GPU-b", name="m / 5"}', 1.0),
        ('{card="NPU-c", name="n / "}', 1.0),
    ]

    assert "\n" not in definition
    assert faults(tmp_path, series, {query: answer}) == ""
