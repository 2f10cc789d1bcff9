"""Five questions are answered at most two clicks from the first board, on the built-in cluster."""

from __future__ import annotations

from typing import Final

import pytest

from gpuatlas_dashboards.boards.cards import TEXTS as CARDS
from gpuatlas_dashboards.boards.checks_words import words_of
from gpuatlas_dashboards.boards.overview import TEXTS as OVERVIEW
from gpuatlas_dashboards.boards.workloads import TEXTS as WORKLOADS
from gpuatlas_dashboards.catalogue import LANGUAGES
from gpuatlas_dashboards.tokens import WORKLOAD_STATE_CODES, WorkloadState
from gpuatlas_harness.demo_evening import DemoEvening
from gpuatlas_harness.opened_boards import OpenBoard, open_board

MIB: Final = 2**20
MOST_CLICKS: Final = 2


@pytest.fixture(params=LANGUAGES, ids=lambda language: language.code)
def first(request: pytest.FixtureRequest, demo: DemoEvening) -> OpenBoard:
    """The overview, in each language."""
    return open_board(f"gpuatlas-overview{request.param.suffix}", demo.ask)


def language(board: OpenBoard) -> str:
    return "ja" if board.board.body["uid"].endswith("-ja") else "en"


def follow(board: OpenBoard, name: str) -> OpenBoard:
    (words,) = (one.shared for one in LANGUAGES if one.code == language(board))
    return board.follow(words.boards[name])


def tiles(board: OpenBoard) -> set[tuple[str, str, str]]:
    """Node, index and what is written on each card of the map."""
    assert board.clicks <= MOST_CLICKS
    answer = board.answers(CARDS[language(board)].map.title, "tiles")
    return {
        (labels["row"].removeprefix("demo/"), labels["index"], labels["tile"])
        for labels, _ in answer
    }


def test_which_cards_are_free(first: OpenBoard) -> None:
    free = first.click(OVERVIEW[language(first)].states.title, "free")

    assert tiles(free) == {
        (node, index, "free|0")
        for node, index in (
            ("a100-1", "7"), ("ascend-1", "2"), ("ascend-1", "3"), ("h100-1", "7"), ("l40s-1", "2"),
            ("l40s-1", "3"),
        )
    }  # fmt: skip


def test_which_cards_are_held_and_idle(first: OpenBoard) -> None:
    idle = first.click(OVERVIEW[language(first)].states.title, "idle")

    assert tiles(idle) == {
        ("a100-1", "6", "idle|1"),
        ("a100-2", "0", "idle|1"),
        ("a100-2", "3", "idle|1"),
        ("a10g-2", "1", "idle|1"),
        ("dra-1", "1", "idle|2"),
    }


def test_who_is_on_this_card_and_how_far_past_its_limit_it_is_promised(first: OpenBoard) -> None:
    """29,000 MiB are promised on a card of 23,028 MiB: 5,972 MiB too many."""
    cards = follow(first, "cards")
    texts = CARDS[language(first)]
    card = cards.click(texts.map.title, "0", {"row": "demo/a10g-1"})
    tenants = {
        (labels["namespace"], labels["workload"])
        for labels, _ in card.answers(texts.chain.title, "chain")
    }
    bars = {
        (labels["bar"], labels["part"]): value / MIB
        for labels, value in card.answers(texts.promises.title)
    }

    assert card.clicks <= MOST_CLICKS
    assert tenants == {
        ("assistants", "chat-7b"),
        ("search", "embed"),
        ("search", "rerank"),
        ("lab", "notebook-ann"),
    }
    assert {part: mib for (bar, part), mib in bars.items() if bar == "promised"} == {
        "assistants / chat-7b": 12_000,
        "search / embed": 8_000,
        "search / rerank": 6_000,
        "lab / notebook-ann": 3_000,
    }
    assert bars["physical", "physical"] == 23_028
    assert bars["physical", "overcommitted"] == 5_972


def workload(first: OpenBoard, name: str) -> OpenBoard:
    workloads = follow(first, "workloads")
    (words,) = (one.shared for one in LANGUAGES if one.code == language(first))
    title = WORKLOADS[language(first)].table.title
    opened = workloads.click(title, words.columns["workload"], {"workload": name})
    assert opened.clicks <= MOST_CLICKS
    return opened


def test_why_is_this_workload_slow_where_the_hardware_is(first: OpenBoard) -> None:
    chat = workload(first, "chat-70b")
    texts = WORKLOADS[language(first)]
    state = [value for _, value in chat.answers(texts.chosen.title)]
    alerts = {
        (labels["alertname"], labels["node"]) for labels, _ in chat.answers(texts.alerts.title)
    }

    assert state == [WORKLOAD_STATE_CODES[WorkloadState.SLOWED]]
    assert chat.values["chosen_name"] == "chat-70b"
    assert alerts == {
        ("GpuThermalThrottling", "a100-1"),
        ("GpuTemperatureNearSlowdown", "a100-1"),
        ("GpuMemoryTemperatureHigh", "a100-1"),
    }
    assert chat.answers(texts.suspects.title, "pairs") == []


def test_why_is_this_workload_slow_where_a_neighbour_is(first: OpenBoard) -> None:
    """`backfill` takes what it can get, and the card is full: more is not said of one episode."""
    support = workload(first, "support")
    texts = WORKLOADS[language(first)]
    state = [value for _, value in support.answers(texts.chosen.title)]
    now = {
        (labels["suspect_namespace"], labels["suspect"], labels["grade"]): round(value, 1)
        for labels, value in support.answers(texts.suspects.title, "now")
    }
    seconds = {
        labels["suspect"]: value for labels, value in support.answers(texts.suspects.title, "pairs")
    }

    assert state == [WORKLOAD_STATE_CODES[WorkloadState.SLOWED]]
    assert now == {
        ("batch", "backfill", "2"): 1.0,
        ("vision", "detector", "2"): 1.0,
        ("batch", "thumbnails", "2"): 0.4,
    }
    # Twenty minutes until now, by shares of ten minutes: those of the first five are still to come.
    assert seconds["backfill"] == pytest.approx(900, rel=0.1)
    assert support.answers(texts.alerts.title) == []


def test_a_name_of_sizing_that_stands_for_runs_leads_to_them(first: OpenBoard) -> None:
    """The analysis calls the runs of a group by one name, which is no workload's."""
    code = language(first)
    suffix = "" if code == "en" else "-ja"
    given = {"workload": "demo/research/Job/train-vision-*"}
    runs = open_board(f"gpuatlas-workloads{suffix}", first.ask, given)
    names = runs.values["chosen_workloads"].split("|")
    shares = runs.answers(WORKLOADS[code].shares.title, "shares")
    now = {labels["pod"].rsplit("-", 2)[0] for labels, _ in shares}

    assert {name.rpartition("-")[0] for name in names} == {"train-vision"}
    # Those that are over are looked at, too.
    assert len(names) == 3
    assert len(now) == 1
    assert now < set(names)


def test_what_is_broken_and_which_pods_feel_it(first: OpenBoard) -> None:
    checks = first.click(OVERVIEW[language(first)].checks.title, "firing")
    (texts,) = (words_of(one).board for one in LANGUAGES if one.code == language(first))
    title = texts.findings.title
    pods = {labels["who"]: labels["owner"] for labels, _ in checks.answers(title, "pods")}
    found = {
        (labels["name"], labels["where"]): pods.get(labels["who"], "")
        for labels, _ in checks.answers(title, "findings")
    }
    chat, asr = "assistants/chat-70b-v5txh29fqg-z8b5f", "platform/asr-gnpn4wmpt4-nlvr9"

    assert checks.clicks <= MOST_CLICKS
    assert found == {
        ("H01|xid", "demo · a100-2 / 1"): "platform/evaluation-1",
        ("H05|slowdown", "demo · a100-1 / 2"): chat,
        ("H06|memory", "demo · a100-1 / 2"): chat,
        ("H07|hw-samples", "demo · a100-1 / 2"): chat,
        ("H07|violation", "demo · a100-1 / 2"): chat,
        ("H12|exporter-down", "demo"): "",
        ("S12|unhealthy", "demo · a10g-1 / 3"): asr,
    }
