"""The guides: links of theirs resolve, and queries of theirs are PromQL on series that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import promql_parser
import pytest

from gpuatlas_harness.document_blocks import DOCUMENTS, commands
from gpuatlas_harness.promql import metric_names

GUIDES: Final = (
    DOCUMENTS / "install.md",
    DOCUMENTS / "troubleshooting.md",
    DOCUMENTS.parent / "README.md",
    DOCUMENTS.parent / "helm" / "gpuatlas" / "README.md",
)
QUERIES: Final = tuple(
    word.removeprefix("query=")
    for words in commands("troubleshooting.md", "curl")
    for word in words
    if word.startswith("query=")
)
SERIES: Final = "".join(
    file.read_text("utf-8")
    for file in (
        DOCUMENTS / "metrics.md",
        *sorted((DOCUMENTS.parent / "recording_rules").glob("*.yaml")),
    )
)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.parent.name + "/" + path.name)
def test_links_resolve(guide: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", guide.read_text("utf-8")):
        path, _, anchor = target.partition("#")
        file = (guide.parent / path) if path else guide
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file), target


def anchors(file: Path) -> set[str]:
    """The headings of a document as links name them."""
    headings = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


@pytest.mark.parametrize("query", QUERIES)
def test_queries_ask_for_series_that_exist(query: str) -> None:
    names = metric_names(promql_parser.parse(query))
    assert all(f"`{name}`" in SERIES or f"record: {name}\n" in SERIES for name in names)


def test_each_cause_has_one_command() -> None:
    text = (DOCUMENTS / "troubleshooting.md").read_text("utf-8")
    causes = re.split(r"^### \d\. ", text.partition("## Part of")[0], flags=re.MULTILINE)[1:]

    assert len(causes) == 5
    assert [len(re.findall(r"```sh\n.*\n```", cause)) for cause in causes] == [1] * 5
    assert all(cause.count("\n| `") >= 1 for cause in causes)
