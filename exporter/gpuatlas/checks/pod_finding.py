"""The finding that a pod gives cause for: it is told at the pod's owner. Pure."""

from __future__ import annotations

from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.quote import Quote
from gpuatlas.model.checks import Finding
from gpuatlas.model.objects import Pod


def pod_finding(
    context: CheckContext, check: str, signal: str, pod: Pod, said: Quote, *, card: str = ""
) -> Finding:
    """What a record says of a pod on its node, and of the card where one is known."""
    return Finding(
        check=check,
        signal=signal,
        object=context.owner(pod),
        source=said.source,
        record=said.record,
        node=pod.node,
        card=card,
        namespace=pod.namespace,
        pod=pod.name,
    )
