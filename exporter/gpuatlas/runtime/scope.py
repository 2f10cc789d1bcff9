"""Which part of a snapshot this process publishes: its shard, without the excluded namespaces.

The whole cluster is joined first, so that the sums of a card count all its tenants, whoever's they
are. Then nodes and namespaces are dealt out by a hash of their name: n processes with the shards
0/n … n-1/n publish each of them exactly once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from zlib import crc32

from gpuatlas.model.snapshot import NodeSnapshot, Snapshot


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` (from 0) of `count`."""

    index: int = 0
    count: int = 1

    def owns(self, name: str) -> bool:
        """Whether the node or namespace of this name is ours. CRC-32: the same on every machine."""
        return self.count == 1 or crc32(name.encode()) % self.count == self.index

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"


def parse_shard(text: str) -> Shard:
    """Read "i/n".

    Raises:
        ValueError: it has another form, n is 0, or i is not below n.
    """
    index, slash, count = text.strip().partition("/")
    if not (slash and index.isascii() and index.isdigit() and count.isascii() and count.isdigit()):
        msg = f'{text!r} is no shard: write "0/3" for the first of three'
        raise ValueError(msg)
    shard = Shard(int(index), int(count))
    if shard.index >= shard.count:
        msg = f"{text!r} is no shard: the first number runs from 0 to one less than the second"
        raise ValueError(msg)
    return shard


class Scope:
    """Narrows snapshots. A part that did not change stays the same object, so renderings last."""

    def __init__(
        self, shard: Shard | None = None, excluded_namespaces: frozenset[str] = frozenset()
    ) -> None:
        self.shard = shard or Shard()
        self.excluded_namespaces = excluded_namespaces
        self._narrowed: dict[str, tuple[NodeSnapshot, NodeSnapshot]] = {}

    def narrow(self, snapshot: Snapshot) -> Snapshot:
        """The part of `snapshot` to publish."""
        if self.shard.count == 1 and not self.excluded_namespaces:
            return snapshot
        namespaces = {
            name: part
            for name, part in snapshot.namespaces.items()
            if self.shard.owns(name) and name not in self.excluded_namespaces
        }
        return replace(snapshot, nodes=self._narrow_nodes(snapshot.nodes), namespaces=namespaces)

    def _narrow_nodes(self, nodes: Mapping[str, NodeSnapshot]) -> dict[str, NodeSnapshot]:
        before, self._narrowed = self._narrowed, {}
        for name, node in nodes.items():
            if self.shard.owns(name):
                kept = before.get(name)
                same = kept is not None and kept[0] is node
                self._narrowed[name] = kept if kept and same else (node, self._without(node))
        return {name: narrowed for name, (_, narrowed) in self._narrowed.items()}

    def _without(self, node: NodeSnapshot) -> NodeSnapshot:
        kept = tuple(a for a in node.allocations if a.namespace not in self.excluded_namespaces)
        if len(kept) == len(node.allocations):
            return node
        return replace(node, allocations=kept)
