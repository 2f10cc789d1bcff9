"""Whatever `prometheus_client` writes is read as its own parser reads it; nothing raises."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from gpuatlas.model.pages import Sample
from gpuatlas.sources.exposition import REASONS, parse_text

NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,12}", fullmatch=True)
LABELS = st.dictionaries(
    NAMES.filter(lambda name: not name.startswith("__")),
    # Surrogates are in no UTF-8.
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    max_size=4,
)
VALUES = st.floats() | st.integers(-(10**18), 10**18).map(float)
FAMILIES = st.dictionaries(
    NAMES,
    st.lists(st.tuples(LABELS, VALUES), max_size=4, unique_by=lambda s: frozenset(s[0].items())),
    max_size=5,
)


class Fixed(Collector):
    def __init__(self, families: dict[str, list[tuple[dict[str, str], float]]]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        for name, samples in self._families.items():
            family = GaugeMetricFamily(name, "Help with a \\ and a\nnew line.")
            for labels, value in samples:
                family.add_sample(name, labels, value)
            yield family


def registry(families: dict[str, list[tuple[dict[str, str], float]]]) -> CollectorRegistry:
    result = CollectorRegistry()
    result.register(Fixed(families))
    return result


def openmetrics_page(content: CollectorRegistry) -> bytes:
    page = generate_openmetrics(content)  # type: ignore[no-untyped-call]
    assert isinstance(page, bytes)
    return page


def same(ours: list[Sample], theirs: list[Sample]) -> bool:
    return len(ours) == len(theirs) and all(
        (a.name, a.labels) == (b.name, b.labels)
        and (a.value == b.value or (math.isnan(a.value) and math.isnan(b.value)))
        for a, b in zip(ours, theirs, strict=True)
    )


@settings(max_examples=100, deadline=None)
@given(FAMILIES)
def test_agrees_with_the_library_on_its_own_pages(
    families: dict[str, list[tuple[dict[str, str], float]]],
) -> None:
    page = generate_latest(registry(families))
    ours, refused = parse_text(page, wanted=None, source="dcgm", where="p")
    theirs = [
        Sample(sample.name, sample.labels, sample.value)
        for family in text_string_to_metric_families(page.decode())
        for sample in family.samples
    ]
    assert refused == []
    assert same(ours, theirs)


@settings(max_examples=60, deadline=None)
@given(FAMILIES)
def test_both_formats_give_the_same_samples(
    families: dict[str, list[tuple[dict[str, str], float]]],
) -> None:
    text, refused = parse_text(
        generate_latest(registry(families)), wanted=None, source="dcgm", where="p"
    )
    openmetrics, also_refused = parse_text(
        openmetrics_page(registry(families)), wanted=None, source="dcgm", where="p"
    )
    assert refused == also_refused == []
    assert same(openmetrics, text)


PIECES = st.sampled_from(
    [b"up", b"{", b"}", b'"', b"\\", b",", b"=", b" ", b"\n", b"#", b"1", b"\xc3"]
)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300) | st.lists(PIECES, max_size=60).map(b"".join))
def test_no_bytes_raise_and_every_line_is_accounted_for(page: bytes) -> None:
    samples, refused = parse_text(page, wanted=None, source="dcgm", where="p")
    assert {one.reason for one in refused} <= REASONS
    written = [
        line for line in page.split(b"\n") if line.strip() and not line.strip().startswith(b"#")
    ]
    assert len(samples) + sum(one.count for one in refused) == len(written)
    assert len({(s.name, frozenset(s.labels.items())) for s in samples}) == len(samples)
