"""Which addresses of which webhooks are asked, and by which name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.layer import LayerObjects
from gpuatlas.sources.layer.parse import parse_layer
from gpuatlas.sources.layer.probing import probe_targets
from gpuatlas_harness.certified import signed
from gpuatlas_harness.layered import (
    NAMESPACE,
    SERVICE,
    endpoint_slice,
    installation,
    service,
    webhook,
)

NAME = f"{SERVICE}.{NAMESPACE}.svc"


def addresses(objects: LayerObjects, most: int = 3) -> list[tuple[str, str]]:
    return [(found.address, found.server_name) for found in probe_targets(objects, most)]


def test_the_ready_endpoints_are_asked_by_the_name_of_the_service() -> None:
    assert addresses(parse_layer(installation())) == [("10.0.0.7:8443", NAME)]


def test_so_many_and_no_more() -> None:
    many = endpoint_slice({f"10.0.0.{n}": True for n in range(1, 9)})
    objects = parse_layer([service(), webhook(), many])
    assert addresses(objects) == [(f"10.0.0.{n}:8443", NAME) for n in (1, 2, 3)]
    assert addresses(objects, 1) == [("10.0.0.1:8443", NAME)]


def test_a_service_without_ready_endpoints_is_not_asked() -> None:
    none = endpoint_slice({"10.0.0.7": False})
    assert addresses(parse_layer([service(), webhook(), none])) == []


def test_a_service_of_unknown_endpoints_is_asked_by_its_dns_name() -> None:
    assert addresses(parse_layer([service(), webhook(port=444)])) == [(f"{NAME}:444", NAME)]


def test_ipv6_addresses_are_written_in_brackets() -> None:
    six = endpoint_slice({"fd00::7": True})
    assert addresses(parse_layer([service(), webhook(), six])) == [("[fd00::7]:8443", NAME)]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://hami.example.com/webhook", [("hami.example.com:443", "hami.example.com")]),
        ("https://hami.example.com:8443/x", [("hami.example.com:8443", "hami.example.com")]),
        ("https://[fd00::1]:1/x", [("[fd00::1]:1", "fd00::1")]),
        ("https://a:99999/x", []),
        ("https://[nonsense/x", []),
        ("nonsense", []),
    ],
)
def test_a_webhook_with_an_address_is_asked_there(
    url: str, expected: list[tuple[str, str]]
) -> None:
    assert addresses(parse_layer([webhook(url=url)])) == expected


def test_the_bundle_goes_along_or_why_there_is_none() -> None:
    authority = signed("layer-ca", authority=True)
    (found,) = probe_targets(parse_layer(installation(authority.pem)), 3)
    assert ([one.names for one in found.trusted], found.untrusted) == (["CN=layer-ca"], "")
    (bare,) = probe_targets(parse_layer(installation()), 3)
    assert (bare.trusted, bare.untrusted) == ((), "caBundle is empty")


def test_a_flood_of_webhooks_is_cut() -> None:
    (hook,) = parse_layer([webhook(url="https://a.example.com")]).webhooks
    flood = LayerObjects(webhooks=tuple(replace(hook, configuration=str(n)) for n in range(99)))
    assert len(addresses(flood)) == 16


@settings(deadline=None, max_examples=200)
@given(url=st.text(max_size=40) | st.text(max_size=30).map("https://{}".format))
def test_any_address_gives_a_port_or_nothing(url: str) -> None:
    for found in probe_targets(parse_layer([webhook(url=url or "x")]), 3):
        assert found.host
        assert 0 <= found.port <= 65535
