"""The queries of the board Workloads on series written by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
import yaml

from gpuatlas.model.contention import Grade
from gpuatlas_dashboards.boards import workloads_queries as queries
from gpuatlas_dashboards.boards import workloads_slowed_queries as slowed
from gpuatlas_dashboards.boards.workloads import TEXTS
from gpuatlas_dashboards.catalogue import LANGUAGES
from gpuatlas_dashboards.signals import workload
from gpuatlas_dashboards.tokens import (
    WORKLOAD_STATE_CODES,
    WORKLOAD_STATE_COLOURS,
    WORKLOAD_STATE_MARKS,
    WorkloadState,
)
from gpuatlas_dashboards.workload_variables import KEY, SUSPECT_KEY, chosen_workload
from gpuatlas_harness.alert_rules import ROOT
from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.board_answers import Samples, faults
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


@pytest.fixture(autouse=True)
def _promtool() -> None:
    required(lambda: system_binary("promtool", package="prometheus"))


def of_rows(expr: str) -> str:
    """How many samples a query has for each workload, so that NaN can be compared."""
    return f"count by (workload) ({expr})"


COLUMNS: Final = {
    "cards": queries.CARDS,
    "waiting": queries.WAITING,
    **{
        signal.name: queries.filled(queries.listed_values(signal))
        for signal in (workload.MEMORY_OCCUPANCY, workload.PODS, workload.GANG)
    },
}


@pytest.mark.parametrize("expr", COLUMNS.values(), ids=COLUMNS)
def test_a_column_that_nobody_measures_has_one_row(expr: str, tmp_path: Path) -> None:
    """Grafana merges by the labels that all frames have: a column without rows breaks the table."""
    assert faults(tmp_path, LISTED, {of_rows(expr): [('{workload="chat"}', 1.0)]}) == ""


@pytest.mark.parametrize(
    "expr",
    [queries.WHAT, slowed.SLOWED_BY, *COLUMNS.values()],
    ids=["what", "slowed by", *COLUMNS],
)
def test_without_a_workload_every_column_says_none(expr: str, tmp_path: Path) -> None:
    assert faults(tmp_path, {}, {of_rows(expr): [('{workload="none"}', 1.0)]}) == ""


def test_every_workload_has_a_row(tmp_path: Path) -> None:
    rows = [('{workload="chat"}', 1.0), ('{workload="tune"}', 1.0)]

    assert faults(tmp_path, LISTED, {of_rows(queries.WHAT): rows}) == ""


def test_a_row_says_what_the_workload_is_and_how_to_open_it(tmp_path: Path) -> None:
    key = f'{KEY}="c/red/Deployment/chat"'
    answer = [(f'{{{CHAT}, runtime="vllm", scheduler="hami", {key}}}', 400.0)]

    assert faults(tmp_path, LISTED, {f"({queries.WHAT}) > 0": answer}) == ""


def test_only_workloads_in_the_chosen_states_are_listed(tmp_path: Path) -> None:
    asked = {of_rows(queries.WHAT): [('{workload="tune"}', 1.0)]}

    assert faults(tmp_path, LISTED, asked, variables={"workload_state": "waiting|failed"}) == ""


def test_a_workload_that_changes_while_it_is_described_has_one_row(tmp_path: Path) -> None:
    both = LISTED | {f'gpuatlas_workload_info{{{CHAT}, runtime="tgi", scheduler="hami"}}': "1x5"}
    rows = [('{workload="chat"}', 1.0), ('{workload="tune"}', 1.0)]

    assert faults(tmp_path, both, {of_rows(queries.WHAT): rows}) == ""


RATIO: Final = "workload:gpuatlas_slowed_ratio:rate10m"
COUNTER: Final = "gpuatlas_workload_slowed_seconds_total"
ON_ONE_CARD: Final = {
    f'workload:gpuatlas_card_info:group{{{CHAT}, node="n", card="GPU-a"}}': "1x5",
    'gpuatlas_card_tenants{cluster="c", node="n", card="GPU-a"}': "2x5",
}


def suspicion(metric: str, suspect: str, grade: str, *, kind: str = "Job") -> str:
    namespace = "blue" if suspect else ""
    named = f'suspect_namespace="{namespace}", suspect_kind="{kind}", suspect="{suspect}"'
    return f'{metric}{{{CHAT}, {named}, grade="{grade}"}}'


# Who is looked at and not slowed has a 0.
LOOKED_AT: Final = {suspicion(RATIO, "", "0", kind=""): "0x5"}


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        ({}, "nobody"),
        (ON_ONE_CARD, "unmeasured"),
        (ON_ONE_CARD | LOOKED_AT, "nobody"),
        (ON_ONE_CARD | {suspicion(RATIO, "ocr", "3"): "0x5"}, "nobody"),
        (
            {
                suspicion(RATIO, "ocr", "3"): "0.2x5",
                suspicion(RATIO, "etl", "3"): "0.1x5",
                suspicion(RATIO, "web", "1"): "0.9x5",
            },
            "ocr|3",
        ),
        ({suspicion(RATIO, "", "0", kind=""): "0.4x5"}, "|0"),
    ],
    ids=[
        "it has no neighbour", "nobody looks", "nobody contends", "no longer", "the best founded",
        "nobody is suspected",
    ],
)  # fmt: skip
def test_nobody_looked_is_not_nobody_slows(
    measured: dict[str, str], said: str, tmp_path: Path
) -> None:
    of_chat = f'({slowed.SLOWED_BY}) and on (workload) {STATE}{{state="working"}}'
    answer = [(f'{{{CHAT}, slowed="{said}"}}', 1.0)]

    assert faults(tmp_path, LISTED | measured, {of_chat: answer}) == ""


PAIR: Final = 'suspect_namespace="blue", suspect_kind="Job", suspect="ocr", grade="3"'
OCR: Final = f'{SUSPECT_KEY}="c/blue/Job/ocr"'


def test_a_suspect_stands_with_its_grade_its_time_and_a_link(tmp_path: Path) -> None:
    """Slowed half of the time for an hour; for ten minutes no more."""
    series = {
        suspicion(COUNTER, "ocr", "3"): "0+30x60 1800x10",
        suspicion(RATIO, "ocr", "3"): "0.5x60 0x10",
        suspicion(COUNTER, "etl", "1"): "0x70",
        suspicion(RATIO, "etl", "1"): "0x70",
    }
    name = f'{{cluster="c", {PAIR}, {slowed.PAIR}="c/blue/Job/ocr/3"'
    asked: dict[str, Samples] = {
        f"round({slowed.SUSPECTS})": [(f"{name}, {OCR}}}", 1800.0)],
        slowed.SUSPECTS_NOW: [(f"{name}}}", 0.0)],
        slowed.OVER_TIME: [('{suspect_namespace="blue", suspect="ocr"}', 0.0)],
    }

    assert faults(tmp_path, series, asked, at="70m", variables=CHOSEN) == ""


def test_pairs_have_the_time_of_the_range_and_lead_to_both(tmp_path: Path) -> None:
    series = {suspicion(RATIO, "ocr", "3"): "0.5x60", suspicion(RATIO, "etl", "1"): "0x60"}
    name = f'{{{CHAT}, {PAIR}, {slowed.PAIR}="c/red/Deployment/chat/blue/Job/ocr/3"'
    asked: dict[str, Samples] = {
        slowed.PAIRS: [(f'{name}, {KEY}="c/red/Deployment/chat", {OCR}}}', 2100.0)],
        slowed.PAIRS_NOW: [(f"{name}}}", 0.5)],
    }

    # Seven samples of ten minutes each, both ends included.
    assert faults(tmp_path, series, asked, at="60m") == ""


def test_without_a_suspect_the_link_stays_where_it_is(tmp_path: Path) -> None:
    series = {suspicion(COUNTER, "", "0", kind=""): "0+30x60"}
    chosen = CHOSEN | {"workload": "c/red/Deployment/chat"}
    asked = {
        f"count by ({SUSPECT_KEY}) ({slowed.SUSPECTS})": [
            (f'{{{SUSPECT_KEY}="c/red/Deployment/chat"}}', 1.0)
        ]
    }

    assert faults(tmp_path, series, asked, at="60m", variables=chosen) == ""


def test_a_large_cluster_lists_the_worst_states_and_sums_all(tmp_path: Path) -> None:
    count = queries.MOST + 10
    series = {
        f'{STATE}{{cluster="c", namespace="red", workload_kind="Job", workload="w{n}", '
        f'state="working"}}': "2x5"
        for n in range(count)
    } | {f'{STATE}{{{CHAT}, state="failed"}}': "6x5"}
    reserved = "workload:gpuatlas_memory_reserved_bytes:sum"
    series |= {
        f'{reserved}{{cluster="c", namespace="red", workload_kind="Job", workload="w{n}"}}': "1x5"
        for n in range(count)
    }
    board = next(board for board in read_boards() if board.name == "workloads")
    title = TEXTS["en"].totals.title
    totals = [query.expr for query in board.queries() if query.panel == title]
    asked: dict[str, Samples] = {
        f"count({queries.SHOWN})": [("{}", float(queries.MOST))],
        f"max({queries.SHOWN})": [("{}", 6.0)],
        totals[0]: [("{}", float(count))],
    }

    assert faults(tmp_path, series, asked) == ""


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


def test_codes_are_those_that_the_rules_record() -> None:
    rules = yaml.safe_load((ROOT / "recording_rules" / "state.yaml").read_text("utf-8"))
    recorded = {
        rule["labels"]["state"]: rule["expr"].strip().partition(" * ")[0]
        for rule in rules["groups"][0]["rules"]
        if rule["record"] == STATE
    }

    assert recorded.keys() == set(WorkloadState)
    for state, code in recorded.items():
        # Without a factor, `group` makes it 1.
        assert WORKLOAD_STATE_CODES[WorkloadState(state)] == (int(code) if code.isdigit() else 1)


def test_every_state_of_a_workload_has_a_word_a_colour_and_a_mark_of_its_own() -> None:
    for language in LANGUAGES:
        assert list(language.shared.workload_states) == list(WorkloadState)
        assert list(language.shared.workload_state_meanings) == list(WorkloadState)
    for looks in (WORKLOAD_STATE_COLOURS, WORKLOAD_STATE_MARKS):
        assert list(looks) == list(WorkloadState)
        assert len(set(looks.values())) == len(WorkloadState)


def test_every_grade_has_a_word() -> None:
    for texts in TEXTS.values():
        assert list(texts.grades) == list(slowed.GRADES) == [str(int(grade)) for grade in Grade]


def workloads_boards() -> list[BoardFile]:
    return [board for board in read_boards() if board.body["uid"].startswith("gpuatlas-workloads")]


def test_a_row_opens_its_workload_and_keeps_the_filters() -> None:
    for board in workloads_boards():
        opened = [
            url for url in board.addresses() if f'var-workload=${{__data.fields["{KEY}"]' in url
        ]

        assert opened
        for url in opened:
            for kept in ("namespace", "workload_kind", "workload_state"):
                assert f"${{{kept}:queryparam}}" in url


def test_a_suspect_by_name_stands_above_who_only_was_there() -> None:
    for board in workloads_boards():
        orders = [
            [step["options"]["sort"][0] for step in steps if step["id"] == "sortBy"]
            for panel in board.panels()
            if any(target["refId"] == "pairs" for target in panel.get("targets", []))
            for steps in [panel["transformations"]]
        ]

        assert len(orders) == 2
        for *_, last in orders:
            assert last == {"field": "grade", "desc": True}


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


def test_only_the_trend_is_turned_into_courses() -> None:
    """Grafana takes a table of one row for a course, so a cluster of one workload had no table."""
    for board in workloads_boards():
        (table,) = (
            panel
            for panel in board.panels()
            if any(step["id"] == "timeSeriesTable" for step in panel.get("transformations", []))
        )
        timeless, *_ = table["transformations"]
        pattern = re.compile(timeless["filter"]["options"].strip("/"))
        courses = [t["refId"] for t in table["targets"] if not pattern.search(t["refId"])]

        assert timeless["options"] == {"exclude": {"names": ["Time"]}}
        assert courses == [t["refId"] for t in table["targets"] if not t["instant"]] == ["trend"]
        assert table["targets"][-1]["refId"] == "trend"
