"""Real handshakes with the simulated webhooks, verified by the caBundle that the API gives out."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Any

import pytest
import requests
from cryptography import x509

from gpuatlas.demo.scenario import Scenario
from gpuatlas.demo.server import SimulatedCluster

Document = dict[str, Any]
WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
SLICES = "/apis/discovery.k8s.io/v1/endpointslices"
INSTALLATIONS = [
    ("hami-webhook", "hami-scheduler.hami-system.svc"),
    ("hami-legacy-webhook", "hami-legacy-scheduler.hami-legacy.svc"),
]


@dataclass
class Webhook:
    """One webhook as a reader of the API finds it."""

    cluster: SimulatedCluster
    session: requests.Session
    configuration: str = "hami-webhook"

    def _get(self, path: str, **query: str) -> Document:
        answer = self.session.get(self.cluster.api_url + path, params=query, timeout=30)
        document: Document = answer.json()
        return document

    @property
    def client(self) -> Document:
        (hook,) = self._get(f"{WEBHOOKS}/{self.configuration}")["webhooks"]
        client: Document = hook["clientConfig"]
        return client

    @property
    def host(self) -> str:
        service = self.client["service"]
        return f"{service['name']}.{service['namespace']}.svc"

    @property
    def address(self) -> tuple[str, int]:
        service = self.client["service"]
        selector = f"kubernetes.io/service-name={service['name']}"
        (found,) = self._get(SLICES, labelSelector=selector)["items"]
        (port,) = [port["port"] for port in found["ports"] if port["name"] == "http"]
        return found["endpoints"][0]["addresses"][0], port

    def context(self) -> ssl.SSLContext:
        """Trusts the caBundle and nothing else."""
        bundle = base64.b64decode(self.client["caBundle"], validate=True).decode()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=bundle)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    def certificate(self, host: str = "") -> x509.Certificate:
        """What is served, after a handshake that verified it."""
        with (
            socket.create_connection(self.address, timeout=10) as plain,
            self.context().wrap_socket(plain, server_hostname=host or self.host) as secured,
        ):
            der = secured.getpeercert(binary_form=True)
        assert der is not None
        return x509.load_der_x509_certificate(der)

    def request(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        context = self.context()
        context.check_hostname = False
        connection = http.client.HTTPSConnection(*self.address, timeout=10, context=context)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


@pytest.fixture
def webhook(cluster: SimulatedCluster, session: requests.Session) -> Webhook:
    return Webhook(cluster, session)


@pytest.mark.parametrize(("configuration", "host"), INSTALLATIONS)
def test_the_ca_bundle_verifies_what_is_served(
    cluster: SimulatedCluster, session: requests.Session, configuration: str, host: str
) -> None:
    webhook = Webhook(cluster, session, configuration)
    assert webhook.host == host
    assert webhook.address[0] == "127.0.0.1"
    certificate = webhook.certificate()
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [host]
    assert certificate.not_valid_after_utc.year == 2125


def test_another_installations_bundle_verifies_nothing(webhook: Webhook) -> None:
    other = Webhook(webhook.cluster, webhook.session, "hami-legacy-webhook")
    with (
        socket.create_connection(webhook.address, timeout=10) as plain,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        other.context().wrap_socket(plain, server_hostname=webhook.host)


def test_the_certificate_is_for_its_own_service_alone(webhook: Webhook) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        webhook.certificate("hami-scheduler.kube-system.svc")


def test_the_extenders_routes_answer(webhook: Webhook) -> None:
    assert webhook.request("GET", "/healthz") == (200, b"")
    assert webhook.request("GET", "/readyz") == (200, b"")
    assert webhook.request("GET", "/metrics")[0] == 404
    assert webhook.request("POST", "/filter", b"{}")[0] == 404


def test_every_pod_is_let_in_as_it_is(webhook: Webhook) -> None:
    review = {"apiVersion": "admission.k8s.io/v1beta1", "request": {"uid": "u-1"}}
    status, body = webhook.request("POST", "/webhook", json.dumps(review).encode())
    assert status == 200
    assert json.loads(body) == {
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1beta1",
        "response": {"uid": "u-1", "allowed": True},
    }


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"request": 3}'])
def test_what_is_no_review_is_refused(webhook: Webhook, body: bytes) -> None:
    assert webhook.request("POST", "/webhook", body)[0] == 400


def test_a_caller_who_does_not_speak_tls_harms_nobody(webhook: Webhook) -> None:
    answered = b""
    with (
        socket.create_connection(webhook.address, timeout=10) as plain,
        contextlib.suppress(ConnectionResetError),
    ):
        plain.sendall(b"GET /healthz HTTP/1.1\r\n\r\n")
        answered = plain.recv(4096)
    assert b"HTTP" not in answered
    assert webhook.request("GET", "/healthz")[0] == 200


def test_certificates_depend_on_the_seed_alone(
    scenario: Scenario, thursday: float, session: requests.Session
) -> None:
    found = []
    for seed in (3, 3, 4):
        with SimulatedCluster(scenario, seed=seed, start=thursday, speed=0) as cluster:
            webhook = Webhook(cluster, session)
            found.append((webhook.client["caBundle"], webhook.certificate()))
    assert found[0] == found[1]
    assert found[0][0] != found[2][0]


def test_an_open_connection_does_not_hold_the_cluster_up(
    scenario: Scenario, thursday: float, session: requests.Session
) -> None:
    with SimulatedCluster(scenario, start=thursday, speed=0) as cluster:
        webhook = Webhook(cluster, session)
        plain = socket.create_connection(webhook.address, timeout=10)
        with webhook.context().wrap_socket(plain, server_hostname=webhook.host) as secured:
            cluster.close()
            assert secured.recv(1) == b""


# Faults: each is seen by the next handshake.


def test_a_certificate_that_ends_soon_is_still_verified(
    scenario: Scenario, session: requests.Session
) -> None:
    now = time.time()
    with SimulatedCluster(scenario, start=now, speed=0, faults=()) as cluster:
        webhook = Webhook(cluster, session)
        before = webhook.certificate()
        cluster.faults.enable("certificate-ends", node="a10g-1", days=2)
        after = webhook.certificate()
        assert after.not_valid_after_utc.timestamp() == int(now) + 2 * 86_400
        assert after.issuer == before.issuer
        cluster.faults.disable("certificate-ends", node="a10g-1")
        assert webhook.certificate() == before


def test_a_certificate_that_has_ended_is_refused(webhook: Webhook) -> None:
    webhook.cluster.faults.enable("certificate-ends", node="a10g-1", days=0)
    with pytest.raises(ssl.SSLCertVerificationError, match="expired"):
        webhook.certificate()


def test_an_authority_that_ends_soon_signs_what_is_served(
    scenario: Scenario, session: requests.Session
) -> None:
    now = time.time()
    with SimulatedCluster(scenario, start=now, speed=0, faults=()) as cluster:
        webhook = Webhook(cluster, session)
        before = webhook.certificate()
        cluster.faults.enable("authority-ends", node="a10g-1")
        assert webhook.certificate() == before
        bundle = base64.b64decode(webhook.client["caBundle"])
        authority = x509.load_pem_x509_certificate(bundle)
        assert authority.not_valid_after_utc.timestamp() == int(now) + 2 * 86_400


def test_another_authority_verifies_nothing(webhook: Webhook) -> None:
    webhook.cluster.faults.enable("authority-wrong", node="a10g-1")
    with pytest.raises(ssl.SSLCertVerificationError):
        webhook.certificate()
    other = Webhook(webhook.cluster, webhook.session, "hami-legacy-webhook")
    other.certificate()


def test_a_webhook_that_cuts_connections_is_found_and_not_reached(webhook: Webhook) -> None:
    webhook.cluster.faults.enable("webhook-unreachable", node="a10g-1")
    with pytest.raises(OSError, match=r"EOF|reset|closed"):
        webhook.certificate()
    webhook.cluster.faults.disable("webhook-unreachable", node="a10g-1")
    webhook.certificate()
