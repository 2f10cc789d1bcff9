"""What one row of a metric table says. Pure: a family knows no clock, no client and no format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

E_contra = TypeVar("E_contra", contravariant=True)

# Label values in the order of `Family.labels`, and the number.
Series = tuple[tuple[str, ...], float]

UNITS: Final = frozenset({"", "bytes", "seconds", "ratio"})

_NAME: Final = re.compile(r"gpuatlas_[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LABEL: Final = re.compile(r"[a-z][a-z0-9_]*")
_HELP: Final = re.compile(r"[A-Z0-9][^\"\\|\n]*[^.\"\\|\n]\.")


class Kind(StrEnum):
    """The metric's type as OpenMetrics names it."""

    GAUGE = "gauge"
    COUNTER = "counter"
    INFO = "info"


class Stability(StrEnum):
    """STABLE names and labels change only with a major release."""

    EXPERIMENTAL = "experimental"
    STABLE = "stable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family(Generic[E_contra]):
    """One metric over entities of one class.

    `name` is the name that the samples carry (`…_info`, `…_total` and unit suffixes included).
    `help` is one sentence without quotes, backslashes or bars: it goes into both exposition formats
    and into a Markdown table unescaped. `unit` is the base unit, "" for counts, states and infos.
    `samples` yields label values in the order of `labels`, and the number; a reading that is
    unknown yields nothing. It is pure and never raises for any entity of the model.

    A row that breaks the naming rules (DESIGN 5) raises ValueError when the table is imported.
    """

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...]
    samples: Callable[[E_contra], Iterable[Series]]
    unit: str = ""
    stability: Stability = Stability.STABLE

    def __post_init__(self) -> None:
        faults = [fault for broken, fault in _rules(self) if broken]
        if faults:
            message = f"metric family {self.name!r}: {'; '.join(faults)}"
            raise ValueError(message)

    @property
    def base_name(self) -> str:
        """The family's name in OpenMetrics: without `_info` or `_total`."""
        return self.name.removesuffix(_SUFFIX[self.kind])


_SUFFIX: Final = {Kind.GAUGE: "", Kind.COUNTER: "_total", Kind.INFO: "_info"}


def _rules(family: Family[Any]) -> Iterator[tuple[bool, str]]:
    """Each naming rule: whether the family breaks it, and what it demands."""
    name, kind, unit, labels = family.name, family.kind, family.unit, family.labels
    yield not _NAME.fullmatch(name), "the name is gpuatlas_ and lower-case words joined by _"
    yield (
        name.endswith("_total") != (kind is Kind.COUNTER),
        "counters, and only they, end in _total",
    )
    yield name.endswith("_info") != (kind is Kind.INFO), "infos, and only they, end in _info"
    yield not _HELP.fullmatch(family.help), "help is one sentence without quotes, \\ or |"
    yield unit not in UNITS, f"unit is one of {sorted(UNITS)}"
    yield bool(unit) and not family.base_name.endswith(f"_{unit}"), f"the name ends in _{unit}"
    yield not all(_LABEL.fullmatch(label) for label in labels), "labels are lower-case words"
    yield len(set(labels)) != len(labels), "a label stands twice"
