"""Logging in to a Prometheus: ways that contradict each other, and secrets that nobody shows."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gpuatlas.demo.server import SimulatedCluster
from gpuatlas_harness.exporting import ServeProcess
from gpuatlas_harness.http import loopback_session
from gpuatlas_harness.polling import poll

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

SECRET = "s3cret"
START = 1_787_307_072.0
TOKEN = ("--prometheus-bearer-token-file", "/dev/null")
USER = ("--prometheus-username-file", "/dev/null")
PASSWORD = ("--prometheus-password-file", "/dev/null")
HEADER = ("--prometheus-header", f"authorization=Bearer {SECRET}")


@pytest.mark.parametrize("command", ["serve", "doctor", "report", "sizing", "cards", "checks"])
@pytest.mark.parametrize(
    ("url", "options", "option", "says"),
    [
        ("p", (*USER,), "--prometheus-username-file", "needs --prometheus-password-file"),
        ("p", (*PASSWORD,), "--prometheus-password-file", "needs --prometheus-username-file"),
        (
            "p",
            (*TOKEN, *USER, *PASSWORD),
            "--prometheus-bearer-token-file",
            "and --prometheus-username-file are two ways to log in: leave one away",
        ),
        (
            "me:s3cret@p",
            (*TOKEN,),
            "--prometheus-url",
            "has a user of its own beside the file to log in with: leave it out",
        ),
        (
            "me:s3cret@p",
            (*USER, *PASSWORD),
            "--prometheus-url",
            "has a user of its own beside the file to log in with: leave it out",
        ),
        *(
            (
                url,
                (*HEADER, *other),
                "--prometheus-header",
                "names Authorization beside another way to log in: leave one away",
            )
            for url, other in (("p", TOKEN), ("p", (*USER, *PASSWORD)), ("me:s3cret@p", ()))
        ),
    ],
)
def test_half_a_login_and_two_are_refused(
    command: str, url: str, options: tuple[str, ...], option: str, says: str, run: Run
) -> None:
    result = run(command, "--prometheus-url", f"http://{url}", *options, columns=300)
    assert result.exit_code == 2
    separator = ": " if command == "serve" else " "
    assert f"{option}{separator}{says}" in result.stderr
    assert SECRET not in result.output


@pytest.fixture
def nowhere() -> Iterator[str]:
    """HOST:PORT at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with SimulatedCluster(seed=3, start=START, speed=0, faults=()) as cluster:
        yield cluster.kubeconfig(tmp_path_factory.mktemp("demo") / "kubeconfig")


@pytest.mark.parametrize("output", ["json", "table"])
@pytest.mark.parametrize("command", ["doctor", "cards", "checks", "sizing", "report"])
def test_no_command_shows_the_password_of_a_url(
    command: str, output: str, run: Run, kubeconfig: Path, nowhere: str
) -> None:
    options = ["--prometheus-url", f"http://me:{SECRET}@{nowhere}"]
    if command == "report":
        options += ["--changed", "3d", "-o", output.replace("table", "markdown")]
    else:
        options += ["--kubeconfig", str(kubeconfig)] if command in {"doctor", "cards"} else []
        options += ["-o", output]
    result = run(command, *options, columns=300)
    assert f"http://{nowhere}" in result.output
    assert SECRET not in result.output


def test_nor_does_the_exporter_in_its_log_or_on_its_pages(
    kubeconfig: Path, nowhere: str, tmp_path: Path
) -> None:
    options = ("--prometheus-url", f"http://me:{SECRET}@{nowhere}", "--log-level", "debug")
    with (
        ServeProcess(
            tmp_path, "--kubeconfig", kubeconfig, *options, ready_path="/healthz"
        ) as serving,
        loopback_session() as session,
    ):
        log = poll(
            lambda: text if nowhere in (text := serving.process.log_tail(5000)) else None,
            deadline_seconds=30,
            waiting_for="the Prometheus to be asked",
        )
        pages = [
            session.get(f"{serving.url}{path}", timeout=30).text
            for path in ("/", "/metrics", "/readyz", "/healthz")
        ]
    assert f"http://{nowhere}" in log
    assert [text for text in (log, *pages) if SECRET in text] == []
