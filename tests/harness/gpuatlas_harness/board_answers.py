"""What an expression of a board answers for series written by hand, by promtool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.boards import filled
from gpuatlas_harness.prometheus import promtool

Samples = Sequence[tuple[str, float]]  # labels as in `{node="a"}`, value


def faults(
    folder: Path,
    series: Mapping[str, str],
    asked: Mapping[str, Samples],
    *,
    at: str = "5m",
    interval: str = "1m",
    variables: Mapping[str, str] | None = None,
    rules: Sequence[Path] = (),
) -> str:
    """What promtool says against the answers; empty if they are as expected.

    `series` are promtool's: series to values. `asked` is from expressions with Grafana's variables
    to samples; a variable that `variables` does not name is "All". `rules` are files of rules that
    are evaluated over the series. Without promtool the test is skipped, or fails in CI.
    """
    required(lambda: system_binary("promtool", package="prometheus"))
    case = {
        "rule_files": [str(file) for file in rules],
        "evaluation_interval": interval,
        "tests": [
            {
                "interval": interval,
                "input_series": [{"series": s, "values": values} for s, values in series.items()],
                "promql_expr_test": [
                    {
                        "expr": filled(expr, variables),
                        "eval_time": at,
                        "exp_samples": [{"labels": name, "value": v} for name, v in samples],
                    }
                    for expr, samples in asked.items()
                ],
            }
        ],
    }
    file = folder / "case.yaml"
    file.write_text(yaml.safe_dump(case), encoding="utf-8")
    answer = promtool(["test", "rules", file])
    return "" if answer.returncode == 0 else answer.stdout + answer.stderr
