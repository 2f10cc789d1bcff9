"""What prometheus_client's own parsers read of our pages is exactly what we put in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as parse_openmetrics,
)
from prometheus_client.parser import text_string_to_metric_families as parse_text

from gpuatlas.families.catalogue import (
    ADVICE_FAMILIES,
    ALL_FAMILIES,
    CHECK_FAMILIES,
    CONTENTION_FAMILIES,
    LAYER_FAMILIES,
    NAMESPACE_FAMILIES,
    NODE_FAMILIES,
    SIZING_FAMILIES,
    SOURCE_FAMILIES,
)
from gpuatlas.families.exposition import Format, write_families
from gpuatlas.families.spec import Family, Kind, Series
from gpuatlas.model.advice import PoolAdvice
from gpuatlas.model.checks import CheckReport
from gpuatlas.model.contention import ContentionCounts
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.sizing import SizingReport
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.model.status import SourceStatus

Table = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def read(text: str, form: Format) -> list[Metric]:
    parse = parse_text if form is Format.TEXT else parse_openmetrics
    return list(parse(text))


def table(metrics: Iterable[Metric]) -> Table:
    samples = [sample for metric in metrics for sample in metric.samples]
    assert all(sample.timestamp is None for sample in samples)
    found = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value for sample in samples
    }
    assert len(found) == len(samples)
    return found


def yielded(families: Iterable[Family[object]], entities: Iterable[object]) -> Table:
    return {
        (family.name, tuple(sorted(zip(family.labels, values, strict=True)))): number
        for entity in entities
        for family in families
        for values, number in family.samples(entity)
    }


@pytest.fixture
def expected(
    snapshot: Snapshot,
    report: CheckReport,
    layer: LayerObjects,
    sizing: SizingReport,
    contention: ContentionCounts,
    advice: tuple[PoolAdvice, ...],
    statuses: tuple[SourceStatus, ...],
) -> Table:
    groups: tuple[tuple[tuple[Family[object], ...], Iterable[object]], ...] = (
        (NODE_FAMILIES, snapshot.nodes.values()),  # type: ignore[assignment]
        (NAMESPACE_FAMILIES, snapshot.namespaces.values()),
        (CHECK_FAMILIES, (report,)),
        (LAYER_FAMILIES, (layer,)),
        (SIZING_FAMILIES, (sizing,)),
        (CONTENTION_FAMILIES, (contention,)),
        (ADVICE_FAMILIES, advice),
        (SOURCE_FAMILIES, statuses),
    )
    return {
        key: n for families, entities in groups for key, n in yielded(families, entities).items()
    }


def test_text_page(text_page: str, expected: Table) -> None:
    assert table(read(text_page, Format.TEXT)) == expected


def test_openmetrics_page(openmetrics_page: str, expected: Table) -> None:
    assert table(read(openmetrics_page, Format.OPENMETRICS)) == expected


def test_openmetrics_types_and_units(openmetrics_page: str) -> None:
    metrics = {metric.name: metric for metric in read(openmetrics_page, Format.OPENMETRICS)}
    declared = {family.base_name: family for family in ALL_FAMILIES}
    assert {name: (metric.type, metric.unit) for name, metric in metrics.items()} == {
        name: (str(family.kind), family.unit) for name, family in declared.items()
    }


def test_help_texts(text_page: str) -> None:
    described = {metric.name: metric.documentation for metric in read(text_page, Format.TEXT)}
    # The text parser names counters without their suffix, and nothing else.
    assert described == {
        family.base_name if family.kind is Kind.COUNTER else family.name: family.help
        for family in ALL_FAMILIES
    }


LABELS: Final = ("first", "second")
Rows = Mapping[tuple[str, str], float]


def _samples(rows: Rows) -> Iterable[Series]:
    return rows.items()


ANY: Final[Family[Rows]] = Family(
    name="gpuatlas_any", kind=Kind.GAUGE, help="Anything at all.", labels=LABELS, samples=_samples
)
TRICKY = st.text(st.sampled_from('\\"\nn{},=# \r\t\x00\x85\N{LINE SEPARATOR}é猫😀'), max_size=12)
LABEL = st.one_of(TRICKY, st.text(max_size=20))
NUMBER = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))


@settings(deadline=None, max_examples=150)
@given(rows=st.dictionaries(st.tuples(LABEL, LABEL), NUMBER, min_size=1, max_size=6))
@pytest.mark.parametrize("form", list(Format))
def test_any_label_and_any_number(form: Format, rows: Rows) -> None:
    page = (write_families((ANY,), (rows,), form) + form.end).decode()
    assert table(read(page, form)) == yielded_rows(rows)


def yielded_rows(rows: Rows) -> Table:
    return {
        ("gpuatlas_any", tuple(zip(LABELS, values, strict=True))): number
        for values, number in rows.items()
    }


def test_a_sign_of_zero_and_the_last_bit_survive() -> None:
    rows = {("a", ""): -0.0, ("b", ""): 0.1 + 0.2, ("c", ""): 5e-324, ("d", ""): 2**63 + 1}
    page = write_families((ANY,), (rows,), Format.TEXT).decode()
    values = {labels[0][1]: repr(n) for (_, labels), n in table(read(page, Format.TEXT)).items()}
    assert values == {
        "a": "-0.0",
        "b": "0.30000000000000004",
        "c": "5e-324",
        "d": "9223372036854775809",
    }
