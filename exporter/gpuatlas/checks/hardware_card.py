"""One card as a DCGM page shows it at one instant, and what a signal sees in it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from gpuatlas.model.catalogue import Severity, XidEntry
from gpuatlas.model.pages import CardReading

METRIC_PREFIX: Final = "DCGM_FI_"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCard:
    """A card on its node.

    `width_is_usual` says that all cards of its model, of which there are two or more, have a PCIe
    link of the same width.
    """

    node: str
    reading: CardReading
    xids: Mapping[int, XidEntry]
    width_is_usual: bool = False

    def value(self, field: str) -> float | None:
        """A field by its name without the prefix; under MIG the largest of the instances'."""
        value = self.reading.fields.get(field)
        if value is not None:
            return value
        parts = (instance.fields.get(field) for instance in self.reading.instances)
        return max((part for part in parts if part is not None), default=None)


class Sighting(NamedTuple):
    """What a signal sees. `fields` are those to quote, `remark` is said beside them."""

    severity: Severity
    fields: tuple[str, ...]
    remark: str = ""
    labels: tuple[tuple[str, str], ...] = ()


Look = Callable[[SeenCard], Sighting | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class HardwareSignal:
    """A signal of the catalogue that one instant can show."""

    name: str
    look: Look


@dataclass(frozen=True, slots=True, kw_only=True)
class HardwareCheck:
    """What an instant can show of one check.

    `needs` are ways to look: sets of fields of which one must be there on some card. `also` are
    fields that only history makes something of, named where they are missing. A check with
    `needs_history` is never seen whole.
    """

    id: str
    signals: tuple[HardwareSignal, ...] = ()
    needs: tuple[tuple[str, ...], ...] = ()
    also: tuple[str, ...] = ()
    needs_history: bool = False

    @property
    def inputs(self) -> tuple[str, ...]:
        """All fields that are named where nobody exports them."""
        return tuple(dict.fromkeys([*(name for way in self.needs for name in way), *self.also]))
