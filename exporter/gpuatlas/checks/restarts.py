"""S15, configuration that nobody read: changed after the pods started that read it once. Pure.

Facts: facts/hami.md 4.2 (scheduler and plugin read their files at the start; the chart's checksum
annotations restart them, a change by hand does not).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.checks.conditions import rfc3339
from gpuatlas.checks.configs import layer_of
from gpuatlas.checks.context import HAMI, HAMI_SCHEDULER, CheckContext
from gpuatlas.checks.soft import VOLCANO
from gpuatlas.join.requests import FINISHED
from gpuatlas.model.checks import Finding
from gpuatlas.model.device_plugins import ASCEND_PLUGIN, COMPONENT, VOLCANO_PLUGIN, device_plugin_of
from gpuatlas.model.layer import LayerConfig
from gpuatlas.model.objects import Pod

_PLUGIN: Final = "hami-device-plugin"
# HAMi's `device-config.yaml` is the scheduler's and is mounted by the plugin, too.
_SHARED_KEY: Final = "device-config.yaml"
# The clocks of nodes and of the API server; and a pod that starts with a helm upgrade may be made
# in the same second as its configuration.
CLOCKS_SECONDS: Final = 60.0


def not_restarted(context: CheckContext, check: str) -> Iterator[Finding]:
    """Pods of the layer that run on an older configuration than the one that stands there."""
    pods = sorted(context.observations.pods.values(), key=lambda pod: pod.key)
    for config in context.layer.configs:
        changed_at = config.changed_at
        if changed_at is None:
            continue
        for pod in pods:
            if _reads(pod, config) and _is_older(pod, changed_at):
                yield _finding(check, pod, config, changed_at)


def _reads(pod: Pod, config: LayerConfig) -> bool:
    if pod.namespace != config.namespace:
        return False
    layer = layer_of(config.component)
    if layer == HAMI:
        readers = {HAMI_SCHEDULER, _PLUGIN} if config.key == _SHARED_KEY else {_PLUGIN}
        return pod.labels.get(COMPONENT) in readers
    own = VOLCANO_PLUGIN if layer == VOLCANO else ASCEND_PLUGIN
    return device_plugin_of(pod.labels, (c.name for c in pod.containers)) is own


def _is_older(pod: Pod, changed_at: float) -> bool:
    if pod.started_at is None or pod.deleting or pod.phase in FINISHED:
        return False
    return pod.started_at + CLOCKS_SECONDS < changed_at


def _finding(check: str, pod: Pod, config: LayerConfig, changed_at: float) -> Finding:
    started = rfc3339(pod.started_at or 0.0)
    return Finding(
        check=check,
        signal="not-restarted",
        object=config.object,
        namespace=pod.namespace,
        pod=pod.name,
        source=f"ConfigMap {config.namespace}/{config.name} managedFields",
        record=f"{config.key} written {rfc3339(changed_at)}; pod {pod.name} startTime {started}",
    )
