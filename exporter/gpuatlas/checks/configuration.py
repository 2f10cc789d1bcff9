"""S15: what the layer is told and what its nodes registered must agree, and be of the same time.

Facts: facts/hami.md 4.2 (configuration and overrides). How each setting is compared stands in
`drifts`, when pods read what they are told in `restarts`. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gpuatlas.checks.configs import MEMORY_SCALING, Told, told_of
from gpuatlas.checks.context import HAMI, CheckContext
from gpuatlas.checks.drifts import drift_findings, drifts_of, unmeasured
from gpuatlas.checks.layer_inputs import CONFIG_MAPS, unread
from gpuatlas.checks.restarts import not_restarted
from gpuatlas.checks.soft import VOLCANO
from gpuatlas.checks.verdict import unread_pods, verdict
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.layer import LayerConfig
from gpuatlas.model.objects import Node

CHECK: Final = "S15"
LAYERS: Final = frozenset({HAMI, VOLCANO})
# HAMi's chart has a made-up node in `config.json` up to v2.7.1
# (charts/hami/templates/device-plugin/configmap.yaml).
EXAMPLE_NODE: Final = "m5-cloudinfra-online02"


def drift(context: CheckContext) -> CheckResult:
    """Settings that nodes did not take, that nobody can read, or that are for nobody."""
    told = {layer: told_of(context, layer) for layer in sorted(LAYERS)}
    names = [name for name, layers in context.layers.items() if layers & LAYERS]
    nodes = [context.nodes[name] for name in names if name in context.nodes]
    # Half of what a layer is told is no measure: the other half may override it.
    half = {layer for layer, said in told.items() if any(c.error for c in said.configs)}
    whole = [node for node in nodes if not context.layers[node.name] & half]
    drifts = [d for node in whole for d in drifts_of(context, node, told)]
    findings = [
        *drift_findings(CHECK, drifts),
        *not_restarted(context, CHECK),
        *_unreadable(context.layer.configs),
        *_unknown_nodes(context),
    ]
    missing = [
        *unread_pods(context, CHECK),
        *unread(context, CHECK, CONFIG_MAPS),
        *_lacking(context, nodes, told),
        *(lack for node in nodes for lack in unmeasured(context, CHECK, node, told)),
    ]
    return verdict(CHECK, names, findings, missing)


def _unreadable(configs: Iterable[LayerConfig]) -> Iterator[Finding]:
    for config in configs:
        if config.error:
            yield Finding(
                check=CHECK,
                signal="unreadable",
                object=config.object,
                namespace=config.namespace,
                source=f"ConfigMap {config.namespace}/{config.name} {config.key}",
                record=config.error,
            )


def _unknown_nodes(context: CheckContext) -> Iterator[Finding]:
    for config in context.layer.configs:
        for part in config.nodes:
            if part.name not in {"", EXAMPLE_NODE, *context.nodes}:
                line = config.lines.get(f"{part.name}/name", f"name: {part.name}")
                yield Finding(
                    check=CHECK,
                    signal="unknown-node",
                    object=config.object,
                    namespace=config.namespace,
                    source=f"ConfigMap {config.namespace}/{config.name} {config.key}",
                    record=line,
                )


def _lacking(
    context: CheckContext, nodes: Iterable[Node], told: Mapping[str, Told]
) -> Iterator[MissingInput]:
    """Configuration that is not there or says nothing that can be used."""
    for config in context.layer.configs:
        if config.error:
            reason = f"{config.object} {config.key}: {config.error}"
            yield MissingInput(check=CHECK, input=CONFIG_MAPS, reason=reason)
    if context.layer.read_at is None or CONFIG_MAPS in context.layer.unread:
        return
    registered = {r.layer for node in nodes for r in node.registrations if r.vendor == "nvidia"}
    for layer in sorted(registered & LAYERS):
        if not told[layer].of(MEMORY_SCALING, "") and not told[layer].configs:
            reason = f"no ConfigMap of the layer {layer} was found that its DaemonSet mounts"
            yield MissingInput(check=CHECK, input=CONFIG_MAPS, reason=reason)
