"""What a TLS handshake with each webhook of the simulated cluster would have shown. No sockets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import Encoding

from gpuatlas.demo.state import World
from gpuatlas.demo.state_layer import HamiState
from gpuatlas.demo.wire.certificates import served
from gpuatlas.model.layer import CertificateProbe, LayerObjects
from gpuatlas.sources.layer.certificates import read_certificate, time_fault
from gpuatlas.sources.layer.probing import ProbeTarget, probe_targets
from gpuatlas.sources.layer.settings import LayerSettings

# The exporter's words for a connection that is cut, and OpenSSL's for a stranger's signature.
_CUT: Final = "no TLS handshake: unexpected eof while reading; is that port served with TLS?"
_NOT_SIGNED: Final = "unable to get local issuer certificate"


def handshakes(world: World, layer: LayerObjects) -> Iterator[CertificateProbe]:
    """One for each endpoint that the exporter would have asked."""
    installations = {
        f"{hami.release.scheduler_name}.{hami.release.namespace}.svc": hami for hami in world.hami
    }
    for target in probe_targets(layer, LayerSettings().probed_endpoints):
        state = installations.get(target.server_name)
        answers = state is not None and state.answers
        yield _answered(target, state, world) if state and answers else _refused(target, world)


def _refused(target: ProbeTarget, world: World) -> CertificateProbe:
    return CertificateProbe(
        configuration=target.configuration,
        webhook=target.webhook,
        address=target.address,
        at=world.at,
        reached=False,
        error=_CUT,
        verify_error=target.untrusted,
    )


def _answered(target: ProbeTarget, state: HamiState, world: World) -> CertificateProbe:
    shown = x509.load_pem_x509_certificate(served(state, world).certificate)
    leaf = read_certificate(shown.public_bytes(Encoding.DER))
    fault = target.untrusted or (
        time_fault(leaf, target.trusted, world.at) if _is_signed(shown, target) else _NOT_SIGNED
    )
    return CertificateProbe(
        configuration=target.configuration,
        webhook=target.webhook,
        address=target.address,
        at=world.at,
        reached=True,
        verified=None if target.untrusted else not fault,
        verify_error=fault,
        not_after=leaf.not_after,
        subject=leaf.names,
    )


def _is_signed(leaf: x509.Certificate, target: ProbeTarget) -> bool:
    """Whether an authority of the caBundle signed it. Its names are its Service's by making."""
    for authority in target.trusted:
        try:
            leaf.verify_directly_issued_by(x509.load_der_x509_certificate(authority.der))
        except (ValueError, InvalidSignature):
            continue
        return True
    return False
