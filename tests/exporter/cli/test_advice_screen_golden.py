"""The advice, character by character, and what its options select.

After a change that is meant:
COLUMNS=80 gpuatlas advise --from CAPTURE > golden/advise-CAPTURE-80.txt
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

GOLDEN = Path(__file__).parent / "golden"
CAPTURED = ["hami-a10g", "plain-a100", "lone-page", "lone-node"]


@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("capture", CAPTURED)
def test_a_capture_gives_exactly_this_screen(
    capture: str, columns: int, run: Run, captures: Path
) -> None:
    result = run("advise", "--from", captures / capture, columns=columns)

    assert result.stdout == (GOLDEN / f"advise-{capture}-{columns}.txt").read_text("utf-8")
    assert result.exit_code == 0


def pools(run: Run, *arguments: str | Path) -> list[dict[str, Any]]:
    result = run("advise", *arguments, "--output", "json")
    assert result.exit_code == 0
    found: list[dict[str, Any]] = json.loads(result.stdout)["pools"]
    return found


def test_the_document_says_that_an_instant_is_not_a_week(run: Run, captures: Path) -> None:
    result = run("advise", "--from", captures / "hami-a10g", "-o", "json")
    document = json.loads(result.stdout)

    assert (document["kind"], document["at"]) == ("Advice", "2026-08-21T10:11:12Z")
    assert document["basis"] == {"kind": "instant", "needed_days": 7}


def test_a_pool_of_the_document(run: Run, captures: Path) -> None:
    (pool,) = pools(run, "--from", captures / "hami-a10g")

    assert {k: v for k, v in pool.items() if k != "strategies"} == {
        "pool": "inference",
        "platform": "eks",
        "model": "NVIDIA A10G",
        "nodes": ["a10g-1"],
        "cards": 2,
        "cards_measured": 2,
        "tenants": 5,
        "namespaces": ["batch", "chat", "lab"],
        "in_use": ["hami"],
    }
    assert {s["strategy"]: s["verdict"] for s in pool["strategies"]} == {
        "whole": "possible",
        "mig": "impossible",
        "memory-limited": "possible",
        "mps": "unsafe",
        "time-slicing": "unsafe",
    }
    assert pool["strategies"][1]["reasons"] == [
        {
            "verdict": "impossible",
            "word": "model-without-mig",
            "text": "NVIDIA A10G has no MIG",
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["--node", "a10g-*"], 1),
        (["--node", "a10g-2"], 0),
        (["--namespace", "cha*"], 1),
        (["--namespace", "nobody"], 0),
    ],
)
def test_only_pools_that_the_filters_leave(
    arguments: list[str], found: int, run: Run, captures: Path
) -> None:
    assert len(pools(run, "--from", captures / "hami-a10g", *arguments)) == found


def test_no_pool_is_said_in_words(run: Run, captures: Path) -> None:
    result = run("advise", "--from", captures / "hami-a10g", "--node", "x", columns=200)

    assert result.stdout == (
        "No node with accelerator cards was found, or none that the filters leave.\n"
    )


def test_colour_is_only_ever_added(run: Run, captures: Path) -> None:
    plain = run("advise", "--from", captures / "hami-a10g").stdout
    coloured = run("advise", "--from", captures / "hami-a10g", "--color", "always").stdout

    assert "\x1b[1;31munsafe" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
