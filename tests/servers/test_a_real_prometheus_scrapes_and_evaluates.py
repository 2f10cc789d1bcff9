"""The harness' Prometheus, and promtool."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from gpuatlas_harness.fixtures import PrometheusFactory
from gpuatlas_harness.processes import free_ports
from gpuatlas_harness.prometheus import promtool_check_metrics, scrape_config


def test_prometheus_scrapes_another(prometheus_server: PrometheusFactory) -> None:
    prometheus = prometheus_server([])
    watched = prometheus.url.removeprefix("http://")
    watcher = prometheus_server([scrape_config("prometheus", [watched])], interval_seconds=0.2)

    (up,) = watcher.wait_for("up == 1")

    assert up.value == 1.0
    assert up.labels == {"__name__": "up", "instance": watched, "job": "prometheus"}
    assert [sample.value for sample in watcher.query("scalar(vector(2)) * 3")] == [6.0]


def test_prometheus_evaluates_rule_files(
    prometheus_server: PrometheusFactory, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.yml"
    rule = {"record": "answer", "expr": "vector(42)"}
    rules.write_text(yaml.safe_dump({"groups": [{"name": "g", "rules": [rule]}]}), "utf-8")

    prometheus = prometheus_server([], interval_seconds=0.2, rule_files=[rules])

    assert [sample.value for sample in prometheus.wait_for("answer")] == [42.0]


def test_waiting_for_a_target_that_is_down_tells_why(prometheus_server: PrometheusFactory) -> None:
    (port,) = free_ports(1)
    target = f"127.0.0.1:{port}"
    prometheus = prometheus_server([scrape_config("gone", [target])], interval_seconds=0.2)
    prometheus.wait_for("up == 0")

    with pytest.raises(TimeoutError, match=f"http://{target}/metrics down .*connection refused"):
        prometheus.wait_for("up == 1", deadline_seconds=0.1)


@pytest.mark.usefixtures("prometheus_server")
@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ("# HELP a_total A.\n# TYPE a_total counter\na_total 1\n", ""),
        ("# HELP a A.\n# TYPE a counter\na 1\n", 'a counter metrics should have "_total" suffix'),
        ("a{ 1\n", "error while linting"),
    ],
    ids=["clean", "against-the-style", "unreadable"],
)
def test_promtool_tells_what_is_wrong_with_a_page(page: str, problem: str) -> None:
    said = promtool_check_metrics(page)

    assert said == "" if problem == "" else problem in said
