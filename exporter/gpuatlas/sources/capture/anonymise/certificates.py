"""Stands in for the caBundle of a webhook: says when it ends, and not whose it is. Pure."""

from __future__ import annotations

import base64
import binascii
import hashlib
from datetime import UTC, datetime
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.layer.certificates import Certificate, read_bundle

# A name and a key of nobody: no handshake is ever checked against them.
_NAME: Final = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "anonymised")])
_KEY: Final = hashlib.sha256(b"gpuatlas capture --anonymise").digest()
# As unreadable as what it replaces.
_UNREADABLE: Final = base64.b64encode(b"unreadable").decode()


def stand_in(bundle: str) -> str:
    """A bundle in base64 with one certificate that ends with the first of the given ones.

    One that nobody could read stays such a one, an empty one stays empty.
    """
    if not bundle:
        return ""
    try:
        pem = base64.b64decode(bundle, validate=True)
    except (binascii.Error, ValueError):
        return "unreadable"
    try:
        first = min(read_bundle(pem), key=lambda certificate: certificate.not_after)
    except MalformedError:
        return _UNREADABLE if pem else ""
    return base64.b64encode(_certificate(first)).decode()


def _certificate(like: Certificate) -> bytes:
    key = Ed25519PrivateKey.from_private_bytes(_KEY)
    ends = datetime.fromtimestamp(like.not_after, UTC)
    begins = datetime.fromtimestamp(max(min(like.not_before, like.not_after), 0.0), UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_NAME)
        .issuer_name(_NAME)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begins)
        .not_valid_after(ends)
    )
    return builder.sign(key, None).public_bytes(Encoding.PEM)
