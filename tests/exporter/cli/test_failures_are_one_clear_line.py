"""Exit codes and messages of failing commands, in this process and as a real one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import FakeApi, Run

COMMANDS = [("cards",), ("workloads",), ("capture", "out")]


def one_line(text: str) -> str:
    assert text.startswith("Error: ")
    assert text.count("\n") == 1
    return text


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
def test_without_a_kubeconfig_it_says_where_it_looked(command: tuple[str, ...], run: Run) -> None:
    result = run(*command)

    assert result.exit_code == 1
    said = one_line(result.stderr)
    assert "no Kubernetes configuration" in said
    assert ".kube/config does not exist" in said
    assert "Pass --kubeconfig FILE or set KUBECONFIG" in said


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
def test_a_refused_connection_names_the_address(
    command: tuple[str, ...], run: Run, tmp_path: Path
) -> None:
    from tests.exporter.cli.conftest import kubeconfig_of

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        path = tmp_path / "kubeconfig"
        path.write_text(kubeconfig_of(f"http://127.0.0.1:{port}"))
        result = run(*command, "--kubeconfig", path)

    assert result.exit_code == 1
    said = one_line(result.stderr)
    assert f"http://127.0.0.1:{port}: no connection" in said
    assert "check that the address is right" in said


@pytest.mark.parametrize(
    ("path", "resource"), [("/api/v1/nodes", "nodes"), ("/api/v1/pods", "pods")]
)
def test_a_missing_right_names_verb_resource_and_remedy(
    path: str, resource: str, run: Run, api: FakeApi, tmp_path: Path
) -> None:
    api.forbid(path, resource)

    result = run("cards", "--kubeconfig", api.kubeconfig(tmp_path))
    assert result.exit_code == 1
    said = one_line(result.stderr)
    assert f"does not allow to list {resource} (403)" in said
    assert f'Grant the verb "list" on "{resource}" to this user' in said


def test_a_missing_right_on_owners_is_only_a_warning(
    run: Run, api: FakeApi, tmp_path: Path
) -> None:
    api.forbid("/apis/batch/v1/jobs", "jobs", "batch")

    result = run("cards", "--kubeconfig", api.kubeconfig(tmp_path))
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: without jobs.batch: ")


def test_refused_credentials_say_so(run: Run, api: FakeApi, tmp_path: Path) -> None:
    api.answers["/api/v1/nodes"] = (401, {"kind": "Status", "message": "Unauthorized"})

    result = run("cards", "--kubeconfig", api.kubeconfig(tmp_path))
    assert result.exit_code == 1
    assert "refused the credentials (401)" in one_line(result.stderr)


def test_a_kubeconfig_that_is_not_there(run: Run, tmp_path: Path) -> None:
    result = run("cards", "--kubeconfig", tmp_path / "nowhere")

    assert result.exit_code == 1
    assert one_line(result.stderr) == f"Error: the kubeconfig {tmp_path}/nowhere does not exist\n"


def test_a_context_that_is_not_there_lists_those_that_are(
    run: Run, api: FakeApi, tmp_path: Path
) -> None:
    result = run("cards", "--kubeconfig", api.kubeconfig(tmp_path), "--context", "y")

    assert result.exit_code == 1
    assert "has no context y; it has: x" in one_line(result.stderr)


def test_an_empty_cluster_is_no_failure(run: Run, api: FakeApi, tmp_path: Path) -> None:
    result = run("cards", "--kubeconfig", api.kubeconfig(tmp_path))

    assert result.exit_code == 0
    assert result.stdout.startswith("No node with accelerator cards was found")


@pytest.mark.parametrize("name", ["cards", "workloads", "capture"])
def test_a_folder_that_is_no_capture(name: str, run: Run, tmp_path: Path) -> None:
    out = (tmp_path / "out",) if name == "capture" else ()
    result = run(name, *out, "--from", tmp_path / "nothing")

    assert result.exit_code == 1
    assert "nothing: does not exist: a capture is a folder" in one_line(result.stderr)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cards", "--from", "x", "--context", "y"), "--context has no meaning with --from"),
        (("cards", "--from", "x", "--direct"), "--direct has no meaning with --from"),
        (("cards", "--prometheus-header", "a=b"), "--prometheus-header needs --prometheus-url"),
        (("cards", "--prometheus-url", "prom:9090"), "must begin with http:// or https://"),
        (("doctor", "--prometheus-url", "http://[p"), "must begin with http:// or https://"),
        (("doctor", "--prometheus-url", "http://p:99999"), "must have a port from 1 to 65535"),
        # An unset variable of a script: not the same as no Prometheus.
        (
            ("doctor", "--prometheus-url", ""),
            "--prometheus-url must begin with http:// or https://",
        ),
        (
            ("cards", "--prometheus-url", "http://p", "--prometheus-matcher", "cluster"),
            "--prometheus-matcher 'cluster' must be LABEL=VALUE, such as cluster=prod",
        ),
        (
            ("cards", "--prometheus-url", "http://p", "--prometheus-header", "X-Scope-OrgID"),
            "--prometheus-header must be NAME=VALUE, such as X-Scope-OrgID=team-a",
        ),
        (("cards", "--prometheus-url", "http://p", "--direct"), "two ways to read the same"),
        (("doctor", "--prometheus-url", "http://p", "--direct"), "two ways to read the same"),
        (("doctor", "--pages-from", "prometheus"), "prometheus needs --prometheus-url"),
        (("cards", "--output", "xml"), "'xml' is not one of 'table', 'json'"),
        (("cards", "--colour", "never"), "No such option"),
        (("card",), "No such command 'card'. Did you mean 'cards'?"),
        (("capture",), "Missing argument 'DIR'"),
        (("demo", "--metrics"), "--metrics needs --once"),
        (("demo", "--once", "--at", "noon"), "'noon' is no time"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: tuple[str, ...], said: str, run: Run) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_a_real_process_ends_without_a_traceback(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "gpuatlas", "cards", "--from", str(tmp_path / "nothing")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 1
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    one_line(result.stderr)


def test_a_reader_that_goes_away_is_no_traceback(captures: Path) -> None:
    """`gpuatlas cards | head -1`"""
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run(
        [sys.executable, "-m", "gpuatlas", "cards", "--from", str(captures / "hami-a10g")],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)

    assert "Traceback" not in result.stderr
