"""A full disk or a closed standard output is one clear line, not a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gpuatlas_harness.captured import CAPTURES

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("output", ["table", "json"])
def test_a_full_disk(output: str) -> None:
    command = [sys.executable, "-m", "gpuatlas", "cards", "--from", str(CAPTURES / "hami-a10g")]
    with FULL.open("w") as full:
        ended = subprocess.run(
            [*command, "--output", output],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
    assert ended.returncode == 1
    assert ended.stderr.startswith("Error: ")
    assert "No space left on device" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_closed_standard_output() -> None:
    command = f"'{sys.executable}' -m gpuatlas cards --from '{CAPTURES / 'hami-a10g'}' >&-"
    ended = subprocess.run(
        ["/bin/sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False, timeout=60
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("Error: ")
    assert ended.stderr.count("\n") == 1
