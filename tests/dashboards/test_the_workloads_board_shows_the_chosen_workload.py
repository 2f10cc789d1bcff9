"""The workload that is chosen on the board Workloads, on series written by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from gpuatlas_dashboards.boards import workloads_queries as queries
from gpuatlas_dashboards.catalogue import LANGUAGES
from gpuatlas_dashboards.workload_variables import KEY, chosen_workload
from gpuatlas_harness.board_answers import faults
from gpuatlas_harness.workloads_board import CHAT, CHOSEN, TUNE, workloads_boards


def pod(name: str, owner: str) -> str:
    return f'pod:gpuatlas_pod_workload_info:group{{{owner}, pod="{name}"}}'


HELD: Final = {
    f'workload:gpuatlas_card_info:group{{{CHAT}, node="n", card="GPU-a"}}': "1x5",
    f'workload:gpuatlas_card_info:group{{{TUNE}, node="n", card="GPU-a"}}': "1x5",
    f'workload:gpuatlas_card_info:group{{{TUNE}, node="n", card="GPU-b"}}': "1x5",
    'gpuatlas_card_info{cluster="c", node="n", card="GPU-a", index="3"}': "1x5",
    'gpuatlas_card_info{cluster="c", node="n", card="GPU-b", index="4"}': "1x5",
}


def test_neighbours_are_the_others_on_its_cards(tmp_path: Path) -> None:
    key = f'{KEY}="c/red/Job/tune"'
    answer = [(f'{{{TUNE}, node="n", card="GPU-a", index="3", {key}}}', 1.0)]

    assert faults(tmp_path, HELD, {queries.NEIGHBOURS: answer}, variables=CHOSEN) == ""


def test_without_neighbours_one_row_says_so(tmp_path: Path) -> None:
    alone = {name: values for name, values in HELD.items() if "tune" not in name}
    asked = {f"count by (workload) ({queries.NEIGHBOURS})": [('{workload="none"}', 1.0)]}

    assert faults(tmp_path, alone, asked, variables=CHOSEN) == ""


def test_a_pod_without_a_card_has_a_row_beside_those_with_one(tmp_path: Path) -> None:
    share = 'cluster="c", node="n", card="GPU-a", namespace="red", pod="chat-0", container="main"'
    known = 'index="3", partition="p", evidence="annotation"'
    part = 'cluster="c", node="n", card="GPU-a", partition="p", kind="vgpu"'
    series = {
        pod("chat-0", CHAT): "1x5",
        pod("chat-1", CHAT): "1x5",
        pod("tune-0", TUNE): "1x5",
        f"gpuatlas_allocation_info{{{share}, {known}}}": "1x5",
        f'gpuatlas_partition_info{{{part}, profile=""}}': "1x5",
    }
    answer = [
        (f'{{{share}, {known}, kind="vgpu"}}', 1.0),
        ('{cluster="c", namespace="red", pod="chat-1"}', 1.0),
    ]

    assert faults(tmp_path, series, {queries.SHARES: answer}, variables=CHOSEN) == ""


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("c/red/Job.batch.volcano.sh/tune", ["c", "red", "Job.batch.volcano.sh", "tune"]),
        # A Prometheus of one cluster: no such label.
        ("/red/Deployment/chat", [".*", "red", "Deployment", "chat"]),
    ],
)
def test_the_chosen_workload_is_taken_apart(key: str, parts: list[str], tmp_path: Path) -> None:
    _, *hidden, _ = chosen_workload(LANGUAGES[0])
    asked = {
        variable.body["definition"].removeprefix("query_result(").removesuffix(")"): [
            (f'{{key="{key}", part="{part}"}}', 1.0)
        ]
        for variable, part in zip(hidden, parts, strict=True)
    }

    assert faults(tmp_path, {}, asked, variables={"workload": key}) == ""


def test_the_parts_of_the_chosen_workload_are_hidden() -> None:
    for board in workloads_boards():
        hidden = {name for name, variable in board.variables().items() if variable["hide"] == 2}

        assert hidden == {
            "shown_workloads", "chosen_cluster", "chosen_namespace", "chosen_kind", "chosen_name",
            "chosen_workloads", "chosen_cards", "card_pods",
        }  # fmt: skip


def variable_query(name: str) -> str:
    (board,) = (board for board in workloads_boards() if "/" not in board.name)
    query: str = board.variables()[name]["query"]["query"]
    return query.removeprefix("query_result(").removesuffix(")")


RUN_GROUP: Final = "workload:gpuatlas_workload_run_group:group"
JOBS: Final = 'cluster="c", namespace="red", workload_kind="Job"'
# The first run was over before the others began; `train-eval` has another group.
RUNS: Final = {
    f'{RUN_GROUP}{{{JOBS}, workload="train-1", group="train"}}': "1x5 _x95",
    f'{RUN_GROUP}{{{JOBS}, workload="train-2", group="train"}}': "_x90 1x10",
    f'{RUN_GROUP}{{{JOBS}, workload="train-eval-1", group="train-eval"}}': "1x100",
    f'{RUN_GROUP}{{{JOBS.replace("red", "blue")}, workload="train-3", group="train"}}': "1x100",
}


def chosen(workload: str) -> dict[str, str]:
    return {**CHOSEN, "chosen_kind": "Job", "chosen_name": workload}


def test_a_name_with_an_asterisk_is_the_runs_of_the_time_range(tmp_path: Path) -> None:
    names = (("train-*", ["train-*", "train-1", "train-2"]), ("train-2", ["train-2"]))
    query = variable_query("chosen_workloads")
    for name, found in names:
        asked = {query: [(f'{{workload="{one}"}}', 1.0) for one in found]}

        assert faults(tmp_path, RUNS, asked, at="95m", variables=chosen(name)) == ""


def test_what_has_an_asterisk_is_no_name_to_look_for() -> None:
    for board in workloads_boards():
        regex = re.compile(board.variables()["chosen_workloads"]["regex"].strip("/"))

        found = regex.search('{workload="train-1"} 1 0')

        assert found is not None
        assert found[1] == "train-1"
        assert not regex.search('{workload="train-*"} 1 0')


def test_what_the_analysis_names_can_be_chosen(tmp_path: Path) -> None:
    """What is looked at and is no choice would be another workload at the next refresh."""
    said = f'gpuatlas_sizing_verdict_info{{{JOBS}, container="main", verdict="fits"'
    series = {
        f'gpuatlas_workload_info{{{CHAT}, runtime="vllm"}}': "1x5",
        f'{said}, workload="train-*", resource="memory"}}': "1x5",
        f'{said}, workload="train-*", resource="compute"}}': "1x5",
        f'{said}, workload="gone", resource="memory"}}': "1x5",
    }
    options = [
        (f'{{name="red / chat", {KEY}="c/red/Deployment/chat"}}', 1.0),
        (f'{{name="red / train-*", {KEY}="c/red/Job/train-*"}}', 1.0),
    ]

    assert faults(tmp_path, series, {variable_query("workload"): options}) == ""
