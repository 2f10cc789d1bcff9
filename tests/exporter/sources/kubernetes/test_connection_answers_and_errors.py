from __future__ import annotations

import gzip
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest
import urllib3.exceptions
from urllib3.connection import HTTPConnection

from gpuatlas.sources.errors import (
    BadAnswerError,
    ForbiddenError,
    GoneError,
    NotFoundError,
    SourceError,
    TooLargeError,
    UnauthorizedError,
    UnreachableError,
)
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.errors import BusyError
from gpuatlas.sources.kubernetes.failures import error_of_transport
from gpuatlas.sources.kubernetes.settings import KubernetesSettings

if TYPE_CHECKING:
    from tests.exporter.sources.kubernetes.conftest import FakeApiServer

PODS = "/api/v1/pods"
PAGE = "/api/v1/namespaces/gpu-operator/pods/dcgm-x:9400/proxy/metrics"
WATCH = {"watch": "true"}


def status(code: int, message: str) -> bytes:
    return orjson.dumps({"kind": "Status", "code": code, "message": message})


def test_a_request_carries_token_accept_and_our_name(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.reply(PODS, reply(body=b'{"items":[]}'))
    assert connection.get(PODS, {"limit": "5"}, accept="application/x") == {"items": []}
    (request,) = api.requests
    assert request.query == {"limit": "5"}
    assert request.headers["Authorization"] == "Bearer a-token"
    assert request.headers["Accept"] == "application/x"
    assert request.headers["User-Agent"].startswith("gpuatlas/")
    assert connection.address == api.url


def test_compressed_answers_are_read(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    body = gzip.compress(b'{"a":1}')
    api.reply(PODS, reply(body=body, headers={"Content-Encoding": "gzip"}))
    assert connection.get(PODS) == {"a": 1}


def test_connections_are_used_again(api: FakeApiServer, connection: Connection, reply: Any) -> None:
    api.reply(PODS, *[reply(body=b"{}")] * 3, reply(chunks=[b"{", b"}"]), reply(body=b"{}"))
    for _ in range(5):
        connection.get(PODS)
    assert len(api.clients) == 1


@pytest.mark.parametrize(
    ("code", "error", "words"),
    [
        pytest.param(401, UnauthorizedError, "refused the credentials (401): why", id="401"),
        pytest.param(403, ForbiddenError, 'Grant the verb "list" on "pods"', id="403"),
        pytest.param(404, NotFoundError, "/api/v1/pods does not exist there", id="404"),
        pytest.param(410, GoneError, "too old (410): why", id="410"),
        pytest.param(429, BusyError, "answered HTTP 429: why", id="429"),
        pytest.param(500, BusyError, "answered HTTP 500: why", id="500"),
        pytest.param(504, BusyError, "answered HTTP 504: why", id="504"),
        pytest.param(302, BadAnswerError, "answered HTTP 302: why", id="redirect"),
        pytest.param(400, BadAnswerError, "answered HTTP 400: why", id="400"),
    ],
)
def test_each_status_has_its_error(
    api: FakeApiServer,
    connection: Connection,
    reply: Any,
    code: int,
    error: type[SourceError],
    words: str,
) -> None:
    api.reply(PODS, *[reply(status=code, body=status(code, "why"))] * 2)
    with pytest.raises(SourceError) as caught:
        connection.get(PODS)
    assert type(caught.value) is error
    assert words in str(caught.value)
    assert api.url in str(caught.value)


@pytest.mark.parametrize(
    ("path", "query", "body", "grant"),
    [
        pytest.param(
            "/apis/apps/v1/replicasets",
            {},
            status(
                403,
                'replicasets.apps is forbidden: User "u" cannot list resource "replicasets" in API '
                'group "apps" at the cluster scope',
            ),
            '"list" on "replicasets.apps"',
            id="as the server says",
        ),
        pytest.param(PODS, WATCH, b"", '"watch" on "pods"', id="a watch"),
        pytest.param("/apis/batch/v1/jobs", {}, b"<html>", '"list" on "jobs"', id="a gateway"),
        pytest.param("/version", {}, b"", '"get" on "/version"', id="no resource"),
    ],
)
def test_a_refusal_names_verb_and_resource(
    api: FakeApiServer,
    connection: Connection,
    reply: Any,
    path: str,
    query: dict[str, str],
    body: bytes,
    grant: str,
) -> None:
    api.reply(path, reply(status=403, body=body), watch="watch" in query)
    with pytest.raises(ForbiddenError) as caught:
        connection.get(path, query)
    assert f"Grant the verb {grant} to" in str(caught.value)


def test_a_refused_page_names_the_pod_proxy(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.reply(PAGE, reply(status=403))
    with pytest.raises(ForbiddenError, match='Grant the verb "get" on "pods/proxy"'):
        connection.get_bytes(PAGE, 1000, 5.0)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("99999", 300.0), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("-1", None)],
)
def test_the_servers_wish_for_a_pause_is_kept(
    api: FakeApiServer, connection: Connection, reply: Any, header: str, seconds: float | None
) -> None:
    api.reply(PODS, reply(status=429, headers={"Retry-After": header}))
    with pytest.raises(BusyError) as caught:
        connection.get(PODS)
    assert caught.value.retry_after_s == seconds
    assert len(api.requests) == 1


def test_quoted_bodies_are_short_and_of_one_line(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.reply(PODS, reply(status=400, body=b"first\nsecond\x00\xff" + b"x" * 100_000))
    with pytest.raises(BadAnswerError) as caught:
        connection.get(PODS)
    assert len(str(caught.value)) < 400
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("body", "words"),
    [(b"<html>", "not JSON"), (b"[1]", "not a JSON object"), (b'{"a":"\xff"}', "not JSON")],
)
def test_answers_that_are_no_json_objects(
    api: FakeApiServer, connection: Connection, reply: Any, body: bytes, words: str
) -> None:
    api.reply(PODS, reply(body=body))
    with pytest.raises(BadAnswerError, match=words):
        connection.get(PODS)


@pytest.mark.parametrize("chunks", [None, (b'{"items":[',)], ids=["by length", "chunked"])
def test_a_truncated_answer_is_no_answer(
    api: FakeApiServer, connection: Connection, reply: Any, chunks: object
) -> None:
    api.reply(PODS, reply(body=b'{"items":[]}', chunks=chunks, then="cut"))
    with pytest.raises(UnreachableError, match="the connection was cut"):
        connection.get(PODS)


def test_a_silent_server_is_left_after_the_read_timeout(
    api: FakeApiServer, settings: KubernetesSettings, reply: Any
) -> None:
    impatient = KubernetesSettings(kubeconfig=settings.kubeconfig, read_timeout_s=0.1)
    connection = Connection.open(impatient, {})
    api.reply(PODS, reply(chunks=[b"{"], then="hang"))
    with pytest.raises(UnreachableError, match="no answer in time"):
        connection.get(PODS)
    connection.close()


def test_a_refused_connection_names_the_address(tmp_path: Path, kubeconfig: Any) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        connection = Connection.open(KubernetesSettings(kubeconfig=kubeconfig(url)), {})
        with pytest.raises(UnreachableError) as caught:
            connection.get(PODS)
    assert str(caught.value).startswith(f"{url}: no connection (")
    assert "refused" in str(caught.value)
    assert "check that the address is right" in str(caught.value)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        pytest.param(
            urllib3.exceptions.NameResolutionError(
                "h", HTTPConnection("h"), socket.gaierror(8, "no")
            ),
            "unknown host name (",
            id="unknown host",
        ),
        pytest.param(
            urllib3.exceptions.ConnectTimeoutError("late"), "no connection in time", id="too late"
        ),
        pytest.param(
            urllib3.exceptions.ProxyError("cannot", OSError("no route")),
            "check proxy-url in the kubeconfig",
            id="proxy",
        ),
        pytest.param(ConnectionResetError(104, "reset"), "was cut ([Errno 104] reset)", id="reset"),
    ],
)
def test_other_failures_of_the_network_say_what_to_check(error: Exception, words: str) -> None:
    message = str(error_of_transport("https://192.0.2.1:6443", error))
    assert message.startswith("https://192.0.2.1:6443: ")
    assert words in message


def test_a_server_that_talks_no_tls(api: FakeApiServer, kubeconfig: Any) -> None:
    connection = Connection.open(
        KubernetesSettings(kubeconfig=kubeconfig(api.url.replace("http:", "https:"))), {}
    )
    with pytest.raises(UnreachableError, match="TLS failed"):
        connection.get(PODS)


def test_a_page_is_given_as_it_is(api: FakeApiServer, connection: Connection, reply: Any) -> None:
    api.reply(PAGE, reply(body=b"up 1\n\xff"), reply(body=b""), reply(chunks=[b"a", b"b"]))
    assert [connection.get_bytes(PAGE, 7, 5.0) for _ in range(3)] == [b"up 1\n\xff", b"", b"ab"]


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        pytest.param(b"x" * 1001, {}, id="plain"),
        pytest.param(gzip.compress(bytes(10**8)), {"Content-Encoding": "gzip"}, id="gzip bomb"),
    ],
)
def test_a_page_has_a_size_limit(
    api: FakeApiServer, connection: Connection, reply: Any, body: bytes, headers: dict[str, str]
) -> None:
    api.reply(PAGE, reply(body=body, headers=headers))
    with pytest.raises(TooLargeError, match="larger than 1000 bytes"):
        connection.get_bytes(PAGE, 1000, 20.0)


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({"chunks": [b"x"] * 1000, "pause_s": 0.02}, id="dripping"),
        pytest.param({"chunks": [b"x"], "then": "hang"}, id="stalled in chunks"),
        pytest.param({"body": b"x", "then": "hang"}, id="stalled at once"),
    ],
)
def test_a_page_has_a_time_limit_in_all(
    api: FakeApiServer, connection: Connection, reply: Any, how: dict[str, Any]
) -> None:
    api.reply(PAGE, reply(**how))
    with pytest.raises(UnreachableError, match=r"no (whole )?answer in"):
        connection.get_bytes(PAGE, 1000, 0.3)
