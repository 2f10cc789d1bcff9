"""What certificates say of themselves: when they end, whose they are, who signed them. Pure."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import clean_text

MAX_BUNDLE_BYTES: Final = 1024 * 1024  # what etcd takes of one object, facts/k8s.md 6
# The system's roots are about 150; a bundle of more is a mistake.
MAX_CERTIFICATES: Final = 512
_BLOCK: Final = re.compile(
    rb"-----BEGIN CERTIFICATE-----[^-]{1,200000}-----END CERTIFICATE-----", re.ASCII
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """One certificate. Times are Unix seconds; `subject` and `issuer` are the names' own bytes."""

    der: bytes
    not_before: float
    not_after: float
    subject: bytes
    issuer: bytes
    names: str  # for people


def read_certificate(der: bytes) -> Certificate:
    """One certificate in DER.

    Raises:
        MalformedError: "bad-certificate".
    """
    with _reading():
        return _described(x509.load_der_x509_certificate(der))


def read_bundle(pem: bytes) -> tuple[Certificate, ...]:
    """The certificates of a caBundle.

    As the API server does, blocks of another kind and certificates that cannot be read are left
    out as long as one is left.

    Raises:
        MalformedError: "bad-certificate": empty, too large, or nothing in it can be read.
    """
    if not pem:
        raise MalformedError("bad-certificate", "caBundle is empty")
    if len(pem) > MAX_BUNDLE_BYTES:
        raise MalformedError("bad-certificate", f"larger than {MAX_BUNDLE_BYTES} bytes")
    read = tuple(_readable(_BLOCK.findall(pem)[:MAX_CERTIFICATES]))
    if not read:
        raise MalformedError("bad-certificate", "no certificate in it can be read")
    return read


def last_end(certificates: Sequence[Certificate]) -> float:
    """When the last of them ends."""
    return max(certificate.not_after for certificate in certificates)


def signer_end(leaf: Certificate, bundle: Sequence[Certificate]) -> float | None:
    """When the last of those ends that signed the leaf, or are it.

    None where none did, as under an authority in between. After a renewal a bundle holds the old
    authority beside the new one, often of the same name: the signature tells them apart.
    """
    signers = (one for one in bundle if one.der == leaf.der or _has_signed(one, leaf))
    return max((one.not_after for one in signers), default=None)


def time_fault(leaf: Certificate, bundle: Sequence[Certificate], at: float) -> str:
    """Why a chain of the leaf to the bundle is not valid at this time, "" if nothing says so."""
    if at > leaf.not_after:
        return "certificate has expired"
    if at < leaf.not_before:
        return "certificate is not yet valid"
    signers = [one for one in bundle if one.subject == leaf.issuer]
    if signers and not any(one.not_before <= at <= one.not_after for one in signers):
        return "the certificate of the authority has expired or is not yet valid"
    return ""


def _has_signed(authority: Certificate, leaf: Certificate) -> bool:
    if authority.subject != leaf.issuer:
        return False
    try:
        with _reading():
            signed, signer = map(x509.load_der_x509_certificate, (leaf.der, authority.der))
            signed.verify_directly_issued_by(signer)
    except MalformedError:
        return False
    return True


def _readable(blocks: Sequence[bytes]) -> Iterator[Certificate]:
    for block in blocks:
        try:
            with _reading():
                yield _described(x509.load_pem_x509_certificate(block))
        except MalformedError:
            continue


def _described(certificate: x509.Certificate) -> Certificate:
    ends = certificate.not_valid_after_utc.timestamp()
    if ends < 0:
        raise MalformedError("bad-certificate", "it ended before 1970")
    return Certificate(
        der=certificate.public_bytes(Encoding.DER),
        not_before=certificate.not_valid_before_utc.timestamp(),
        not_after=ends,
        subject=certificate.subject.public_bytes(),
        issuer=certificate.issuer.public_bytes(),
        names=clean_text(_names(certificate)),
    )


def _names(certificate: x509.Certificate) -> str:
    """The subject; where it is empty, as modern certificates have it, the names it is for."""
    subject = certificate.subject.rfc4514_string()
    if subject:
        return subject
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return ""
    return ", ".join(f"DNS:{name}" for name in extension.value.get_values_for_type(x509.DNSName))


@contextmanager
def _reading() -> Iterator[None]:
    """Odd certificates are told of by warnings and by errors; all mean the same.

    Parts of a certificate are decoded only when they are asked for.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except MalformedError:
            raise
        except Exception as error:  # the library has one for each fault, without a common base
            message = clean_text(f"not a certificate: {error}")
            raise MalformedError("bad-certificate", message) from error
