"""The demo's Grafana, where one is installed: our dashboards on the demo's Prometheus."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gpuatlas.cli.demonstration.assets import Assets
from gpuatlas.cli.demonstration.local_server import LOOPBACK, LocalServer, free_port

_PORT: Final = 3000
_READY: Final = "/api/health"
_HOME: Final = "gpuatlas-overview.json"
# Where packages put the files that belong to the program.
_HOME_PATHS: Final = ("/usr/share/grafana", "/opt/grafana", "/usr/local/share/grafana")


def find_grafana() -> list[str] | None:
    """The command that starts a server, None where no Grafana is on PATH."""
    if program := shutil.which("grafana"):
        return [program, "server"]
    if program := shutil.which("grafana-server"):
        return [program]
    return None


def grafana(
    command: list[str],
    assets: Assets,
    prometheus_url: str,
    folder: Path,
    *,
    stop: threading.Event,
) -> LocalServer:
    """One that anybody on this machine may look at, with our data source and dashboards."""
    port = free_port(_PORT)
    home = _home_path(command[0])
    return LocalServer(
        "grafana",
        [*command, *(["--homepath", str(home)] if home else [])],
        url=f"http://{LOOPBACK}:{port}",
        ready=_READY,
        folder=folder,
        environment={**os.environ, **_settings(assets, prometheus_url, folder, port)},
        stop=stop,
    )


def provisioning_environment(assets: Assets, prometheus_url: str) -> dict[str, str]:
    """What the provisioning files in deploy/demo and compose.yaml read."""
    return {
        "GPUATLAS_PROMETHEUS_URL": prometheus_url,
        "GPUATLAS_DASHBOARDS": str(assets.dashboards),
    }


def _settings(assets: Assets, prometheus_url: str, folder: Path, port: int) -> Mapping[str, str]:
    data = folder / "grafana"
    home = assets.dashboards / _HOME
    return {
        **provisioning_environment(assets, prometheus_url),
        "GF_SERVER_HTTP_ADDR": LOOPBACK,
        "GF_SERVER_HTTP_PORT": str(port),
        "GF_PATHS_DATA": str(data),
        "GF_PATHS_LOGS": str(data / "log"),
        "GF_PATHS_PLUGINS": str(data / "plugins"),
        "GF_PATHS_PROVISIONING": str(assets.provisioning),
        "GF_AUTH_ANONYMOUS_ENABLED": "true",
        "GF_AUTH_ANONYMOUS_ORG_ROLE": "Viewer",
        "GF_ANALYTICS_REPORTING_ENABLED": "false",
        "GF_ANALYTICS_CHECK_FOR_UPDATES": "false",
        "GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES": "false",
        "GF_NEWS_NEWS_FEED_ENABLED": "false",
        **({"GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH": str(home)} if home.is_file() else {}),
    }


def _home_path(program: str) -> Path | None:
    """Beside an unpacked program, else where packages put it; None lets Grafana look itself."""
    candidates = (Path(program).resolve().parents[1], *map(Path, _HOME_PATHS))
    return next((path for path in candidates if (path / "public").is_dir()), None)
