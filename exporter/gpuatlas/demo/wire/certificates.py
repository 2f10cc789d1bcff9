"""The certificates of HAMi's webhooks, as the chart's job makes them (facts/hami.md 6.2).

The keys follow from the seed: anybody can compute them. They are good for a simulated cluster on
loopback, which shows the same bytes again for the same seed, and for nothing else. Pure.
"""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from gpuatlas.demo.patterns import DAY, HOUR
from gpuatlas.demo.state import World
from gpuatlas.demo.state_layer import CertificateState, HamiState

_LIFETIME: Final = 100 * 365 * DAY
# Of the curve P-256 (FIPS 186-4, D.1.2.3): keys are numbers from 1 to below it.
_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_AUTHORITY: Final = "nil1"  # the organisations that the job writes
_SERVER: Final = "nil2"


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its key, both PEM."""

    certificate: bytes
    key: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """From when to when a certificate holds, in Unix seconds."""

    begins: float
    ends: float


def ca_bundle(state: HamiState, world: World) -> bytes:
    """What the webhook's configuration trusts, PEM; empty where it trusts nobody."""
    trusted = state.certificate.trusted
    if trusted == "none":
        return b""
    name = state.release.release + ("" if trusted == "own" else " before")
    ends = state.certificate.authority_ends_at
    return _authority(world.seed, name, _span(world, ends))


def served(state: HamiState, world: World) -> Pair:
    """What the webhook serves: for its Service, signed by the installation's own authority."""
    certificate: CertificateState = state.certificate
    return _server(
        world.seed,
        state.release.release,
        f"{state.release.scheduler_name}.{state.release.namespace}.svc",
        _span(world, certificate.ends_at),
    )


def _span(world: World, ends: float | None) -> _Span:
    begins = world.scenario.since - HOUR  # a clock that is set back a little does not refuse it
    return _Span(begins=begins, ends=begins + _LIFETIME if ends is None else ends)


@lru_cache(maxsize=32)
def _authority(seed: int, name: str, span: _Span) -> bytes:
    key = _key(seed, name, "authority")
    builder = _builder(_AUTHORITY, key, key, span).add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    )
    signed = builder.sign(key, hashes.SHA256(), ecdsa_deterministic=True)
    return signed.public_bytes(serialization.Encoding.PEM)


@lru_cache(maxsize=32)
def _server(seed: int, name: str, host: str, span: _Span) -> Pair:
    key, issuer = _key(seed, name, "server"), _key(seed, name, "authority")
    names = [x509.DNSName(host), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    builder = (
        _builder(_SERVER, key, issuer, span)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
    )
    signed = builder.sign(issuer, hashes.SHA256(), ecdsa_deterministic=True)
    return Pair(
        signed.public_bytes(serialization.Encoding.PEM),
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    )


def _key(seed: int, name: str, role: str) -> ec.EllipticCurvePrivateKey:
    digest = hashlib.sha512(f"{seed}\x1f{name}\x1f{role}".encode()).digest()
    return ec.derive_private_key(int.from_bytes(digest) % (_ORDER - 1) + 1, ec.SECP256R1())


def _builder(
    organisation: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: ec.EllipticCurvePrivateKey,
    span: _Span,
) -> x509.CertificateBuilder:
    """What an authority and a server have in common."""
    public = key.public_key()
    authority = organisation == _AUTHORITY
    fingerprint = hashlib.sha256(f"{organisation}{span.ends}".encode()).digest()
    return (
        x509.CertificateBuilder()
        .subject_name(_name(organisation))
        .issuer_name(_name(_AUTHORITY))
        .public_key(public)
        .serial_number(int.from_bytes(fingerprint[:15]) + 1)
        .not_valid_before(_moment(span.begins))
        .not_valid_after(_moment(span.ends))
        .add_extension(_usage(authority=authority), critical=True)
        # Verifiers that are strict want both identifiers.
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.public_key()), critical=False
        )
    )


def _name(organisation: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, organisation)])


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(int(at), UTC)


def _usage(*, authority: bool) -> x509.KeyUsage:
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
