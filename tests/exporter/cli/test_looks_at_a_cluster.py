from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gpuatlas.demo.server import SimulatedCluster

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

START = 1_787_307_072.0


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A simulated cluster that stands still, without faults."""
    with SimulatedCluster(seed=3, start=START, speed=0, faults=()) as cluster:
        yield cluster.kubeconfig(tmp_path_factory.mktemp("demo") / "kubeconfig")


def cards(run: Run, *arguments: str | Path) -> dict[str, Any]:
    result = run("cards", *arguments, "-o", "json")
    assert result.exit_code == 0, result.output
    loaded: dict[str, Any] = json.loads(result.stdout)
    return loaded


def test_nothing_is_said_where_nothing_is_wrong(run: Run, kubeconfig: Path) -> None:
    result = run("cards", "--kubeconfig", kubeconfig)

    assert result.stderr == ""  # no progress, either: that is for terminals
    assert "56 cards on 12 nodes" in result.stdout


def test_asking_the_pods_themselves_gives_the_same(run: Run, kubeconfig: Path) -> None:
    proxied = cards(run, "--kubeconfig", kubeconfig)
    direct = cards(run, "--kubeconfig", kubeconfig, "--direct")

    assert direct["nodes"] == proxied["nodes"]


def test_pods_of_other_namespaces_are_no_exporters(run: Run, kubeconfig: Path) -> None:
    found = cards(run, "--kubeconfig", kubeconfig, "--exporter-namespace", "elsewhere")

    used = {c["compute"]["utilization_ratio"] for n in found["nodes"] for c in n["cards"]}
    assert used == {None}


def test_a_prometheus_that_is_away_is_a_warning(run: Run, kubeconfig: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        result = run("cards", "--kubeconfig", kubeconfig, "--prometheus-url", url)

    assert result.exit_code == 0
    assert result.stderr.startswith("warning: dcgm, hami-monitor, hami-scheduler: ")
    assert url in result.stderr
    assert "29,000" in result.stdout  # what the API server knows is there all the same


def test_a_person_at_a_terminal_sees_how_far_it_is(kubeconfig: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "gpuatlas", "cards", "--kubeconfig", str(kubeconfig)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    said = read_to_the_end(ours)
    shown, _ = process.communicate(timeout=60)

    assert process.returncode == 0
    assert "reading pods" in said
    assert re.search(r"reading pages.* 14/14", said)
    assert "56 cards on 12 nodes" in shown.decode()
    assert "reading" not in shown.decode()


def read_to_the_end(terminal: int) -> str:
    """All that is written to a terminal until its last writer is gone."""
    pieces = []
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while piece := os.read(terminal, 65536):
            pieces.append(piece)
    os.close(terminal)
    return b"".join(pieces).decode()
