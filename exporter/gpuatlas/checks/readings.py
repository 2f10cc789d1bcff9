"""What the layers' monitors say of containers, indexed once for all checks. Pure.

A page is believed about the pods of the node that it serves, and about no others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gpuatlas.model.observations import Observations
from gpuatlas.model.pages import ContainerReading, MonitorPage, Tenant


class NamedReading(NamedTuple):
    """What a monitor counts for one container on one card."""

    container: str
    card: str
    value: ContainerReading


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorReadings:
    """`pages` is keyed by node, `of_pod` by (namespace, pod); a pod without readings is not there.

    Of several pages of one node (HAMi's and KAI's, say) `pages` has the first.
    """

    pages: Mapping[str, MonitorPage]
    of_pod: Mapping[tuple[str, str], tuple[NamedReading, ...]]

    def on_card(self, pod: tuple[str, str], card: str) -> tuple[NamedReading, ...]:
        """The readings of all containers of a pod on one card."""
        return tuple(reading for reading in self.of_pod.get(pod, ()) if reading.card == card)


def index_readings(observations: Observations, cards: Iterable[tuple[str, str]]) -> MonitorReadings:
    """The index over all monitor pages; `cards` are (node, card id) of all cards."""
    node_of_pod = {pod.key: pod.node for pod in observations.pods.values() if pod.holds}
    node_of_card = {card: node for node, card in cards}
    pages: dict[str, MonitorPage] = {}
    found: dict[tuple[str, str], dict[tuple[str, str], ContainerReading]] = defaultdict(dict)
    for page in observations.monitors:
        for node in _nodes_of(page, node_of_pod, node_of_card):
            pages.setdefault(node, page)
        for (tenant, card), value in page.containers.items():
            node = node_of_pod.get((tenant.namespace, tenant.pod), "")
            if node and page.node in {"", node}:
                found[tenant.namespace, tenant.pod].setdefault((tenant.container, card), value)
    return MonitorReadings(
        pages=pages,
        of_pod={pod: tuple(_named(readings)) for pod, readings in found.items()},
    )


def _named(readings: Mapping[tuple[str, str], ContainerReading]) -> Iterator[NamedReading]:
    for (container, card), value in sorted(readings.items(), key=lambda item: item[0]):
        yield NamedReading(container, card, value)


def _nodes_of(
    page: MonitorPage,
    node_of_pod: Mapping[tuple[str, str], str],
    node_of_card: Mapping[str, str],
) -> Iterator[str]:
    """The node that the API named for the page, else those of the pods and cards that it lists."""
    if page.node:
        yield page.node
        return
    tenants: Iterable[Tenant] = (tenant for tenant, _ in page.containers)
    nodes = {node_of_pod.get((tenant.namespace, tenant.pod), "") for tenant in tenants}
    nodes |= {node_of_card.get(card, "") for card in page.hosts}
    yield from sorted(nodes - {""})
