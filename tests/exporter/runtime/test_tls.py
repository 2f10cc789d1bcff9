from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import requests
import yaml
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.web.config_section import WebConfigError
from gpuatlas.runtime.web.security import WebSecurity
from gpuatlas_harness.http import loopback_session
from gpuatlas_harness.pki import Authority, Pair
from gpuatlas_harness.polling import poll

Serve = Callable[..., Exporter]

MUTUAL = {"client_auth_type": "RequireAndVerifyClientCert", "client_ca_file": "ca.crt"}


class Folder:
    """A web configuration file with its certificates, and the client's side of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.authority = Authority("test authority")
        self.ca = self._write("ca.crt", self.authority.certificate)
        self.new_certificate()

    def new_certificate(self) -> None:
        pair = self.authority.server(["localhost"], ["127.0.0.1"])
        self._write("tls.crt", pair.certificate)
        self._write("tls.key", pair.key)

    def configure(self, tls: Mapping[str, object] | None = None, **top: object) -> Path:
        section = {"cert_file": "tls.crt", "key_file": "tls.key", **(tls or {})}
        return self._write(
            "web.yml", yaml.safe_dump({"tls_server_config": section, **top}).encode()
        )

    def client_files(self, pair: Pair) -> tuple[str, str]:
        return (
            str(self._write("client.crt", pair.certificate)),
            str(self._write("client.key", pair.key)),
        )

    def session(self) -> requests.Session:
        return loopback_session(ca=self.ca)

    def _write(self, name: str, content: bytes) -> Path:
        # Replaced as a whole, as Secret mounts do it.
        path = self.path / name
        staged = self.path / f".{name}"
        staged.write_bytes(content)
        staged.replace(path)
        return path


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_it_serves_https_and_nothing_else(serve: Serve, folder: Folder) -> None:
    exporter = serve(web_config=folder.configure())
    assert exporter.url.startswith("https://127.0.0.1:")
    with folder.session() as session:
        assert session.get(f"{exporter.url}/healthz", timeout=5).text == "ok\n"
        plain = session.get(f"http://127.0.0.1:{exporter.port}/healthz", timeout=5)
    assert (plain.status_code, plain.text) == (400, "This port speaks HTTPS only.\n")


def test_one_connection_serves_many_requests(serve: Serve, folder: Folder) -> None:
    exporter = serve(web_config=folder.configure())
    with folder.session() as session:
        ports = set()
        for _ in range(3):
            answer = session.get(f"{exporter.url}/metrics", timeout=5, stream=True)
            connection = answer.raw._connection
            assert connection is not None
            ports.add(connection.sock.getsockname())
            assert answer.content.startswith(b"# HELP")
    assert len(ports) == 1


def test_old_protocols_are_refused(serve: Serve, folder: Folder) -> None:
    exporter = serve(web_config=folder.configure({"min_version": "TLS13"}))
    context = ssl.create_default_context(cafile=folder.ca)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with (
        socket.create_connection(("127.0.0.1", exporter.port), timeout=5) as plain,
        pytest.raises(ssl.SSLError, match="protocol version"),
    ):
        context.wrap_socket(plain, server_hostname="localhost")


def test_the_chosen_cipher_and_curve_are_used(serve: Serve, folder: Folder) -> None:
    suites = ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"]
    config = {"max_version": "TLS12", "cipher_suites": suites, "curve_preferences": ["CurveP384"]}
    exporter = serve(web_config=folder.configure(config))
    context = ssl.create_default_context(cafile=folder.ca)
    with (
        socket.create_connection(("127.0.0.1", exporter.port), timeout=5) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as connection,
    ):
        assert connection.cipher() == ("ECDHE-ECDSA-AES256-GCM-SHA384", "TLSv1.2", 256)


def test_a_client_needs_a_certificate_of_the_authority(serve: Serve, folder: Folder) -> None:
    exporter = serve(web_config=folder.configure(MUTUAL))
    url = f"{exporter.url}/metrics"
    stranger = Authority("another authority").client("prometheus", [])
    with folder.session() as session:
        session.cert = folder.client_files(folder.authority.client("prometheus", []))
        assert session.get(url, timeout=5).status_code == 200
    for cert in (None, folder.client_files(stranger)):
        with folder.session() as session:
            session.cert = cert
            with pytest.raises(requests.ConnectionError):
                session.get(url, timeout=5)


@pytest.mark.parametrize(
    ("allowed", "welcome"),
    [("prometheus.monitoring", True), ("10.0.0.7", True), ("other.monitoring", False)],
)
def test_a_client_certificate_needs_an_allowed_name(
    serve: Serve, folder: Folder, allowed: str, *, welcome: bool
) -> None:
    exporter = serve(web_config=folder.configure({**MUTUAL, "client_allowed_sans": [allowed]}))
    with folder.session() as session:
        session.cert = folder.client_files(named_client(folder.authority))
        if welcome:
            assert session.get(f"{exporter.url}/metrics", timeout=5).status_code == 200
        else:
            with pytest.raises(requests.ConnectionError):
                session.get(f"{exporter.url}/metrics", timeout=5)


def named_client(authority: Authority) -> Pair:
    """A client certificate with a DNS name and an address."""
    names: list[x509.GeneralName] = [
        x509.DNSName("prometheus.monitoring"),
        x509.IPAddress(ipaddress.ip_address("10.0.0.7")),
    ]
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "prometheus")])
    alternatives = x509.SubjectAlternativeName(names)
    return authority._issue(subject, ExtendedKeyUsageOID.CLIENT_AUTH, alternatives)


def test_inline_pem_needs_no_files(serve: Serve, folder: Folder) -> None:
    pair = folder.authority.server(["localhost"], ["127.0.0.1"])
    inline = {"cert": pair.certificate.decode(), "key": pair.key.decode()}
    path = folder.path / "inline.yml"
    path.write_text(yaml.safe_dump({"tls_server_config": inline}))
    exporter = serve(web_config=path)
    with folder.session() as session:
        assert session.get(f"{exporter.url}/healthz", timeout=5).status_code == 200


def serial_of(port: int, ca: Path) -> str:
    context = ssl.create_default_context(cafile=ca)
    with (
        socket.create_connection(("127.0.0.1", port), timeout=5) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as connection,
    ):
        certificate = connection.getpeercert()
    assert certificate is not None
    return str(certificate["serialNumber"])


def test_a_new_certificate_is_taken_over_while_it_runs(serve: Serve, folder: Folder) -> None:
    exporter = serve(web_config=folder.configure())
    before = serial_of(exporter.port, folder.ca)
    folder.new_certificate()
    poll(
        lambda: serial_of(exporter.port, folder.ca) != before or None,
        deadline_seconds=60,
        waiting_for="the new certificate",
    )


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_state_that_cannot_be_used_leaves_the_old_one_in_force(
    folder: Folder, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    path = folder.configure(http_server_config={"headers": {"X-Frame-Options": "sameorigin"}})
    security = WebSecurity(path, clock)
    context = security.context()
    path.write_text("tls_server_config: {cert_file: gone.crt, key_file: tls.key}")
    for _ in range(3):
        clock.now += 2
        assert security.context() is context
        assert security.headers() == {"X-Frame-Options": "sameorigin"}
    assert [record.__dict__["problem"] for record in caplog.records] == [
        f"tls_server_config: {folder.path / 'gone.crt'} and {folder.path / 'tls.key'}: "
        "No such file or directory"
    ]

    path.write_text("http_server_config: {}")
    clock.now += 2
    assert security.context() is context
    assert (
        caplog.records[-1].__dict__["problem"] == f"{path}: TLS goes on or off with a restart only"
    )

    folder.configure(http_server_config={"headers": {"X-Frame-Options": "deny"}})
    clock.now += 2
    assert security.headers() == {"X-Frame-Options": "deny"}
    assert security.context() is not context


def test_what_did_not_change_is_not_read_again(folder: Folder) -> None:
    clock = Clock()
    security = WebSecurity(folder.configure(), clock)
    context = security.context()
    clock.now += 100
    assert security.context() is context


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        ("tls.key", "one of them holds no PEM text of its kind"),
        ("tls.crt", "one of them holds no PEM text of its kind"),
        ("ca.crt", "no certificate or crl found"),
    ],
)
def test_a_file_that_is_no_pem_is_named(folder: Folder, spoil: str, problem: str) -> None:
    path = folder.configure(MUTUAL)
    (folder.path / spoil).write_text("not PEM")
    with pytest.raises(WebConfigError) as caught:
        WebSecurity(path)
    (line,) = caught.value.problems
    assert str(folder.path / spoil) in line
    assert line.endswith(problem)


def test_a_key_of_another_certificate_is_refused(folder: Folder) -> None:
    path = folder.configure()
    other = folder.authority.server(["localhost"], [])
    (folder.path / "tls.key").write_bytes(other.key)
    with pytest.raises(WebConfigError, match="certificate and key do not belong together"):
        WebSecurity(path)
