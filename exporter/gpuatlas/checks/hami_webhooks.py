"""HAMi's schedulers, the webhooks that lead to them, and what probes of these showed. Pure.

The webhooks of other layers are read too. HAMi's is told by the namespace of its Service or, where
it names a URL, by its own name (facts/hami.md 6.1, 6.2).
"""

from __future__ import annotations

from typing import Final

from gpuatlas.checks.context import HAMI_SCHEDULER, CheckContext
from gpuatlas.model.layer import CertificateProbe, LayerController, LayerWebhook

_NAMES: Final = ".hami.io"


def schedulers(context: CheckContext) -> tuple[LayerController, ...]:
    """The controllers of HAMi's schedulers, by namespace and name."""
    found = [c for c in context.layer.controllers if c.component == HAMI_SCHEDULER]
    return tuple(sorted(found, key=lambda c: (c.namespace, c.name)))


def hami_webhooks(context: CheckContext) -> tuple[LayerWebhook, ...]:
    """HAMi's webhooks, by configuration and name."""
    found = [
        webhook
        for webhook in context.layer.webhooks
        if webhook.webhook.endswith(_NAMES)
        or (webhook.service is not None and webhook.service[0] in context.hami_homes)
    ]
    return tuple(sorted(found, key=lambda w: (w.configuration, w.webhook)))


def probes_of(context: CheckContext, webhook: LayerWebhook) -> tuple[CertificateProbe, ...]:
    """The handshakes that were tried with the webhook's endpoints, by address."""
    found = [
        probe
        for probe in context.layer.probes
        if (probe.configuration, probe.webhook) == (webhook.configuration, webhook.webhook)
    ]
    return tuple(sorted(found, key=lambda probe: probe.address))
