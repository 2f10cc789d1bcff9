"""Certificates of every kind that a webhook may serve, and the servers that serve them."""

from __future__ import annotations

import datetime as dt
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from .pki import new_key, private_pem

Answer = Callable[[socket.socket], None]
YEAR: Final = dt.timedelta(days=365)


@dataclass(frozen=True)
class Signed:
    """A certificate with its key; `chain` are the PEM certificates to serve, itself the first."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey
    issuers: tuple[x509.Certificate, ...] = ()

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def ends(self) -> float:
        return self.certificate.not_valid_after_utc.timestamp()

    @property
    def chain(self) -> bytes:
        return b"".join([self.pem, *(one.public_bytes(Encoding.PEM) for one in self.issuers)])


def signed(
    name: str,
    *,
    by: Signed | None = None,
    dns: Sequence[str] = (),
    authority: bool = False,
    begins: dt.datetime | None = None,
    ends: dt.datetime | None = None,
) -> Signed:
    """A certificate signed by another one, or by itself. It is valid now unless told otherwise."""
    now = dt.datetime.now(dt.UTC).replace(microsecond=0)
    key = new_key()
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)] if name else [])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if by is None else by.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins or now - YEAR)
        .not_valid_after(ends or now + YEAR)
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
    )
    if dns:
        names = x509.SubjectAlternativeName([x509.DNSName(one) for one in dns])
        builder = builder.add_extension(names, critical=not name)
    certificate = builder.sign(key if by is None else by.key, hashes.SHA256())
    issuers = (
        ()
        if by is None or by.certificate.issuer == by.certificate.subject
        else (
            by.certificate,
            *by.issuers,
        )
    )
    return Signed(certificate, key, issuers)


@contextmanager
def listening() -> Iterator[socket.socket]:
    """A listening socket on a free port of loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def port_of(server: socket.socket) -> int:
    port: int = server.getsockname()[1]
    return port


@contextmanager
def tls_server(serving: Signed, folder: Path) -> Iterator[int]:
    """A TLS server with this certificate and the issuers above it; gives its port."""
    certificate, key = folder / "serving.crt", folder / "serving.key"
    certificate.write_bytes(serving.chain)
    key.write_bytes(private_pem(serving.key))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with answering(lambda client: _shake(context, client)) as port:
        yield port


def _shake(context: ssl.SSLContext, client: socket.socket) -> None:
    try:
        with context.wrap_socket(client, server_side=True) as secured:
            secured.recv(1)
    except OSError:
        return  # whoever does not like the certificate hangs up


@contextmanager
def answering(answer: Answer) -> Iterator[int]:
    """A server that treats each connection in a thread of its own; gives its port."""
    threads: list[threading.Thread] = []
    with listening() as server:

        def run() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return  # closed
                thread = threading.Thread(target=_treat, args=(answer, client))
                threads.append(thread)
                thread.start()

        accepting = threading.Thread(target=run)
        accepting.start()
        try:
            yield port_of(server)
        finally:
            server.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for thread in threads:
                thread.join()


def _treat(answer: Answer, client: socket.socket) -> None:
    with client:
        client.settimeout(10)
        answer(client)
