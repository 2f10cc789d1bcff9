"""What looks the same on every board: states, colours, units, sizes, defaults of a dashboard.

The colours of the states are the contract's (DESIGN 2). All of them were looked at in Grafana's
dark and light theme.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class State(StrEnum):
    """The states of a card; the order is that of severity, as in the recorded codes."""

    FREE = "free"
    WORKING = "working"
    IDLE = "idle"
    UNKNOWN = "unknown"
    SLOWED = "slowed"
    FAILED = "failed"


class WorkloadState(StrEnum):
    """The states of a workload; the order is that of severity, as in the recorded codes."""

    INACTIVE = "inactive"
    WAITING = "waiting"
    WORKING = "working"
    IDLE = "idle"
    UNKNOWN = "unknown"
    SLOWED = "slowed"
    FAILED = "failed"


class CheckState(StrEnum):
    """The states of a check; the order is that in which they are shown."""

    FIRING = "firing"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not_applicable"
    OK = "ok"


class Severity(StrEnum):
    """Of an alert."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


# The value of card:gpuatlas_card_state:with_checks, so that max() finds the worst.
STATE_CODES: Final = {state: code for code, state in enumerate(State, start=1)}

STATE_COLOURS: Final = {
    State.FREE: "transparent",
    State.WORKING: "#37872D",
    State.IDLE: "#6E7280",
    State.UNKNOWN: "#7A62A8",
    State.SLOWED: "#E02F44",
    State.FAILED: "#8A0F1E",
}
# Before the word, so that a state is told without its colour.
STATE_MARKS: Final = {
    State.FREE: "○",
    State.WORKING: "▶",
    State.IDLE: "‖",
    State.UNKNOWN: "?",
    State.SLOWED: "▼",
    State.FAILED: "✖",
}

# The value of workload:gpuatlas_workload_state:with_checks; from 2 on they are those of cards.
WORKLOAD_STATE_CODES: Final = {state: code for code, state in enumerate(WorkloadState)}
WORKLOAD_STATE_COLOURS: Final = {
    WorkloadState.INACTIVE: STATE_COLOURS[State.FREE],
    WorkloadState.WAITING: "#1F60C4",
    WorkloadState.WORKING: STATE_COLOURS[State.WORKING],
    WorkloadState.IDLE: STATE_COLOURS[State.IDLE],
    WorkloadState.UNKNOWN: STATE_COLOURS[State.UNKNOWN],
    WorkloadState.SLOWED: STATE_COLOURS[State.SLOWED],
    WorkloadState.FAILED: STATE_COLOURS[State.FAILED],
}
WORKLOAD_STATE_MARKS: Final = {
    WorkloadState.INACTIVE: "–",
    WorkloadState.WAITING: "◷",
    WorkloadState.WORKING: STATE_MARKS[State.WORKING],
    WorkloadState.IDLE: STATE_MARKS[State.IDLE],
    WorkloadState.UNKNOWN: STATE_MARKS[State.UNKNOWN],
    WorkloadState.SLOWED: STATE_MARKS[State.SLOWED],
    WorkloadState.FAILED: STATE_MARKS[State.FAILED],
}

# Of a check over several clusters, so that max() finds the worst; boards make them of the states.
CHECK_STATE_CODES: Final = {
    CheckState.NOT_APPLICABLE: 1,
    CheckState.OK: 2,
    CheckState.UNKNOWN: 3,
    CheckState.FIRING: 4,
}
SEVERITY_CODES: Final = {Severity.INFO: 1, Severity.WARNING: 2, Severity.CRITICAL: 3}

CHECK_STATE_COLOURS: Final = {
    CheckState.FIRING: "#E02F44",
    CheckState.UNKNOWN: STATE_COLOURS[State.UNKNOWN],
    CheckState.NOT_APPLICABLE: STATE_COLOURS[State.IDLE],
    CheckState.OK: STATE_COLOURS[State.WORKING],
}
CHECK_STATE_MARKS: Final = {
    CheckState.FIRING: "✖",
    CheckState.UNKNOWN: "?",
    CheckState.NOT_APPLICABLE: "–",
    CheckState.OK: "✓",
}
SEVERITY_COLOURS: Final = {
    Severity.CRITICAL: STATE_COLOURS[State.FAILED],
    Severity.WARNING: "#C4580B",
    Severity.INFO: "#1F60C4",
}


class Colour(StrEnum):
    """One colour for each quantity on all boards."""

    PHYSICAL = "#8E8E9B"
    ALLOCATED = "#5794F2"
    USED = "#37872D"
    RESIDENT = "#56B4A9"
    COUNTED = "#B877D9"
    OFFLOADED = "#FF9830"
    OVERCOMMITTED = "#E02F44"
    WASTED = "#E0B400"
    COMPUTE = "#3274D9"
    LIMIT = "#F2495C"
    NEUTRAL = "text"
    PLAIN = "transparent"


class Unit(StrEnum):
    """Grafana's ids of the units that our base units are shown in."""

    BYTES = "bytes"
    RATIO = "percentunit"
    SECONDS = "s"
    DURATION = "dtdurations"
    DATE = "dateTimeAsIso"
    AGO = "dateTimeFromNow"
    CELSIUS = "celsius"
    WATTS = "watt"
    HERTZ = "hertz"
    JOULES = "joule"
    COUNT = "short"
    CARDS = "none"
    TEXT = "string"
    BYTES_PER_SECOND = "Bps"


WIDTH: Final = 24  # columns of Grafana's grid
SCHEMA_VERSION: Final = 41  # of Grafana 11.6, the oldest that we support
TAG: Final = "gpuatlas"
# Where docs/ of the release is served: set it to yours, as in alerts/alertmanager/gpuatlas.tmpl.
DOCUMENTS: Final = "https://example.org/gpuatlas/"
REFRESH: Final = "1m"  # recording rules move once a minute
TIME_FROM: Final = "now-24h"
