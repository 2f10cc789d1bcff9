"""`docs/support.md`: what is known of each strategy, vendor and version, as the captures prove it.

Every capture folder named `<strategy>-<vendor>-<version>` is a row. A figure is known where every
card that somebody holds has it; where one has not, the reason that the exporter itself gives is a
note under the table. `make docs` writes the document, a test compares it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.readings import Reading, Unknown
from gpuatlas.model.snapshot import Card, Evidence, NodeSnapshot, Snapshot
from gpuatlas.model.vendors import VENDORS
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas_harness.captured import folders

DOCUMENT: Final = Path(__file__).parents[3] / "docs" / "support.md"
# A number that stands behind text, so that 25.12 comes after 25.8.
_NUMBER: Final = re.compile(r"(\d+)")

FIGURES: Final[tuple[tuple[str, Callable[[Card], Reading[float]]], ...]] = (
    ("physical", lambda card: card.memory.physical),
    ("schedulable", lambda card: card.memory.schedulable),
    ("allocated", lambda card: card.memory.allocated),
    ("resident", lambda card: card.memory.resident),
    ("counted", lambda card: card.memory.counted),
    ("compute promised", lambda card: card.compute_allocated),
    ("compute used", lambda card: card.compute_utilization),
)
_HEAD: Final = """# What is known, by strategy, vendor and version

Made by `make docs` from the captures under `tests/fixtures/captures/`: do not edit. Each row is one
folder, which holds what such a cluster says and the page that it must give. **Sharing** is the
`sharing` label of the node, **card by** the `evidence` of its allocations. The figures are those of
the cards that somebody holds: `yes`, or `no` with the number of the reason below the table. What a
vendor or a layer does not publish is absent, never 0.

A row with dcgm-exporter or HAMi's monitor has the figures that these add; the same strategy without
them has the figures of a row without them.

Two things no API object can settle. **KAI**: a pod that copies the group label and the
`received-resource-type` of a fraction on its own node counts as a tenant of that card, since
nothing that tenants cannot write names the members of a group. **Volcano vGPU**: with a
`gpu-memory-factor` above 1 in the plugin's configuration, what it registers and promises is that
factor larger than shown.
"""


@dataclass(frozen=True, slots=True)
class Case:
    """One capture that is a row."""

    folder: Path
    strategy: str
    vendor: str
    version: str

    @property
    def text(self) -> str:
        """What the capture shows, in its own words."""
        return (self.folder / "README").read_text(encoding="utf-8").strip().replace("\n", " ")

    def snapshot(self) -> Snapshot:
        """What the exporter makes of it."""
        captured = project_capture(read_capture(self.folder), now=0.0)
        return Joiner().build(captured.observations)


@dataclass(slots=True)
class _Notes:
    """Numbered reasons, each once."""

    texts: list[str] = field(default_factory=list)

    def number(self, reason: str) -> int:
        if reason not in self.texts:
            self.texts.append(reason)
        return self.texts.index(reason) + 1


def cases() -> list[Case]:
    """The rows in order."""
    found = []
    for folder in folders():
        strategy, _, rest = folder.name.rpartition("-")
        strategy, _, vendor = strategy.rpartition("-")
        if strategy and vendor in VENDORS:
            found.append(Case(folder, strategy, vendor, rest))
    return sorted(found, key=lambda case: (case.strategy, case.vendor, _order(case.version)))


def _order(version: str) -> list[tuple[int, str]]:
    parts = _NUMBER.split(version)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _held(node: NodeSnapshot) -> list[Card]:
    """The cards that somebody holds; all of them where nobody is known to."""
    names = {allocation.card for allocation in node.allocations}
    held = [card for card in node.cards if card.id in names or card.idle_claims]
    return held or list(node.cards)


def _plain(reason: str, node: NodeSnapshot) -> str:
    """The reason without the names of this capture."""
    for allocation in node.allocations:
        reason = reason.replace(f"{allocation.namespace}/{allocation.pod}", "…")
    return reason.replace(node.name, "…")


def _figure(
    pick: Callable[[Card], Reading[float]], nodes: Sequence[NodeSnapshot], notes: _Notes
) -> str:
    unknown: list[int] = []
    known = False
    for node in nodes:
        readings = [pick(card) for card in _held(node)]
        known = known or any(not isinstance(reading, Unknown) for reading in readings)
        reasons = [r.reason for r in readings if isinstance(r, Unknown)]
        if not readings:
            reasons = ["no source names the cards"]
        unknown += [notes.number(_plain(reason, node)) for reason in reasons]
    if not unknown:
        return "yes"
    numbers = ", ".join(str(number) for number in sorted(set(unknown)))
    return f"{'partly' if known else 'no'} ({numbers})"


def _evidence(nodes: Sequence[NodeSnapshot], notes: _Notes) -> str:
    words: dict[str, None] = {}
    for node in nodes:
        for held in node.allocations:
            word = str(held.evidence)
            if held.evidence is Evidence.UNKNOWN:
                word += f" ({notes.number(_plain(held.reason, node))})"
            words[word] = None
    return ", ".join(sorted(words)) or "–"


def _row(case: Case, notes: _Notes) -> str:
    nodes = [node for _, node in sorted(case.snapshot().nodes.items())]
    sharing = ", ".join(sorted({node.sharing.replace(",", ", ") for node in nodes} - {""})) or "–"
    cells = [
        *(case.strategy, case.vendor, case.version, sharing, _evidence(nodes, notes)),
        *(_figure(pick, nodes, notes) for _, pick in FIGURES),
    ]
    return f"| {' | '.join(cells)} |"


def support_document() -> str:
    """The whole document."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    notes = _Notes()
    every = cases()
    names = ("strategy", "vendor", "version", "sharing", "card by", *(name for name, _ in FIGURES))
    yield _HEAD
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    yield from (_row(case, notes) for case in every)
    yield "\n## Reasons\n"
    yield from (f"{number}. {text}" for number, text in enumerate(notes.texts, start=1))
    yield "\n## The cases\n"
    yield from (f"- **{case.folder.name}**: {case.text}" for case in every)
    yield ""


def main() -> None:
    """Write the document again (`make docs`)."""
    DOCUMENT.write_text(support_document(), encoding="utf-8")
    sys.stdout.write(f"{DOCUMENT.name}\n")


if __name__ == "__main__":
    main()
