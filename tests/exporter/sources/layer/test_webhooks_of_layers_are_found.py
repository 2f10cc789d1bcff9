"""Which webhooks are a layer's, where they lead and what they take in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.layer import LayerWebhook
from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.layer.webhooks import read_webhooks
from gpuatlas_harness.certified import Signed, signed
from gpuatlas_harness.layered import NAMESPACE, RELEASE, SERVICE, webhook

Object = dict[str, Any]


@pytest.fixture(scope="module")
def authority() -> Signed:
    return signed("layer-ca", authority=True)


def read(raw: object, *schedulers: tuple[str, str]) -> list[LayerWebhook | MalformedError]:
    return list(read_webhooks(raw, schedulers))


def one(raw: object) -> LayerWebhook:
    (found,) = read(raw)
    assert isinstance(found, LayerWebhook)
    return found


def test_hamis_webhook_is_known_by_its_name(authority: Signed) -> None:
    assert one(webhook(authority.pem)) == LayerWebhook(
        configuration=f"{RELEASE}-webhook",
        webhook="vgpu.hami.io",
        service=(NAMESPACE, SERVICE),
        url="",
        port=443,
        path="/webhook",
        failure_policy="Ignore",
        ca_bundle=authority.pem,
        ca_not_after=authority.ends,
        ca_error="",
        admits_pods=True,
    )


def test_a_webhook_that_calls_a_scheduler_is_a_layers_by_any_name() -> None:
    raw = webhook()
    raw["webhooks"][0]["name"] = "renamed.example.com"
    assert read(raw) == []
    assert read(raw, (NAMESPACE, "another")) == []
    (found,) = read(raw, (NAMESPACE, SERVICE))
    assert isinstance(found, LayerWebhook)
    assert found.webhook == "renamed.example.com"


def test_defaults_are_those_of_the_api() -> None:
    raw = webhook()
    hook = raw["webhooks"][0]
    del hook["failurePolicy"]
    del hook["clientConfig"]["service"]["port"]
    del hook["clientConfig"]["service"]["path"]
    found = one(raw)
    assert (found.failure_policy, found.port, found.path) == ("Fail", 443, "")


def test_a_webhook_with_an_address_has_no_service() -> None:
    found = one(webhook(url="https://hami.example.com:8443/webhook"))
    assert (found.service, found.url) == (None, "https://hami.example.com:8443/webhook")


def test_an_empty_bundle_and_a_broken_one_say_why_they_are_none() -> None:
    empty = one(webhook())
    assert (empty.ca_not_after, empty.ca_error) == (None, "caBundle is empty")
    raw = webhook()
    raw["webhooks"][0]["clientConfig"]["caBundle"] = "***"
    assert one(raw).ca_error == "caBundle is not base64"
    garbage = one(webhook(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
    assert garbage.ca_error == "no certificate in it can be read"


def test_the_last_certificate_of_a_bundle_to_end_counts(authority: Signed) -> None:
    now = authority.certificate.not_valid_before_utc
    older = signed("old-ca", authority=True, begins=now, ends=now.replace(year=now.year + 1))
    bundle = b"junk\n" + authority.pem + older.pem
    assert one(webhook(bundle)).ca_not_after == authority.ends


@pytest.mark.parametrize(
    ("change", "admits"),
    [
        ({}, True),
        ({"operations": ["*"], "apiGroups": ["*"], "resources": ["*/*"]}, True),
        ({"operations": ["UPDATE"]}, False),
        ({"resources": ["deployments"]}, False),
        ({"resources": ["pods/exec"]}, False),
        ({"apiGroups": ["apps"]}, False),
        ({"apiVersions": ["v2"]}, False),
        ({"scope": "Cluster"}, False),
        ({"operations": "CREATE"}, False),
    ],
)
def test_whether_it_takes_in_the_creation_of_pods(change: Object, *, admits: bool) -> None:
    raw = webhook()
    raw["webhooks"][0]["rules"][0] |= change
    assert one(raw).admits_pods is admits


def test_without_rules_it_admits_nothing() -> None:
    raw = webhook()
    raw["webhooks"][0]["rules"] = None
    assert one(raw).admits_pods is False


@pytest.mark.parametrize("port", [0, -1, 65536, "443", True, 1.5])
def test_a_port_that_is_none_costs_its_webhook_only(port: object) -> None:
    raw = webhook()
    second = webhook(url="https://a.example.com")["webhooks"][0]
    raw["webhooks"][0]["clientConfig"]["service"]["port"] = port
    raw["webhooks"].append(second)
    refused, found = read(raw)
    assert isinstance(refused, MalformedError)
    assert refused.reason == "bad-number"
    assert isinstance(found, LayerWebhook)
    assert found.url == "https://a.example.com"


def test_a_configuration_without_a_name_is_refused() -> None:
    raw = webhook()
    raw["metadata"] = {}
    with pytest.raises(MalformedError, match=r"without metadata\.name"):
        read(raw)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@settings(deadline=None, max_examples=150)
@given(
    field=st.sampled_from(["clientConfig", "rules", "failurePolicy", "name"]),
    value=JSON,
    bundle=st.binary(max_size=200) | st.text(max_size=50),
)
def test_nothing_but_our_error_comes_of_it(field: str, value: object, bundle: bytes | str) -> None:
    raw = webhook(bundle) if isinstance(bundle, bytes) else webhook()
    if isinstance(bundle, str):
        raw["webhooks"][0]["clientConfig"]["caBundle"] = bundle
    raw["webhooks"][0][field] = value
    for found in read(raw, (NAMESPACE, SERVICE)):
        assert isinstance(found, LayerWebhook | MalformedError)
        if isinstance(found, LayerWebhook):
            assert (found.ca_not_after is None) == bool(found.ca_error)
            assert 0 < found.port <= 65535
