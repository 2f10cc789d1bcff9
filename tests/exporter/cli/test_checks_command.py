"""`gpuatlas checks` as a person and a script call it."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gpuatlas_harness.checks_screens import FAULTS, fault_of, kubeconfig_of

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import FakeApi, Run

CARDS = [f"GPU-a1000000-0000-4000-8000-00000000000{number}" for number in (1, 2)]


def struck(captures: Path, folder: Path, *lines: str) -> Path:
    """The capture hami-a10g with more lines on its DCGM page."""
    copy = folder / "capture"
    shutil.copytree(captures / "hami-a10g", copy)
    (page,) = (copy / "pages/dcgm").iterdir()
    page.write_text(page.read_text("utf-8") + "".join(f"{line}\n" for line in lines), "utf-8")
    return copy


def line(field: str, value: float, card: int = 0) -> str:
    return f'DCGM_FI_DEV_{field}{{gpu="{card}",UUID="{CARDS[card]}",Hostname="a10g-1"}} {value}'


def document(run: Run, *arguments: str | Path) -> dict[str, Any]:
    result = run("checks", *arguments, "--output", "json")
    assert result.exit_code in {0, 1}, result.output
    loaded: dict[str, Any] = json.loads(result.stdout)
    return loaded


def checks(run: Run, *arguments: str | Path) -> dict[str, dict[str, Any]]:
    (cluster,) = document(run, *arguments)["clusters"]
    return {check["id"]: check for check in cluster["checks"]}


def test_nothing_critical_ends_with_0(run: Run, captures: Path, tmp_path: Path) -> None:
    folder = struck(captures, tmp_path, line("ROW_REMAP_PENDING", 1))
    result = run("checks", "--from", folder)

    assert result.exit_code == 0
    assert "H04  ▲ firing warning" in result.stdout
    assert result.stderr == ""


def test_something_critical_ends_with_1(run: Run, captures: Path, tmp_path: Path) -> None:
    folder = struck(captures, tmp_path, line("ROW_REMAP_FAILURE", 1))
    result = run("checks", "--from", folder)

    assert result.exit_code == 1
    assert "H04  ✖ firing critical" in result.stdout
    assert run("checks", "--from", folder, "-o", "json").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--check", "h04"], 1),
        (["--check", "H05"], 0),
        (["--check", "H05", "--check", "H04"], 1),
        (["--node", "a10g-*"], 1),
        (["--namespace", "chat"], 1),
        (["--namespace", "elsewhere"], 0),
    ],
)
def test_only_what_is_asked_for_counts(
    arguments: list[str], code: int, run: Run, captures: Path, tmp_path: Path
) -> None:
    folder = struck(captures, tmp_path, line("ROW_REMAP_FAILURE", 1))
    assert run("checks", "--from", folder, *arguments).exit_code == code


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--check", "H99"), "there is no check 'H99'; there are: H01, "),
        (("--cluster", "prod"), "--cluster needs --prometheus-url"),
        (("--from", "x", "--probe-webhook"), "--probe-webhook has no meaning with --from"),
        (("--prometheus-header", "a=b"), "--prometheus-header needs --prometheus-url"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: tuple[str, ...], said: str, run: Run) -> None:
    result = run("checks", *arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_a_failure_ends_with_3_so_that_a_script_can_tell(
    run: Run, api: FakeApi, tmp_path: Path, captures: Path
) -> None:
    api.forbid("/api/v1/pods", "pods")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
        results = [
            run("checks"),
            run("checks", "--from", tmp_path / "nowhere"),
            run("checks", "--kubeconfig", api.kubeconfig(tmp_path)),
            run("checks", "--prometheus-url", nobody),
            run("checks", "--from", captures / "hami-a10g", "--node", "a10g-7"),
        ]
    for result in results:
        assert (result.exit_code, result.stdout) == (3, ""), result.output
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1


def test_an_output_that_cannot_be_written_is_a_failure(captures: Path) -> None:
    """A full disk is no verdict, although something critical fires."""
    command = ["checks", "--from", str(captures / "hami-nvidia-2.4")]
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "gpuatlas", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 3
    assert "No space left on device" in result.stderr


def test_a_finding_in_json(run: Run, captures: Path, tmp_path: Path) -> None:
    folder = struck(captures, tmp_path, line("XID_ERRORS", 79))
    whole = document(run, "--from", folder)

    assert (whole["kind"], whole["at"]) == ("Checks", "2026-08-21T10:11:12Z")
    assert whole["basis"] == {"kind": "instant", "address": ""}
    assert whole["clusters"][0]["summary"]["severities"] == {"critical": 1}
    check = checks(run, "--from", folder)["H01"]
    assert (check["state"], check["severity"], check["since"]) == ("firing", "critical", None)
    assert check["findings"] == [
        {
            "signal": "xid",
            "severity": "critical",
            "state": "firing",
            "since": None,
            "node": "a10g-1",
            "card": CARDS[0],
            "index": "0",
            "namespace": "",
            "pod": "",
            "object": "Node/a10g-1",
            "pods": [
                "batch/embed-29788920-q7z5t",
                "chat/llm-chat-7d9f8c6b5d-k2x4a",
                "chat/llm-chat-7d9f8c6b5d-p9w2c",
                "lab/scratch",
            ],
            "count": 1,
            "cause": "XID 79: GPU has fallen off the bus.",
            "action": (
                "NVIDIA's action: RESTART_BM. First step: drain the node, power cycle it; reseat "
                "the card; replace it if it repeats."
            ),
            "description": "",
            "evidence": [
                {
                    "source": "metric DCGM_FI_DEV_XID_ERRORS",
                    "record": (
                        f'DCGM_FI_DEV_XID_ERRORS{{UUID="{CARDS[0]}"}} 79 (the last XID, when it '
                        "came is unknown: GPU has fallen off the bus)"
                    ),
                }
            ],
        }
    ]
    assert check["node_states"] == {"a10g-1": "ok"}


def test_all_29_are_in_the_document_whatever_their_state(run: Run, captures: Path) -> None:
    found = checks(run, "--from", captures / "lone-node")
    assert [*found] == [f"H{n:02}" for n in range(1, 13)] + [f"S{n:02}" for n in range(1, 18)]
    assert {check["state"] for check in found.values()} == {"unknown", "not_applicable"}
    assert found["H05"]["missing"] == [
        {
            "input": "dcgm page",
            "node": "gke-t4-7",
            "reason": "no dcgm-exporter serves the node: run it there",
        }
    ]


def test_a_namespace_has_the_cards_that_it_holds(run: Run, captures: Path, tmp_path: Path) -> None:
    folder = struck(
        captures, tmp_path, line("ROW_REMAP_PENDING", 1, 0), line("ROW_REMAP_PENDING", 1, 1)
    )

    def cards(*arguments: str) -> list[str]:
        return [f["card"] for f in checks(run, "--from", folder, *arguments)["H04"]["findings"]]

    assert cards() == CARDS
    assert cards("--namespace", "batch") == CARDS[:1]
    assert cards("--namespace", "la*") == CARDS  # scratch and notebook
    assert cards("--node", "a10g-1") == CARDS


def test_a_node_has_its_own_states(run: Run) -> None:
    with kubeconfig_of(fault_of("H04"), fault_of("S01")) as (kubeconfig, _):
        everywhere = checks(run, "--kubeconfig", kubeconfig)
        there = checks(run, "--kubeconfig", kubeconfig, "--node", "a10g-1")

    assert {everywhere[check]["state"] for check in ("H04", "S01")} == {"firing"}
    assert (there["H04"]["state"], there["S01"]["state"]) == ("ok", "firing")
    # The monitors that are missing are those of other nodes.
    assert (everywhere["S02"]["state"], there["S02"]["state"]) == ("unknown", "ok")
    assert there["S02"]["node_states"] == {"a10g-1": "ok"}
    assert there["S02"]["missing"] == []


def test_a_node_that_a_check_is_not_about(run: Run) -> None:
    with kubeconfig_of() as (kubeconfig, _):
        found = checks(run, "--kubeconfig", kubeconfig, "--node", "a100-1")
    assert found["S02"]["state"] == "not_applicable"


def test_the_simulated_faults_end_with_1(run: Run) -> None:
    with kubeconfig_of(*FAULTS) as (kubeconfig, _):
        result = run("checks", "--kubeconfig", kubeconfig, columns=120)
    assert result.exit_code == 1
    assert "H01  ✖ firing critical" in result.stdout


def test_a_missing_right_makes_checks_unknown_and_no_failure(
    run: Run, api: FakeApi, tmp_path: Path
) -> None:
    result = run("checks", "--kubeconfig", api.kubeconfig(tmp_path))
    assert result.exit_code == 0
    assert "lacks dcgm page: no dcgm-exporter was found" in result.stdout


def test_a_pipe_gets_no_escape_codes_and_colour_is_only_ever_added(
    run: Run, captures: Path, tmp_path: Path
) -> None:
    folder = struck(
        captures,
        tmp_path,
        line("ROW_REMAP_FAILURE", 1),
        line("THRESHOLD_SRM", 0),
        line("PSTATE", 0),
    )
    plain = run("checks", "--from", folder)
    coloured = run("checks", "--from", folder, "--color", "always")

    assert "\x1b" not in plain.output
    assert "\x1b[1;37;41m✖ firing critical" in coloured.stdout
    assert "\x1b[32m✓ ok" in coloured.stdout
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.stdout) == plain.stdout


def test_a_real_process_ends_with_1_and_without_a_traceback(captures: Path) -> None:
    command = ["checks", "--from", str(captures / "hami-nvidia-2.4"), "--check", "S10"]
    result = subprocess.run(
        [sys.executable, "-m", "gpuatlas", *command],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert "S10  ✖ firing critical" in result.stdout
    assert result.stderr == ""
