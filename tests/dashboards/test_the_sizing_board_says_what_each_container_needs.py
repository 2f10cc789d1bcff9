"""The tables of the board Sizing, on series written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gpuatlas_dashboards.boards import sizing_queries as queries
from gpuatlas_dashboards.boards.sizing import TEXTS
from gpuatlas_dashboards.signals import sizing
from gpuatlas_harness.board_answers import Samples, faults
from gpuatlas_harness.boards import read_boards
from gpuatlas_harness.sizing_board import GIB, JUDGED, container, keyed, said, verdict


def test_a_container_has_what_it_reserves_its_peak_and_what_follows(tmp_path: Path) -> None:
    chat, embed = f"{{{keyed('chat')}}}", f"{{{keyed('embed')}}}"
    asked: dict[str, Samples] = {
        queries.sized(sizing.MEMORY_RESERVED): [(chat, 12.0 * GIB), (embed, 4.0 * GIB)],
        queries.sized(sizing.MEMORY_PEAK): [(chat, 6.0 * GIB)],
        queries.sized(sizing.MEMORY_PEAK_SHARE): [(chat, 0.5)],
        queries.sized(sizing.MEMORY_PROPOSED): [(chat, 7.0 * GIB)],
        queries.sized(sizing.MEMORY_SAVING): [(chat, 20.0 * GIB)],
    }

    assert faults(tmp_path, JUDGED, asked) == ""


def test_a_container_that_cannot_be_sized_says_why(tmp_path: Path) -> None:
    rows = [
        (f'{{{keyed("chat")}, verdict="smaller"}}', 1.0),
        (f'{{{keyed("embed")}, verdict="cannot", reason="rollout"}}', 1.0),
    ]

    assert faults(tmp_path, JUDGED, {queries.verdicts("memory"): rows}) == ""
    assert faults(tmp_path, JUDGED, {queries.verdicts("compute"): []}) == ""


RECORDED: Final = {
    f"container:gpuatlas_memory_reserved_bytes:max{{{container('ocr', cluster=cluster)}}}": (
        f"{8 * GIB}x5"
    )
    for cluster in ("c", "d")
}


def test_where_an_analysis_is_published_recordings_do_not_repeat_it(tmp_path: Path) -> None:
    """Of runs with generated names the recordings have a series each, the analysis one for all."""
    ocr = (f"{{{keyed('ocr', cluster='d')}}}", 8.0 * GIB)
    judged = [
        (f"{{{keyed('chat')}}}", 12.0 * GIB),
        (f"{{{keyed('embed')}}}", 4.0 * GIB),
    ]
    asked = {queries.sized(sizing.MEMORY_RESERVED): [*judged, ocr]}

    assert faults(tmp_path, JUDGED | RECORDED, asked) == ""


def test_before_anything_is_measured_the_recordings_say_what_is_held(tmp_path: Path) -> None:
    """In the first hour the analysis names the containers, and knows nothing of them."""
    series = RECORDED | {verdict("ocr", "cannot", "not-measured"): "1x5"}
    rows = [(f"{{{keyed('ocr', cluster=cluster)}}}", 8.0 * GIB) for cluster in ("c", "d")]
    why = f'{{{keyed("ocr")}, verdict="cannot", reason="not-measured"}}'
    asked: dict[str, Samples] = {
        queries.sized(sizing.MEMORY_RESERVED): rows,
        queries.verdicts("memory"): [(why, 1.0)],
        queries.answers("cannot"): [("{}", 1.0)],
    }

    assert faults(tmp_path, series, asked) == ""


def test_what_saves_most_is_listed_before_what_reserves_most(tmp_path: Path) -> None:
    series = said("memory_saving_bytes", "small", GIB) | {verdict("small", "smaller"): "1x5"}
    series |= said("memory_present_bytes", "small", 2 * GIB)
    for number in range(310):
        series |= said("memory_present_bytes", f"large-{number}", 80 * GIB)
    listed = queries.SIZED_WORKLOADS
    asked: dict[str, Samples] = {
        f"count({listed})": [("{}", 300.0)],
        f"count by (workload) (({listed}) > {500 * GIB})": [('{workload="small"}', 1.0)],
    }

    assert faults(tmp_path, series, asked) == ""


def test_runs_under_one_name_have_a_row(tmp_path: Path) -> None:
    """As it is, a `*` in a regular expression would stand for hyphens."""
    board = next(board for board in read_boards() if board.name == "sizing")
    variable = board.variables()["whole_card_workloads"]
    listed = variable["query"]["query"].removeprefix("query_result(").removesuffix(")")
    series = {verdict(name, "fits", resource="cards"): "1x5" for name in ("train-*", "tune")}
    names = [(rf'{{workload="{name}"}}', 1.0) for name in ("-", r"train-\\\\*", "tune")]
    rows = [(f'{{{keyed(name)}, verdict="fits"}}', 1.0) for name in ("train-*", "tune")]
    given = {"whole_card_workloads": r"-|train-\\*|tune"}

    assert faults(tmp_path, series, {listed: names}) == ""
    assert faults(tmp_path, series, {queries.verdicts("cards"): rows}, variables=given) == ""


def test_compute_and_whole_cards_have_their_own_rows(tmp_path: Path) -> None:
    series = JUDGED | said("compute_present_ratio", "chat", 0.5)
    series |= said("compute_peak_ratio", "chat", 0.1)
    series |= said("compute_proposed_ratio", "chat", 0.15)
    series |= said("cards_proposed", "tune", 2, ', resource="nvidia.com/mig-3g.40gb"')
    series |= said("cards_saving", "tune", 6)
    series |= {verdict("tune", "smaller", resource="cards"): "1x5"}
    chat, tune = keyed("chat"), keyed("tune")
    mig = 'resource="nvidia.com/mig-3g.40gb"'
    asked: dict[str, Samples] = {
        queries.sized(sizing.COMPUTE_RESERVED, sizing.COMPUTE_RESERVED): [(f"{{{chat}}}", 0.5)],
        queries.sized(sizing.COMPUTE_P95, sizing.COMPUTE_RESERVED): [(f"{{{chat}}}", 0.1)],
        queries.sized(sizing.COMPUTE_PROPOSED, sizing.COMPUTE_RESERVED): [(f"{{{chat}}}", 0.15)],
        queries.of_cards(sizing.CARDS_PROPOSED): [(f"{{{tune}, {mig}}}", 2.0)],
        queries.of_cards(sizing.CARDS_SAVING): [(f"{{{tune}}}", 6.0)],
        queries.verdicts("cards"): [(f'{{{tune}, verdict="smaller"}}', 1.0)],
    }

    assert faults(tmp_path, series, asked) == ""


def test_more_is_proposed_at_a_limit_and_says_so(tmp_path: Path) -> None:
    """No number of it is a need that somebody measured."""
    series = JUDGED | said("compute_present_ratio", "chat", 0.5)
    series |= {verdict("chat", "larger", resource="compute"): "1x5"}
    rows = [(f'{{{keyed("chat")}, verdict="larger", reason="{queries.AT_LIMIT}"}}', 1.0)]

    assert faults(tmp_path, series, {queries.verdicts("compute"): rows}) == ""
    for texts in TEXTS.values():
        (board,) = (b for b in read_boards() if b.body["title"] == texts.title)
        (panel,) = (p for p in board.panels() if p["title"] == texts.compute.title)
        mappings = [
            mapping["options"]
            for override in panel["fieldConfig"]["overrides"]
            if override["matcher"]["options"] == "reason"
            for entry in override["properties"]
            if entry["id"] == "mappings"
            for mapping in entry["value"]
        ]

        assert mappings[0][queries.AT_LIMIT]["text"] == texts.at_limit


def test_a_container_without_a_promise_has_no_row(tmp_path: Path) -> None:
    """Names come from the promise: its row had none."""
    series = JUDGED | said("compute_present_ratio", "chat", 0.5)
    series |= said("compute_peak_ratio", "chat", 0.1) | said("compute_peak_ratio", "embed", 0.2)
    series |= said("window_seconds", "chat", 86400.0) | said("window_seconds", "embed", 86400.0)
    series |= said("memory_saving_bytes", "lost", GIB) | said("window_seconds", "lost", 86400.0)
    chat, embed = f"{{{keyed('chat')}}}", f"{{{keyed('embed')}}}"
    asked: dict[str, Samples] = {
        queries.sized(sizing.COMPUTE_P95, sizing.COMPUTE_RESERVED): [(chat, 0.1)],
        queries.sized(sizing.WINDOW): [(chat, 1.0), (embed, 1.0)],
        queries.MEMORY_CHANGE: [(chat, 20.0 * GIB)],
    }

    assert faults(tmp_path, series, asked) == ""


def test_what_asks_for_much_stands_as_high_as_what_saves_much(tmp_path: Path) -> None:
    series = JUDGED | said("memory_saving_bytes", "embed", -30 * GIB)
    rows = [(f"{{{keyed('chat')}}}", 20.0 * GIB), (f"{{{keyed('embed')}}}", 30.0 * GIB)]

    assert faults(tmp_path, series, {queries.MEMORY_CHANGE: rows}) == ""
    for board in (board for board in read_boards() if board.name.endswith("sizing")):
        (panel,) = (
            panel
            for panel in board.panels()
            if any(target["refId"] == "change" for target in panel.get("targets", []))
        )
        sorts = [
            step["options"]["sort"][0]
            for step in panel["transformations"]
            if step["id"] == "sortBy"
        ]

        assert sorts[-1] == {"field": "Value #change (max)", "desc": True}
