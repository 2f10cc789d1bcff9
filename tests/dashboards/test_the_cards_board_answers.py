"""The queries of the board Cards on series written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from gpuatlas_dashboards.boards import cards_queries as queries
from gpuatlas_dashboards.boards.cards import TEXTS
from gpuatlas_dashboards.catalogue import LANGUAGES
from gpuatlas_dashboards.scopes import CARD
from gpuatlas_dashboards.signals import card as signals
from gpuatlas_dashboards.signals.card import PHYSICAL, SM_CLOCK
from gpuatlas_dashboards.tokens import STATE_CODES, State
from gpuatlas_dashboards.variables import card as card_variable
from gpuatlas_dashboards.workload_variables import KEY
from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.board_answers import Samples, faults
from gpuatlas_harness.boards import BoardFile, read_boards
from gpuatlas_harness.rule_lint import RECORDED

MIB: Final = 2**20
STATE: Final = "card:gpuatlas_card_state:with_checks"
CHOSEN: Final = {"card": "GPU-a"}


@pytest.fixture(autouse=True)
def _promtool() -> None:
    required(lambda: system_binary("promtool", package="prometheus"))


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


def tile(row: str, index: str, text: str) -> tuple[str, float]:
    return f'{{row="{row}", index="{index}", tile="{text}"}}', 1.0


# --- The map ----------------------------------------------------------------------------------


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


# --- The chosen card --------------------------------------------------------------------------

WHERE: Final = 'cluster="c", node="n", card="GPU-a"'
SHARE: Final = f'{WHERE}, namespace="red", pod="chat-0", container="main"'
OWNER: Final = 'cluster="c", namespace="red", pod="chat-0"'
WORKLOAD: Final = 'workload_kind="Deployment", workload="chat"'
HELD: Final = {
    f'gpuatlas_allocation_info{{{SHARE}, partition="p", evidence="annotation"}}': "1x5",
    f'gpuatlas_partition_info{{{WHERE}, partition="p", kind="vgpu"}}': "1x5",
    f"pod:gpuatlas_pod_workload_info:group{{{OWNER}, {WORKLOAD}}}": "1x5",
}


def test_the_chain_leads_from_the_card_to_the_workload(tmp_path: Path) -> None:
    row = f'{{{SHARE}, partition="p", kind="vgpu", evidence="annotation", {WORKLOAD}'
    row += f', {KEY}="c/red/Deployment/chat"}}'

    assert faults(tmp_path, HELD, {queries.CHAIN: [(row, 1.0)]}, variables=CHOSEN) == ""


def test_a_part_that_nobody_holds_has_a_row(tmp_path: Path) -> None:
    mig = f'{WHERE}, partition="gi-7", kind="mig", profile="1g.10gb"'
    series = HELD | {f"gpuatlas_partition_info{{{mig}}}": "1x5"}
    rows = [('{partition="p"}', 1.0), ('{partition="gi-7"}', 1.0)]
    asked = {f"count by (partition) ({queries.CHAIN})": rows}

    assert faults(tmp_path, series, asked, variables=CHOSEN) == ""


@pytest.mark.parametrize(
    "unknown", ["pod:gpuatlas_pod_workload_info:group", "gpuatlas_partition_info"]
)
def test_a_container_whose_workload_or_part_is_unknown_keeps_its_row(
    unknown: str, tmp_path: Path
) -> None:
    series = {name: values for name, values in HELD.items() if not name.startswith(unknown)}
    asked = {f"count by (pod) ({queries.CHAIN})": [('{pod="chat-0"}', 1.0)]}

    assert faults(tmp_path, series, asked, variables=CHOSEN) == ""


def test_a_card_without_shares_says_nobody(tmp_path: Path) -> None:
    asked = {f"count by (workload) ({queries.CHAIN})": [(f'{{workload="{queries.NOBODY}"}}', 1.0)]}

    assert faults(tmp_path, {}, asked, variables=CHOSEN) == ""


def test_promises_beyond_the_card_stand_past_its_physical_memory(tmp_path: Path) -> None:
    """23,028 MiB, four tenants promised 29,000 MiB: 5,972 MiB over-allocated."""
    promised = {"a": 8_000, "b": 8_000, "c": 8_000, "d": 5_000}
    series = {
        f"card:gpuatlas_memory_physical_bytes:max{{{WHERE}}}": f"{23_028 * MIB}x5",
        f"card:gpuatlas_memory_allocated_bytes:max{{{WHERE}}}": f"{29_000 * MIB}x5",
        f"card:gpuatlas_memory_resident_bytes:max{{{WHERE}}}": f"{22_000 * MIB}x5",
    }
    for name, mib in promised.items():
        pod = f'namespace="red", pod="{name}-0"'
        share = f'{WHERE}, {pod}, container="main"'
        owner = f'cluster="c", {pod}, workload_kind="Deployment", workload="{name}"'
        series[f"allocation:gpuatlas_memory_reserved_bytes:max{{{share}}}"] = f"{mib * MIB}x5"
        series[f"pod:gpuatlas_pod_workload_info:group{{{owner}}}"] = "1x5"
    bars = {("promised", f"red / {name}"): mib for name, mib in promised.items()}
    bars |= {("physical", "physical"): 23_028, ("physical", "overcommitted"): 5_972}
    bars |= {("resident", "resident"): 22_000}
    answer = [
        (f'{{bar="{bar}", part="{part}"}}', float(m * MIB)) for (bar, part), m in bars.items()
    ]

    assert faults(tmp_path, series, {queries.BARS: answer}, variables=CHOSEN) == ""


def test_what_the_card_is_survives_a_driver_upgrade(tmp_path: Path) -> None:
    series = a_card("GPU-a") | {
        f'gpuatlas_node_info{{cluster="c", node="n", driver_version="{version}"}}': "1x5"
        for version in ("570.1", "580.2")
    }
    asked = {
        f"count by (model, card) ({queries.IDENTITY})": [('{model="A10G", card="GPU-a"}', 1.0)]
    }

    assert faults(tmp_path, series, asked, variables=CHOSEN) == ""


def test_without_a_chosen_card_no_other_card_answers_for_it(tmp_path: Path) -> None:
    """`=~""` also matches series that have no such label at all."""
    series = {
        'DCGM_FI_DEV_SM_CLOCK{cluster="c", UUID="GPU-a"}': "1000x5",
        'card:gpuatlas_memory_physical_bytes:max{cluster="c", node="n"}': "1x5",
        'ALERTS_FOR_STATE{cluster="c", alertname="GpuInputsMissing", check="inputs"}': "1x5",
    }
    asked: dict[str, Samples] = {
        SM_CLOCK.within(CARD): [],
        PHYSICAL.within(CARD): [],
        queries.ALERTS: [],
    }

    assert faults(tmp_path, series, asked, variables={"card": ""}) == ""


@pytest.mark.parametrize("spelling", ["UUID", "uuid"])
def test_the_clock_is_found_by_both_spellings_of_the_uuid(spelling: str, tmp_path: Path) -> None:
    series = {f'DCGM_FI_DEV_SM_CLOCK{{cluster="c", {spelling}="GPU-a"}}': "1500x5"}

    asked = {SM_CLOCK.within(CARD): [('{cluster="c"}', 1.5e9)]}

    assert faults(tmp_path, series, asked, variables=CHOSEN) == ""


@pytest.mark.parametrize(("check", "shown"), [("H07", ', shown="H07"'), ("overcommit-memory", "")])
def test_an_alert_is_shown_once_with_its_first_beginning_in_milliseconds(
    check: str, shown: str, tmp_path: Path
) -> None:
    alert = f'alertname="GpuAlert", check="{check}"'
    series = {
        f'ALERTS_FOR_STATE{{{WHERE}, {alert}, severity="warning"}}': "120x5",
        f'ALERTS_FOR_STATE{{{WHERE}, {alert}, severity="critical"}}': "180x5",
    }

    assert faults(tmp_path, series, {queries.ALERTS: [(f"{{{alert}{shown}}}", 120_000.0)]}) == ""


# --- The list and the variables ---------------------------------------------------------------


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


def board(name: str) -> BoardFile:
    return next(board for board in read_boards() if board.name == name)


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


def test_every_signal_of_a_card_is_on_the_board() -> None:
    expressions = "".join(query.expr for query in board("cards").queries())

    assert [s.key for s in signals.SIGNALS if s.within(CARD) not in expressions] == []
