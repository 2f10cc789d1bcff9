"""The state of a check in words, with its sign and its colour."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from gpuatlas.cli.judged import JudgedCheck
from gpuatlas.cli.screens.glyphs import OVER_STYLE, QUIET_STYLE, Glyphs
from gpuatlas.model.catalogue import Severity
from gpuatlas.model.checks import CheckState

SEVERITY_STYLES: Final = {
    Severity.CRITICAL: "bold white on red",
    Severity.WARNING: OVER_STYLE,
    Severity.INFO: "cyan",
}
STATE_STYLES: Final = {
    CheckState.OK: "green",
    CheckState.FIRING: OVER_STYLE,
    CheckState.UNKNOWN: "none",
    CheckState.NOT_APPLICABLE: QUIET_STYLE,
}


def state_words(state: CheckState) -> str:
    """The state as a person writes it: "not applicable"."""
    return state.replace("_", " ")


def marked(check: JudgedCheck, glyphs: Glyphs) -> Text:
    """The check's state; "ok, pending" where an alert waits before it fires."""
    severity, state = check.severity, check.state
    if severity is not None:
        said = f"{glyphs.checks[severity]} {state} {severity}"
        return Text(said, SEVERITY_STYLES[severity])
    if check.occurrences:
        return Text(f"{glyphs.pending} {state_words(state)}, pending", "yellow")
    return Text(f"{glyphs.checks[state]} {state_words(state)}", STATE_STYLES[state])
