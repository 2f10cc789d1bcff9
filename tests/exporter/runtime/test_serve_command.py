from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import requests
from click.testing import CliRunner, Result

from gpuatlas.cli.serve import serve as serve_command
from gpuatlas.cli.serve_settings import read_settings
from gpuatlas.runtime.scope import Shard
from gpuatlas.runtime.web.address import ListenAddress
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.polling import poll

Process = subprocess.Popen[str]
Launch = Callable[..., Process]
COMMAND = [sys.executable, "-m", "gpuatlas", "serve"]


def invoke(*arguments: str, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(serve_command, arguments, env=env, prog_name="gpuatlas serve")


def test_help_shows_examples() -> None:
    result = invoke("--help")
    assert result.exit_code == 0
    assert "gpuatlas serve --kubeconfig ~/.kube/config --listen 127.0.0.1:9836" in result.output


def test_every_problem_is_a_line_and_the_exit_code_is_2(tmp_path: Path) -> None:
    web = tmp_path / "web.yml"
    web.write_text("tls_server_config: {cert_file: a}\nusers: {}")
    result = invoke(
        *("--listen", "9836"),
        *("--shard", "3/3"),
        *("--web.config.file", str(web)),
        *("--scrape-interval", "10", "--scrape-timeout", "20"),
        *("--prometheus-ca-file", str(tmp_path)),
        *("--prometheus-matcher", "cluster"),
    )
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        "gpuatlas serve: --scrape-timeout: 20 s is longer than --scrape-interval, 10 s: set both",
        "gpuatlas serve: --prometheus-ca-file: needs --prometheus-url",
        "gpuatlas serve: --prometheus-matcher: needs --prometheus-url",
        f"gpuatlas serve: --web.config.file: {web}: tls_server_config: key_file: "
        "is missing (or key, with the PEM text itself)",
        f"gpuatlas serve: --web.config.file: {web}: users: no such key in this format",
        "gpuatlas serve: --listen: '9836' is no listen address: "
        'write ":9836", "127.0.0.1:9836" or "[::1]:9836"',
        "gpuatlas serve: --shard: '3/3' is no shard: "
        "the first number runs from 0 to one less than the second",
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["--prometheus-url", "prometheus:9090"],
            "--prometheus-url: must begin with http:// or https:// and name a host",
        ),
        (
            ["--prometheus-url", "http://p", "--prometheus-bearer-token-file", "/nothing/here"],
            "--prometheus-bearer-token-file: /nothing/here: No such file or directory",
        ),
        (
            # As curl has it. It is not said again: what follows is secret.
            ["--prometheus-url", "http://p", "--prometheus-header", "Authorization: Bearer s3cret"],
            "--prometheus-header: must be NAME=VALUE, such as X-Scope-OrgID=team-a",
        ),
        (
            ["--prometheus-url", "http://p", "--prometheus-matcher", "=prod"],
            "--prometheus-matcher: '=prod' must be LABEL=VALUE, such as cluster=prod",
        ),
        (
            ["--pages-from", "prometheus"],
            "--pages-from: prometheus needs --prometheus-url",
        ),
        (
            ["--from", "folder", "--prometheus-url", "http://p"],
            "--prometheus-url: has no meaning with --from: the folder is read, no cluster",
        ),
        (
            ["--sizing-interval", "59"],
            "--sizing-interval: must be 0 for never, or at least 60 s",
        ),
        (
            ["--sizing-interval", "nan"],
            "--sizing-interval: must be 0 for never, or at least 60 s",
        ),
        (
            ["--licence", "a/b"],
            "--licence: 'a/b' must be NAMESPACE/CONFIGMAP/KEY, such as "
            "layer-system/licence/notAfter",
        ),
        (
            ["--from", "folder", "--licence", "a/b/c"],
            "--licence: has no meaning with --from: the folder is read, no cluster",
        ),
    ],
)
def test_a_wrong_option_is_named(arguments: list[str], line: str) -> None:
    result = invoke(*arguments)
    assert (result.exit_code, result.stderr) == (2, f"gpuatlas serve: {line}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--log-level", "loud"],
        ["--scrape-interval", "0"],
        ["--scrape-interval", "nan"],
        ["--sizing-interval", "86401"],
        ["--sizing-interval", "-1"],
        ["--nope"],
    ],
)
def test_options_of_a_wrong_kind_are_usage_errors(arguments: list[str]) -> None:
    assert invoke(*arguments).exit_code == 2


def test_options_and_variables_become_settings(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("t")
    context = serve_command.make_context(
        "serve",
        [
            *("--listen", "[::1]:80", "--shard", "1/2", "--exclude-namespace", "a"),
            *("--exclude-namespace", "b", "--prometheus-url", "https://p/prefix"),
            *("--prometheus-bearer-token-file", str(token)),
            *("--prometheus-matcher", "cluster=prod", "--prometheus-header", "X-Scope-OrgID=a=b"),
            *("--scrape-interval", "60", "--exporter-namespace", "gpu-operator"),
            *("--no-probe-webhook", "--licence", "a/b/c", "--licence", "a/b/d"),
            *("--sizing-interval", "600", "--pages-from", "exporters"),
        ],
    )
    settings, problems = read_settings(context.params)
    assert problems == ()
    assert settings is not None
    assert settings.server.listen == ListenAddress("::1", 80)
    assert settings.shard == Shard(1, 2)
    assert settings.exclude_namespaces == frozenset({"a", "b"})
    assert settings.exporter_namespaces == frozenset({"gpu-operator"})
    assert settings.layer.probe is False
    assert [source.name for source in settings.layer.licences] == ["b/c", "b/d"]
    assert settings.refresh.scrape_interval_seconds == 60
    assert settings.scrape.page_max_age == 180
    assert settings.refresh.sizing_interval_seconds == 600
    assert settings.prometheus == PrometheusSettings(
        url="https://p/prefix",
        bearer_token_file=token,
        headers={"X-Scope-OrgID": "a=b"},
        matchers={"cluster": "prod"},
    )
    assert settings.page_prometheus is None


@pytest.mark.parametrize("words", [[], ["--pages-from", "prometheus"]])
def test_a_prometheus_has_the_pages_unless_told_otherwise(words: list[str]) -> None:
    context = serve_command.make_context("serve", ["--prometheus-url", "http://p", *words])
    settings, problems = read_settings(context.params)
    assert problems == ()
    assert settings is not None
    assert settings.page_prometheus == settings.prometheus == PrometheusSettings(url="http://p")


def test_variables_stand_for_options(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "GPUATLAS_LISTEN": "127.0.0.1:1",
        "GPUATLAS_WEB_CONFIG_FILE": "/etc/web.yml",
        "GPUATLAS_EXCLUDE_NAMESPACE": "a b",
        "GPUATLAS_SCRAPE_INTERVAL": "15",
        "GPUATLAS_SIZING_INTERVAL": "0",
        "GPUATLAS_PROBE_WEBHOOK": "false",
        "GPUATLAS_LICENCE": "a/b/c a/b/d",
        "GPUATLAS_LOG_FORMAT": "json",
        "GPUATLAS_REVISION": "abc123",
    }.items():
        monkeypatch.setenv(name, value)
    options = serve_command.make_context("serve", []).params
    assert options["listen"] == "127.0.0.1:1"
    assert options["web_config_file"] == Path("/etc/web.yml")
    assert options["exclude_namespace"] == ("a", "b")
    assert (options["scrape_interval"], options["sizing_interval"]) == (15, 0)
    assert (options["probe_webhook"], options["licence"]) == (False, ("a/b/c", "a/b/d"))
    assert (options["log_format"], options["revision"]) == ("json", "abc123")


@pytest.fixture
def launch() -> Iterator[Launch]:
    """Runs the command in a process of its own, on a free port unless told otherwise."""
    with ExitStack() as running:

        def start(*arguments: str) -> Process:
            environment = {k: v for k, v in os.environ.items() if not k.startswith("GPUATLAS_")}
            process = running.enter_context(
                subprocess.Popen(
                    [*COMMAND, *arguments],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    env={**environment, "HOME": "/nonexistent", "KUBECONFIG": ""},
                )
            )
            running.callback(process.kill)
            return process

        yield start


def address_of(process: Process) -> str:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], 30)
    assert ready, "nothing was printed"
    line = process.stdout.readline()
    match = re.fullmatch(r"serving on (http://127\.0\.0\.1:\d+)/metrics\n", line)
    assert match is not None, line
    return match[1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_although_an_endpoint_hangs(
    cluster: Any, launch: Launch, http: requests.Session, number: signal.Signals
) -> None:
    cluster.page = None
    process = launch(
        *("--kubeconfig", str(cluster.kubeconfig), "--listen", "127.0.0.1:0"),
        # The hanging read alone would keep the process for a minute.
        *("--scrape-interval", "60", "--scrape-timeout", "60", "--log-format", "json"),
    )
    url = address_of(process)
    poll(lambda: cluster.page_reads or None, deadline_seconds=30, waiting_for="the hanging read")
    assert http.get(f"{url}/healthz", timeout=5).status_code == 200
    process.send_signal(number)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "Traceback" not in stderr


def test_no_configuration_is_one_clear_line(launch: Launch) -> None:
    process = launch("--listen", "127.0.0.1:0")
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (1, "")
    (line,) = stderr.splitlines()
    assert line.startswith("Error: ")
    assert "kubeconfig" in line


def test_a_taken_port_is_one_clear_line(cluster: Any, launch: Launch) -> None:
    process = launch(
        "--kubeconfig", str(cluster.kubeconfig), "--listen", f"127.0.0.1:{cluster.port}"
    )
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 1
    (line,) = stderr.splitlines()
    assert line.startswith(f"Error: cannot listen on 127.0.0.1:{cluster.port}: ")
    assert "Address already in use" in line


def test_a_missing_capture_folder_is_one_clear_line(launch: Launch, tmp_path: Path) -> None:
    process = launch("--from", str(tmp_path / "nothing"), "--listen", "127.0.0.1:0")
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 1
    (line,) = stderr.splitlines()
    assert line.startswith("Error: ")
    assert str(tmp_path / "nothing") in line


def test_a_capture_folder_is_served(launch: Launch, http: requests.Session) -> None:
    folder = Path(__file__).parents[2] / "fixtures" / "captures" / "hami-a10g"
    url = address_of(launch("--from", str(folder), "--listen", "127.0.0.1:0"))
    poll(
        lambda: http.get(f"{url}/readyz", timeout=5).status_code == 200 or None,
        deadline_seconds=30,
        waiting_for="the first snapshot",
    )
    page = http.get(f"{url}/metrics", timeout=5).text
    overcommitted = [
        line.split()[-1]
        for line in page.splitlines()
        if line.startswith("gpuatlas_card_memory_overcommitted_bytes{")
    ]
    assert str(5_972 * 1024 * 1024) in overcommitted
