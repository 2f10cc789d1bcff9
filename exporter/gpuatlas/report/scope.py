"""Which part of a cluster is looked at, as PromQL. Pure.

Cards are joined by (cluster, node, card), workloads by (cluster, namespace, workload_kind,
workload), which card is whose by `workload:gpuatlas_card_info:group`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

CARD: Final = "cluster, node, card"
WORKLOAD: Final = "cluster, namespace, workload_kind, workload"
WORKLOAD_CARD: Final = "workload:gpuatlas_card_info:group"
CARD_INFO: Final = "card:gpuatlas_card_info:group"
_NONE: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """`matchers` are labels that all series must have. At most one of the other two is set.

    `workload` is (namespace, kind, name), the kind as series write it.
    """

    matchers: Mapping[str, str] = field(default_factory=dict)
    node: str = ""
    workload: tuple[str, str, str] | None = None

    @property
    def words(self) -> str:
        """What it is, for a person."""
        if self.node:
            return f"node {self.node}"
        if self.workload is None:
            return "all nodes"
        namespace, kind, name = self.workload
        return f"{kind} {namespace}/{name} and the cards it is on"

    def select(
        self,
        name: str,
        labels: Mapping[str, str] = _NONE,
        *,
        patterns: Mapping[str, str] = _NONE,
        offset: str = "",
    ) -> str:
        """A metric's series, wherever they are; `patterns` are regular expressions."""
        wanted = {**self.matchers, **labels}
        matchers = [f"{label}={_quoted(value)}" for label, value in sorted(wanted.items())]
        matchers += [f"{label}=~{_quoted(text)}" for label, text in sorted(patterns.items())]
        then = f" offset {offset}" if offset else ""
        return f"{name}{{{','.join(matchers)}}}{then}"

    def cards(self, name: str, *, patterns: Mapping[str, str] = _NONE) -> str:
        """A metric of cards, on those that are looked at."""
        where = {"node": self.node} if self.node else {}
        selected = self.select(name, where, patterns=patterns)
        if self.workload is None:
            return selected
        return f"({selected} and on ({CARD}) {self._its_cards()})"

    def by_uuid(self, expression: str) -> str:
        """What has the labels cluster and card alone, on the cards that are looked at."""
        if self.node:
            info = self.select(CARD_INFO, {"node": self.node})
        elif self.workload is not None:
            info = self._its_cards()
        else:
            return expression
        return f"({expression} and on (cluster, card) {info})"

    def workloads(self, name: str, *, patterns: Mapping[str, str] = _NONE, offset: str = "") -> str:
        """A metric of workloads, of those that are looked at: on a node all that hold a card."""
        if self.workload is not None:
            return self.select(name, self._its_labels(), patterns=patterns, offset=offset)
        selected = self.select(name, patterns=patterns, offset=offset)
        if not self.node:
            return selected
        there = self.select(WORKLOAD_CARD, {"node": self.node})
        return f"({selected} and on ({WORKLOAD}) {there})"

    def _its_cards(self) -> str:
        return self.select(WORKLOAD_CARD, self._its_labels())

    def _its_labels(self) -> dict[str, str]:
        namespace, kind, workload = self.workload or ("", "", "")
        return {"namespace": namespace, "workload_kind": kind, "workload": workload}


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
