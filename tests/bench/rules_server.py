"""A Prometheus that takes remote write, gets its rules late and tells what they cost."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import requests

from gpuatlas_harness.binaries import system_binary
from gpuatlas_harness.processes import LOOPBACK, Readiness, ServerProcess, free_ports


class Server:
    """A Prometheus that takes remote write and gets its rules late."""

    def __init__(self, folder: Path) -> None:
        self._config = folder / "prometheus.yml"
        self._config.write_text("scrape_configs: []\n", encoding="utf-8")
        address = f"{LOOPBACK}:{free_ports(1)[0]}"
        self.url = f"http://{address}"
        self.process = ServerProcess(
            "prometheus",
            [
                system_binary("prometheus", package="prometheus"),
                f"--config.file={self._config}",
                f"--storage.tsdb.path={folder / 'tsdb'}",
                "--storage.tsdb.retention.time=30d",
                f"--web.listen-address={address}",
                "--web.enable-remote-write-receiver",
                "--web.enable-lifecycle",
            ],
            readiness=Readiness(f"{self.url}/-/ready"),
            log_dir=folder,
        )

    def load_rules(self, files: Iterable[Path]) -> None:
        listed = "".join(f"  - {file.resolve()}\n" for file in files)
        self._config.write_text(f"rule_files:\n{listed}", encoding="utf-8")
        requests.post(f"{self.url}/-/reload", timeout=60).raise_for_status()

    def groups(self) -> list[dict[str, Any]]:
        answer = requests.get(f"{self.url}/api/v1/rules", timeout=60)
        answer.raise_for_status()
        found: list[dict[str, Any]] = answer.json()["data"]["groups"]
        return found

    def cost(self, expression: str, at: float) -> tuple[float, int]:
        """Seconds and samples that one look takes; its result is counted, not sent."""
        query = f"count(({expression}))"
        asked = {"query": query, "time": f"{at:.0f}", "stats": "all", "timeout": "10m"}
        answer = requests.post(f"{self.url}/api/v1/query", data=asked, timeout=700)
        answer.raise_for_status()
        stats = answer.json()["data"]["stats"]
        return stats["timings"]["evalTotalTime"], stats["samples"]["totalQueryableSamples"]

    def metric(self, name: str) -> float:
        """Of its own page; the sum over its labels."""
        page = requests.get(f"{self.url}/metrics", timeout=60).text
        return sum(float(v) for v in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", page, re.MULTILINE))
