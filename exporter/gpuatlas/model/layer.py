"""The sharing layer's own objects: what runs it, admits for it and configures it.

Reduced by `sources.layer`. "Layer" is HAMi (with its Ascend plugin), Volcano vGPU or KAI; objects
are found by the label `app.kubernetes.io/component`, never by name, since names follow the release.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.model.rejections import Rejection

# The containers that are HAMi itself; what stands beside them has versions of its own
# (facts/hami.md 6.1).
MAIN_CONTAINERS: Final = ("vgpu-scheduler-extender", "device-plugin")


def main_image(images: Mapping[str, str], component: str) -> str:
    """The image of the container that is the layer itself, else of the first; "" without any.

    `images` are by container, in the order of the spec; `component` is the component label.
    """
    for container in (*MAIN_CONTAINERS, component, *images):
        if container in images:
            return images[container]
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerController:
    """A DaemonSet or Deployment of a sharing layer.

    `component` is the value of its component label ("hami-scheduler"). `version` is its label
    `app.kubernetes.io/version`, `images` are by container. `flags` are the command line options
    that the checks read, without dashes ("leader-elect-resource-name" → "hami-scheduler").
    `desired`, `ready` and `updated` count pods as its status does.
    """

    kind: str
    namespace: str
    name: str
    component: str
    version: str
    node_selector: Mapping[str, str]
    images: Mapping[str, str]
    desired: int
    ready: int
    updated: int
    settled: bool  # the controller has seen the newest spec
    flags: Mapping[str, str] = field(default_factory=dict)

    @property
    def object(self) -> str:
        """How findings name it."""
        return f"{self.kind}/{self.namespace}/{self.name}"

    @property
    def main_image(self) -> str:
        """The image that tells the layer's version, "" where no image was read."""
        return main_image(self.images, self.component)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerWebhook:
    """One webhook of a MutatingWebhookConfiguration that belongs to a sharing layer.

    `service` is (namespace, name) or None where `url` stands instead. `ca_not_after` is the end of
    the last certificate of the caBundle to end, in Unix seconds; None where `ca_error` says why.
    Which of them matters only a handshake tells: `authority_end`.
    `admits_pods` says that one of its rules covers the creation of pods.
    """

    configuration: str
    webhook: str
    service: tuple[str, str] | None
    url: str
    port: int
    path: str
    failure_policy: str
    ca_bundle: bytes
    ca_not_after: float | None
    ca_error: str
    admits_pods: bool

    @property
    def object(self) -> str:
        """How findings name it."""
        return f"MutatingWebhookConfiguration/{self.configuration}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceEndpoints:
    """One port of a Service of a sharing layer and what is behind it, from its EndpointSlices.

    `port` is the Service's port; `addresses` are (host, port) of the ready endpoints.
    """

    namespace: str
    service: str
    port: int
    ready: int
    total: int
    addresses: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerLease:
    """The Lease that a layer's schedulers elect their leader with. Times are Unix seconds."""

    namespace: str
    name: str
    holder: str
    renewed_at: float | None
    duration_seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSettings:
    """What a layer's configuration says about one node, or (with name "") about all.

    A field is None or "" where the configuration is silent. `hidden` are UUIDs and indexes (as
    text) of cards that the layer is told not to use. `preconfigured_bytes` stands in for the
    driver's figure where the driver has none; one unit of a request for memory is `memory_factor`
    MiB.
    """

    name: str
    memory_scaling: float | None = None
    core_scaling: float | None = None
    split_count: int | None = None
    mode: str = ""
    hidden: tuple[str, ...] = ()
    preconfigured_bytes: int | None = None
    memory_factor: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerConfig:
    """One ConfigMap of a sharing layer that was read.

    `defaults` and `nodes` are what it says about cards (facts/hami.md 4.2). `changed_at` is the
    last write of its data in Unix seconds (managedFields), None where the object does not tell.
    `error` says why its text could not be used, with the line; `lines` are quotable lines of the
    original text by setting ("deviceSplitCount" → "deviceSplitCount: 10"), those of a node by its
    name and the setting ("gpu-a/devicesplitcount" → '"devicesplitcount": 5').
    """

    namespace: str
    name: str
    key: str
    component: str
    defaults: NodeSettings
    nodes: tuple[NodeSettings, ...] = ()
    changed_at: float | None = None
    error: str = ""
    lines: Mapping[str, str] = field(default_factory=dict)

    @property
    def object(self) -> str:
        """How findings name it."""
        return f"ConfigMap/{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateProbe:
    """What a TLS handshake with one endpoint of a webhook's Service showed.

    `address` is "host:port", or the URL's where the webhook names one.
    `reached` is False where no handshake came about (`error` says why). `verified` says whether the
    served chain is valid now for the name that the API server asks for, by the caBundle alone;
    None where that was not tried. `not_after` is the end of the served leaf in Unix seconds,
    `ca_not_after` that of the certificate of the caBundle that signed it, None where none did.
    """

    configuration: str
    webhook: str
    address: str
    at: float
    reached: bool
    error: str = ""
    verified: bool | None = None
    verify_error: str = ""
    not_after: float | None = None
    ca_not_after: float | None = None
    subject: str = ""


def authority_end(webhook: LayerWebhook, probes: Iterable[CertificateProbe]) -> float | None:
    """When the caBundle stops verifying what the webhook's endpoints serve, in Unix seconds.

    The first end of the authorities that signed it: others, such as an old one that stays in the
    bundle after a renewal, may end. Where no handshake (`probes` are the webhook's) tells who
    signed, the end of the whole bundle. None where the bundle cannot be read.
    """
    ends = (probe.ca_not_after for probe in probes if probe.ca_not_after is not None)
    return min(ends, default=webhook.ca_not_after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """A licence of a commercial layer, from a source that the administrator named.

    `not_after` is Unix seconds, None for one without an end or where `error` says why it is
    unknown. `present` is False where the named source does not exist.
    """

    name: str
    source: str
    present: bool
    not_after: float | None
    record: str
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerObjects:
    """Everything that was read of sharing layers at one instant.

    `unread` says why something could not be read, by what it is: "daemonsets.apps",
    "deployments.apps", "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "services", "endpointslices.discovery.k8s.io", "leases.coordination.k8s.io", "configmaps",
    "certificate". `read_at` is None before the first look. `rejections` are records of these
    objects that were refused.
    """

    read_at: float | None = None
    controllers: tuple[LayerController, ...] = ()
    webhooks: tuple[LayerWebhook, ...] = ()
    endpoints: tuple[ServiceEndpoints, ...] = ()
    leases: tuple[SchedulerLease, ...] = ()
    configs: tuple[LayerConfig, ...] = ()
    probes: tuple[CertificateProbe, ...] = ()
    licences: tuple[Licence, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    rejections: tuple[Rejection, ...] = ()
