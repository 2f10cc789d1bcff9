"""`gpuatlas report`: the page, the document, what it refuses, and the example in the docs."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest

from gpuatlas.cli.screens.report import report_markdown, written
from gpuatlas.report.effect import Answer, Difference, EffectReport, Verdict, effect
from gpuatlas.report.quantities import QUANTITIES, Unit
from gpuatlas.report.windows import DAY, Change, Window, lay, step_of
from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.serving import serving
from gpuatlas_harness.three_configurations import (
    DOCUMENT,
    document,
    prometheus_of_three,
    report_of_three,
)

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

GOLDEN = Path(__file__).parent / "golden"
NOW = 1_787_307_072.0  # 2026-08-21T10:11:12Z
WINDOWS = lay([Change(NOW - 7 * DAY, "")], now=NOW)
SERVICE = (("namespace", "chat"), ("workload_kind", "Deployment"), ("workload", "llm|chat"))
CHOSEN = {"tenants_per_card", "memory_promised", "xid_31", "restarts", "service_first_token"}


def points(window: Window, value: float, *, share: float = 1.0) -> dict[float, float]:
    step = step_of(window)
    number = int(window.seconds / step * share)
    return {window.start + n * step: value for n in range(number)}


def a_report() -> EffectReport:
    """More tenants, less latency, a gap in one window, a series that nobody has."""
    answers: dict[tuple[str, int], Answer] = {}
    for number, window in enumerate(WINDOWS):
        whole = points(window, 1.0)
        tenants = points(window, [1.0, 3.5][number])
        first = points(window, [0.31, 0.18][number])
        answers["tenants_per_card", number] = Answer(series={(): tenants}, seen={(): whole})
        answers["memory_promised", number] = Answer(
            series={(): points(window, [1.0, 1.26][number], share=[1.0, 0.9][number])},
            seen={(): points(window, 1.0, share=[1.0, 0.9][number])},
        )
        answers["restarts", number] = Answer(series={(): points(window, 0.0)})
        answers["service_first_token", number] = Answer(
            series={SERVICE: first}, seen={SERVICE: whole}
        )
    chosen = [quantity for quantity in QUANTITIES if quantity.key in CHOSEN]
    return effect("node a10g-1", WINDOWS, answers, at=NOW, quantities=chosen)


def test_a_report_gives_exactly_this_page() -> None:
    page = "".join(f"{line}\n" for line in report_markdown(a_report()))
    assert page == (GOLDEN / "report.md").read_text("utf-8")


def test_values_that_differ_by_chance_are_not_called_the_same() -> None:
    report = a_report()
    row = next(row for row in report.rows if row.quantity.key == "tenants_per_card")
    chance = replace(row, differences=(Difference(verdict=Verdict.SAME, change=2.5),))
    lines = list(report_markdown(replace(report, rows=(chance,))))
    (line,) = [line for line in lines if "3.50" in line]
    assert [cell.strip() for cell in line.split("|")][2:5] == ["1.00", "3.50", "not beyond chance"]


def test_names_are_no_markdown() -> None:
    hostile = replace(a_report(), scope="node <script>*a*\n# b")
    assert next(report_markdown(hostile)) == (
        "# Effect of a change of sharing: node \\<script\\>\\*a\\* \\# b"
    )


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        (Unit.NUMBER, None, "?"),
        (Unit.NUMBER, 3.5, "3.50"),
        (Unit.RATIO, 1.2591, "125.9%"),
        (Unit.BYTES, 5 * 1024**3, "5,120 MiB"),
        (Unit.SECONDS, 0.1834, "183 ms"),
        (Unit.SECONDS, 1.234, "1.23 s"),
        (Unit.PER_SECOND, 1234.56, "1,234.6/s"),
        (Unit.MINUTES_A_DAY, 12.34, "12.3 min/d"),
        (Unit.EVENTS, 3.0, "3"),
    ],
)
def test_values_as_people_read_them(unit: Unit, value: float | None, text: str) -> None:
    assert written(unit, value) == text


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> EffectReport:
    required(lambda: system_binary("promtool", package="prometheus"))
    required(lambda: system_binary("prometheus", package="prometheus"))
    with prometheus_of_three(tmp_path_factory.mktemp("three")) as url:
        return report_of_three(url)


def test_the_example_in_the_docs_is_what_a_real_prometheus_gives(example: EffectReport) -> None:
    assert document(example) == DOCUMENT.read_text("utf-8")


def test_the_command_above_the_example_names_what_is_required() -> None:
    (typed,) = re.findall(r"`(gpuatlas report --[^`]+)`", DOCUMENT.read_text("utf-8"))
    words = shlex.split(typed.replace("\n> ", " "))
    options = [word for word in words if word.startswith("--")]
    assert options == ["--prometheus-url", "--node", "--since", "--changed", "--changed"]


def test_as_many_workloads_fit_a_card_as_the_scenario_puts_there(example: EffectReport) -> None:
    rows = {row.quantity.key: [m.value for m in row.measures] for row in example.rows}
    assert rows["workloads_per_card"] == [1.0, 5.0, 6.0]
    assert rows["tenants_per_card"] == [1.0, 5.0, 6.0]
    assert rows["memory_promised"] == pytest.approx([1.0, 1.0, 1.2])
    # Once a day in the last of the three, and its window has six days.
    assert rows["xid_31"] == rows["restarts"] == [0.0, 0.0, 6.0]
    assert rows["slowed"][0] == 0.0


@pytest.fixture
def prometheus() -> Iterator[str]:
    """One card with one tenant until three days ago, with three since; no services."""
    changed = datetime.now(UTC).timestamp() - 3 * DAY

    def answer(_path: str, content: str) -> tuple[int, bytes]:
        form = parse_qs(content)
        query = form["query"][0]
        start, end, step = (float(form[name][0]) for name in ("start", "end", "step"))
        values: list[list[Any]] = []
        at = start
        while "gpuatlas_card_tenants" in query and at <= end:
            values.append([at, "1" if at < changed else "3"])
            at += step
        result = [{"metric": {}, "values": values}] if values else []
        data = {"status": "success", "data": {"resultType": "matrix", "result": result}}
        refused = {"status": "error", "error": "many-to-many matching not allowed"}
        bad = "gpuatlas_workload_restarts" in query
        return 422 if bad else 200, json.dumps(refused if bad else data).encode()

    with serving(answer, method="POST") as address:
        yield f"http://{address}"


def test_the_command_prints_the_page(prometheus: str, run: Run) -> None:
    result = run("report", "--prometheus-url", prometheus, "--changed", "3d=shared")
    assert (result.exit_code, result.stderr) == (0, "")
    page = result.stdout
    assert page.startswith("# Effect of a change of sharing: all nodes\n")
    assert "Each window is 2d long" in page
    cells = [c.strip() for c in re.findall(r"tenants per held card.*", page)[0].split("|")]
    assert cells[1:-1] == ["1.00", "3.00", "+2.00 (more)"]
    # An expression that the server refuses costs its line, and says what it said.
    assert re.search(r"- restarts of containers with cards: .*422.*many-to-many", page)


def test_the_command_prints_a_document(prometheus: str, run: Run) -> None:
    result = run(
        *("report", "--prometheus-url", prometheus, "--changed", "3d", "-o", "json"),
        *("--workload", "chat/Deployment/llm-chat"),
    )
    found = json.loads(result.stdout)
    assert (found["kind"], found["apiVersion"]) == ("Effect", "gpuatlas.dev/v1")
    assert found["scope"] == "Deployment chat/llm-chat and the cards it is on"
    assert [window["name"] for window in found["windows"]] == ["before", "after"]
    assert [window["seconds"] for window in found["windows"]] == [2 * DAY, 2 * DAY]
    rows = {row["key"]: row for row in found["quantities"]}
    tenants = rows["tenants_per_card"]
    assert [value["value"] for value in tenants["values"]] == [1.0, 3.0]
    assert tenants["differences"] == [{"verdict": "more", "change": 2.0, "reason": ""}]
    assert "many-to-many" in rows["restarts"]["differences"][0]["reason"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--prometheus-url is required: before and after a change are days apart"),
        (("--prometheus-url", "http://p"), "--changed is required"),
        (("--prometheus-url", "http://p", "--changed", "noon"), "--changed 'noon' is no time"),
        (("--prometheus-url", "http://p", "--changed", "5m"), "a window needs 30"),
        (("--prometheus-url", "http://p", "--changed", "2999-01-01"), "lies in the future"),
        (
            ("--prometheus-url", "http://p", "--changed", "3d", "--since", "soon"),
            "--since 'soon' is no time",
        ),
        (
            ("--prometheus-url", "http://p", "--changed", "3d", "--settle", "soon"),
            "--settle: 'soon' is no duration",
        ),
        (
            ("--prometheus-url", "http://p", "--changed", "3d", "--workload", "chat/llm"),
            "must be NAMESPACE/KIND/NAME",
        ),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], said: str, run: Run) -> None:
    result = run("report", *arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_two_scopes_are_refused(run: Run) -> None:
    result = run(
        *("report", "--prometheus-url", "http://p", "--changed", "3d"),
        *("--node", "a", "--workload", "a/b/c"),
    )
    assert result.exit_code == 2
    assert "--node and --workload are two scopes: name one" in result.stderr


def test_a_prometheus_that_cannot_be_reached(run: Run) -> None:
    result = run("report", "--prometheus-url", "http://127.0.0.1:1", "--changed", "3d")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: no answer from http://127.0.0.1:1/")
