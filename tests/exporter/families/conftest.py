"""Something of everything that a page shows, and the page of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from gpuatlas.families.catalogue import ADVICE_FAMILIES, SOURCE_FAMILIES
from gpuatlas.families.exposition import Format, write_families
from gpuatlas.families.page import PageCache
from gpuatlas.model.advice import PoolAdvice
from gpuatlas.model.checks import CheckReport
from gpuatlas.model.contention import ContentionCounts
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.sizing import SizingReport
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.model.status import SourceStatus
from gpuatlas_harness import build
from gpuatlas_harness.advice_page import some_advice
from gpuatlas_harness.checks_page import a_check_report
from gpuatlas_harness.contention_page import counted_contention
from gpuatlas_harness.layer_page import a_read_layer
from gpuatlas_harness.sizing_page import a_sizing_report
from gpuatlas_harness.snapshot_page import a_whole_snapshot


@pytest.fixture
def golden_folder() -> Path:
    return Path(__file__).parent / "golden"


@pytest.fixture
def snapshot() -> Snapshot:
    return a_whole_snapshot()


@pytest.fixture
def statuses() -> tuple[SourceStatus, ...]:
    """A source with all series, one that never succeeded, and one with nothing to read here."""
    return (
        build.a_source(),
        build.a_source(
            source="hami-monitor",
            up=False,
            last_success_at=None,
            read_seconds=10.0,
            targets={"down": 1},
            rejected={},
        ),
        build.a_source(
            source="hami-scheduler",
            up=None,
            last_success_at=None,
            read_seconds=None,
            targets={},
            rejected={"not-json": 1},
        ),
    )


@pytest.fixture
def advice() -> tuple[PoolAdvice, ...]:
    return some_advice()


@pytest.fixture
def report() -> CheckReport:
    return a_check_report()


@pytest.fixture
def layer() -> LayerObjects:
    return a_read_layer()


@pytest.fixture
def sizing() -> SizingReport:
    return a_sizing_report()


@pytest.fixture
def contention() -> ContentionCounts:
    return counted_contention()


@dataclass(frozen=True, slots=True)
class Told:
    """Everything that a page shows."""

    snapshot: Snapshot
    report: CheckReport
    layer: LayerObjects
    sizing: SizingReport
    contention: ContentionCounts
    advice: tuple[PoolAdvice, ...]
    statuses: tuple[SourceStatus, ...]

    def page(self, form: Format) -> str:
        judged = write_families(ADVICE_FAMILIES, self.advice, form)
        tail = judged + write_families(SOURCE_FAMILIES, self.statuses, form) + form.end
        cache = PageCache()
        page = cache.with_checks(cache.update(self.snapshot), self.report, self.layer)
        page = cache.with_sizing(page, self.sizing)
        page = cache.with_contention(page, self.contention)
        return b"".join(page.body(form, tail=tail).chunks).decode()


@pytest.fixture
def told(
    snapshot: Snapshot,
    report: CheckReport,
    layer: LayerObjects,
    sizing: SizingReport,
    contention: ContentionCounts,
    advice: tuple[PoolAdvice, ...],
    statuses: tuple[SourceStatus, ...],
) -> Told:
    return Told(snapshot, report, layer, sizing, contention, advice, statuses)


@pytest.fixture
def text_page(told: Told) -> str:
    return told.page(Format.TEXT)


@pytest.fixture
def openmetrics_page(told: Told) -> str:
    return told.page(Format.OPENMETRICS)
