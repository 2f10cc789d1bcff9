"""A layer's registered cards against those that the driver lists, part of S12. Pure.

The driver's word is the DCGM page, which knows NVIDIA's cards only. Facts: facts/hami.md 4.2
(`filterdevices` hides cards on purpose), 6.4 A7 and A8; facts/errata.md, DCGM (with
KUBERNETES_VIRTUAL_GPUS a card without a pod is on no page).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.layer_inputs import CONFIG_MAPS
from gpuatlas.checks.page_index import Listed
from gpuatlas.checks.plugin_pods import is_alive
from gpuatlas.model.checks import Finding, MissingInput
from gpuatlas.model.objects import Node
from gpuatlas.model.targets import DCGM

DCGM_PAGE: Final = f"{DCGM} page"
_NVIDIA: Final = "nvidia"
_NONE: Final[Mapping[str, Listed]] = {}


def registered_cards(context: CheckContext, node: Node) -> Mapping[str, str]:
    """NVIDIA card → the annotation that registers it, over all layers that still have the node."""
    return {
        device.card: registration.source
        for registration in node.registrations
        if registration.vendor == _NVIDIA
        and registration.source not in node.capacity
        and is_alive(context, node, registration)
        for device in registration.devices
    }


def card_findings(context: CheckContext, node: Node, check: str) -> Iterator[Finding]:
    """Cards that are not registered, and registered ones that the driver does not list."""
    if node.name not in context.listed or not registered_cards(context, node):
        return
    if _reads_configs(context):
        yield from _fewer(context, node, check)
    if not _hides_idle_cards(context.listed[node.name]):
        yield from _unknown(context, node, check)


def unlisted(context: CheckContext, node: Node, check: str) -> Iterator[MissingInput]:
    """Why registered cards cannot be compared with the driver's, where they cannot."""
    registered = registered_cards(context, node)
    if not registered:
        return
    listed = context.listed.get(node.name, _NONE)
    if not listed:
        silent = context.observations.silent
        why = silent.get((DCGM, node.name)) or silent.get((DCGM, ""))
        reason = why or "no dcgm-exporter page for this node"
        yield MissingInput(check=check, input=DCGM_PAGE, node=node.name, reason=reason)
        return
    if _hides_idle_cards(listed) and not registered.keys() <= listed.keys():
        reason = (
            "each card on the page has a pod, so others may be left out: compare needs "
            "dcgm-exporter without KUBERNETES_VIRTUAL_GPUS"
        )
        yield MissingInput(check=check, input=DCGM_PAGE, node=node.name, reason=reason)
    if len(registered) < len(listed) and not _reads_configs(context):
        reason = context.layer.unread.get(CONFIG_MAPS, "the layers' ConfigMaps are not read yet")
        yield MissingInput(check=check, input=CONFIG_MAPS, node=node.name, reason=reason)


def _reads_configs(context: CheckContext) -> bool:
    """Without its configuration nobody knows which cards a layer hides on purpose."""
    return context.layer.read_at is not None and CONFIG_MAPS not in context.layer.unread


def _hides_idle_cards(listed: Mapping[str, Listed]) -> bool:
    """Whether the page may leave out cards without pods: then each card on it has one."""
    return all(
        reading.tenants
        or reading.tenant_fields is not None
        or any(instance.tenants for instance in reading.instances)
        for reading, _ in listed.values()
    )


def _fewer(context: CheckContext, node: Node, check: str) -> Iterator[Finding]:
    listed, registered = context.listed[node.name], registered_cards(context, node)
    hidden = _hidden(context, node.name)
    expected = [
        card
        for card, (reading, _) in sorted(listed.items())
        if card not in hidden and reading.index not in hidden
    ]
    # A card that is registered and should be hidden makes up for none.
    counted = [card for card in registered if card in expected or card not in listed]
    if len(counted) >= len(expected):
        return
    sources = ", ".join(sorted(set(registered.values())))
    for card in expected:
        if card in registered:
            continue
        reading, target = listed[card]
        yield Finding(
            check=check,
            signal="fewer",
            object=f"Node/{node.name}",
            source=f"{DCGM_PAGE} of {target}",
            record=(
                f'UUID="{card}",gpu="{reading.index}" is not in {sources}: '
                f"{len(counted)} registered, {len(expected)} listed and not hidden"
            ),
            node=node.name,
            card=card,
        )


def _hidden(context: CheckContext, node: str) -> frozenset[str]:
    """UUIDs and indexes of cards that a layer is told not to use on the node."""
    return frozenset(
        card
        for config in context.layer.configs
        for settings in (config.defaults, *config.nodes)
        if settings.name in {"", node}
        for card in settings.hidden
    )


def _unknown(context: CheckContext, node: Node, check: str) -> Iterator[Finding]:
    listed = context.listed[node.name]
    target = next(iter(listed.values())).target
    for card, source in sorted(registered_cards(context, node).items()):
        if card in listed:
            continue
        yield Finding(
            check=check,
            signal="unknown-card",
            object=f"Node/{node.name}",
            source=f"node annotation {source}",
            record=f"{card} is not among the {len(listed)} cards on the DCGM page of {target}",
            node=node.name,
            card=card,
        )
