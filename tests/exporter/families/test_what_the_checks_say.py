from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace

import pytest

from gpuatlas.families import checks, layer
from gpuatlas.families.exposition import Format
from gpuatlas.families.page import Page, PageCache
from gpuatlas.families.spec import Series
from gpuatlas.model.checks import CheckReport, CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.layer import CertificateProbe, LayerObjects
from gpuatlas.model.snapshot import Snapshot
from gpuatlas_harness.build import NOW

CHECKS: dict[str, Callable[[CheckReport], list[Series]]] = {
    family.name: lambda report, family=family: list(family.samples(report))  # type: ignore[misc]
    for family in checks.FAMILIES
}
LAYER: dict[str, Callable[[LayerObjects], list[Series]]] = {
    family.name: lambda objects, family=family: list(family.samples(objects))  # type: ignore[misc]
    for family in layer.FAMILIES
}


def found(**changes: object) -> CheckReport:
    fields: dict[str, object] = {
        "check": "S01",
        "signal": "limit-off",
        "object": "Pod/team-a/x",
        "source": "env",
        "record": "CUDA_DISABLE_CONTROL=true",
    }
    finding = Finding(**(fields | changes))  # type: ignore[arg-type]
    result = CheckResult(check="S01", state=InputState.OK, findings=(finding,))
    return CheckReport(at=NOW, results=(result,))


def record(report: CheckReport) -> str:
    ((labels, _),) = CHECKS["gpuatlas_finding_info"](report)
    return labels[-1]


def test_the_number_of_those_behind_it_is_never_cut_off() -> None:
    text = record(found(record="x" * 400, count=1_234))
    assert (len(text), text) == (200, f"{'x' * 183}… (and 1233 more)")
    assert record(found(count=2)) == "CUDA_DISABLE_CONTROL=true (and 1 more)"


def test_a_record_is_one_line_without_control_characters() -> None:
    assert record(found(record="a\nb\x00c\ud800")) == "a�b�c�"


def test_a_reason_is_bounded_and_clean() -> None:
    lack = MissingInput(check="S06", input="page\n", reason="HTTP\t500 " + "y" * 300)
    result = CheckResult(check="S06", state=InputState.MISSING, missing=(lack,))
    ((labels, _),) = CHECKS["gpuatlas_check_missing_input_info"](
        CheckReport(at=NOW, results=(result,))
    )
    assert labels[:3] == ("S06", "", "page�")
    assert (len(labels[3]), labels[3][:9], labels[3][-1]) == (200, "HTTP�500 ", "…")


def probe(address: str, **changes: object) -> CertificateProbe:
    fields: dict[str, object] = {
        "configuration": "hami-webhook",
        "webhook": "vgpu.hami.io",
        "address": address,
        "at": NOW,
        "reached": True,
        "verified": True,
        "not_after": NOW + 10,
    }
    return CertificateProbe(**(fields | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("probes", "reachable", "verified", "ends"),
    [
        pytest.param((probe("a"), probe("b", not_after=NOW + 5)), [1], [1], [NOW + 5], id="well"),
        pytest.param((probe("a"), probe("b", verified=False)), [1], [0], [NOW + 10], id="false"),
        pytest.param(
            (probe("a", reached=False, verified=None, not_after=None),), [0], [], [], id="dead"
        ),
        pytest.param(
            (probe("a"), probe("b", reached=False, verified=None, not_after=None)),
            *([0], [1], [NOW + 10]),
            id="one dead",
        ),
        pytest.param((), [], [], [], id="not probed"),
    ],
)
def test_the_endpoints_of_a_webhook_are_told_together(
    probes: tuple[CertificateProbe, ...],
    reachable: list[float],
    verified: list[float],
    ends: list[float],
) -> None:
    objects = LayerObjects(probes=probes)

    def values(name: str) -> list[float]:
        return [number for _, number in LAYER[f"gpuatlas_sharing_webhook_{name}"](objects)]

    assert values("reachable") == reachable
    assert values("certificate_verified") == verified
    assert values("certificate_not_after_timestamp_seconds") == ends


@pytest.mark.parametrize(
    ("probes", "ends"),
    [
        pytest.param((), [NOW + 1_000], id="not probed"),
        pytest.param((probe("a"),), [NOW + 1_000], id="signed by one that is not in the bundle"),
        pytest.param(
            (probe("a", ca_not_after=NOW + 7), probe("b", ca_not_after=NOW + 6)),
            [NOW + 6],
            id="two that signed",
        ),
    ],
)
def test_the_bundle_ends_with_what_signed(
    layer: LayerObjects, probes: tuple[CertificateProbe, ...], ends: list[float]
) -> None:
    webhooks = tuple(found for found in layer.webhooks if found.configuration == "hami-webhook")
    objects = LayerObjects(webhooks=webhooks, probes=probes)
    name = "gpuatlas_sharing_webhook_ca_not_after_timestamp_seconds"
    assert [number for _, number in LAYER[name](objects)] == ends


def text(page: Page) -> bytes:
    return b"".join(page.body(Format.TEXT).chunks)


@pytest.mark.parametrize("form", list(Format))
def test_the_checks_stand_behind_the_snapshot_in_one_gzip_member(
    form: Format, snapshot: Snapshot, report: CheckReport, layer: LayerObjects
) -> None:
    cache = PageCache()
    page = cache.with_checks(cache.update(snapshot), report, layer)
    plain = page.body(form, tail=b"# tail\n")
    told = b"".join(plain.chunks)
    assert plain.length == len(told)
    packed = page.body(form, gzip=True, tail=b"# tail\n")
    stream = b"".join(packed.chunks)
    assert (packed.length, gzip.decompress(stream)) == (len(stream), told)
    assert told.startswith(b"".join(PageCache().update(snapshot).body(form).chunks))


def test_the_page_before_is_not_changed(
    snapshot: Snapshot, report: CheckReport, layer: LayerObjects
) -> None:
    cache = PageCache()
    page = cache.update(snapshot)
    said = text(page)
    assert b"gpuatlas_finding_info{" in text(cache.with_checks(page, report, layer))
    assert text(page) == said
    assert b"gpuatlas_finding_info{" not in said


def test_the_same_report_is_not_rendered_again(snapshot: Snapshot, layer: LayerObjects) -> None:
    walks = 0

    class Counted(tuple[Finding, ...]):
        def __iter__(self) -> object:  # type: ignore[override]
            nonlocal walks
            walks += 1
            return super().__iter__()

    report = found()
    result = replace(report.results[0], findings=Counted(report.findings))
    report = replace(report, results=(result,))
    cache = PageCache()
    first = text(cache.with_checks(cache.update(snapshot), report, layer))
    once = walks
    again = text(cache.with_checks(cache.update(snapshot), report, layer))
    assert (once > 0, walks, again) == (True, once, first)
