"""The end of a licence from the text of a ConfigMap, and how little of that text is quoted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.layer import Licence
from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.layer.licences import licence_end, read_licence, unread_licence
from gpuatlas.sources.layer.settings import LicenceSource, parse_licence_source
from gpuatlas_harness.layered import config_map

SOURCE = LicenceSource(namespace="gpu-system", config_map="licence", key="end")
DAY = 1_801_440_000.0  # 2027-02-01T00:00:00Z


@pytest.mark.parametrize(
    ("text", "end", "record"),
    [
        ("2027-01-31", DAY, "2027-01-31"),
        (" 2027-01-31\n", DAY, "2027-01-31"),
        ("2027-02-01T00:00:00Z", DAY, "2027-02-01T00:00:00Z"),
        ("2027-02-01T01:00:00+01:00", DAY, "2027-02-01T01:00:00+01:00"),
        ("never", None, "never"),
        ('{"notAfter": "2027-01-31"}', DAY, '"notAfter": "2027-01-31"'),
        ("not_after: 2027-02-01T00:00:00Z\n", DAY, "not_after: 2027-02-01T00:00:00Z"),
        ("a:\n  expires: perpetual\n", None, "expires: perpetual"),
        ("expiry: 2027-01-31\nvalidUntil: 2029-01-01\n", DAY, "expiry: 2027-01-31"),
        ("valid-until: 2029-01-01\nexpiration: 2027-01-31\n", DAY, "expiration: 2027-01-31"),
        ("expires: false\nExpiry: 2027-01-31\n", DAY, "Expiry: 2027-01-31"),
    ],
)
def test_ends_are_read(text: str, end: float | None, record: str) -> None:
    assert licence_end(text) == (end, record)


def test_nothing_but_the_key_and_its_date_is_quoted() -> None:
    text = '{"key": "s3cret", "notAfter": "2027-01-31", "sig": "s3cret"}'
    assert licence_end(text) == (DAY, '"notAfter": "2027-01-31"')


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no-date"),
        ("s3cret", "no-date"),
        ("licence: s3cret", "no-date"),
        ("notAfter: s3cret", "no-date"),
        ("2027-13-01", "bad-time"),
        ("2027-01-31 s3cret", "bad-time"),
        ("1960-01-01", "bad-time"),
        ("9999-12-31", "bad-time"),
        ("notAfter: 2027-02-30", "bad-time"),
        ("a: [s3cret", "bad-text"),
        ("s" * (2**20 + 1), "bad-text"),
    ],
)
def test_texts_without_an_end_are_refused_and_not_quoted(text: str, reason: str) -> None:
    with pytest.raises(MalformedError) as caught:
        licence_end(text)
    assert caught.value.reason == reason
    assert "s3cret" not in str(caught.value)


def test_a_licence_is_named_by_its_map_and_key() -> None:
    raw = config_map("licence", {"end": "2027-01-31"})
    assert read_licence(SOURCE, raw) == Licence(
        name="licence/end",
        source="ConfigMap/gpu-system/licence",
        present=True,
        not_after=DAY,
        record="2027-01-31",
    )


def test_what_is_missing_and_what_cannot_be_read_are_told_apart() -> None:
    absent = read_licence(SOURCE, None)
    assert (absent.present, absent.error) == (
        False,
        "ConfigMap/gpu-system/licence does not exist",
    )
    keyless = read_licence(SOURCE, config_map("licence", {"other": "x"}))
    assert (keyless.present, keyless.error) == (
        False,
        "ConfigMap/gpu-system/licence has no key end",
    )
    broken = read_licence(SOURCE, config_map("licence", {"end": "soon"}))
    assert (broken.present, broken.not_after) == (True, None)
    assert broken.error.startswith("ConfigMap/gpu-system/licence end: no RFC 3339 date")
    unread = unread_licence(SOURCE, "403")
    assert (unread.present, unread.not_after, unread.error) == (True, None, "403")


def test_a_source_is_written_as_three_names() -> None:
    assert parse_licence_source("gpu-system/licence/end") == SOURCE


@pytest.mark.parametrize(
    "text",
    ["", "a", "a/b", "a/b/", "/b/c", "a//c", "a/b/c/d", "A/b/c", "a/b_/c", "a/b/c d", "../b/c"],
)
def test_other_forms_are_no_source(text: str) -> None:
    with pytest.raises(ValueError, match="must be NAMESPACE/CONFIGMAP/KEY"):
        parse_licence_source(text)


@settings(deadline=None, max_examples=300)
@given(
    text=st.text(max_size=60)
    | st.builds("{}: {}".format, st.sampled_from(["notAfter", "expires"]), st.text(max_size=30))
    | st.datetimes().map(str)
    | st.dates().map(str)
)
def test_ends_are_bounded(text: str) -> None:
    try:
        end, record = licence_end(text)
    except MalformedError:
        return
    assert end is None or 0 <= end < 1e12
    assert len(record) <= 200
