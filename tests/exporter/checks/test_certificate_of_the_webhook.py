"""S08: the webhook's certificate or its caBundle ends soon, or the two do not fit."""

from __future__ import annotations

import pytest

from gpuatlas.checks.certificates import CRITICAL_SECONDS, WARNING_SECONDS, certificate
from gpuatlas.model.checks import CheckResult, Finding, InputState
from gpuatlas.model.layer import LayerObjects
from gpuatlas_harness.checked_layers import (
    DAY,
    a_checked_cluster,
    a_plugin_pod,
    a_probe,
    a_shared_node,
    a_webhook,
    installed,
    signals,
    the_finding,
)
from gpuatlas_harness.observed import NOW, a_node

CONFIGURATION = "MutatingWebhookConfiguration/hami-webhook"


def judged(layer: LayerObjects) -> CheckResult:
    return certificate(a_checked_cluster([a_shared_node()], [a_plugin_pod()], layer=layer))


def reasons(result: CheckResult) -> list[tuple[str, str]]:
    return [(lack.input, lack.reason) for lack in result.missing]


def test_a_good_certificate_is_no_finding() -> None:
    result = judged(installed())
    assert (result.state, result.findings, result.missing) == (InputState.OK, (), ())
    assert result.nodes == ()


def test_a_certificate_that_ends_is_quoted_with_its_end() -> None:
    layer = installed(probes=(a_probe(not_after=NOW + 20 * DAY),))
    assert judged(layer).findings == (
        Finding(
            check="S08",
            signal="ends",
            object=CONFIGURATION,
            source="TLS handshake with 10.0.0.9:443",
            record="notAfter 2027-02-04T08:00:00Z; subject CN=hami-scheduler",
            namespace="kube-system",
            severity="warning",
        ),
    )


def test_the_first_of_several_endpoints_to_end_counts() -> None:
    probes = (
        a_probe(not_after=NOW + 20 * DAY),
        a_probe(address="10.0.0.8:443", not_after=NOW - DAY, subject=""),
        a_probe(address="10.0.0.7:443"),
    )
    finding = the_finding(judged(installed(probes=probes)))
    assert finding.source == "TLS handshake with 10.0.0.8:443"
    assert finding.record == "notAfter 2027-01-14T08:00:00Z; 2 of 3 endpoints"


@pytest.mark.parametrize(
    ("left", "expected"), [(WARNING_SECONDS, []), (WARNING_SECONDS - 1, ["ends"])]
)
def test_three_weeks_are_enough(left: float, expected: list[str]) -> None:
    assert signals(judged(installed(probes=(a_probe(not_after=NOW + left),)))) == expected


def test_the_thresholds_are_those_of_the_alert() -> None:
    assert (WARNING_SECONDS, CRITICAL_SECONDS) == (1_814_400, 259_200)


def test_cert_manager_renews_in_time() -> None:
    assert judged(installed(probes=(a_probe(not_after=NOW + 31 * DAY),))).findings == ()


def test_a_bundle_that_ends() -> None:
    layer = installed(webhooks=(a_webhook(ca_not_after=NOW + DAY),))
    assert the_finding(judged(layer)) == Finding(
        check="S08",
        signal="ca-ends",
        object=CONFIGURATION,
        source=f"{CONFIGURATION} caBundle",
        record="webhook vgpu.hami.io: a certificate of the caBundle ends 2027-01-16T08:00:00Z",
        namespace="kube-system",
        severity="critical",
    )


@pytest.mark.parametrize(
    ("signers", "expected"),
    [
        ((NOW + 400 * DAY,), []),
        ((NOW + DAY,), ["ca-ends"]),
        ((NOW + 400 * DAY, NOW + DAY), ["ca-ends"]),
        ((NOW + 400 * DAY, None), []),
        ((None,), ["ca-ends"]),
    ],
)
def test_of_the_bundle_what_signed_the_served_certificates_counts(
    signers: tuple[float | None, ...], expected: list[str]
) -> None:
    probes = tuple(
        a_probe(address=f"10.0.0.{number}:443", ca_not_after=ends)
        for number, ends in enumerate(signers)
    )
    layer = installed(webhooks=(a_webhook(ca_not_after=NOW + 2 * DAY),), probes=probes)
    assert signals(judged(layer)) == expected


def test_a_bundle_that_is_empty() -> None:
    webhook = a_webhook(ca_bundle=b"", ca_not_after=None, ca_error="the caBundle is empty")
    layer = installed(webhooks=(webhook,), probes=(a_probe(verified=None),))
    result = judged(layer)
    finding = the_finding(result)
    assert (finding.signal, finding.source) == ("not-verified", f"{CONFIGURATION} caBundle")
    assert finding.record == "webhook vgpu.hami.io: caBundle: the caBundle is empty"
    assert result.state is InputState.OK


def test_a_chain_that_is_not_verified() -> None:
    probe = a_probe(verified=False, verify_error="self-signed certificate in certificate chain")
    finding = the_finding(judged(installed(probes=(probe,))))
    assert (finding.signal, finding.source) == ("not-verified", "TLS handshake with 10.0.0.9:443")
    assert finding.record == ("webhook vgpu.hami.io: self-signed certificate in certificate chain")
    silent = a_probe(verified=False, verify_error="")
    assert the_finding(judged(installed(probes=(silent,)))).record.endswith("not verified")


def test_a_url_without_a_bundle_is_verified_by_the_hosts_authorities() -> None:
    webhook = a_webhook(
        service=None, url="https://x", ca_bundle=b"", ca_not_after=None, ca_error="empty"
    )
    layer = installed(webhooks=(webhook,), probes=(a_probe(verified=False),))
    result = judged(layer)
    assert result.findings == ()
    assert reasons(result) == [
        ("certificate", "10.0.0.9:443 is verified by authorities that only the API server knows")
    ]
    broken = a_webhook(service=None, url="https://x", ca_bundle=b"?", ca_error="no PEM")
    assert the_finding(judged(installed(webhooks=(broken,)))).namespace == ""


def test_what_was_not_seen_is_a_missing_input() -> None:
    assert reasons(judged(installed(probes=()))) == [
        ("certificate", "no TLS handshake with vgpu.hami.io was tried")
    ]
    told = installed(probes=(), unread={"certificate": "not from a laptop"})
    assert reasons(judged(told)) == [("certificate", "not from a laptop")]
    dead = a_probe(reached=False, error="timed out", verified=None, not_after=None)
    assert reasons(judged(installed(probes=(dead,)))) == [
        ("certificate", "10.0.0.9:443 did not answer: timed out")
    ]
    unverified = installed(probes=(a_probe(verified=None),))
    assert reasons(judged(unverified)) == [
        ("certificate", "the chain of 10.0.0.9:443 was not verified")
    ]


def test_a_certificate_without_a_known_end_is_not_called_good_or_bad() -> None:
    result = judged(installed(probes=(a_probe(not_after=None),)))
    assert result.findings == ()
    assert reasons(result) == [
        ("certificate", "the end of the certificate of 10.0.0.9:443 could not be read")
    ]


def test_without_a_webhook_there_is_no_certificate_to_see() -> None:
    result = judged(installed(webhooks=(), probes=()))
    assert result.state is InputState.MISSING
    assert [name for name, _ in reasons(result)] == [
        "mutatingwebhookconfigurations.admissionregistration.k8s.io"
    ]


def test_webhooks_that_cannot_be_read_are_a_missing_input() -> None:
    name = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
    result = judged(installed(webhooks=(), probes=(), unread={name: "403 Forbidden"}))
    assert reasons(result) == [(name, "403 Forbidden")]
    assert [name for name, _ in reasons(judged(LayerObjects()))] == ["layer objects"]


def test_it_does_not_apply_without_hami() -> None:
    assert certificate(a_checked_cluster([a_node()])).state is InputState.NOT_APPLICABLE
