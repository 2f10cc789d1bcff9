"""What is asked, as whom, and what becomes of answers that are no use."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from gpuatlas.sources.errors import (
    BadAnswerError,
    ForbiddenError,
    NotFoundError,
    SourceError,
    TooLargeError,
    UnauthorizedError,
    UnreachableError,
)
from gpuatlas.sources.promapi.client import PrometheusClient, Series, selector
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.pki import Authority


class Fake(Protocol):
    url: str
    queries: list[str]
    asked: list[dict[str, str]]
    headers: list[dict[str, str]]
    paths: set[str]
    warnings: list[str]
    broken: Callable[[str], tuple[int, bytes] | None]

    def add(self, name: str, points: list[tuple[float, float | str]], **labels: str) -> None: ...


def client(prometheus: Fake, **settings: object) -> PrometheusClient:
    return PrometheusClient(
        PrometheusSettings(url=prometheus.url, **settings)  # type: ignore[arg-type]
    )


def test_asks_for_the_samples_of_a_window(prometheus: Fake) -> None:
    prometheus.add("up", [(1.5, 1), (16.5, "NaN")], job="a")
    selection = client(prometheus, timeout=7.5).select(["up"], window=90.0)
    (series,) = selection.series
    assert series.labels == {"__name__": "up", "job": "a"}
    assert series.points == {1.5: "1", 16.5: "NaN"}
    assert series.newest_at == 16.5
    assert prometheus.asked == [{"query": "up{}[90s]", "timeout": "8s"}]
    assert prometheus.paths == {"/api/v1/query"}


@pytest.mark.parametrize(
    ("names", "matchers", "query"),
    [
        (["up"], {}, "up{}"),
        (["up"], {"job": "a", "cluster": "b"}, 'up{cluster="b",job="a"}'),
        (["A", "B"], {}, '{__name__=~"A|B"}'),
        (["A", "B"], {"cluster": 'a"b\\c\nd'}, '{__name__=~"A|B",cluster="a\\"b\\\\c\\nd"}'),
    ],
)
def test_the_selector(names: list[str], matchers: dict[str, str], query: str) -> None:
    assert selector(names, PrometheusSettings(url="http://x", matchers=matchers)) == query


def test_a_prefix_of_the_server_is_kept(prometheus: Fake) -> None:
    address = PrometheusSettings(url=f"{prometheus.url}/prom/")
    PrometheusClient(address).select(["up"], window=1.0)
    assert prometheus.paths == {"/prom/api/v1/query"}


def test_the_token_is_read_for_each_query(prometheus: Fake, tmp_path: Path) -> None:
    token = tmp_path / "token"
    asking = client(prometheus, bearer_token_file=token, headers={"X-Scope-OrgID": "gpu"})
    for text in ("first", "second\n"):
        token.write_text(text, encoding="utf-8")
        asking.select(["up"], window=1.0)
    assert [one["Authorization"] for one in prometheus.headers] == ["Bearer first", "Bearer second"]
    assert {one["X-Scope-OrgID"] for one in prometheus.headers} == {"gpu"}


def test_a_token_file_that_is_missing_is_named(prometheus: Fake, tmp_path: Path) -> None:
    with pytest.raises(UnauthorizedError, match=r"cannot read the bearer token file .*/nowhere"):
        client(prometheus, bearer_token_file=tmp_path / "nowhere").select(["up"], window=1.0)


@pytest.mark.parametrize("token", ["s3cret\nof-two-lines", "s3cret€"])
def test_a_token_that_is_none_is_not_shown(prometheus: Fake, tmp_path: Path, token: str) -> None:
    file = tmp_path / "token"
    file.write_text(token, encoding="utf-8")
    with pytest.raises(UnauthorizedError, match="holds no token") as failed:
        client(prometheus, bearer_token_file=file).select(["up"], window=1.0)
    assert "s3cret" not in str(failed.value)


def test_name_and_password_of_the_url_are_sent_and_not_shown(prometheus: Fake) -> None:
    url = prometheus.url.replace("http://", "http://me:secret@")
    prometheus.broken = lambda _query: (500, b"oops")
    with pytest.raises(BadAnswerError, match="HTTP 500") as caught:
        PrometheusClient(PrometheusSettings(url=url)).select(["up"], window=1.0)
    assert prometheus.headers[0]["Authorization"].startswith("Basic ")
    assert "secret" not in str(caught.value)


@pytest.fixture
def tls_prometheus(serve_prometheus: Callable[..., Fake], tmp_path: Path) -> tuple[Fake, Authority]:
    authority = Authority("test")
    pair = authority.server(["localhost"], ["127.0.0.1"])
    chain = tmp_path / "server.pem"
    chain.write_bytes(pair.certificate + pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    return serve_prometheus(tls=context), authority


def test_a_server_is_verified_by_the_ca_file(
    tls_prometheus: tuple[Fake, Authority], tmp_path: Path
) -> None:
    prometheus, authority = tls_prometheus
    prometheus.add("up", [(1.0, 1)])
    ca_file = tmp_path / "ca.pem"
    ca_file.write_bytes(authority.certificate)
    selection = client(prometheus, ca_file=ca_file).select(["up"], window=1.0)
    assert selection.series == [Series({"__name__": "up"}, {1.0: "1"})]


def test_an_unknown_authority_is_refused(tls_prometheus: tuple[Fake, Authority]) -> None:
    prometheus, _ = tls_prometheus
    with pytest.raises(UnreachableError, match=r"^TLS with https://.* failed.*check the .*CA file"):
        client(prometheus).select(["up"], window=1.0)
    assert prometheus.asked == []


def test_verification_can_be_switched_off(tls_prometheus: tuple[Fake, Authority]) -> None:
    prometheus, _ = tls_prometheus
    prometheus.add("up", [(1.0, 1)])
    assert len(client(prometheus, insecure=True).select(["up"], window=1.0).series) == 1


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, UnauthorizedError),
        (403, ForbiddenError),
        (404, NotFoundError),
        (422, BadAnswerError),
        (503, BadAnswerError),
    ],
)
def test_a_status_is_an_error_with_the_servers_reason(
    prometheus: Fake, status: int, error: type[SourceError]
) -> None:
    body = b'{"status":"error","errorType":"execution","error":"too many samples"}'
    prometheus.broken = lambda _query: (status, body)
    with pytest.raises(error, match="too many samples"):
        client(prometheus).select(["up"], window=1.0)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b"{}",
        b'{"status":"success","data":{"resultType":"matrix","result":5}}',
        b'{"status":"success","data":{"resultType":"vector","result":[]}}',
        b'{"status":"success","data":"x"}',
        b'{"status":"success","data":{"resultType":"matrix","result":[',
    ],
)
def test_an_answer_of_something_else(prometheus: Fake, body: bytes) -> None:
    prometheus.broken = lambda _query: (200, body)
    with pytest.raises(BadAnswerError, match=prometheus.url):
        client(prometheus).select(["up"], window=1.0)


@pytest.mark.parametrize(
    "entry",
    [
        5,
        {},
        {"metric": {"__name__": "x"}},
        {"metric": {"__name__": "x"}, "values": []},
        {"metric": {"__name__": "x"}, "values": [[1]]},
        {"metric": {"__name__": "x"}, "values": [["1", "1"]]},
        {"metric": {"__name__": "x"}, "values": [[1, 1]]},
        {"metric": {"__name__": "x"}, "histograms": [[1, {"count": "1"}]]},
        {"metric": {"__name__": "x", "a": 5}, "values": [[1, "1"]]},
        {"metric": {"a": "b"}, "values": [[1, "1"]]},
        {"metric": None, "values": [[1, "1"]]},
        {"metric": {"__name__": "x"}, "value": [1, "1"]},
    ],
)
def test_an_entry_of_another_shape_costs_itself(prometheus: Fake, entry: object) -> None:
    good = {"metric": {"__name__": "up"}, "values": [[1, "1"]]}
    data = {"resultType": "matrix", "result": [entry, good]}
    body = json.dumps({"status": "success", "data": data}).encode()
    prometheus.broken = lambda _query: (200, body)
    selection = client(prometheus).select(["up"], window=1.0)
    assert selection.series == [Series({"__name__": "up"}, {1.0: "1"})]
    assert selection.unreadable == 1


def test_warnings_are_passed_on(prometheus: Fake) -> None:
    prometheus.warnings = ["store a\ndid not answer"]
    assert client(prometheus).select(["up"], window=1.0).warnings == (
        "store a\ufffddid not answer",
    )


def test_a_large_answer_is_refused(prometheus: Fake) -> None:
    prometheus.add("up", [(1.0, 1)], job="x" * 1000)
    with pytest.raises(TooLargeError):
        client(prometheus, limit_bytes=1000).select(["up"], window=1.0)
