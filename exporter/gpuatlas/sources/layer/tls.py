"""Shakes hands with the endpoints of webhooks, as the API server does, to see their certificates.

Nothing is sent but the handshake. Nothing that is shown is believed beyond what the handshake with
the caBundle proves; a second one without any trust only reads the certificate that was refused.

The chain is verified as Go does it: names by the alternative names alone, and every certificate of
the bundle ends a chain, whether it signs itself or not.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.layer import CertificateProbe
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import clean_text
from gpuatlas.sources.layer.certificates import (
    Certificate,
    read_certificate,
    signer_end,
    time_fault,
)
from gpuatlas.sources.layer.probing import ProbeTarget

_WORKERS: Final = 8
# OpenSSL's X509_V_FLAG_NO_CHECK_TIME, which the ssl module has no name for.
_NO_CHECK_TIME: Final = 0x200000
# OpenSSL judges by the system's clock. A clock that differs from it by more is a simulated one.
_CLOCK_TOLERANCE_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Handshake:
    """How one ended: with the served certificate, refused for it, or not at all."""

    served: bytes = b""
    refused: str = ""
    failed: str = ""


def probe_all(
    targets: Iterable[ProbeTarget], now: float, timeout_s: float
) -> tuple[CertificateProbe, ...]:
    """One probe of each target, several at a time; see `probe`."""
    listed = tuple(targets)
    if not listed:
        return ()
    with ThreadPoolExecutor(min(_WORKERS, len(listed)), thread_name_prefix="probe") as pool:
        return tuple(pool.map(lambda target: probe(target, now, timeout_s), listed))


def probe(target: ProbeTarget, now: float, timeout_s: float) -> CertificateProbe:
    """One handshake, and a second one where the first was refused for the certificate.

    Both together take `timeout_s` seconds at most. Only a name can take longer: the resolver has
    limits of its own, and each address of the name has that time to take the connection.
    `now`, in Unix seconds, is when the certificates must be valid.
    """
    end = time.monotonic() + timeout_s
    simulated = abs(now - time.time()) > _CLOCK_TOLERANCE_S
    verified, verify_error = None, target.untrusted
    handshake = _Handshake(refused=target.untrusted)
    if target.trusted:
        handshake = _shake_hands(target, _trusting(target.trusted, timeless=simulated), end)
        verified = not handshake.refused if not handshake.failed else None
        verify_error = handshake.refused
    if handshake.refused:
        handshake = _shake_hands(target, _trusting_none(), end)
    leaf, unreadable = _leaf(handshake.served)
    if verified and simulated and leaf is not None:
        verify_error = time_fault(leaf, target.trusted, now)
        verified = not verify_error
    # Who was refused was there, whatever became of the second handshake.
    reached = verified is not None or bool(handshake.served)
    return CertificateProbe(
        configuration=target.configuration,
        webhook=target.webhook,
        address=target.address,
        at=now,
        reached=reached,
        error=clean_text(handshake.failed or unreadable),
        verified=verified,
        verify_error=clean_text(verify_error),
        not_after=None if leaf is None else leaf.not_after,
        ca_not_after=None if leaf is None else signer_end(leaf, target.trusted),
        subject="" if leaf is None else leaf.names,
    )


def _leaf(served: bytes) -> tuple[Certificate | None, str]:
    if not served:
        return None, ""
    try:
        return read_certificate(served), ""
    except MalformedError as error:
        return None, str(error)


def _trusting(bundle: Iterable[Certificate], *, timeless: bool) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # TLS 1.2 on, as Go's clients
    context.hostname_checks_common_name = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if timeless:
        context.verify_flags |= _NO_CHECK_TIME
    context.load_verify_locations(cadata=b"".join({one.der: None for one in bundle}))
    return context


def _trusting_none() -> ssl.SSLContext:
    """For looking only: whoever answers may be anybody."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _shake_hands(target: ProbeTarget, context: ssl.SSLContext, end: float) -> _Handshake:
    what = "no TLS handshake"
    try:
        # For a name that no certificate can have: of a socket that is refused for it nobody can
        # close the descriptor.
        context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname=target.server_name)
        what = "no connection"
        place = (target.host, target.port)
        with socket.create_connection(place, timeout=_left(end)) as connection:
            what = "no TLS handshake"
            connection.settimeout(_left(end))  # for the handshake as a whole
            with context.wrap_socket(connection, server_hostname=target.server_name) as secured:
                return _Handshake(served=secured.getpeercert(binary_form=True) or b"")
    except ssl.SSLCertVerificationError as error:
        return _Handshake(refused=error.verify_message or "the certificate is not accepted")
    except (OSError, ValueError) as error:
        return _Handshake(failed=f"{what}: {_explained(error)}")


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _explained(error: OSError | ValueError) -> str:
    """In a person's words: the library's name its own source files."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, ssl.SSLError):
        reason = str(error.reason or "the connection was cut").replace("_", " ").lower()
        return f"{reason}; is that port served with TLS?"
    if isinstance(error, socket.gaierror):
        return f"the name is not known here ({error.strerror})"
    return str(getattr(error, "strerror", None) or error)
