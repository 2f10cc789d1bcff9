"""What could not be read of the sharing layers' own objects. Pure."""

from __future__ import annotations

from typing import Final

from gpuatlas.checks.context import CheckContext
from gpuatlas.model.checks import MissingInput

WEBHOOKS: Final = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
ENDPOINTS: Final = "endpointslices.discovery.k8s.io"
DAEMON_SETS: Final = "daemonsets.apps"
DEPLOYMENTS: Final = "deployments.apps"
CONFIG_MAPS: Final = "configmaps"
CERTIFICATE: Final = "certificate"
LAYER: Final = "layer objects"


def unread(context: CheckContext, check: str, *inputs: str) -> tuple[MissingInput, ...]:
    """Those of `inputs`, words of `LayerObjects.unread`, that could not be read, and why."""
    if context.layer.read_at is None:
        reason = "the sharing layers' own objects have not been read yet"
        return (MissingInput(check=check, input=LAYER, reason=reason),)
    return tuple(
        MissingInput(check=check, input=name, reason=context.layer.unread[name])
        for name in inputs
        if name in context.layer.unread
    )
