"""Clusters as they were captured: of every vendor, version and way of sharing."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuatlas.checks.evaluate import evaluate
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.checks import CheckReport, InputState
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas_harness.captured import folders

# Nothing there shares cards in a way that a check is about.
UNSHARED = ("dra-", "hami-dra-", "plain-")


def judged(folder: Path) -> CheckReport:
    seen = project_capture(read_capture(folder), now=0.0).observations
    errors: dict[str, Exception] = {}
    report = evaluate(seen, Joiner().build(seen), on_error=errors.__setitem__)
    assert errors == {}
    return report


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.name)
def test_every_check_can_judge_it(folder: Path) -> None:
    report = judged(folder)
    # What was captured was promised, configured and released as it should be.
    assert [f for f in report.findings if f.check in {"S14", "S15", "S16", "S17"}] == []
    if folder.name.startswith(UNSHARED):
        assert report.findings == ()
        assert {result.state for result in report.results} == {InputState.NOT_APPLICABLE}
