"""docs/analysis.md: every series that it names exists, and its queries are PromQL."""

from __future__ import annotations

import re
from pathlib import Path

import promql_parser
import pytest
import yaml

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "analysis.md").read_text("utf-8")
METRICS = (ROOT / "docs" / "metrics.md").read_text("utf-8")
QUERIES = [
    line.split("  #")[0].strip()
    for block in re.findall(r"```promql\n(.*?)```", TEXT, re.DOTALL)
    for line in re.split(r"\n(?=[a-z])", block)
]
LABELS = {"{W}": '{namespace="chat",container="main"}', "{N}": '{node="a10g-1"}'}


def recorded() -> set[str]:
    files = [*(ROOT / "recording_rules").glob("*.yaml"), *(ROOT / "alerts").glob("*.yaml")]
    return {
        rule["record"]
        for file in files
        for group in (yaml.safe_load(file.read_text("utf-8")) or {}).get("groups", [])
        for rule in group["rules"]
        if "record" in rule
    }


def test_every_recording_exists() -> None:
    named = set(re.findall(r"\b(?:[a-z]+:[a-z0-9_]+:[a-z0-9_]+)\b", TEXT))
    assert len(named) > 40
    assert named - recorded() == set()


def test_every_metric_is_published() -> None:
    named = set(re.findall(r"(?<![a-z:_/])gpuatlas_[a-z0-9_]+[a-z0-9]\b(?!_?\*)(?!:)", TEXT))
    assert {name for name in named if f"`{name}`" not in METRICS} == set()


@pytest.mark.parametrize("query", [q for q in QUERIES if q and not q.startswith("#")])
def test_every_query_is_promql(query: str) -> None:
    plain = re.sub(r"(?m)^#.*$", "", query)
    for short, whole in LABELS.items():
        plain = plain.replace(short, whole)
    if plain.strip():
        promql_parser.parse(plain)
