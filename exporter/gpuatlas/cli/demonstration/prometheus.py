"""The demo's Prometheus: one that takes in the past, and one that goes on from there."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import requests

from gpuatlas.cli.demonstration.local_server import (
    LOOPBACK,
    LocalServer,
    LocalServerError,
    free_port,
    loopback_session,
)
from gpuatlas.cli.demonstration.scrape_targets import ScrapeTarget

_PORT: Final = 9090
_PATH: Final = "/metrics"
_READY: Final = "/-/ready"
_SNAPSHOT_SECONDS: Final = 120.0
_SCRAPE_INTERVAL: Final = "15s"
# Of the blocks of the past. Samples up to half of it behind the newest are taken.
_BLOCK: Final = "24h"
RETENTION_SECONDS: Final = 30 * 86_400.0


def find_prometheus() -> str | None:
    """The program, None where it is not on PATH."""
    return shutil.which("prometheus")


def past_prometheus(
    program: str, data: Path, folder: Path, *, stop: threading.Event
) -> LocalServer:
    """One that scrapes nothing, and takes samples of the past by remote write."""
    config = folder / "past.yml"
    config.write_text("{}\n", "utf-8")
    return _server(
        "prometheus-past",
        program,
        config,
        data,
        folder,
        # Any free port: nobody is meant to look at it.
        port=free_port(0),
        stop=stop,
        flags=(
            f"--storage.tsdb.min-block-duration={_BLOCK}",
            f"--storage.tsdb.max-block-duration={_BLOCK}",
            "--web.enable-remote-write-receiver",
            "--web.enable-admin-api",
        ),
        # What it has is worth nothing once it has been copied.
        grace_seconds=0.0,
    )


def snapshot_blocks(server: LocalServer, data: Path) -> Path:
    """Write all that it has into blocks, and give the folder that they are in.

    Raises:
        LocalServerError: it refuses.
    """
    with loopback_session() as session:
        try:
            answer = session.post(
                f"{server.url}/api/v1/admin/tsdb/snapshot", timeout=_SNAPSHOT_SECONDS
            )
            name = answer.json()["data"]["name"]
        except (requests.RequestException, KeyError, TypeError) as error:
            message = f"{server.url} wrote no snapshot: {error!r}"
            raise LocalServerError(message) from error
    return data / "snapshots" / str(name)


def present_prometheus(
    program: str, config: Path, data: Path, folder: Path, *, stop: threading.Event
) -> LocalServer:
    """One that scrapes, evaluates the rules, and has what is in `data`."""
    return _server(
        "prometheus",
        program,
        config,
        data,
        folder,
        port=free_port(_PORT),
        stop=stop,
        # An alert that fired in the past goes on at once, however short its `for` is.
        flags=("--rules.alert.for-grace-period=0s",),
    )


def write_config(
    file: Path, targets: Mapping[ScrapeTarget, str], rule_files: Iterable[Path]
) -> Path:
    """The configuration of the one that scrapes: targets with their URLs, and the rules."""
    by_job: dict[str, list[tuple[ScrapeTarget, str]]] = {}
    for target, url in targets.items():
        by_job.setdefault(target.job, []).append((target, url))
    config = {
        "global": {"scrape_interval": _SCRAPE_INTERVAL, "evaluation_interval": _SCRAPE_INTERVAL},
        "rule_files": [str(path) for path in rule_files],
        "scrape_configs": [_job(name, members) for name, members in by_job.items()],
    }
    # JSON is YAML.
    file.write_text(json.dumps(config, indent=2) + "\n", "utf-8")
    return file


def _job(name: str, members: Iterable[tuple[ScrapeTarget, str]]) -> dict[str, Any]:
    listed = list(members)
    left_out = sorted({target.left_out for target, _ in listed if target.left_out})
    relabeled = [
        {"source_labels": ["__name__"], "regex": regex, "action": "drop"} for regex in left_out
    ]
    return {
        "job_name": name,
        "metrics_path": _PATH,
        "honor_labels": any(target.honours for target, _ in listed),
        "static_configs": [
            {
                "targets": [urlsplit(url).netloc],
                "labels": {k: v for k, v in target.labels.items() if k != "job"},
            }
            for target, url in listed
        ],
        **({"metric_relabel_configs": relabeled} if relabeled else {}),
    }


def _server(
    name: str,
    program: str,
    config: Path,
    data: Path,
    folder: Path,
    *,
    port: int,
    flags: tuple[str, ...],
    stop: threading.Event,
    grace_seconds: float = 10.0,
) -> LocalServer:
    address = f"{LOOPBACK}:{port}"
    return LocalServer(
        name,
        [
            program,
            f"--config.file={config}",
            f"--storage.tsdb.path={data}",
            f"--storage.tsdb.retention.time={RETENTION_SECONDS:.0f}s",
            f"--web.listen-address={address}",
            *flags,
        ],
        url=f"http://{address}",
        ready=_READY,
        folder=folder,
        stop=stop,
        grace_seconds=grace_seconds,
    )
