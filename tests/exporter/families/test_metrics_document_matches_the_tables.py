from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuatlas.families.__main__ import main
from gpuatlas.families.catalogue import ALL_FAMILIES
from gpuatlas.families.documents import ITSELF_ROWS, metrics_document
from gpuatlas.families.spec import Stability

COMMITTED = Path(__file__).parents[3] / "docs" / "metrics.md"


def test_the_committed_document_is_up_to_date() -> None:
    assert main(["--check", str(COMMITTED)]) == 0, "run python -m gpuatlas.families docs/metrics.md"


def test_every_metric_that_the_document_names_exists() -> None:
    # Words only: "gpuatlas.families" is the module of the generator.
    named = set(re.findall(r"gpuatlas_[a-z_]+[a-z]", metrics_document()))
    own = {name for name, *_ in ITSELF_ROWS}
    assert named == {family.name for family in ALL_FAMILIES} | own


@pytest.mark.parametrize("family", ALL_FAMILIES, ids=lambda family: family.name)
def test_every_row_has_name_type_labels_and_meaning(family: object) -> None:
    (found,) = [row for row in ALL_FAMILIES if row is family]
    (line,) = [
        line for line in metrics_document().splitlines() if line.startswith(f"| `{found.name}` |")
    ]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1].startswith("counter" if found.name.endswith("_total") else "gauge")
    assert re.findall(r"`(\w+)`", cells[2]) == list(found.labels)
    experimental = found.stability is Stability.EXPERIMENTAL
    assert cells[3] == ("*Experimental.* " if experimental else "") + found.help


def test_writing_and_checking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "metrics.md"
    assert main(["--check", str(path)]) == 1
    assert main([str(path)]) == 0
    assert main(["--check", str(path)]) == 0
    path.write_text(path.read_text(encoding="utf-8") + "\nby hand\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["--check", str(path)]) == 1
    assert capsys.readouterr().err == (
        f"{path} differs from the metric tables: run python -m gpuatlas.families {path}\n"
    )
