from __future__ import annotations

import os
import socket
import stat
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gpuatlas.cli.demonstration.grafana import find_grafana, grafana, provisioning_environment
from gpuatlas.cli.demonstration.local_server import (
    LocalServer,
    LocalServerError,
    free_port,
    loopback_session,
)
from gpuatlas.cli.demonstration.prometheus import write_config
from gpuatlas.cli.demonstration.scrape_targets import EXPORTER, endpoint_targets
from gpuatlas.demo.scenario_file import load_scenario
from gpuatlas.demo.world import build_world
from gpuatlas_harness.past import repository
from gpuatlas_harness.prometheus import promtool
from gpuatlas_harness.simulated import EVENING

# Serves 200 on any path, and what it was started with on /started.
PROGRAM: Final = """
import json, os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        if self.path == "/started":
            started = {"arguments": sys.argv[1:], "environment": dict(os.environ)}
            self.wfile.write(json.dumps(started).encode())

    def log_message(self, *_):
        pass

HTTPServer(("127.0.0.1", int(os.environ["GF_SERVER_HTTP_PORT"])), Handler).serve_forever()
"""


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_a_port_that_is_taken_is_not_chosen() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        chosen = free_port(port)

    assert chosen != port
    assert free_port(chosen) == chosen


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (python("import sys; print('no such flag'); sys.exit(3)"), "code 3: no such flag"),
        (["/nowhere/program"], "No such file or directory"),
    ],
)
def test_a_program_that_does_not_start_is_told_with_its_last_words(
    command: list[str], said: str, tmp_path: Path
) -> None:
    server = LocalServer("thing", command, url="http://127.0.0.1:9", ready="/", folder=tmp_path)

    with pytest.raises(LocalServerError, match=f"^thing.*{said}"):
        server.__enter__()


def test_nobody_waits_for_a_program_any_more(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    server = LocalServer(
        "thing",
        python("import time; time.sleep(60)"),
        url="http://127.0.0.1:9",
        ready="/",
        folder=tmp_path,
        stop=stop,
    )

    began = time.monotonic()
    with pytest.raises(LocalServerError, match="is not ready"):
        server.__enter__()
    assert time.monotonic() - began < 30


def fake_grafana(folder: Path) -> Path:
    """A program of that name, in a tree as an unpacked Grafana has it."""
    for name in ("bin", "public"):
        (folder / name).mkdir(parents=True)
    program = folder / "bin" / "grafana"
    program.write_text(f"#!{sys.executable}\n{PROGRAM}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def test_grafana_gets_our_dashboards_and_the_demos_prometheus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake_grafana(tmp_path / "grafana-12")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    command = find_grafana()
    assert command == [str(program), "server"]

    assets = repository()
    with (
        grafana(
            command, assets, "http://127.0.0.1:9090", tmp_path, stop=threading.Event()
        ) as server,
        loopback_session() as session,
    ):
        started: dict[str, Any] = session.get(f"{server.url}/started", timeout=10).json()

    assert started["arguments"] == ["server", "--homepath", str(tmp_path / "grafana-12")]
    environment = started["environment"]
    assert environment["GPUATLAS_PROMETHEUS_URL"] == "http://127.0.0.1:9090"
    assert environment["GF_SERVER_HTTP_ADDR"] == "127.0.0.1"
    assert Path(environment["GF_PATHS_PROVISIONING"]) == assets.root / "deploy/demo/grafana"
    assert Path(environment["GF_PATHS_DATA"]).parent == tmp_path
    with loopback_session() as session, pytest.raises(OSError, match="refused"):
        session.get(server.url, timeout=5)


def test_an_old_grafana_is_found_by_its_old_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake_grafana(tmp_path)
    old = program.rename(program.with_name("grafana-server"))
    monkeypatch.setenv("PATH", str(old.parent))
    assert find_grafana() == [str(old)]

    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert find_grafana() is None


def test_prometheus_is_told_of_every_page_as_in_a_real_cluster(tmp_path: Path) -> None:
    world = build_world(load_scenario(), seed=1, at=EVENING)
    urls = {
        target: f"http://127.0.0.1:{20_000 + number}/metrics"
        for number, target in enumerate((EXPORTER, *endpoint_targets(world).values()))
    }

    file = write_config(tmp_path / "prometheus.yml", urls, repository().rule_files)

    config = yaml.safe_load(file.read_text("utf-8"))
    jobs = {job["job_name"]: job for job in config["scrape_configs"]}
    assert {name: (len(j["static_configs"]), j["honor_labels"]) for name, j in jobs.items()} == {
        "gpuatlas": (1, True),
        "dcgm-exporter": (11, False),
        "hami-monitor": (2, False),
        "hami-scheduler": (2, False),
        "node-exporter": (12, False),
        "monitoring/inference-servers": (32, False),
    }
    assert jobs["gpuatlas"]["static_configs"] == [
        {
            "targets": ["127.0.0.1:20000"],
            "labels": {"cluster": "demo", "instance": "gpuatlas:9836"},
        }
    ]
    services = jobs["monitoring/inference-servers"]
    assert services["metric_relabel_configs"] == [
        {"source_labels": ["__name__"], "regex": ".+_bucket", "action": "drop"}
    ]
    assert {"assistants", "search", "vision"} <= {
        target["labels"]["namespace"] for target in services["static_configs"]
    }
    assert all(
        target["labels"].keys() == {"cluster", "instance", "namespace", "pod", "container"}
        for target in (*services["static_configs"], *jobs["node-exporter"]["static_configs"])
    )
    assert {Path(name).name for name in config["rule_files"]} >= {"normalise.yaml", "hardware.yaml"}
    assert promtool(["check", "config", file]).returncode == 0


def test_no_two_pages_have_the_same_address() -> None:
    world = build_world(load_scenario(), seed=1, at=EVENING)

    targets = endpoint_targets(world)

    assert len(set(targets.values())) == len(world.endpoints)


def test_compose_and_provisioning_read_what_the_demo_sets() -> None:
    assets = repository()
    compose = yaml.safe_load((assets.root / "compose.yaml").read_text("utf-8"))
    text = (assets.root / "compose.yaml").read_text("utf-8")
    set_by_the_demo = {*provisioning_environment(assets, "http://x"), "GPUATLAS_DEMO"}

    services = compose["services"]
    assert set(services) == {"prometheus", "grafana"}
    assert all(service["network_mode"] == "host" for service in services.values())
    assert all(":v3." in s["image"] or ":12." in s["image"] for s in services.values())
    assert "--web.listen-address=127.0.0.1:9090" in services["prometheus"]["command"]
    assert services["grafana"]["environment"]["GF_SERVER_HTTP_ADDR"] == "127.0.0.1"
    assert {word for word in set_by_the_demo if f"${{{word}" in text} == set_by_the_demo
    read = "".join(path.read_text("utf-8") for path in assets.provisioning.rglob("*.yaml"))
    assert "url: ${GPUATLAS_PROMETHEUS_URL}" in read
    assert "path: ${GPUATLAS_DASHBOARDS}" in read
