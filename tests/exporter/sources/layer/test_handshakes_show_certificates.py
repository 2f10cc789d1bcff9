"""Real TLS servers on loopback, good and bad, and what a probe says of each."""

from __future__ import annotations

import datetime as dt
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gpuatlas.model.layer import CertificateProbe
from gpuatlas.sources.layer.certificates import read_bundle
from gpuatlas.sources.layer.probing import ProbeTarget
from gpuatlas.sources.layer.tls import probe, probe_all
from gpuatlas_harness.certified import (
    YEAR,
    Signed,
    answering,
    listening,
    port_of,
    signed,
    tls_server,
)

NAME = "vgpu-hami-scheduler.gpu-system.svc"
TIMEOUT_S = 5.0
SHORT_S = 0.3

Serve = Callable[[Signed], int]


@pytest.fixture(scope="module")
def authority() -> Signed:
    return signed("layer-ca", authority=True)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts TLS servers that end with the test; gives their ports."""
    with ExitStack() as running:

        def start(serving: Signed) -> int:
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            folder.mkdir()
            return running.enter_context(tls_server(serving, folder))

        yield start


def target(
    port: int, bundle: bytes = b"", *, host: str = "127.0.0.1", name: str = NAME
) -> ProbeTarget:
    return ProbeTarget(
        configuration="hami-webhook",
        webhook="vgpu.hami.io",
        host=host,
        port=port,
        server_name=name,
        trusted=read_bundle(bundle) if bundle else (),
        untrusted="" if bundle else "caBundle is empty",
    )


def look(port: int, bundle: bytes = b"", *, now: float | None = None) -> CertificateProbe:
    return probe(target(port, bundle), time.time() if now is None else now, TIMEOUT_S)


def test_a_certificate_that_the_bundle_verifies(authority: Signed, serve: Serve) -> None:
    leaf = signed("", by=authority, dns=[NAME])
    port, now = serve(leaf), time.time()
    assert look(port, authority.pem, now=now) == CertificateProbe(
        configuration="hami-webhook",
        webhook="vgpu.hami.io",
        address=f"127.0.0.1:{port}",
        at=now,
        reached=True,
        error="",
        verified=True,
        verify_error="",
        not_after=leaf.ends,
        ca_not_after=authority.ends,
        subject=f"DNS:{NAME}",
    )


def test_of_a_bundle_of_several_the_end_of_the_one_that_signed_counts(serve: Serve) -> None:
    begins = dt.datetime.now(dt.UTC).replace(microsecond=0) - 2 * YEAR
    ended = signed("first-ca", authority=True, begins=begins, ends=begins + YEAR)
    soon = signed("second-ca", authority=True, ends=begins + 2 * YEAR + dt.timedelta(days=2))
    new = signed("third-ca", authority=True)
    bundle = ended.pem + soon.pem + new.pem

    by_new = look(serve(signed("", by=new, dns=[NAME])), bundle)
    assert (by_new.verified, by_new.ca_not_after) == (True, new.ends)
    by_old = look(serve(signed("", by=soon, dns=[NAME])), bundle)
    assert (by_old.verified, by_old.ca_not_after) == (True, soon.ends)


def test_who_signed_is_not_known_under_an_authority_in_between(
    authority: Signed, serve: Serve
) -> None:
    between = signed("between", by=authority, authority=True)
    found = look(serve(signed("", by=between, dns=[NAME])), authority.pem)
    assert (found.verified, found.ca_not_after) == (True, None)


def assert_refused(found: CertificateProbe, reason: str, leaf: Signed) -> None:
    """Refused for this reason, and read all the same."""
    assert (found.reached, found.error, found.verified) == (True, "", False)
    assert reason in found.verify_error
    assert found.not_after == leaf.ends


def test_an_expired_certificate(authority: Signed, serve: Serve) -> None:
    yesterday = dt.datetime.now(dt.UTC).replace(microsecond=0) - dt.timedelta(days=1)
    leaf = signed("", by=authority, dns=[NAME], begins=yesterday - YEAR, ends=yesterday)
    assert_refused(look(serve(leaf), authority.pem), "certificate has expired", leaf)


def test_a_certificate_for_another_name(authority: Signed, serve: Serve) -> None:
    leaf = signed("", by=authority, dns=["other.gpu-system.svc"])
    reason = f"Hostname mismatch, certificate is not valid for '{NAME}'"
    assert_refused(look(serve(leaf), authority.pem), reason, leaf)


def test_a_name_in_the_subject_alone_is_none_as_go_has_it(authority: Signed, serve: Serve) -> None:
    leaf = signed(NAME, by=authority)
    assert_refused(look(serve(leaf), authority.pem), "Hostname mismatch", leaf)


def test_a_certificate_of_another_authority(authority: Signed, serve: Serve) -> None:
    leaf = signed("", by=signed("other-ca", authority=True), dns=[NAME])
    reason = "unable to get local issuer certificate"
    assert_refused(look(serve(leaf), authority.pem), reason, leaf)


def test_a_certificate_of_an_authority_of_the_same_name(authority: Signed, serve: Serve) -> None:
    """As after a new installation that left the old caBundle in place."""
    leaf = signed("", by=signed("layer-ca", authority=True), dns=[NAME])
    found = look(serve(leaf), authority.pem)
    assert (found.reached, found.verified, found.not_after) == (True, False, leaf.ends)
    assert found.verify_error


def test_a_self_signed_certificate_is_verified_by_itself_alone(
    authority: Signed, serve: Serve
) -> None:
    leaf = signed("self", dns=[NAME])
    port = serve(leaf)
    assert_refused(look(port, authority.pem), "self-signed certificate", leaf)
    found = look(port, leaf.pem)
    assert (found.verified, found.subject) == (True, "CN=self")
    assert found.ca_not_after == leaf.ends


def test_a_chain_with_an_intermediate_authority(authority: Signed, serve: Serve) -> None:
    between = signed("between", by=authority, authority=True)
    port = serve(signed("", by=between, dns=[NAME]))
    assert look(port, authority.pem).verified is True
    # Go takes every certificate of the bundle for an end of the chain.
    assert look(port, between.pem).verified is True


def test_an_intermediate_that_is_not_served(authority: Signed, serve: Serve) -> None:
    between = signed("between", by=authority, authority=True)
    whole = signed("", by=between, dns=[NAME])
    alone = Signed(whole.certificate, whole.key)
    reason = "unable to get local issuer certificate"
    assert_refused(look(serve(alone), authority.pem), reason, alone)


def test_a_bundle_with_a_certificate_twice_and_others(authority: Signed, serve: Serve) -> None:
    port = serve(signed("", by=authority, dns=[NAME]))
    bundle = signed("old", authority=True).pem + authority.pem + b"\n" + authority.pem
    assert look(port, bundle).verified is True


def test_without_a_bundle_the_certificate_is_read_and_nothing_verified(
    authority: Signed, serve: Serve
) -> None:
    leaf = signed("", by=authority, dns=[NAME])
    found = look(serve(leaf))
    assert (found.reached, found.verified, found.not_after) == (True, None, leaf.ends)
    assert found.verify_error == "caBundle is empty"


@pytest.mark.parametrize(
    ("days", "verified", "reason"),
    [
        (0, True, ""),
        (400, False, "certificate has expired"),
        (-400, False, "certificate is not yet valid"),
    ],
)
def test_a_simulated_clock_decides_what_is_valid(
    authority: Signed, serve: Serve, days: int, reason: str, *, verified: bool
) -> None:
    leaf = signed("", by=authority, dns=[NAME])
    now = time.time() + 120 + days * 86_400
    found = look(serve(leaf), authority.pem, now=now)
    assert (found.verified, found.verify_error) == (verified, reason)
    assert (found.at, found.not_after) == (now, leaf.ends)


def test_a_certificate_that_ended_by_the_real_clock_is_valid_in_its_own_time(
    serve: Serve,
) -> None:
    then = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)
    begins, ends = then - YEAR / 2, then + YEAR / 2
    authority = signed("layer-ca", authority=True, begins=begins, ends=ends)
    port = serve(signed("", by=authority, dns=[NAME], begins=begins, ends=ends))
    assert look(port, authority.pem, now=then.timestamp()).verified is True
    assert look(port, authority.pem).verified is False


def test_a_server_that_says_nothing_is_waited_for_as_long_as_is_set(authority: Signed) -> None:
    with listening() as silent:
        found = probe(target(port_of(silent), authority.pem), time.time(), SHORT_S)
    assert (found.reached, found.verified, found.not_after) == (False, None, None)
    assert found.error == "no TLS handshake: no answer in time"


def test_a_server_that_drips_does_not_hold_the_probe_up(authority: Signed) -> None:
    """Each byte comes in time, the handshake does not."""

    def drip(client: socket.socket) -> None:
        try:
            for byte in b"\x16\x03\x03\x40\x00" + b"\x02" * 100:
                client.sendall(bytes([byte]))
                time.sleep(SHORT_S / 5)
        except OSError:
            return

    with answering(drip) as port:
        found = probe(target(port, authority.pem), time.time(), SHORT_S)
    assert (found.reached, found.error) == (False, "no TLS handshake: no answer in time")


def test_a_server_without_tls(authority: Signed) -> None:
    def http(client: socket.socket) -> None:
        client.recv(1024)
        client.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    with answering(http) as port:
        found = look(port, authority.pem)
    assert (found.reached, found.verified) == (False, None)
    assert found.error == "no TLS handshake: wrong version number; is that port served with TLS?"


def test_a_server_that_hangs_up(authority: Signed) -> None:
    with answering(lambda client: client.close()) as port:
        found = look(port, authority.pem)
    assert (found.reached, found.verified) == (False, None)
    assert found.error.startswith("no TLS handshake: ")


def test_a_port_that_nobody_listens_on(authority: Signed) -> None:
    with listening() as server:
        port = port_of(server)
    found = look(port, authority.pem)
    assert (found.reached, found.error) == (False, "no connection: Connection refused")


@pytest.mark.parametrize("host", ["no-such-host.invalid", "x" * 64 + ".invalid", "a\0b"])
def test_names_that_lead_nowhere(authority: Signed, host: str) -> None:
    found = probe(target(443, authority.pem, host=host), time.time(), TIMEOUT_S)
    assert (found.reached, found.verified) == (False, None)
    assert found.error.startswith("no connection: ")


@pytest.mark.parametrize("name", ["x" * 64 + ".svc", ".svc", ""])
def test_names_that_no_certificate_can_have(authority: Signed, serve: Serve, name: str) -> None:
    port = serve(signed("", by=authority, dns=[NAME]))
    found = probe(target(port, authority.pem, name=name), time.time(), TIMEOUT_S)
    assert (found.reached, found.verified) == (False, None)
    assert found.error.startswith("no TLS handshake: ")


def test_all_targets_are_asked_at_once_and_told_in_order(authority: Signed, serve: Serve) -> None:
    good = serve(signed("", by=authority, dns=[NAME]))
    with listening() as silent, listening() as mute:
        ports = [port_of(silent), good, port_of(mute)]
        targets = [target(port, authority.pem) for port in ports]
        found = probe_all(targets, time.time(), SHORT_S)
    assert [one.address for one in found] == [f"127.0.0.1:{port}" for port in ports]
    assert [one.reached for one in found] == [False, True, False]
    assert probe_all([], time.time(), SHORT_S) == ()
