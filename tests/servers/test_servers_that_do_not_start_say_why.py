"""Programs that are not there, and servers that end or never answer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpuatlas_harness.binaries import skip_or_fail
from gpuatlas_harness.processes import Readiness, ServerFailedError, ServerProcess, free_ports


@pytest.mark.parametrize("ci", [None, "", "false"])
def test_a_missing_program_skips_at_a_desk(monkeypatch: pytest.MonkeyPatch, ci: str | None) -> None:
    monkeypatch.delenv("CI", raising=False)
    if ci is not None:
        monkeypatch.setenv("CI", ci)

    with pytest.raises(pytest.skip.Exception, match="no etcd"):
        skip_or_fail("no etcd")


def test_a_missing_program_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")

    with pytest.raises(pytest.fail.Exception, match="no etcd"):
        skip_or_fail("no etcd")


def test_a_server_that_ends_early_shows_its_log(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no such flag')"]
    readiness = Readiness("http://127.0.0.1:1/", deadline_seconds=30)
    server = ServerProcess("broken", command, readiness=readiness, log_dir=tmp_path)

    with pytest.raises(ServerFailedError, match=r"broken ended with code 1\n.*\nno such flag"):
        server.start()

    assert not server.running


def test_a_server_that_never_answers_is_stopped(tmp_path: Path) -> None:
    command = [sys.executable, "-uc", "print('deaf'); import time; time.sleep(60)"]
    (port,) = free_ports(1)
    readiness = Readiness(f"http://127.0.0.1:{port}/", deadline_seconds=1)
    server = ServerProcess("deaf", command, readiness=readiness, log_dir=tmp_path)

    told = f"waited 1 s for deaf at .*{port}/; last seen: ConnectionError"
    with pytest.raises(ServerFailedError, match=told):
        server.start()

    assert not server.running
