"""S07: HAMi's admission webhook does not answer. Pure.

With the failure policy Ignore, HAMi's default and no fault by itself, pods then pass unseen
(facts/hami.md 6.2, 6.3 I2). From v2.9 on the Service selects the leader by a label (1.1), so a
label that is not set takes all endpoints away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from gpuatlas.checks.conditions import joined
from gpuatlas.checks.context import HAMI_SCHEDULER, CheckContext
from gpuatlas.checks.hami_webhooks import hami_webhooks, probes_of, schedulers
from gpuatlas.checks.layer_inputs import CERTIFICATE, DEPLOYMENTS, ENDPOINTS, WEBHOOKS, unread
from gpuatlas.checks.verdict import unread_pods, verdict
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.device_plugins import COMPONENT
from gpuatlas.model.layer import LayerController, LayerWebhook, ServiceEndpoints

CHECK: Final = "S07"
_ROLE: Final = "hami.io/scheduler-role"


def down(context: CheckContext) -> CheckResult:
    """Whether pods reach HAMi's webhook when they are created."""
    missing = (*unread(context, CHECK, DEPLOYMENTS, WEBHOOKS), *_unseen(context))
    found = verdict(CHECK, context.hami_nodes, _findings(context), missing)
    return replace(found, nodes=())


def _reads(context: CheckContext, *inputs: str) -> bool:
    return not unread(context, CHECK, *inputs)


def _findings(context: CheckContext) -> Iterator[Finding]:
    webhooks = hami_webhooks(context)
    if _reads(context, WEBHOOKS):
        for controller in schedulers(context):
            yield from _uncovered(controller, _leading_to(context, controller, webhooks))
    for webhook in webhooks:
        yield from _no_endpoints(context, webhook)
        yield from _unreachable(context, webhook)


def _unseen(context: CheckContext) -> Iterator[MissingInput]:
    """What cannot be said although the objects could be listed."""
    webhooks = hami_webhooks(context)
    lists = _reads(context, DEPLOYMENTS, WEBHOOKS)
    if lists and not webhooks and not schedulers(context):
        reason = (
            f"no Deployment has the label {COMPONENT}={HAMI_SCHEDULER}: add it to HAMi's scheduler"
        )
        yield MissingInput(check=CHECK, input=DEPLOYMENTS, reason=reason)
    if any(webhook.service is not None for webhook in webhooks):
        yield from unread(context, CHECK, ENDPOINTS)
    for webhook in webhooks:
        answering = webhook.service is None or _has_ready(context, webhook)
        if answering and not probes_of(context, webhook):
            reason = context.layer.unread.get(CERTIFICATE) or (
                f"no TLS handshake with the webhook {webhook.webhook} was tried"
            )
            yield MissingInput(check=CHECK, input=CERTIFICATE, reason=reason)


def _leading_to(
    context: CheckContext, controller: LayerController, webhooks: Sequence[LayerWebhook]
) -> list[LayerWebhook]:
    """The webhooks that may lead to a scheduler: by a URL, or by a Service beside it.

    The chart gives a scheduler's Service the scheduler's name: one with the name of another
    scheduler is that one's.
    """
    others = {(c.namespace, c.name) for c in schedulers(context)} - {
        (controller.namespace, controller.name)
    }
    return [
        webhook
        for webhook in webhooks
        if webhook.service is None
        or (webhook.service[0] == controller.namespace and webhook.service not in others)
    ]


def _uncovered(controller: LayerController, own: Sequence[LayerWebhook]) -> Iterator[Finding]:
    """A scheduler that no webhook, or none for pods, leads to."""
    namespace = controller.namespace
    if not own:
        yield Finding(
            check=CHECK,
            signal="absent",
            object=controller.object,
            source=WEBHOOKS,
            record=f"none points to the Service of {controller.object}",
            namespace=namespace,
        )
    elif not any(webhook.admits_pods for webhook in own):
        for webhook in own:
            yield Finding(
                check=CHECK,
                signal="not-covering",
                object=webhook.object,
                source=f"{webhook.object} webhook {webhook.webhook} rules",
                record=f"webhook {webhook.webhook}: no rule covers the creation of pods",
                namespace=namespace,
            )


def _endpoints(context: CheckContext, webhook: LayerWebhook) -> ServiceEndpoints | None:
    for found in context.layer.endpoints:
        if (found.namespace, found.service) == webhook.service and found.port == webhook.port:
            return found
    return None


def _has_ready(context: CheckContext, webhook: LayerWebhook) -> bool:
    found = _endpoints(context, webhook)
    return found is not None and found.ready > 0


def _no_endpoints(context: CheckContext, webhook: LayerWebhook) -> Iterator[Finding]:
    if webhook.service is None or not _reads(context, ENDPOINTS) or _has_ready(context, webhook):
        return
    found = _endpoints(context, webhook)
    namespace, name = webhook.service
    counts = f"{found.ready} of {found.total} endpoints ready" if found else "no such endpoints"
    yield Finding(
        check=CHECK,
        signal="no-endpoints",
        object=f"Service/{namespace}/{name}",
        source=ENDPOINTS,
        record=joined(
            f"Service {namespace}/{name} port {webhook.port}: {counts}",
            _role_doubt(context, namespace),
            f"failurePolicy: {webhook.failure_policy}",
        ),
        namespace=namespace,
    )


def _role_doubt(context: CheckContext, namespace: str) -> str:
    """Whether roles are given to the schedulers there, and none is the leader."""
    if unread_pods(context, CHECK):
        return ""
    roles = [
        pod.labels[_ROLE]
        for pod in context.observations.pods.values()
        if pod.namespace == namespace
        and pod.labels.get(COMPONENT) == HAMI_SCHEDULER
        and _ROLE in pod.labels
    ]
    return f"no scheduler pod has {_ROLE}=leader" if roles and "leader" not in roles else ""


def _unreachable(context: CheckContext, webhook: LayerWebhook) -> Iterator[Finding]:
    """Endpoints that are ready and do not answer; those that are not are no news."""
    service, probes = webhook.service, probes_of(context, webhook)
    if service is not None and _reads(context, ENDPOINTS) and not _has_ready(context, webhook):
        return
    for probe in probes:
        if probe.reached:
            continue
        failed = sum(not each.reached for each in probes)
        yield Finding(
            check=CHECK,
            signal="unreachable",
            object=webhook.object if service is None else f"Service/{service[0]}/{service[1]}",
            source=f"TLS handshake with {probe.address}",
            record=joined(
                probe.error or "no answer",
                f"{failed} of {len(probes)} endpoints",
                f"failurePolicy: {webhook.failure_policy}",
            ),
            namespace=service[0] if service is not None else "",
        )
