"""Keys and certificates of a test cluster, valid for loopback and for two days."""

from __future__ import annotations

import datetime as dt
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFETIME = dt.timedelta(days=2)
# Certificates begin in the past, so that a clock set back a little does not refuse them.
BACKDATED = dt.timedelta(hours=1)


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def public_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def write_private(path: Path, content: bytes) -> Path:
    """Write a file that only its owner reads."""
    path.touch(mode=0o600)
    path.write_bytes(content)
    return path


def _subject(name: str, groups: Sequence[str] = ()) -> x509.Name:
    # Kubernetes reads the user from the common name and groups from the organisations.
    organisations = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    return x509.Name([*organisations, x509.NameAttribute(NameOID.COMMON_NAME, name)])


@dataclass(frozen=True)
class Pair:
    """A certificate and its private key, both PEM."""

    certificate: bytes
    key: bytes


class Authority:
    """A certificate authority that lives in memory."""

    def __init__(self, name: str) -> None:
        self._key = new_key()
        self._name = _subject(name)
        builder = self._builder(self._name, self._key, authority=True)
        self._certificate = builder.sign(self._key, hashes.SHA256())

    @property
    def certificate(self) -> bytes:
        """The authority's own certificate, PEM."""
        return self._certificate.public_bytes(serialization.Encoding.PEM)

    def server(self, dns_names: Sequence[str], addresses: Sequence[str]) -> Pair:
        """A serving certificate for the names and the IP addresses."""
        alternatives: list[x509.GeneralName] = [x509.DNSName(name) for name in dns_names]
        alternatives += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
        return self._issue(
            _subject(dns_names[0]),
            ExtendedKeyUsageOID.SERVER_AUTH,
            x509.SubjectAlternativeName(alternatives),
        )

    def client(self, user: str, groups: Sequence[str]) -> Pair:
        """A client certificate for a Kubernetes user in the groups."""
        return self._issue(_subject(user, groups), ExtendedKeyUsageOID.CLIENT_AUTH)

    def _issue(
        self, subject: x509.Name, usage: x509.ObjectIdentifier, *extensions: x509.ExtensionType
    ) -> Pair:
        key = new_key()
        builder = self._builder(subject, key, authority=False)
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        for extension in extensions:
            builder = builder.add_extension(extension, critical=False)
        certificate = builder.sign(self._key, hashes.SHA256())
        return Pair(certificate.public_bytes(serialization.Encoding.PEM), private_pem(key))

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *, authority: bool
    ) -> x509.CertificateBuilder:
        now = dt.datetime.now(dt.UTC)
        issuer_key = self._key.public_key()
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - BACKDATED)
            .not_valid_after(now + LIFETIME)
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(_key_usage(authority=authority), critical=True)
            # Python 3.13 verifies strictly and wants both identifiers.
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key), critical=False
            )
        )


def _key_usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
