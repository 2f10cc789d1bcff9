"""What is asked of the API server about the sharing layers: one row each. Pure.

Few and small objects, so they are polled and not watched. Lists are narrowed by label where the
layer labels its objects (facts/hami.md 1.1 and 6.1). A Lease and a ConfigMap carry names that
follow the release: they are read by the names that the controllers state. Secrets are never read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpuatlas.sources.kubernetes.components import COMPONENTS
from gpuatlas.sources.kubernetes.metadata import api_group

COMPONENT: Final = "app.kubernetes.io/component"
NAME: Final = "app.kubernetes.io/name"
SERVICE_NAME: Final = "kubernetes.io/service-name"  # of an EndpointSlice; Kubernetes sets it
SCHEDULER: Final = "hami-scheduler"
_LAYERS: Final = frozenset({"hami", "ascend", "kai", "volcano"})

# Values of the component label that a layer's controllers carry.
LAYER_COMPONENTS: Final = frozenset(
    value
    for row in COMPONENTS
    if row.suite in _LAYERS and row.label == COMPONENT
    for value in row.values
)
# Volcano's chart labels its DaemonSet by name only (Project-HAMi's Volcano plugin, its chart).
VOLCANO_NAMES: Final = frozenset(
    value
    for row in COMPONENTS
    if row.suite == "volcano" and row.label == NAME
    for value in row.values
)


def one_of(label: str, values: frozenset[str]) -> str:
    """A label selector: the label has one of these values."""
    return f"{label} in ({','.join(sorted(values))})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One kind of object and how it is read.

    `verb` is "list" (in all namespaces) or "get" (by name). Of a list, each of `selectors` is a
    request of its own, since a label selector knows no "or"; without one everything is listed.
    What is `perishable` says nothing once it is old: a Lease that was not renewed means something.
    """

    resource: str  # plural, as in URLs and in RBAC
    kind: str
    api_version: str
    verb: str
    selectors: tuple[str, ...] = ("",)
    perishable: bool = False

    @property
    def api_group(self) -> str:
        """The API group, "" for core objects."""
        return api_group(self.api_version)

    @property
    def root(self) -> str:
        """The path of the API version."""
        return f"/{'apis' if self.api_group else 'api'}/{self.api_version}"

    @property
    def path(self) -> str:
        """Where the server lists them."""
        return f"{self.root}/{self.resource}"

    def path_of(self, namespace: str, name: str) -> str:
        """Where the server has one of them."""
        return f"{self.root}/namespaces/{namespace}/{self.resource}/{name}"

    @property
    def qualified(self) -> str:
        """How RBAC messages and `LayerObjects.unread` name it: "daemonsets.apps"."""
        return f"{self.resource}.{self.api_group}" if self.api_group else self.resource

    @property
    def source(self) -> str:
        """Its name in `gpuatlas_source_*`."""
        return f"kubernetes-{self.qualified}"


DAEMON_SETS: Final = Ask(
    resource="daemonsets",
    kind="DaemonSet",
    api_version="apps/v1",
    verb="list",
    selectors=(one_of(COMPONENT, LAYER_COMPONENTS), one_of(NAME, VOLCANO_NAMES)),
)
DEPLOYMENTS: Final = Ask(
    resource="deployments",
    kind="Deployment",
    api_version="apps/v1",
    verb="list",
    selectors=(one_of(COMPONENT, LAYER_COMPONENTS),),
)
WEBHOOKS: Final = Ask(
    resource="mutatingwebhookconfigurations",
    kind="MutatingWebhookConfiguration",
    api_version="admissionregistration.k8s.io/v1",
    verb="list",
)
SERVICES: Final = Ask(
    resource="services",
    kind="Service",
    api_version="v1",
    verb="list",
    selectors=(f"{COMPONENT}={SCHEDULER}",),
)
# Their selector names the Services that were found, so the reader adds it.
ENDPOINT_SLICES: Final = Ask(
    resource="endpointslices",
    kind="EndpointSlice",
    api_version="discovery.k8s.io/v1",
    verb="list",
)
LEASES: Final = Ask(
    resource="leases",
    kind="Lease",
    api_version="coordination.k8s.io/v1",
    verb="get",
    perishable=True,
)
CONFIG_MAPS: Final = Ask(resource="configmaps", kind="ConfigMap", api_version="v1", verb="get")

ASKS: Final[tuple[Ask, ...]] = (
    DAEMON_SETS,
    DEPLOYMENTS,
    WEBHOOKS,
    SERVICES,
    ENDPOINT_SLICES,
    LEASES,
    CONFIG_MAPS,
)
