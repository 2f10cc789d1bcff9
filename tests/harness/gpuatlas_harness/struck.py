"""The simulated world with one fault in it, and the documents that it writes."""

from __future__ import annotations

from typing import Any

from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world

Document = dict[str, Any]
BEGAN = 600.0  # seconds before the instant that is looked at, which is 13:10


class Bench:
    """One fault in an otherwise healthy world."""

    def __init__(self, scenario: Scenario, healthy: World) -> None:
        self.scenario, self.healthy = scenario, healthy

    def world(
        self, name: str, node: str = "a10g-1", card: int | None = None, **options: Any
    ) -> World:
        fault = FaultSpec(
            name=name, node=node, card=card, options=options, since=self.healthy.at - BEGAN
        )
        return build_world(
            self.scenario, seed=self.healthy.seed, at=self.healthy.at, faults=(fault,)
        )

    def node(self, name: str, node: str = "a10g-1", **options: Any) -> Document:
        world = self.world(name, node, **options)
        (found,) = [d for d in documents(world)["nodes"] if d["metadata"]["name"] == node]
        return found

    def pods(self, world: World, app: str) -> list[Document]:
        return [
            pod for pod in documents(world)["pods"] if pod["metadata"]["labels"].get("app") == app
        ]

    def pod(self, name: str, app: str, **where: Any) -> Document:
        (found,) = self.pods(self.world(name, **where), app)
        return found
