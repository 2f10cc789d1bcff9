"""The numbers of the board Overview on series written by hand, with and without our exporter."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from gpuatlas_dashboards.boards import overview_queries as queries
from gpuatlas_dashboards.boards.overview_worth import NEXT, VERDICT
from gpuatlas_dashboards.catalogue import BOARDS
from gpuatlas_dashboards.links import BoardId
from gpuatlas_dashboards.scopes import CLUSTER
from gpuatlas_dashboards.signals import cluster
from gpuatlas_harness.board_answers import Samples, faults
from gpuatlas_harness.boards import read_boards
from gpuatlas_harness.rule_lint import RECORDING_RULES

ROOM: Final = {
    'cluster:gpuatlas_cards_room:count{cluster="c"}': "10x400",
    'cluster:gpuatlas_cards_room:count{cluster="d"}': "2x400",
    'cluster:gpuatlas_cards_judged:count{cluster="c"}': "30x400",
    'cluster:gpuatlas_cards_judged:count{cluster="d"}': "10x400",
    'cluster:gpuatlas_cards:count{cluster="c"}': "40x400",
    'cluster:gpuatlas_cards:count{cluster="d"}': "10x400",
}


def test_the_verdict_is_one_for_all_chosen_clusters(tmp_path: Path) -> None:
    asked = {VERDICT: [("{}", 0.3)]}

    assert faults(tmp_path, ROOM, asked, at="24h", interval="4m") == ""


def test_there_is_no_verdict_before_a_day_is_recorded(tmp_path: Path) -> None:
    share = cluster.ROOM_SHARE.within(CLUSTER)

    assert faults(tmp_path, ROOM, {share: [("{}", 0.3)]}, at="12h", interval="4m") == ""
    assert faults(tmp_path, ROOM, {VERDICT: []}, at="12h", interval="4m") == ""


def test_there_is_no_verdict_where_no_card_could_be_judged(tmp_path: Path) -> None:
    unjudged = {name: values for name, values in ROOM.items() if "judged" not in name}

    assert faults(tmp_path, unjudged, {VERDICT: []}, at="24h", interval="4m") == ""


def test_records_reach_back_to_the_first_of_the_day(tmp_path: Path) -> None:
    counted = 'cluster:gpuatlas_cards:count{cluster="c"}'
    asked = cluster.OBSERVED.within(CLUSTER)
    of_a_day = {asked: [("{}", 86400.0)]}
    of_two_hours = {asked: [("{}", 7200.0)]}

    assert faults(tmp_path, {counted: "4x2880"}, of_a_day, at="40h") == ""
    assert faults(tmp_path, {counted: "4x2880"}, of_two_hours, at="2h") == ""


def test_records_of_the_first_minutes_are_told_in_minutes(tmp_path: Path) -> None:
    counted = 'cluster:gpuatlas_cards:count{cluster="c"}'
    of_four_minutes = {cluster.OBSERVED.within(CLUSTER): [("{}", 240.0)]}

    assert faults(tmp_path, {counted: "_x3 4x60"}, of_four_minutes, at="7m") == ""


MIB: Final = 2**20
PHYSICAL: Final = 80_000
RULES: Final = [
    RECORDING_RULES / f"{name}.yaml"
    for name in ("normalise", "card", "cluster", "node", "daily", "worth")
]


def only_dcgm(card: str, *, used_mib: int, busy: float) -> dict[str, str]:
    """What a stock dcgm-exporter says of a card for more than a day."""
    where = f'cluster="c", UUID="{card}", gpu="0", Hostname="n"'
    return {
        f"DCGM_FI_DEV_GPU_TEMP{{{where}}}": "50x400",
        f"DCGM_FI_DEV_FB_USED{{{where}}}": f"{used_mib}x400",
        f"DCGM_FI_DEV_FB_FREE{{{where}}}": f"{PHYSICAL - used_mib}x400",
        f"DCGM_FI_DEV_FB_RESERVED{{{where}}}": "0x400",
        f"DCGM_FI_PROF_GR_ENGINE_ACTIVE{{{where}}}": f"{busy}x400",
    }


def test_dcgm_alone_tells_whether_sharing_is_worth_it(tmp_path: Path) -> None:
    """Without our exporter a card whose memory is in use counts as held, and held whole."""
    series = only_dcgm("GPU-full", used_mib=70_000, busy=0.9)
    series |= only_dcgm("GPU-half", used_mib=30_000, busy=0.2)
    series |= only_dcgm("GPU-idle", used_mib=5_000, busy=0.0)
    series |= only_dcgm("GPU-free", used_mib=0, busy=0.0)
    never_used = 10_000 + 50_000 + 75_000
    answers = {
        VERDICT: 2 / 3,
        cluster.CARDS_WITH_ROOM.within(CLUSTER): 2,
        cluster.CARDS_IDLE_ALL_DAY.within(CLUSTER): 1,
        cluster.MEMORY_NEVER_USED.within(CLUSTER): never_used * MIB,
        cluster.CARDS_NEVER_USED.within(CLUSTER): never_used / PHYSICAL,
        cluster.CARDS.within(CLUSTER): 4,
    }
    asked: dict[str, Samples] = {
        f"round({expr}, 0.0001)": [("{}", round(value, 4))] for expr, value in answers.items()
    }

    assert faults(tmp_path, series, asked, at="26h", interval="4m", rules=RULES) == ""


def test_nobody_waits_is_0_and_nobody_tells_is_nothing(tmp_path: Path) -> None:
    info = 'gpuatlas_workload_info{cluster="c", namespace="red", workload_kind="Job", workload="a"}'

    assert faults(tmp_path, {info: "1x5"}, {queries.WAITING_COUNT: [("{}", 0.0)]}) == ""
    assert faults(tmp_path, {}, {queries.WAITING_COUNT: []}) == ""


def alert(name: str, severity: str) -> str:
    return (
        f'ALERTS{{cluster="c", alertname="{name}", severity="{severity}", check="H01",'
        ' alertstate="firing"}'
    )


def test_alerts_are_ranked_by_severity_not_by_the_word(tmp_path: Path) -> None:
    series = {
        alert("GpuCold", "info"): "1x5",
        alert("GpuWarm", "warning"): "1x5",
        alert("GpuHot", "critical"): "1x5",
    }
    answer = [
        ('{alertname="GpuHot", severity="critical"}', 3.0),
        ('{alertname="GpuWarm", severity="warning"}', 2.0),
        ('{alertname="GpuCold", severity="info"}', 1.0),
    ]

    assert faults(tmp_path, series, {queries.FIRING: answer}) == ""


@pytest.mark.parametrize(
    ("expr", "label"),
    [
        (queries.FIRING, "alertname"),
        (queries.NODES, "node"),
        (queries.NAMESPACES, "namespace"),
    ],
)
def test_a_table_without_rows_says_so(expr: str, label: str, tmp_path: Path) -> None:
    asked = {f"count by ({label}) ({expr})": [(f'{{{label}="none"}}', 1.0)]}

    assert faults(tmp_path, {}, asked) == ""


def test_a_node_that_nobody_measures_has_a_value_in_each_column(tmp_path: Path) -> None:
    nodes = {'node:gpuatlas_cards:count{cluster="c", node="n"}': "4x5"}
    asked = {
        f"count by (node) ({expr})": [('{node="n"}', 1.0)] for expr in queries.NODE_VALUES.values()
    }

    assert faults(tmp_path, nodes, asked) == ""


def test_every_other_board_is_among_what_to_open_next() -> None:
    assert set(NEXT) == {entry.id for entry in BOARDS} - {BoardId.OVERVIEW}


def test_what_to_open_next_leads_to_boards_that_there_are() -> None:
    boards = read_boards()
    uids = {board.body["uid"] for board in boards}
    for board in boards:
        if not board.body["uid"].startswith("gpuatlas-overview"):
            continue
        for panel in board.panels():
            if panel["type"] != "text":
                continue
            addresses = re.findall(r'href="/d/([^?"]+)\?([^"]+)"', panel["options"]["content"])

            assert len(addresses) == len(NEXT)
            for uid, query in addresses:
                assert uid in uids
                assert uid.endswith("-ja") == board.body["uid"].endswith("-ja")
                for kept in ("${datasource:queryparam}", "${__url_time_range}"):
                    assert kept in query
