"""Every query of every board on a real Prometheus with half an hour of the simulated cluster."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest

from gpuatlas.cli.demonstration.stretch import Episode
from gpuatlas.demo.scenario_file import load_scenario
from gpuatlas.runtime.backfill.range_query import Grid
from gpuatlas_harness.boards import BoardFile, PanelQuery, filled, read_boards
from gpuatlas_harness.past import PastServer, course_of, our_rules, past_server
from gpuatlas_harness.simulated import EVENING

STEP: Final = 60.0
MINUTES: Final = 40
PIECES: Final = 2
END: Final = EVENING + (MINUTES - 1) * STEP
BOARDS: Final = [board for board in read_boards() if "/" not in board.name]
QUERIES: Final = [(board, query) for board in BOARDS for query in board.queries()]

# Panels that are rightly empty on this cluster when the board is opened, and why.
RIGHTLY_EMPTY: Final = {
    ("cards", "Pods on a card that nobody can tell"): "the exporter knows the card of each pod",
    ("sizing", "Priority"): "no analysis of history is published",
    ("sizing", "What the analysis proposes"): "no analysis of history is published",
    ("workloads", "Alerts on it"): "nothing is wrong with the first workload",
    ("workloads", "Memory in use by pod"): "it is KAI's, and nobody measures its pods there",
    ("workloads", "Original records"): "no finding names it",
    ("workloads", "Slowed by"): "nobody slows it",
    ("workloads", "What it waits for"): "it runs",
}


@dataclass(frozen=True)
class Demo:
    """The running server, and what stands above each board when it is opened."""

    server: PastServer
    chosen: dict[str, dict[str, str]]

    def ask(self, board: BoardFile, query: PanelQuery) -> list[tuple[dict[str, str], float]]:
        return self.server.query(filled(query.expr, self.chosen[board.name]), END)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    scenario = load_scenario()
    episodes = tuple(Episode(fault=fault) for fault in scenario.faults)
    length = MINUTES * 60 / PIECES
    grids = [
        Grid(first=EVENING + n * length, last=EVENING + (n + 1) * length - STEP, step=STEP)
        for n in range(PIECES)
    ]
    with past_server(tmp_path_factory.mktemp("prometheus")) as server:
        course = course_of(scenario, began=EVENING, episodes=episodes)
        server.write(course, grids, our_rules())
        yield Demo(server, {board.name: opened(board, server) for board in BOARDS})


def opened(board: BoardFile, server: PastServer) -> dict[str, str]:
    """The value that Grafana gives to each variable of one choice, in order; the others are All."""
    values: dict[str, str] = {}
    for name, variable in board.variables().items():
        if variable["type"] == "query" and not variable["multi"]:
            options = [option_of(line, variable) for line in answers(variable, values, server)]
            values[name] = min((o for o in options if o), key=natural, default=("", ""))[1]
    return values


def natural(option: tuple[str, str]) -> list[tuple[int, str]]:
    """As Grafana sorts: a10g-1 before a100-1."""
    parts = re.findall(r"\d+|\D+", option[0].lower())
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def answers(variable: dict[str, Any], values: dict[str, str], server: PastServer) -> list[str]:
    """What Grafana applies the regular expression of a variable to."""
    query = filled(variable["query"]["query"], values)
    inner = query.removeprefix("query_result(").removesuffix(")")
    assert inner != query, f"{variable['name']}: one choice out of {query}"
    return [
        "{" + ",".join(f'{k}="{v}"' for k, v in sorted(labels.items())) + f"}} {value:g} 0"
        for labels, value in server.query(inner, END)
    ]


def option_of(line: str, variable: dict[str, Any]) -> tuple[str, str] | None:
    """Text and value of an option, as the named groups of the expression find them."""
    pattern = re.sub(r"\(\?<(\w+)>", r"(?P<\1>", variable["regex"].strip("/"))
    found = re.search(pattern, line)
    if found is None:
        return None
    named = found.groupdict()
    value = named["value"] if named else found[1]
    return named.get("text", value), value


@pytest.mark.parametrize(("board", "query"), QUERIES, ids=[str(query) for _, query in QUERIES])
def test_a_query_is_answered_without_an_error(
    demo: Demo, board: BoardFile, query: PanelQuery
) -> None:
    assert demo.ask(board, query) is not None


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_every_panel_has_data_unless_it_is_rightly_empty(demo: Demo, board: BoardFile) -> None:
    shown: dict[str, int] = {}
    for query in board.queries():
        # Queries that end in `or vector(NaN)` say so that there is nothing.
        known = [value for _, value in demo.ask(board, query) if not math.isnan(value)]
        shown[query.panel] = shown.get(query.panel, 0) + len(known)

    empty = sorted(title for title, count in shown.items() if not count)

    assert empty == sorted(title for name, title in RIGHTLY_EMPTY if name == board.name)
