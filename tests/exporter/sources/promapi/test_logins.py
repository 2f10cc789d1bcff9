"""Who we are to a Prometheus: tokens, users and passwords that are sent and never shown."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.errors import SourceError, UnauthorizedError
from gpuatlas.sources.promapi.client import PrometheusClient
from gpuatlas.sources.promapi.credentials import authorization
from gpuatlas.sources.promapi.settings import PrometheusSettings, names_user

if TYPE_CHECKING:
    from tests.exporter.sources.promapi.conftest import FakePrometheus as Fake

SECRET = "s3cret"


def login(folder: Path, username: bytes, password: bytes) -> PrometheusSettings:
    """Settings with these two files."""
    files = {"username": username, "password": password}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    paths = {f"{name}_file": folder / name for name in files}
    return PrometheusSettings(url="http://prometheus", **paths)  # type: ignore[arg-type]


def sent(settings: PrometheusSettings) -> str:
    scheme, _, encoded = authorization(settings).partition(" ")
    assert scheme == "Basic"
    return base64.b64decode(encoded).decode()


@pytest.mark.parametrize(
    ("username", "password", "pair"),
    [
        (b"me", b"s3cret", "me:s3cret"),
        (b"me\n", b"s3cret\r\n", "me:s3cret"),
        (b"me", b" with blanks : and colons ", "me: with blanks : and colons "),
        ("mé".encode(), "pässword".encode(), "mé:pässword"),
    ],
)
def test_user_and_password_come_from_files(
    username: bytes, password: bytes, pair: str, tmp_path: Path
) -> None:
    assert sent(login(tmp_path, username, password)) == pair


def test_without_files_nothing_is_sent() -> None:
    assert authorization(PrometheusSettings(url="http://me:s3cret@prometheus")) == ""


def test_the_password_is_read_for_each_query(prometheus: Fake, tmp_path: Path) -> None:
    found = login(tmp_path, b"me", b"first")
    asking = PrometheusClient(
        PrometheusSettings(
            url=prometheus.url,
            username_file=found.username_file,
            password_file=found.password_file,
        )
    )
    for password in ("first", "second"):
        (tmp_path / "password").write_text(password)
        asking.select(["up"], window=1.0)
    encoded = [one["Authorization"].removeprefix("Basic ") for one in prometheus.headers]
    assert [base64.b64decode(one) for one in encoded] == [b"me:first", b"me:second"]


@pytest.mark.parametrize(
    ("username", "password", "says"),
    [
        (b"", b"s3cret", "the user name file .*/username holds no user name"),
        (b"me:s3cret", b"x", "the user name file .*/username has a colon"),
        (b"me", b"\n", "the password file .*/password holds no password"),
        (b"me", b"s3cret\nof two lines", "the password file .*/password holds no password"),
        (b"me", b"s3cret\x00", "the password file .*/password holds no password"),
        (b"me", b"s3cret\xff", "cannot read the password file .*/password: it is no UTF-8"),
    ],
)
def test_what_cannot_be_sent_is_named_and_not_shown(
    username: bytes, password: bytes, says: str, tmp_path: Path
) -> None:
    with pytest.raises(UnauthorizedError, match=says) as refused:
        authorization(login(tmp_path, username, password))
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize("token", [b"", b" \n", b"two\nlines", "tökén".encode()])
def test_what_is_no_token_is_not_sent(token: bytes, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_bytes(token)
    found = PrometheusSettings(url="http://prometheus", bearer_token_file=file)
    with pytest.raises(UnauthorizedError, match=r"the bearer token file .*/token holds no token"):
        authorization(found)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    found = login(tmp_path, b"me", b"s3cret")
    (tmp_path / "password").unlink()
    with pytest.raises(
        UnauthorizedError, match=r"cannot read the password file .*/password: No su"
    ):
        authorization(found)


@given(username=st.binary(max_size=8), password=st.binary(max_size=8))
@settings(deadline=None, max_examples=100)
def test_any_files_give_a_header_or_a_refusal(
    username: bytes, password: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = login(tmp_path_factory.getbasetemp(), username, password)
    try:
        header = authorization(found)
    except UnauthorizedError:
        return
    assert header.isascii()
    assert header.isprintable()
    assert sent(found).partition(":")[0] == username.decode().rstrip("\r\n")


# In the URL


@pytest.mark.parametrize(
    ("url", "has_user"),
    [
        ("http://prometheus:9090/prefix", False),
        ("http://me:s3cret@prometheus:9090/prefix", True),
        ("http://me:s3cret%2Fx@prometheus", True),
        ("http://s3cret@prometheus", True),
        ("http://prometheus/@me", False),
        ("http://me:s3cret@[prometheus", False),
    ],
)
def test_which_urls_have_a_user(url: str, *, has_user: bool) -> None:
    assert names_user(url) == has_user


def test_settings_do_not_show_what_is_secret() -> None:
    found = PrometheusSettings(url="http://me:s3cret@p", headers={"Authorization": "s3cret"})
    assert SECRET not in repr(found)


@pytest.mark.parametrize(
    "answer",
    [
        (500, b"oops"),
        (401, b"who are you"),
        (200, b"no JSON"),
        (200, b'{"data": {"resultType": "scalar", "result": []}}'),
    ],
)
def test_no_failure_shows_the_password_of_the_url(
    answer: tuple[int, bytes], prometheus: Fake
) -> None:
    prometheus.broken = lambda _query: answer
    url = prometheus.url.replace("http://", "http://me:s3cret@")
    with pytest.raises(SourceError) as failed:
        PrometheusClient(PrometheusSettings(url=url)).select(["up"], window=1.0)
    assert SECRET not in repr(failed.value)
    assert prometheus.url in str(failed.value)


@pytest.mark.parametrize(
    "url", ["http://me:s3cret@127.0.0.1:1", "https://me:s3cret@127.0.0.1:1", "http://me:s3cret@-"]
)
def test_nor_does_a_server_that_is_away(url: str) -> None:
    with pytest.raises(SourceError) as failed:
        PrometheusClient(PrometheusSettings(url=url, timeout=5.0)).select(["up"], window=1.0)
    assert SECRET not in repr(failed.value)
