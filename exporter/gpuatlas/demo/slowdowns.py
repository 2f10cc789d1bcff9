"""How much of its speed a pod keeps: what its cards are shared with, and what slows them. Pure.

Computed for any instant without a whole cluster, because counters add such instants up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final, TypeAlias

from gpuatlas.demo.fault_kind import Fault
from gpuatlas.demo.lifecycle import is_held, pods_of
from gpuatlas.demo.scenario import FaultSpec, NodeSpec, Place, Scenario
from gpuatlas.demo.state import CardState, PodState, Sensors, World
from gpuatlas.demo.struck import faults_at, with_pod_faults
from gpuatlas.demo.usage import Compute, compute_of

# What is lost of a tenant's speed to each whole card's worth of work beside it, even with room for
# both: caches and memory are shared, too. Invented; published figures lie on both sides of it.
_LOST_BESIDE_OTHERS: Final = 0.12

# A node, the index of a card of it, and the slot where the card is cut into MIG instances.
CardPlace: TypeAlias = tuple[str, int, int | None]


@dataclass(frozen=True, slots=True)
class CardMates:
    """The tenants of one card (or of a MIG instance of it), and what each gets of it."""

    pods: tuple[PodState, ...]
    compute: tuple[Compute, ...]
    clocks: float  # of what the card has when nothing is wrong with it

    def speed_of(self, workload: str, ordinal: int) -> float:
        """Of the speed that the pod would have alone on a healthy card; 1 if it is not there."""
        for number, pod in enumerate(self.pods):
            if (pod.workload.key, pod.ordinal) == (workload, ordinal):
                own = self.compute[number]
                others = sum(share.given for share in self.compute) - own.given
                share = own.given / own.wanted if own.wanted > 0 else 1.0
                return share * self.clocks * (1 - _LOST_BESIDE_OTHERS * others)
        return 1.0


def places_of(scenario: Scenario, pod: PodState) -> list[CardPlace]:
    """The cards that a pod is on; none for one that no node has taken."""
    if pod.place is None:
        return []
    cut = scenario.node(pod.place.node).mig
    return [
        (pod.place.node, index, pod.place.slot if index in cut else None)
        for index in pod.place.cards
    ]


def tenants_of_card(scenario: Scenario, place: CardPlace) -> list[tuple[str, int]]:
    """The pods that are meant to be there, as workload and number."""
    return [
        (workload.key, ordinal)
        for workload in scenario.workloads
        for ordinal, own in enumerate(workload.places)
        if _holds(own, place)
    ]


def speed_of(world: World, pod: PodState) -> float:
    """What a pod keeps of its speed: the slowest of its cards decides."""
    return min(
        (
            card_mates(
                world.scenario,
                faults_at_card(world.faults, place),
                place,
                seed=world.seed,
                at=world.at,
            ).speed_of(pod.workload.key, pod.ordinal)
            for place in places_of(world.scenario, pod)
        ),
        default=1.0,
    )


def card_mates(
    scenario: Scenario,
    faults: Sequence[FaultSpec],
    place: CardPlace,
    *,
    seed: int,
    at: float,
) -> CardMates:
    """Who is on a card at an instant, and what each gets. `faults` are those of the card."""
    node, index, _ = place
    active = faults_at(scenario, faults, at)
    pods = [
        pod
        for workload in scenario.workloads
        if any(_holds(p, place) for p in workload.places) and not is_held(scenario, workload)
        for pod in pods_of(workload, scenario.since, seed, at)
        if pod.holds and pod.place and _holds(pod.place, place)
    ]
    pods.sort(key=lambda pod: (pod.workload.namespace, pod.name))
    struck = with_pod_faults(tuple(pods), active)
    return CardMates(
        pods=struck,
        compute=tuple(compute_of(struck, seed=seed, at=at)),
        clocks=clocks_of(scenario.node(node), index, active),
    )


def _holds(place: Place, where: CardPlace) -> bool:
    """A slot is only told where it is an instance: time slices share the whole card."""
    node, index, slot = where
    return place.node == node and index in place.cards and slot in {None, place.slot}


def faults_at_card(faults: Sequence[FaultSpec], place: CardPlace) -> tuple[FaultSpec, ...]:
    """The faults of one card and of its tenants."""
    return tuple(fault for fault in faults if (fault.node, fault.card) == place[:2])


def clocks_of(node: NodeSpec, index: int, faults: Sequence[Fault]) -> float:
    """What faults leave of the clocks of a card at work, 1 for all."""
    effects = [(fault.kind.on_card, fault) for fault in faults if fault.kind.on_card]
    if not effects or node.card.vendor != "nvidia":
        return 1.0
    card = _at_work(node, index)
    for effect, fault in effects:
        card = effect(card, fault)
    return min(1.0, card.sensors.sm_clock_mhz / node.card.sm_clock_mhz)


def _at_work(node: NodeSpec, index: int) -> CardState:
    """A card of which nothing is known but its clock."""
    sensors = {field.name: 0 for field in fields(Sensors)}
    return CardState(
        node=node,
        index=index,
        uuid="",
        pci_bus_id="",
        tenants=(),
        instances=(),
        used_mib=0,
        compute=1.0,
        sensors=Sensors(**sensors | {"sm_clock_mhz": node.card.sm_clock_mhz}),
    )
