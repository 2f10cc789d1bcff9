"""The catalogue of the checks and of the XID numbers, as `alerts/*.yaml` has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How grave an alert is, gravest first."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


class Layer(StrEnum):
    """What a check is about, in the order of the catalogue; the `layer` label."""

    HARDWARE = "hardware"
    SHARING = "sharing"
    OPERATIONS = "operations"
    META = "meta"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalEntry:
    """One way in which a check fires.

    `signal` is "" for alerts that have one way only. `severities` are those of its rules, gravest
    first. `cause` and `action` are Prometheus' templates over the alert's labels.
    """

    signal: str
    severities: tuple[Severity, ...]
    cause: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEntry:
    """One check. `title` is what it finds, `runbook` the path of its page in the repository."""

    id: str
    alert: str
    layer: Layer
    title: str
    signals: tuple[SignalEntry, ...]
    runbook: str

    def signal(self, name: str) -> SignalEntry | None:
        """The entry of one of its signals; None for one that the catalogue does not know."""
        return next((entry for entry in self.signals if entry.signal == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class XidEntry:
    """One XID number. `kind` is critical or warning (H01), storm (H02), or what never alerts."""

    number: int
    kind: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """All checks, by layer and in the order of their files, and the XIDs by number."""

    checks: tuple[CheckEntry, ...]
    xids: Mapping[int, XidEntry]

    def of_layer(self, *layers: Layer) -> tuple[CheckEntry, ...]:
        """The checks of these layers."""
        return tuple(entry for entry in self.checks if entry.layer in layers)

    def check(self, name: str) -> CheckEntry | None:
        """The check with this id; None where there is none."""
        return next((entry for entry in self.checks if entry.id == name), None)
