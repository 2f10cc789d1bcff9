"""Objects of a sharing layer of which every metric has something to say."""

from __future__ import annotations

from gpuatlas.model.layer import (
    CertificateProbe,
    LayerConfig,
    LayerController,
    LayerObjects,
    LayerWebhook,
    Licence,
    NodeSettings,
    SchedulerLease,
    ServiceEndpoints,
)

from .build import NOW


def a_read_layer() -> LayerObjects:
    """HAMi with its webhook, and two licences of which one has an end."""
    return LayerObjects(
        read_at=NOW,
        controllers=(_controller("DaemonSet", "hami-device-plugin", "device-plugin"),),
        webhooks=(
            _webhook("vgpu.hami.io", ("kube-system", "hami-scheduler")),
            _webhook("outside", None),
        ),
        endpoints=(
            ServiceEndpoints(
                namespace="kube-system", service="hami-scheduler", port=443, ready=1, total=3
            ),
        ),
        leases=(
            SchedulerLease(
                namespace="kube-system",
                name="hami-scheduler",
                holder="hami-scheduler-6c5d_0f1e",
                renewed_at=NOW - 2,
                duration_seconds=15.0,
            ),
            SchedulerLease(
                namespace="kube-system",
                name="never-renewed",
                holder="",
                renewed_at=None,
                duration_seconds=None,
            ),
        ),
        configs=(_config("device-config.yaml", 100), _config("config.json", 50)),
        probes=(_probe("10.0.0.1:443", 500), _probe("10.0.0.2:443", 400), _probe("10.0.0.3:443")),
        licences=(_licence("team", NOW + 86_400), _licence("endless", None)),
    )


def _controller(kind: str, component: str, container: str) -> LayerController:
    return LayerController(
        kind=kind,
        namespace="kube-system",
        name=component,
        component=component,
        version="2.9.0",
        node_selector={"gpu": "on"},
        images={"sidecar": "registry.example/sidecar:1", container: "projecthami/hami:v2.9.0"},
        desired=3,
        ready=2,
        updated=1,
        settled=True,
    )


def _webhook(name: str, service: tuple[str, str] | None) -> LayerWebhook:
    return LayerWebhook(
        configuration="hami-webhook",
        webhook=name,
        service=service,
        url="" if service else "https://hami.example/webhook",
        port=443,
        path="/webhook",
        failure_policy="Ignore",
        ca_bundle=b"",
        ca_not_after=NOW + 1_000 if service else None,
        ca_error="" if service else "empty",
        admits_pods=True,
    )


def _config(key: str, before: float) -> LayerConfig:
    return LayerConfig(
        namespace="kube-system",
        name="hami-scheduler-device",
        key=key,
        component="hami-scheduler",
        defaults=NodeSettings(name=""),
        changed_at=NOW - before,
    )


def _probe(address: str, ends_in: float | None = None) -> CertificateProbe:
    """One that was answered, or that was not where there is no end."""
    return CertificateProbe(
        configuration="hami-webhook",
        webhook="vgpu.hami.io",
        address=address,
        at=NOW,
        reached=ends_in is not None,
        verified=None if ends_in is None else True,
        not_after=None if ends_in is None else NOW + ends_in,
    )


def _licence(name: str, not_after: float | None) -> Licence:
    return Licence(
        name=name,
        source="ConfigMap/layer-system/licence",
        present=True,
        not_after=not_after,
        record="notAfter: …",
    )
