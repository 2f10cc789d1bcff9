from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.families.exposition import Format
from gpuatlas.runtime.web.negotiation import choose_format, wants_gzip

TEXT, OPENMETRICS = Format.TEXT, Format.OPENMETRICS


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        pytest.param("", TEXT, id="no header"),
        pytest.param("*/*", TEXT, id="curl"),
        pytest.param(
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", TEXT, id="browser"
        ),
        pytest.param(
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
            "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
            OPENMETRICS,
            id="Prometheus 2.42",
        ),
        pytest.param(
            "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
            "application/openmetrics-text;version=0.0.1;q=0.4,"
            "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
            "text/plain;version=0.0.4;q=0.2,/;q=0.1",
            OPENMETRICS,
            id="Prometheus 3",
        ),
        pytest.param(
            "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
            "encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,"
            "text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
            OPENMETRICS,
            id="protobuf is not written, the next best is",
        ),
        pytest.param("text/plain;version=0.0.4", TEXT, id="text only"),
        pytest.param("application/openmetrics-text", OPENMETRICS, id="any OpenMetrics"),
        pytest.param(
            'application/openmetrics-text; version="1.0.0"; charset=utf-8',
            OPENMETRICS,
            id="quoted version",
        ),
        pytest.param("APPLICATION/OPENMETRICS-TEXT;VERSION=1.0.0", OPENMETRICS, id="upper case"),
        pytest.param("application/openmetrics-text;version=0.0.1", TEXT, id="another version"),
        pytest.param("application/openmetrics-text;version=2.0.0", TEXT, id="a version to come"),
        pytest.param("application/openmetrics-text;q=0", TEXT, id="refused"),
        pytest.param("application/openmetrics-text;q=0.4,text/plain;q=0.5", TEXT, id="text better"),
        pytest.param(
            "text/plain;q=0.5,application/openmetrics-text;q=0.5", OPENMETRICS, id="no preference"
        ),
        pytest.param("application/openmetrics-text;q=nan", TEXT, id="quality is no number"),
        pytest.param("application/openmetrics-text;q=high", TEXT, id="quality is a word"),
        pytest.param("application/openmetrics-text;q=7", TEXT, id="quality out of range"),
        pytest.param("application/json", TEXT, id="nothing that we write"),
        pytest.param("text/*;q=0.9,application/openmetrics-text;q=0.5", TEXT, id="text by range"),
    ],
)
def test_the_format_that_the_client_likes_best_is_chosen(accept: str, chosen: Format) -> None:
    assert choose_format(accept) is chosen


@pytest.mark.parametrize(
    ("accept_encoding", "gzip"),
    [
        ("", False),
        ("gzip", True),
        ("gzip, deflate, br", True),
        ("deflate", False),
        ("identity", False),
        ("*", True),
        ("gzip;q=0", False),
        ("*;q=0", False),
        ("gzip;q=0, *", False),
        ("GZIP;Q=0.5", True),
        ("zstd, gzip;q=0.1", True),
    ],
)
def test_gzip_is_sent_where_it_is_taken(accept_encoding: str, *, gzip: bool) -> None:
    assert wants_gzip(accept_encoding) is gzip


@settings(deadline=None, max_examples=200)
@given(st.text() | st.text(alphabet=' ;,=*/q01."abcé'))
def test_no_header_makes_the_negotiation_fail(header: str) -> None:
    assert choose_format(header) in Format
    assert wants_gzip(header) in {True, False}
