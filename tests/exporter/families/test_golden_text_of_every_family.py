"""The exact text of each family for the snapshot of conftest, one file per table."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuatlas.families.catalogue import ALL_FAMILIES
from gpuatlas.families.documents import SECTIONS

NAMES = [family.name for family in ALL_FAMILIES]


def blocks(page: str) -> dict[str, str]:
    """Family name → its header and samples."""
    found: dict[str, str] = {}
    name = ""
    for line in page.splitlines(keepends=True):
        if line.startswith("# HELP "):
            name = line.split(" ")[2]
        found[name] = found.get(name, "") + line
    return found


def golden(folder: Path) -> dict[str, str]:
    files = [folder / f"{title.lower()}.golden.prom" for title, _, _ in SECTIONS]
    return blocks("".join(file.read_text(encoding="utf-8") for file in files))


@pytest.mark.parametrize("name", NAMES)
def test_text_is_as_written_down(name: str, text_page: str, golden_folder: Path) -> None:
    assert blocks(text_page)[name] == golden(golden_folder)[name]


def test_families_come_in_the_order_of_the_catalogue(text_page: str, golden_folder: Path) -> None:
    assert list(blocks(text_page)) == NAMES
    assert list(golden(golden_folder)) == NAMES


def test_no_golden_file_is_left_over(golden_folder: Path) -> None:
    expected = {f"{title.lower()}.golden.prom" for title, _, _ in SECTIONS}
    assert {file.name for file in golden_folder.iterdir()} == expected


def test_both_formats_have_the_same_samples(text_page: str, openmetrics_page: str) -> None:
    def samples(page: str) -> list[str]:
        return [line for line in page.splitlines() if not line.startswith("#")]

    assert samples(openmetrics_page) == samples(text_page)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(
            "# TYPE gpuatlas_card info\n",
            id="an info is named without its suffix",
        ),
        pytest.param(
            "# TYPE gpuatlas_source_rejected_samples counter\n",
            id="a counter is named without its suffix",
        ),
        pytest.param(
            "# TYPE gpuatlas_allocation_idle_seconds gauge\n"
            "# UNIT gpuatlas_allocation_idle_seconds seconds\n",
            id="a unit has its own line",
        ),
        pytest.param(
            "# TYPE gpuatlas_card_tenants gauge\ngpuatlas_card_tenants{",
            id="a count has no unit line",
        ),
    ],
)
def test_openmetrics_headers(lines: str, openmetrics_page: str) -> None:
    assert lines in openmetrics_page


def test_openmetrics_ends_with_its_mark(openmetrics_page: str, text_page: str) -> None:
    assert openmetrics_page.endswith("}} 1\n# EOF\n".replace("}}", 'state="down"}'))
    assert "# EOF" not in text_page
