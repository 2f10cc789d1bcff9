"""The totals of the board Sizing, on series written by hand."""

from __future__ import annotations

from pathlib import Path

from gpuatlas_dashboards.boards import sizing_queries as queries
from gpuatlas_dashboards.boards.sizing import TEXTS
from gpuatlas_harness.board_answers import Samples, faults
from gpuatlas_harness.boards import read_boards
from gpuatlas_harness.sizing_board import GIB, JUDGED, said, verdict


def totals() -> dict[str, str]:
    board = next(board for board in read_boards() if board.name == "sizing")
    titles = (TEXTS["en"].proposals.title, TEXTS["en"].outcome.title)
    targets = [t for p in board.panels() if p["title"] in titles for t in p["targets"]]
    return {target["legendFormat"]: target["expr"] for target in targets}


def test_totals_tell_what_could_be_given_back(tmp_path: Path) -> None:
    series = JUDGED | said("memory_saving_bytes", "web", -3 * GIB)
    series |= said("cards_saving", "tune", 6)
    series |= {'gpuatlas_sizing_node_room_allocations{cluster="c", node="n"}': "4x5"}
    texts = TEXTS["en"]
    answers = {
        texts.given_back: 20 * GIB,
        texts.cards_given_back: 6,
        texts.asked_for: 3 * GIB,
        texts.more: 4,
    }
    asked: dict[str, Samples] = {
        totals()[name]: [("{}", float(value))] for name, value in answers.items()
    }

    assert faults(tmp_path, series, asked) == ""


def test_answers_of_all_three_tables_are_counted(tmp_path: Path) -> None:
    """As many as the tables have rows: `ocr` was promised no compute, and has none."""
    series = JUDGED | said("compute_present_ratio", "chat", 0.5)
    series |= {verdict("chat", "larger", resource="compute"): "1x5"}
    series |= {verdict("ocr", "cannot", "not-promised", resource="compute"): "1x5"}
    series |= {verdict("tune", "smaller", resource="cards"): "1x5"}
    texts = TEXTS["en"]
    counted = {texts.smaller: 2, texts.larger: 1, texts.fitting: 0, texts.cannot: 1}
    asked: dict[str, Samples] = {
        totals()[name]: [("{}", float(number))] for name, number in counted.items()
    }
    rows = {"memory": 2.0, "compute": 1.0, "cards": 1.0}
    asked |= {
        f"count({queries.verdicts(resource)})": [("{}", number)]
        for resource, number in rows.items()
    }

    assert faults(tmp_path, series, asked) == ""


def test_nothing_to_give_back_is_0_and_no_analysis_is_nothing(tmp_path: Path) -> None:
    given_back = totals()[TEXTS["en"].given_back]
    larger = said("memory_saving_bytes", "web", -3 * GIB)

    assert faults(tmp_path, larger, {given_back: [("{}", 0.0)]}) == ""
    assert faults(tmp_path, {}, {expr: [] for expr in totals().values()}) == ""
