"""Words of one panel, of what all boards share, and of a language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.tokens import CheckState, Severity, State, WorkloadState


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Of a panel or a signal.

    Attributes:
        title: Two to five words; what is shown, not how.
        description: What the number is, what it is not, its unit.
        empty: Why there may be nothing to see, and what to do about it.
        short: For a column or a legend; the title where it is empty.
    """

    title: str
    description: str
    empty: str = ""
    short: str = ""

    @property
    def label(self) -> str:
        return self.short or self.title


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTexts:
    """Words that stand on more than one board."""

    states: Mapping[State, str]
    state_meanings: Mapping[State, str]
    workload_states: Mapping[WorkloadState, str]
    workload_state_meanings: Mapping[WorkloadState, str]
    check_states: Mapping[CheckState, str]
    severities: Mapping[Severity, str]
    variables: Mapping[str, str]
    columns: Mapping[str, str]
    open_board: str  # takes {board}
    boards: Mapping[str, str]  # by file name: how a link names the board


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One generated set. `folder` lies under dashboards/generated; `suffix` ends each uid."""

    code: str
    folder: str
    suffix: str
    shared: SharedTexts
    signals: Mapping[str, Words] = field(default_factory=dict)

    def of(self, signal: Signal) -> Words:
        """The words of a signal. Raises KeyError where nobody wrote them."""
        return self.signals[signal.key]
