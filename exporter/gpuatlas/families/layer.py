"""Metrics of the sharing layer's own objects: what runs it, admits for it and configures it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from gpuatlas.families.spec import Family, Kind, Series
from gpuatlas.model.layer import (
    CertificateProbe,
    LayerController,
    LayerObjects,
    LayerWebhook,
    SchedulerLease,
    authority_end,
)
from gpuatlas.model.units import clean_text

_WEBHOOK: Final = ("configuration", "webhook")
_COMPONENT: Final = ("kind", "namespace", "name")


def _component_labels(of: LayerController) -> tuple[str, str, str]:
    return (of.kind, of.namespace, of.name)


def _components(layer: LayerObjects) -> Iterator[Series]:
    for found in layer.controllers:
        version, image = clean_text(found.version), clean_text(found.main_image)
        yield (*_component_labels(found), found.component, version, image), 1


def _component_pods(layer: LayerObjects) -> Iterator[Series]:
    for found in layer.controllers:
        counts = {"desired": found.desired, "ready": found.ready, "updated": found.updated}
        for state, number in counts.items():
            yield (*_component_labels(found), state), number


def _webhook_labels(of: LayerWebhook) -> tuple[str, str]:
    return (of.configuration, of.webhook)


def _webhooks(layer: LayerObjects) -> Iterator[Series]:
    for found in layer.webhooks:
        namespace, service = found.service or ("", "")
        yield (*_webhook_labels(found), namespace, service, found.failure_policy), 1


def _endpoints(layer: LayerObjects) -> Iterator[Series]:
    ports = {((port.namespace, port.service), port.port): port for port in layer.endpoints}
    for found in layer.webhooks:
        port = ports.get((found.service, found.port)) if found.service else None
        if port is not None:
            yield (*_webhook_labels(found), "ready"), port.ready
            yield (*_webhook_labels(found), "not_ready"), port.total - port.ready


def _probes(layer: LayerObjects) -> dict[tuple[str, str], list[CertificateProbe]]:
    """By webhook."""
    probes: dict[tuple[str, str], list[CertificateProbe]] = defaultdict(list)
    for probe in layer.probes:
        probes[probe.configuration, probe.webhook].append(probe)
    return probes


def _of_each_probed(
    pick: Callable[[list[CertificateProbe]], float | None],
) -> Callable[[LayerObjects], Iterator[Series]]:
    """One series for each webhook whose probes tell something together."""

    def samples(layer: LayerObjects) -> Iterator[Series]:
        for webhook, found in _probes(layer).items():
            number = pick(found)
            if number is not None:
                yield webhook, number

    return samples


def _all_reached(probes: list[CertificateProbe]) -> int:
    return int(all(probe.reached for probe in probes))


def _first_end(probes: list[CertificateProbe]) -> float | None:
    return min((p.not_after for p in probes if p.not_after is not None), default=None)


def _all_verified(probes: list[CertificateProbe]) -> int | None:
    verdicts = [probe.verified for probe in probes if probe.verified is not None]
    return int(all(verdicts)) if verdicts else None


def _ca_ends(layer: LayerObjects) -> Iterator[Series]:
    probes = _probes(layer)
    for found in layer.webhooks:
        ends = authority_end(found, probes.get(_webhook_labels(found), ()))
        if ends is not None:
            yield _webhook_labels(found), ends


def _renewals(layer: LayerObjects) -> Iterator[Series]:
    for lease in layer.leases:
        if lease.renewed_at is not None:
            yield (lease.namespace, lease.name, clean_text(lease.holder)), lease.renewed_at


def _durations(layer: LayerObjects) -> Iterator[Series]:
    for lease in layer.leases:
        if lease.duration_seconds is not None:
            yield _lease_labels(lease), lease.duration_seconds


def _lease_labels(lease: SchedulerLease) -> tuple[str, str]:
    return (lease.namespace, lease.name)


def _config_changes(layer: LayerObjects) -> Iterator[Series]:
    changes: dict[tuple[str, str], float] = {}
    for config in layer.configs:
        if config.changed_at is not None:
            at = (config.namespace, config.name)
            changes[at] = max(config.changed_at, changes.get(at, config.changed_at))
    yield from changes.items()


def _licences(layer: LayerObjects) -> Iterator[Series]:
    for licence in layer.licences:
        if licence.not_after is not None:
            yield (clean_text(licence.name), clean_text(licence.source)), licence.not_after


FAMILIES: Final[tuple[Family[LayerObjects], ...]] = (
    Family(
        name="gpuatlas_sharing_component_info",
        kind=Kind.INFO,
        help="A DaemonSet or Deployment of a sharing layer, its version by its label and the image "
        "of its main container.",
        labels=(*_COMPONENT, "component", "version", "image"),
        samples=_components,
    ),
    Family(
        name="gpuatlas_sharing_component_pods",
        kind=Kind.GAUGE,
        help="Pods of a DaemonSet or Deployment of a sharing layer by state (desired, ready, "
        "updated), as its status counts them.",
        labels=(*_COMPONENT, "state"),
        samples=_component_pods,
    ),
    Family(
        name="gpuatlas_sharing_webhook_info",
        kind=Kind.INFO,
        help="A webhook with which a sharing layer admits pods, the Service behind it (empty where "
        "a URL stands instead) and what happens when it does not answer.",
        labels=(*_WEBHOOK, "namespace", "service", "failure_policy"),
        samples=_webhooks,
    ),
    Family(
        name="gpuatlas_sharing_webhook_endpoints",
        kind=Kind.GAUGE,
        help="Endpoints behind the Service of the webhook by state (ready, not_ready).",
        labels=(*_WEBHOOK, "state"),
        samples=_endpoints,
    ),
    Family(
        name="gpuatlas_sharing_webhook_reachable",
        kind=Kind.GAUGE,
        help="1 if every endpoint of the webhook that was probed answered a TLS handshake, else 0; "
        "absent where none was probed.",
        labels=_WEBHOOK,
        samples=_of_each_probed(_all_reached),
    ),
    Family(
        name="gpuatlas_sharing_webhook_certificate_not_after_timestamp_seconds",
        kind=Kind.GAUGE,
        help="When the certificate that the webhook serves ends, in seconds since 1970, the "
        "earliest of its endpoints.",
        labels=_WEBHOOK,
        unit="seconds",
        samples=_of_each_probed(_first_end),
    ),
    Family(
        name="gpuatlas_sharing_webhook_certificate_verified",
        kind=Kind.GAUGE,
        help="1 if the caBundle verifies what every probed endpoint of the webhook serves, else 0; "
        "absent where that was not tried.",
        labels=_WEBHOOK,
        samples=_of_each_probed(_all_verified),
    ),
    Family(
        name="gpuatlas_sharing_webhook_ca_not_after_timestamp_seconds",
        kind=Kind.GAUGE,
        help="When the certificate of the caBundle that signed what the webhook serves ends, in "
        "seconds since 1970; where none is known to have signed it, the last one to end.",
        labels=_WEBHOOK,
        unit="seconds",
        samples=_ca_ends,
    ),
    Family(
        name="gpuatlas_sharing_leader_lease_renewed_timestamp_seconds",
        kind=Kind.GAUGE,
        help="When the leader of the schedulers of a sharing layer last renewed its Lease, in "
        "seconds since 1970.",
        labels=("namespace", "lease", "holder"),
        unit="seconds",
        samples=_renewals,
    ),
    Family(
        name="gpuatlas_sharing_leader_lease_duration_seconds",
        kind=Kind.GAUGE,
        help="Seconds after which a Lease that was not renewed is free for another scheduler.",
        labels=("namespace", "lease"),
        unit="seconds",
        samples=_durations,
    ),
    Family(
        name="gpuatlas_sharing_config_changed_timestamp_seconds",
        kind=Kind.GAUGE,
        help="When the data of a ConfigMap of a sharing layer was last written, in seconds since "
        "1970.",
        labels=("namespace", "configmap"),
        unit="seconds",
        samples=_config_changes,
    ),
    Family(
        name="gpuatlas_sharing_licence_not_after_timestamp_seconds",
        kind=Kind.GAUGE,
        help="When a licence of a sharing layer ends, in seconds since 1970; absent for one "
        "without an end and for one that cannot be read.",
        labels=("licence", "source"),
        unit="seconds",
        samples=_licences,
    ),
)
