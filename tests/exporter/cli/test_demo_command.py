from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas_harness.polling import poll

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

AT = "2026-08-21T10:11:12Z"
DEMO = (sys.executable, "-m", "gpuatlas", "demo")


def test_the_screen_shows_the_card_with_exact_numbers(run: Run) -> None:
    result = run("demo", "--once", "--at", AT, columns=80)

    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("a10g-1 "))
    assert re.search(r"^0  . \w+ +[█▒]+│▒+ +29,000    23,028 ", lines[start + 1])
    assert lines[start + 2].strip().startswith("5,972 MiB over-allocated: ")
    assert any(re.fullmatch(r"56 cards on 12 nodes  .*", line) for line in lines)


def test_the_endpoint_that_fails_is_a_warning(run: Run) -> None:
    result = run("demo", "--once", "--at", AT)

    warnings = result.stderr.splitlines()
    assert [w for w in warnings if not w.startswith("warning: dcgm: 1 of 11 endpoints fail")] == []
    assert "HTTP 500" in warnings[0]


def test_the_same_seed_and_instant_give_the_same_screen(run: Run) -> None:
    arguments = ("demo", "--once", "--at", AT, "--speed", "0", "--seed", "7")

    first, second = (run(*arguments).stdout for _ in range(2))
    assert first == second
    assert first != run("demo", "--once", "--at", AT, "--speed", "0", "--seed", "8").stdout


def test_the_page_is_the_exporters_own(run: Run) -> None:
    result = run("demo", "--once", "--metrics", "--at", AT, "--speed", "0")

    families = {f.name: f for f in text_string_to_metric_families(result.stdout)}
    over = families["gpuatlas_card_memory_overcommitted_bytes"].samples
    assert ("a10g-1", "0", 5_972 * 1024 * 1024) in {
        (s.labels["node"], s.labels["index"], s.value) for s in over
    }
    assert families["gpuatlas_source_up"].samples
    assert result.exit_code == 0


def test_the_scenarios_faults_can_be_left_away_and_others_put_in(run: Run) -> None:
    arguments = ("demo", "--once", "--at", AT, "--speed", "0", "--healthy")

    healthy = run(*arguments)
    assert (healthy.exit_code, healthy.stderr) == (0, "")
    assert "failed" not in healthy.stdout
    faults = ("--fault", "registered-unhealthy@a10g-1/2", "--fault", "endpoint-refuses")
    broken = run(*arguments, *faults)
    lines = broken.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("a10g-1 "))
    card = next(line for line in lines[start:] if line.startswith("2 "))
    assert re.search(r" failed ", card)
    assert broken.stderr.startswith("warning: dcgm: 1 of 11 endpoints fail, first a10g-1")


def test_faults_are_listed_as_they_are_typed(run: Run) -> None:
    result = run("demo", "--faults")

    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert "xid@NODE/CARD,code=79" in lines
    assert lines[lines.index("node-locked@NODE,minutes=15") + 1].startswith("    HAMi's lock")
    assert " ".join(lines[lines.index("") :]).strip().startswith("Without NODE the first")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--fault", "xidd"), "there is no fault 'xidd'; did you mean 'xid'?"),
        (("--fault", "xid@a100-1/9"), "xid: a100-1 has cards 0 to 7, not 9"),
        (("--at", "2020-01-01T00:00:00Z"), "lies before the scenario's `since`"),
        (("--scenario", "/nowhere.yaml"), "/nowhere.yaml: cannot be read"),
    ],
)
def test_what_cannot_be_simulated_is_one_clear_line(
    arguments: tuple[str, ...], said: str, run: Run
) -> None:
    result = run("demo", "--once", *arguments)

    assert result.exit_code == 1
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stays_until_it_is_told_to_end(number: signal.Signals, tmp_path: Path) -> None:
    said = tmp_path / "said"
    with said.open("w") as stream:
        process = subprocess.Popen(
            [*DEMO, "--listen", "127.0.0.1:0", "--no-prometheus"],
            stdout=stream,
            stderr=subprocess.DEVNULL,
        )
    try:
        poll(
            lambda: "Ctrl-C ends it." in said.read_text("utf-8") or None,
            deadline_seconds=30,
            waiting_for="the addresses",
        )
        url = re.search(r"^exporter +(\S+)$", said.read_text("utf-8"), re.MULTILINE)
        kubeconfig = re.search(r"^kubeconfig +(\S+)$", said.read_text("utf-8"), re.MULTILINE)
        assert url is not None
        assert kubeconfig is not None
        assert requests.get(url[1], timeout=10).status_code == 200
        cards = subprocess.run(
            [sys.executable, "-m", "gpuatlas", "cards", "--kubeconfig", kubeconfig[1]],
            capture_output=True,
            text=True,
            check=True,
        )
        assert "56 cards on 12 nodes" in cards.stdout
        process.send_signal(number)
        assert process.wait(timeout=10) == 0
    finally:
        process.kill()
        process.wait()
