from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from gpuatlas.families.documents import EXAMPLES

PROMTOOL = shutil.which("promtool")

pytestmark = pytest.mark.skipif(
    PROMTOOL is None, reason="promtool is not installed (Debian package prometheus)"
)


def promtool(*arguments: str, text: str = "") -> tuple[int, str]:
    """Exit code and everything that it said."""
    answer = subprocess.run(
        [str(PROMTOOL), *arguments],
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=60,
    )
    return answer.returncode, answer.stdout


def test_with_the_whole_page(text_page: str) -> None:
    assert promtool("check", "metrics", text=text_page) == (0, "")


def test_that_it_would_find_one(text_page: str) -> None:
    broken = text_page.replace(
        "# TYPE gpuatlas_source_up gauge", "# TYPE gpuatlas_source_up counter"
    )
    code, said = promtool("check", "metrics", text=broken)
    assert (code, "_total" in said) == (3, True)


def test_with_the_queries_of_the_document(tmp_path: Path) -> None:
    queries = re.findall(r"```promql\n(.*?)```", EXAMPLES, re.DOTALL)
    rules = [{"record": f"example:{i}", "expr": query} for i, query in enumerate(queries)]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "examples", "rules": rules}]}))
    code, said = promtool("check", "rules", str(file))
    assert (code, f"SUCCESS: {len(queries)} rules found" in said) == (0, True), said
    assert len(queries) >= 5
