"""docs/commands.md lists every key of the JSON output, and no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gpuatlas.cli.documents.doctor import doctor_document
from gpuatlas.cli.documents.report import report_document
from gpuatlas.cli.documents.sizing import sizing_document
from gpuatlas.report.effect import effect
from gpuatlas.report.windows import DAY, Change, lay
from gpuatlas_harness.doctored import results as doctored
from gpuatlas_harness.sizing_reports import AT, of_everything

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

DOCUMENT = Path(__file__).parents[3] / "docs" / "commands.md"
# Maps whose keys are data.
MAPS = (
    *("states", "severities", "node_states", "targets", "rejected", "unknown"),
    *("pods", "cards_requested", "waiting_seconds", "waiting_texts", "verdicts", "cannot"),
)
PARENTS = {"cards": ("nodes[].cards[]", "nodes[].cards[].allocations[]")}


def documented(command: str) -> set[str]:
    section = DOCUMENT.read_text("utf-8").split(f"<!-- keys: {command} -->")[1].split("\n\n")[0]
    paths = set()
    for row in section.splitlines()[3:]:
        names = re.findall(r"`([^`]+)`", row.split("|")[1])
        parent = names[0].split(".")[:-1]
        for name in names:
            whole = name if not name.startswith(".") else _below(parent, name)
            paths.add(whole.replace("{}", "").removesuffix("[]"))
    return paths


def _below(parent: list[str], name: str) -> str:
    """`.x` stands beside the first path of its row; `.memory.x` beside the object that has it."""
    parts = name[1:].split(".")
    if parts[0] in {"memory", "compute"} or len(parts) > 1:
        parent = [p for p in parent if p not in {"memory", "compute"}]
    return ".".join([*parent, *parts])


def shown(value: Any, path: str = "") -> Iterator[str]:
    for key, item in value.items():
        here = f"{path}.{key}" if path else key
        if isinstance(item, dict) and key not in MAPS:
            yield from shown(item, here)
        elif isinstance(item, list) and item and isinstance(item[0], dict):
            for each in item:
                yield from shown(each, f"{here}[]")
        else:
            yield here


@pytest.mark.parametrize("command", ["cards", "workloads", "advise", "checks"])
def test_every_key_is_documented_and_every_documented_key_exists(
    command: str, run: Run, captures: Path
) -> None:
    found: set[str] = set()
    for capture in ("hami-a10g", "plain-a100", "lone-node", "hami-nvidia-2.4"):
        result = run(command, "--from", captures / capture, "--output", "json")
        found |= set(shown(json.loads(result.stdout)))

    # Shaped as the ones above them, or empty in these captures.
    same = {p for p in found if p.startswith("nodes[].allocations_without_card[]")}
    known = documented(command)
    empty = {p for p in found if any(k.startswith(f"{p}[]") for k in known)}
    assert found - same - known - empty == set()
    assert known - found == {p for p in known if p.startswith("nodes[].rejections[]")}


DOCUMENTS = {
    "doctor": doctor_document(doctored()["troubled"], 1, at=AT),
    "sizing": sizing_document(of_everything(), "http://prometheus:9090"),
    "report": report_document(
        effect("all nodes", lay([Change(AT - DAY, "")], now=AT), {}, at=AT),
        "http://prometheus:9090",
    ),
}


@pytest.mark.parametrize("command", DOCUMENTS)
def test_documents_of_a_prometheus_are_documented(command: str) -> None:
    found = set(shown(json.loads(json.dumps(DOCUMENTS[command]))))
    known = documented(command)
    assert found - {p for p in found if any(k.startswith(f"{p}[]") for k in known)} == known
