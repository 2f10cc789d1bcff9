"""A real Prometheus that scrapes what a test serves, and promtool."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import requests

from .binaries import system_binary
from .http import loopback_session
from .polling import poll
from .processes import LOOPBACK, Readiness, ServerProcess, free_ports

QUERY_SECONDS = 10.0
PROMTOOL_SECONDS = 60.0


class PrometheusError(Exception):
    """Prometheus refused a query."""


@dataclass(frozen=True)
class Sample:
    """One sample of an instant query; ``timestamp`` is in seconds since 1970."""

    labels: Mapping[str, str]
    value: float
    timestamp: float


def scrape_config(job: str, targets: Sequence[str], **settings: object) -> dict[str, object]:
    """One job of ``scrape_configs`` for ``HOST:PORT`` targets; ``settings`` are its other keys."""
    return {"job_name": job, "static_configs": [{"targets": list(targets)}], **settings}


class PrometheusServer:
    """``with PrometheusServer(...) as prometheus`` starts it with an empty store and stops it.

    Prometheus begins to scrape five seconds after its start, whatever the interval is.

    Args:
        scrape_configs: the jobs, as ``scrape_config`` makes them.
        work_dir: where the configuration, the store and the log go.
        interval_seconds: between scrapes, and between evaluations of the rules.
        rule_files: files of recording and alerting rules.
        alertmanagers: ``HOST:PORT`` of those that get the alerts.
        binary: the program, else ``prometheus`` of ``PATH``.
    """

    def __init__(
        self,
        scrape_configs: Sequence[Mapping[str, object]],
        *,
        work_dir: Path,
        interval_seconds: float = 1.0,
        rule_files: Sequence[Path] = (),
        alertmanagers: Sequence[str] = (),
        binary: Path | None = None,
    ) -> None:
        interval = f"{round(interval_seconds * 1000)}ms"
        config = {
            "global": {"scrape_interval": interval, "evaluation_interval": interval},
            "rule_files": [str(path.resolve()) for path in rule_files],
            "scrape_configs": [dict(job) for job in scrape_configs],
            "alerting": {"alertmanagers": [{"static_configs": [{"targets": list(alertmanagers)}]}]},
        }
        config_file = work_dir / "prometheus.yml"
        # JSON is YAML.
        config_file.write_text(json.dumps(config, indent=2), encoding="utf-8")
        address = f"{LOOPBACK}:{free_ports(1)[0]}"
        self.url = f"http://{address}"
        self.process = ServerProcess(
            "prometheus",
            [
                binary or system_binary("prometheus", package="prometheus"),
                f"--config.file={config_file}",
                f"--storage.tsdb.path={work_dir / 'tsdb'}",
                f"--web.listen-address={address}",
            ],
            readiness=Readiness(f"{self.url}/-/ready"),
            log_dir=work_dir,
        )
        self._session = loopback_session()

    def __enter__(self) -> Self:
        self.process.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        self._session.close()
        self.process.stop()

    def query(self, promql: str, *, at: float | None = None) -> list[Sample]:
        """The instant vector of ``promql`` now, or at seconds since 1970; a scalar is one sample.

        Raises:
            PrometheusError: the expression is wrong, or its result neither vector nor scalar.
        """
        parameters = {"query": promql} if at is None else {"query": promql, "time": str(at)}
        data = self._get("query", parameters)
        if data["resultType"] == "scalar":
            return [_sample({}, data["result"])]
        if data["resultType"] != "vector":
            message = f"{promql} gives a {data['resultType']}"
            raise PrometheusError(message)
        return [_sample(entry["metric"], entry["value"]) for entry in data["result"]]

    def wait_for(self, promql: str, *, deadline_seconds: float = 30.0) -> list[Sample]:
        """Ask until the result is not empty, and return it; a condition goes into ``promql``.

        Raises:
            TimeoutError: still empty after ``deadline_seconds``; the message tells the targets.
        """
        try:
            return poll(
                lambda: self.query(promql) or None,
                deadline_seconds=deadline_seconds,
                waiting_for=promql,
            )
        except TimeoutError as error:
            message = f"{error}; targets: {self._describe_targets()}"
            raise TimeoutError(message) from None

    def _describe_targets(self) -> str:
        targets = self._get("targets", {"state": "active"})["activeTargets"]
        return "; ".join(
            f"{target['scrapeUrl']} {target['health']} {target['lastError']}".rstrip()
            for target in targets
        )

    def _get(self, endpoint: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        answer = self._session.get(
            f"{self.url}/api/v1/{endpoint}", params=dict(parameters), timeout=QUERY_SECONDS
        )
        try:
            content = answer.json()
        except requests.JSONDecodeError:
            message = f"{answer.status_code}: {answer.text}"
            raise PrometheusError(message) from None
        if content["status"] != "success":
            raise PrometheusError(str(content["error"]))
        data: dict[str, Any] = content["data"]
        return data


def _sample(labels: Mapping[str, str], point: Sequence[Any]) -> Sample:
    timestamp, value = point
    return Sample(labels=dict(labels), value=float(value), timestamp=float(timestamp))


def promtool(
    arguments: Sequence[str | Path], *, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run promtool whatever its exit code is.

    Raises:
        BinaryMissingError: there is no promtool on ``PATH``.
    """
    binary = system_binary("promtool", package="prometheus")
    return subprocess.run(
        [str(binary), *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PROMTOOL_SECONDS,
        check=False,
    )


def promtool_check_metrics(text: str) -> str:
    """What promtool says against a page in the text format: a line per problem, empty if none."""
    answer = promtool(["check", "metrics"], stdin=text)
    said = (answer.stdout + answer.stderr).strip()
    if answer.returncode != 0 and not said:
        return f"promtool ended with code {answer.returncode}"
    return said
