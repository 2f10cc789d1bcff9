"""What the labels of a DCGM series say: which card, which part of it, whose pod.

Pod labels may stand among them (`enable-pod-labels`), so a tenant can add a label of any name that
the exporter has not written itself. Nothing here lets such a label speak for another pod's series.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from gpuatlas.model.pages import Sample, Tenant

_CARD_ID: Final = re.compile(r"[A-Za-z0-9._:/-]{1,128}")
_INSTANCE_ID: Final = re.compile(r"[0-9]{1,4}")
# Every chart's DaemonSet has it in its name (facts/dcgm.md 1.2), and the exporter holds no card.
_OWN_POD: Final = "dcgm-exporter"


class TenantLabels(NamedTuple):
    """The names of the labels that name a tenant."""

    namespace: str
    pod: str
    container: str

    def tenant(self, labels: Mapping[str, str]) -> Tenant | None:
        """The tenant, or None where the labels name none."""
        pod, namespace = labels.get(self.pod, ""), labels.get(self.namespace, "")
        if not pod or not namespace:
            return None
        return Tenant(namespace, pod, labels.get(self.container, ""))


PLAIN: Final = TenantLabels("namespace", "pod", "container")
# After a scrape with `honorLabels: false`; the plain ones are then the exporter's own.
EXPORTED: Final = TenantLabels("exported_namespace", "exported_pod", "exported_container")
# `--use-old-namespace`, which also writes `uuid`.
OLD: Final = TenantLabels("pod_namespace", "pod_name", "container_name")


def renamed_by_prometheus(samples: Iterable[Sample]) -> bool:
    """Whether a Prometheus renamed the tenants' labels to `exported_*`.

    It then put the exporter's own pod into the plain labels of every series. Where the plain labels
    differ they are the tenants', and an `exported_*` label is one that a tenant gave its pod.
    """
    own: set[Tenant | None] = set()
    renamed = False
    for _, labels, _ in samples:
        renamed = renamed or EXPORTED.pod in labels
        own.add(PLAIN.tenant(labels))
    return renamed and len(own) == 1


def tenant_of(labels: Mapping[str, str], *, renamed: bool) -> Tenant | None:
    """The pod that the series is attributed to, None for none.

    Args:
        labels: of the series.
        renamed: what `renamed_by_prometheus` says of its page.
    """
    if "UUID" not in labels:
        return OLD.tenant(labels)
    if renamed:
        return EXPORTED.tenant(labels)
    tenant = PLAIN.tenant(labels)
    # With `honorLabels: true` Prometheus gives a series without a tenant the exporter's own pod.
    if tenant is not None and "instance" in labels and _OWN_POD in tenant.pod:
        return None
    return tenant


def card_of(labels: Mapping[str, str]) -> str:
    """The card's UUID, the parent card's under MIG; "" where there is no usable one."""
    card = labels.get("UUID") or labels.get("uuid", "")
    return card if _CARD_ID.fullmatch(card) else ""


def host_of(labels: Mapping[str, str]) -> str:
    """The label `Hostname` (`hostname` since exporter 4.8.3); "" where it is left out."""
    return labels.get("Hostname") or labels.get("hostname", "")


def instance_of(labels: Mapping[str, str]) -> str | None:
    """The MIG instance's number as text, "" for the whole card, None where it cannot be told."""
    instance = labels.get("GPU_I_ID", "")
    if instance:
        return instance if _INSTANCE_ID.fullmatch(instance) else None
    return None if labels.get("GPU_I_PROFILE") else ""
