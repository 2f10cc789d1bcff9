"""A folder and the page that it must give: how bug reports become tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuatlas_harness.captured import EXPECTED, folders, page_of


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.name)
def test_the_page_of_a_capture(folder: Path) -> None:
    expected = folder / EXPECTED
    assert expected.exists(), f"write {expected.name} with `make golden`, and read it"
    assert page_of(folder).splitlines() == expected.read_text().splitlines()
