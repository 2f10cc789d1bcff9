"""Certificates and bundles of them, whole, odd and broken."""

from __future__ import annotations

import datetime as dt

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.layer.certificates import (
    last_end,
    read_bundle,
    read_certificate,
    signer_end,
    time_fault,
)
from gpuatlas_harness.certified import YEAR, Signed, signed

NOON = dt.datetime(2026, 8, 21, 12, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def authority() -> Signed:
    return signed("layer-ca", authority=True, begins=NOON - YEAR, ends=NOON + YEAR)


@pytest.fixture(scope="module")
def leaf(authority: Signed) -> Signed:
    hour = dt.timedelta(hours=1)
    return signed("", by=authority, dns=["a.b.svc"], begins=NOON - hour, ends=NOON + hour)


def der(one: Signed) -> bytes:
    return one.certificate.public_bytes(Encoding.DER)


def test_a_certificate_says_whose_it_is_and_when_it_ends(authority: Signed, leaf: Signed) -> None:
    found = read_certificate(der(authority))
    assert (found.not_after, found.names) == ((NOON + YEAR).timestamp(), "CN=layer-ca")
    assert found.subject == found.issuer == read_certificate(der(leaf)).issuer
    assert read_certificate(der(leaf)).names == "DNS:a.b.svc"
    assert read_certificate(der(signed(""))).names == ""


def test_a_bundle_is_what_of_it_can_be_read(authority: Signed, leaf: Signed) -> None:
    broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    key = b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"
    found = read_bundle(b"text\n" + broken + authority.pem + key + leaf.pem)
    assert [one.names for one in found] == ["CN=layer-ca", "DNS:a.b.svc"]
    assert last_end(found) == (NOON + YEAR).timestamp()


@pytest.mark.parametrize(
    ("bundle", "message"),
    [
        (b"", "caBundle is empty"),
        (b"text", "no certificate in it can be read"),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "no certificate"),
        (b"x" * (2**20 + 1), "larger than 1048576 bytes"),
    ],
)
def test_a_bundle_of_nothing_is_refused(bundle: bytes, message: str) -> None:
    with pytest.raises(MalformedError, match=message) as caught:
        read_bundle(bundle)
    assert caught.value.reason == "bad-certificate"


def test_a_certificate_that_ended_before_1970_is_refused() -> None:
    old = signed(
        "old",
        begins=dt.datetime(1951, 1, 1, tzinfo=dt.UTC),
        ends=dt.datetime(1952, 1, 1, tzinfo=dt.UTC),
    )
    with pytest.raises(MalformedError, match="before 1970"):
        read_certificate(der(old))


@pytest.mark.parametrize(
    ("hours", "fault"),
    [(0, ""), (2, "certificate has expired"), (-2, "certificate is not yet valid")],
)
def test_times_are_judged_by_the_clock_that_is_given(
    authority: Signed, leaf: Signed, hours: int, fault: str
) -> None:
    at = (NOON + dt.timedelta(hours=hours)).timestamp()
    bundle = read_bundle(authority.pem)
    assert time_fault(read_certificate(der(leaf)), bundle, at) == fault


def test_an_authority_that_ended_before_its_certificate_is_a_fault() -> None:
    ended = signed("ca", authority=True, begins=NOON - 2 * YEAR, ends=NOON - YEAR)
    leaf = read_certificate(der(signed("", by=ended, begins=NOON - YEAR, ends=NOON + YEAR)))
    fault = time_fault(leaf, read_bundle(ended.pem), NOON.timestamp())
    assert fault == "the certificate of the authority has expired or is not yet valid"
    renewed = signed("ca", authority=True, begins=NOON - YEAR, ends=NOON + YEAR)
    both = read_bundle(ended.pem + renewed.pem)
    assert time_fault(leaf, both, NOON.timestamp()) == ""
    stranger = read_bundle(signed("other", authority=True).pem)
    assert time_fault(leaf, stranger, NOON.timestamp()) == ""


def test_of_authorities_of_one_name_the_one_that_signed_counts(authority: Signed) -> None:
    renewed = signed("layer-ca", authority=True, begins=NOON, ends=NOON + 2 * YEAR)
    bundle = read_bundle(authority.pem + renewed.pem)
    for signer in (authority, renewed):
        leaf = read_certificate(der(signed("", by=signer)))
        assert signer_end(leaf, bundle) == signer.ends
    stranger = read_certificate(der(signed("", by=signed("layer-ca", authority=True))))
    assert signer_end(stranger, bundle) is None


def test_what_is_in_the_bundle_itself_needs_no_authority(leaf: Signed, authority: Signed) -> None:
    read = read_certificate(der(leaf))
    assert signer_end(read, read_bundle(leaf.pem)) == leaf.ends
    assert signer_end(read, read_bundle(leaf.pem + authority.pem)) == authority.ends
    assert signer_end(read, ()) is None


@settings(deadline=None, max_examples=150)
@given(changes=st.dictionaries(st.integers(0, 2000), st.integers(0, 255), max_size=4))
def test_spoilt_certificates_are_read_or_refused(
    authority: Signed, changes: dict[int, int]
) -> None:
    spoilt = bytearray(der(authority))
    for place, value in changes.items():
        spoilt[place % len(spoilt)] = value
    try:
        found = read_certificate(bytes(spoilt))
    except MalformedError:
        return
    assert 0 <= found.not_after < 1e12
    assert len(found.names) <= 200
    assert signer_end(found, read_bundle(authority.pem)) in {None, authority.ends}


@settings(deadline=None, max_examples=100)
@given(
    bundle=st.binary(max_size=300)
    | st.binary(max_size=60).map(
        lambda body: b"-----BEGIN CERTIFICATE-----" + body + b"-----END CERTIFICATE-----"
    )
)
def test_any_bytes_are_a_bundle_or_refused(bundle: bytes) -> None:
    with pytest.raises(MalformedError):
        read_bundle(bundle)
