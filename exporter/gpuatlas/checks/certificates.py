"""S08: the webhook's certificate or its caBundle ends soon, or the two do not fit. Pure.

Facts: facts/hami.md 6.2. kube-webhook-certgen issues for 100 years; cert-manager for 90 days, to be
renewed 30 days before the end, and HAMi before v2.8 serves the old certificate until it restarts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpuatlas.checks.conditions import joined, rfc3339
from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.hami_webhooks import hami_webhooks, probes_of
from gpuatlas.checks.layer_inputs import CERTIFICATE, WEBHOOKS, unread
from gpuatlas.checks.verdict import verdict
from gpuatlas.model.catalogue import Severity
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.layer import CertificateProbe, LayerWebhook, authority_end

CHECK: Final = "S08"
# cert-manager renews 30 days before the end: with 21 left it has failed for a week (facts/hami.md
# 6.2). `gpuatlas_sharing_webhook_certificate_not_after_timestamp_seconds` and
# `gpuatlas_sharing_webhook_ca_not_after_timestamp_seconds` in alerts/sharing.yaml.
WARNING_SECONDS: Final = 21 * 86_400.0
CRITICAL_SECONDS: Final = 3 * 86_400.0


def certificate(context: CheckContext) -> CheckResult:
    """Whether the API server can trust HAMi's webhook, and for how long it still can."""
    missing = (*unread(context, CHECK, WEBHOOKS), *_unseen(context))
    found = verdict(CHECK, context.hami_nodes, _findings(context), missing)
    return replace(found, nodes=())


def _unseen(context: CheckContext) -> Iterator[MissingInput]:
    webhooks = hami_webhooks(context)
    if not webhooks and not unread(context, CHECK, WEBHOOKS):
        yield _lack(WEBHOOKS, "no webhook of HAMi exists (S07), so no certificate can be seen")
    for webhook in webhooks:
        probes = probes_of(context, webhook)
        if not probes:
            told = context.layer.unread.get(CERTIFICATE)
            yield _lack(CERTIFICATE, told or f"no TLS handshake with {webhook.webhook} was tried")
        for probe in probes:
            if why := _unjudged(webhook, probe):
                yield _lack(CERTIFICATE, why)


def _unjudged(webhook: LayerWebhook, probe: CertificateProbe) -> str:
    """Why the handshake does not tell all, "" where it does."""
    if not probe.reached:
        return f"{probe.address} did not answer: {probe.error}"
    if probe.not_after is None:
        return f"the end of the certificate of {probe.address} could not be read"
    if _trusts_its_host(webhook):
        return f"{probe.address} is verified by authorities that only the API server knows"
    if probe.verified is None and not webhook.ca_error:
        return f"the chain of {probe.address} was not verified"
    return ""


def _trusts_its_host(webhook: LayerWebhook) -> bool:
    """An empty caBundle beside a URL means the certificate authorities of the API server's host."""
    return webhook.service is None and not webhook.ca_bundle


def _lack(name: str, reason: str) -> MissingInput:
    return MissingInput(check=CHECK, input=name, reason=reason)


def _findings(context: CheckContext) -> Iterator[Finding]:
    for webhook in hami_webhooks(context):
        probes = [probe for probe in probes_of(context, webhook) if probe.reached]
        yield from _ends(context, webhook, probes)
        yield from _ca_ends(context, webhook, probes)
        yield from _ca_unusable(webhook)
        for probe in probes:
            yield from _not_verified(webhook, probe)


def _finding(
    webhook: LayerWebhook, signal: str, source: str, record: str, *, severity: str = ""
) -> Finding:
    return Finding(
        check=CHECK,
        signal=signal,
        object=webhook.object,
        source=source,
        record=record,
        namespace=webhook.service[0] if webhook.service is not None else "",
        severity=severity,
    )


def _severity(context: CheckContext, not_after: float) -> Severity:
    left = not_after - context.now
    return Severity.CRITICAL if left < CRITICAL_SECONDS else Severity.WARNING


def _handshake(probe: CertificateProbe) -> str:
    return f"TLS handshake with {probe.address}"


def _ends(
    context: CheckContext, webhook: LayerWebhook, probes: list[CertificateProbe]
) -> Iterator[Finding]:
    """The certificate that ends first; replicas may serve different ones."""
    ending = [
        (probe.not_after, probe)
        for probe in probes
        if probe.not_after is not None and probe.not_after - context.now < WARNING_SECONDS
    ]
    if not ending:
        return
    not_after, first = min(ending, key=lambda item: item[0])
    subject = f"subject {first.subject}" if first.subject else ""
    others = f"{len(ending)} of {len(probes)} endpoints" if len(probes) > 1 else ""
    record = joined(f"notAfter {rfc3339(not_after)}", subject, others)
    severity = _severity(context, not_after)
    yield _finding(webhook, "ends", _handshake(first), record, severity=severity)


def _ca_ends(
    context: CheckContext, webhook: LayerWebhook, probes: list[CertificateProbe]
) -> Iterator[Finding]:
    ends = authority_end(webhook, probes)
    if ends is None or ends - context.now >= WARNING_SECONDS:
        return
    record = f"webhook {webhook.webhook}: a certificate of the caBundle ends {rfc3339(ends)}"
    source = f"{webhook.object} caBundle"
    yield _finding(webhook, "ca-ends", source, record, severity=_severity(context, ends))


def _ca_unusable(webhook: LayerWebhook) -> Iterator[Finding]:
    if not webhook.ca_error or _trusts_its_host(webhook):
        return
    record = f"webhook {webhook.webhook}: caBundle: {webhook.ca_error}"
    yield _finding(webhook, "not-verified", f"{webhook.object} caBundle", record)


def _not_verified(webhook: LayerWebhook, probe: CertificateProbe) -> Iterator[Finding]:
    if probe.verified is not False or _trusts_its_host(webhook):
        return
    record = f"webhook {webhook.webhook}: {probe.verify_error or 'certificate not verified'}"
    yield _finding(webhook, "not-verified", _handshake(probe), record)
