"""The map of the board Cards, on series written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuatlas_dashboards.boards import cards_queries as queries
from gpuatlas_dashboards.boards.cards import TEXTS
from gpuatlas_dashboards.catalogue import LANGUAGES
from gpuatlas_dashboards.tokens import STATE_CODES, State
from gpuatlas_harness.board_answers import faults
from gpuatlas_harness.boards import read_boards
from gpuatlas_harness.cards_board import STATE, a_card, board
from gpuatlas_harness.rule_lint import RECORDED


def tile(row: str, index: str, text: str) -> tuple[str, float]:
    return f'{{row="{row}", index="{index}", tile="{text}"}}', 1.0


def test_a_tile_says_state_and_tenants_in_the_place_of_its_card(tmp_path: Path) -> None:
    series = a_card("GPU-a") | a_card("GPU-b", index="3", state=State.SLOWED)
    tiles = [tile("c/n", "0", "working|2"), tile("c/n", "3", "slowed|2")]
    cards = [
        ('{row="c/n", slot="card 0", card="GPU-a"}', 1.0),
        ('{row="c/n", slot="card 3", card="GPU-b"}', 1.0),
    ]

    assert faults(tmp_path, series, {queries.TILES: tiles, queries.TILE_CARDS: cards}) == ""


def test_a_card_that_only_dcgm_knows_has_its_place(tmp_path: Path) -> None:
    series = {
        f'{STATE}{{node="n", card="GPU-a", state="unknown"}}': "4x5",
        'node:gpuatlas_cards:count{node="n"}': "1x5",
        'DCGM_FI_DEV_GPU_TEMP{UUID="GPU-a", gpu="5", Hostname="n"}': "40x5",
    }

    assert faults(tmp_path, series, {queries.TILES: [tile("/n", "5", "unknown|")]}) == ""


def test_nodes_of_one_name_in_two_clusters_are_two_rows(tmp_path: Path) -> None:
    series = a_card("GPU-a", cluster="east") | a_card("GPU-b", cluster="west")
    rows = [tile("east/n", "0", "working|2"), tile("west/n", "0", "working|2")]

    assert faults(tmp_path, series, {queries.TILES: rows}) == ""


def test_only_the_chosen_states_and_nodes_stay(tmp_path: Path) -> None:
    series = a_card("GPU-a", node="n1") | a_card("GPU-b", node="n2")
    series |= a_card("GPU-c", node="n2", index="1", state=State.FAILED)
    chosen = {"state": "failed|slowed", "shown_nodes": "n1|n2"}

    asked = {queries.TILES: [tile("c/n2", "1", "failed|2")]}

    assert faults(tmp_path, series, asked, variables=chosen) == ""


def test_a_card_that_is_renumbered_stays_one_tile(tmp_path: Path) -> None:
    both = a_card("GPU-a") | {
        'gpuatlas_card_info{cluster="c", node="n", card="GPU-a", index="7", model="A10G"}': "1x5"
    }

    assert faults(tmp_path, both, {f"count({queries.TILES})": [("{}", 1.0)]}) == ""


def test_of_too_many_cards_whole_nodes_with_the_worst_states_are_shown(tmp_path: Path) -> None:
    count = queries.MOST_CARDS // 2
    series = a_card("GPU-a", node="n1", state=State.IDLE) | a_card("GPU-b", node="n2")
    series |= a_card("GPU-c", node="n3", state=State.FAILED)
    series |= {
        f'node:gpuatlas_cards:count{{cluster="c", node="n{n}"}}': f"{count}x5" for n in "123"
    }
    shown = [('{cluster="c", node="n1"}', 3.0), ('{cluster="c", node="n3"}', 6.0)]
    tiles = [tile("c/n1", "0", "idle|2"), tile("c/n3", "0", "failed|2")]

    assert faults(tmp_path, series, {queries.SHOWN_NODES: shown}) == ""
    assert (
        faults(tmp_path, series, {queries.TILES: tiles}, variables={"shown_nodes": "n1|n3"}) == ""
    )


def test_a_node_has_its_model_and_its_worst_state(tmp_path: Path) -> None:
    series = a_card("GPU-a") | a_card("GPU-b", index="1", state=State.UNKNOWN)
    row = [('{row="c/n", node="n", model="A10G"}', float(STATE_CODES[State.UNKNOWN]))]

    assert faults(tmp_path, series, {queries.NODES: row}) == ""


def test_codes_are_those_that_the_rules_record() -> None:
    recorded = {
        rule.labels["state"]: rule.expression.strip().partition(" * ")[0]
        for rule in RECORDED
        if rule.name == STATE
    }

    assert {str(state): str(code) for state, code in STATE_CODES.items()} == recorded


def of_panel(title: str) -> list[str]:
    board = next(board for board in read_boards() if board.name == "cards")
    return [query.expr for query in board.queries() if query.panel == title]


def test_a_state_without_cards_counts_zero_only_where_cards_are_known(tmp_path: Path) -> None:
    failed, *_, free = of_panel(TEXTS["en"].states.title)
    known = a_card("GPU-a", state=State.FREE)

    assert faults(tmp_path, known, {failed: [("{}", 0.0)], free: [("{}", 1.0)]}) == ""
    assert faults(tmp_path, {}, {failed: [], free: []}) == ""


@pytest.mark.parametrize("name", ["cards", "ja/cards"])
def test_every_state_has_its_word_in_the_tiles(name: str) -> None:
    """Colour is never the only carrier."""
    panel = next(p for p in board(name).panels() if "groupingToMatrix" in str(p))
    tiles = next(o for o in panel["fieldConfig"]["overrides"] if "\\d" in o["matcher"]["options"])
    mappings = next(p["value"] for p in tiles["properties"] if p["id"] == "mappings")
    shown = {
        m["options"]["pattern"]: m["options"]["result"]["text"]
        for m in mappings
        if m["type"] == "regex"
    }
    words = LANGUAGES["/" in name].shared.states

    for state in State:
        assert shown[f"/^{state}\\|.*$/"].endswith(words[state])
        assert shown[f"/^{state}\\|([1-9]\\d*)$/"].endswith(f"{words[state]} $1")
    assert shown["/^failed\\|.*$/"] == f"✖ {words[State.FAILED]}"
