from __future__ import annotations

import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.settings import ServerSettings, Settings
from gpuatlas.runtime.static import StaticObserver
from gpuatlas.runtime.web.address import ListenAddress, parse_listen_address
from gpuatlas_harness.http import loopback_session


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        (":9836", "", 9836),
        ("127.0.0.1:0", "127.0.0.1", 0),
        ("localhost:80", "localhost", 80),
        ("[::1]:9836", "::1", 9836),
        ("[fe80::1%eth0]:1", "fe80::1%eth0", 1),
        (" :65535 ", "", 65535),
    ],
)
def test_an_address_is_read(text: str, host: str, port: int) -> None:
    assert parse_listen_address(text) == ListenAddress(host, port)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("9836", '\'9836\' is no listen address: write ":9836", "127.0.0.1:9836" or "[::1]:9836"'),
        ("", '\'\' is no listen address: write ":9836", "127.0.0.1:9836" or "[::1]:9836"'),
        (":65536", "':65536' is no listen address: the largest port is 65535"),
        (
            "::1:9836",
            '\'::1:9836\' is no listen address: write ":9836", "127.0.0.1:9836" or "[::1]:9836"',
        ),
        (
            "http://x:1",
            '\'http://x:1\' is no listen address: write ":9836", "127.0.0.1:9836" or "[::1]:9836"',
        ),
    ],
)
def test_a_wrong_address_says_how_to_write_it(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="is no listen address") as caught:
        parse_listen_address(text)
    assert str(caught.value) == message


@settings(deadline=None, max_examples=200)
@given(st.text())
def test_any_text_is_an_address_or_a_clear_error(text: str) -> None:
    try:
        address = parse_listen_address(text)
    except ValueError as error:
        assert "is no listen address" in str(error)  # noqa: PT017 - either outcome is right
    else:
        assert 0 <= address.port <= 65535
        assert parse_listen_address(str(address)) == address


@pytest.mark.parametrize(
    ("host", "asked"),
    [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]"), ("", "127.0.0.1"), ("", "[::1]")],
)
def test_it_serves_on_ipv4_and_ipv6(observer: StaticObserver, host: str, asked: str) -> None:
    if "::1" in (host, asked.strip("[]")) and not _has_ipv6_loopback():
        pytest.skip("this machine has no IPv6 loopback")
    server = ServerSettings(listen=ListenAddress(host, 0))
    with Exporter(Settings(server=server), observer) as exporter, loopback_session() as session:
        answer = session.get(f"http://{asked}:{exporter.port}/healthz", timeout=5)
        assert answer.status_code == 200


def test_a_taken_port_is_an_error_that_leaves_nothing_behind(observer: StaticObserver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = ServerSettings(listen=ListenAddress("127.0.0.1", taken.getsockname()[1]))
        with pytest.raises(
            OSError, match=r"^cannot listen on 127\.0\.0\.1:\d+: .*Address already in use"
        ):
            Exporter(Settings(server=server), observer).start()


def _has_ipv6_loopback() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False
