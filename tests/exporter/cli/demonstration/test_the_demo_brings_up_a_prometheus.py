"""`gpuatlas demo` as a process, with and without a Prometheus on PATH."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.http import loopback_session
from gpuatlas_harness.polling import poll

WAIT_SECONDS = 180.0
STOP_SECONDS = 120.0


class Demo:
    """A running demo."""

    def __init__(self, process: subprocess.Popen[bytes], said: Path) -> None:
        self.process = process
        self._said = said

    def text(self) -> str:
        return self._said.read_text("utf-8")

    def wait_for(self, pattern: str) -> str:
        """The first group, or all, of the first line that matches."""

        def look() -> re.Match[str] | None:
            found = re.search(pattern, self.text(), re.MULTILINE)
            if found is None and self.process.poll() is not None:
                pytest.fail(f"the demo has ended: {self.text()}")
            return found

        found = poll(look, deadline_seconds=WAIT_SECONDS, waiting_for=pattern)
        return found[found.re.groups]

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=STOP_SECONDS)


@contextmanager
def demo(folder: Path, *arguments: str, path: str | None = None) -> Iterator[Demo]:
    """It runs with a cache folder of its own."""
    said = folder / "said"
    environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}
    if path is not None:
        environment["PATH"] = path
    with said.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "gpuatlas", "demo", "--listen", "127.0.0.1:0", *arguments],
            stdout=stream,
            stderr=stream,
            env=environment,
        )
    try:
        yield Demo(process, said)
    finally:
        process.kill()
        process.wait()


def ask(url: str, query: str) -> list[dict[str, Any]]:
    with loopback_session() as session:
        answer = session.get(f"{url}/api/v1/query", params={"query": query}, timeout=30).json()
    result: list[dict[str, Any]] = answer["data"]["result"]
    return result


def number(url: str, query: str) -> float:
    ((result),) = ask(url, query)
    return float(result["value"][1])


@pytest.fixture
def _prometheus() -> None:
    required(lambda: system_binary("prometheus", package="prometheus"))


@pytest.mark.usefixtures("_prometheus")
def test_it_has_a_past_at_once_and_the_next_one_has_it_sooner(tmp_path: Path) -> None:
    with demo(tmp_path, "--history", "40m") as first:
        url = first.wait_for(r"^Prometheus +(http://127\.0\.0\.1:\d+)$")
        assert "writing 38 min of it" in first.text() or "writing 36 min of it" in first.text()
        for command in ("sizing", "report", "checks"):
            first.wait_for(rf" {command} --prometheus-url {re.escape(url)}( |$)")
        # From the first step to the last, every two minutes; the faults of the scenario fire.
        assert number(url, "count_over_time(gpuatlas_build_info[45m])") >= 18
        assert number(url, "count(last_over_time(card:gpuatlas_memory_used_bytes:max[10m]))") == 52
        fired = ask(url, "last_over_time(ALERTS{alertstate='firing', check='H07'}[10m])")
        assert {entry["metric"]["node"] for entry in fired} == {"a100-1"}
        poll(
            lambda: ask(url, "count(up{job='gpuatlas'} == 1 and up offset 1m)") or None,
            deadline_seconds=WAIT_SECONDS,
            waiting_for="the running exporter to go on with the series of its past",
        )
        with loopback_session() as session:
            rules = session.get(f"{url}/api/v1/rules", timeout=30).json()["data"]["groups"]
        assert [r for g in rules for r in g["rules"] if r["health"] == "err"] == []
        assert first.end() == 0
    with pytest.raises(OSError, match="refused"):
        ask(url, "up")

    with demo(tmp_path, "--history", "40m") as second:
        url = second.wait_for(r"^Prometheus +(http://127\.0\.0\.1:\d+)$")
        assert not re.search("writing [1-9][0-9] min", second.text())
        assert number(url, "count_over_time(gpuatlas_build_info[45m])") >= 18
        assert second.end() == 0


@pytest.mark.usefixtures("_prometheus")
def test_it_can_be_ended_while_it_writes_the_past(tmp_path: Path) -> None:
    with demo(tmp_path) as running:
        running.wait_for("^history +writing 14 days of it")
        (folder,) = {Path(running.wait_for("^kubeconfig +(.+)$")).parent}
        poll(
            lambda: (folder / "prometheus-past.log").exists() or None,
            deadline_seconds=WAIT_SECONDS,
            waiting_for="the Prometheus that takes the past",
        )
        assert running.end() == 0

    assert not folder.exists()
    assert not (tmp_path / "cache").exists()
    assert "no Prometheus" not in running.text()


@pytest.mark.usefixtures("_prometheus")
def test_it_can_begin_without_a_past(tmp_path: Path) -> None:
    with demo(tmp_path, "--no-history") as running:
        url = running.wait_for(r"^Prometheus +(http://127\.0\.0\.1:\d+)$")
        assert "history" not in running.text()
        running.wait_for("^Grafana")
        assert "sizing" not in running.text()
        assert ask(url, "last_over_time(up[1d] offset 5m)") == []
        assert running.end() == 0


def test_without_a_prometheus_it_says_what_is_missing(tmp_path: Path) -> None:
    with demo(tmp_path, path=str(tmp_path)) as running:
        running.wait_for("^Prometheus +none on PATH")
        hint = running.wait_for("^ +With Docker, without a past: (.+)$")
        assert running.process.poll() is None
        variables = dict(word.split("=", 1) for word in hint.split()[:-3])
        config = Path(variables["GPUATLAS_DEMO"]) / "prometheus.yml"
        assert '"job_name": "dcgm-exporter"' in config.read_text("utf-8")
        assert hint.endswith(" docker compose up")
        assert running.end() == 0


@pytest.mark.parametrize(
    "arguments", [("--no-prometheus",), ("--speed", "60"), ("--at", "2026-08-21T10:11:12Z")]
)
def test_some_demos_have_none(arguments: tuple[str, ...], tmp_path: Path) -> None:
    with demo(tmp_path, *arguments) as running:
        running.wait_for("^Ctrl-C ends it.$")
        assert running.end() == 0
        assert "Prometheus  " not in running.text()


def test_a_length_that_is_none_is_told_before_anything_starts(tmp_path: Path) -> None:
    with demo(tmp_path, "--history", "3 days") as running:
        assert running.process.wait(timeout=WAIT_SECONDS) == 2
        assert "--history: '3 days' is no duration" in running.text()
