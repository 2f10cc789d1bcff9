"""What the checks of the sharing layer say: findings with their evidence, and what they lacked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

# DESIGN 5: free text in labels ends here.
MAX_RECORD: Final = 200


class InputState(StrEnum):
    """Whether a check has what it needs."""

    OK = "ok"
    MISSING = "missing"
    NOT_APPLICABLE = "not_applicable"


class CheckState(StrEnum):
    """What is shown of a check (DESIGN 6)."""

    OK = "ok"
    FIRING = "firing"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One object that fails a check, with the original record quoted.

    `signal` is the check's own word for what it saw; the alerts go by it. `object` is
    "Kind/namespace/name" of what has to be mended (for a pod its workload; "Kind/name" for what
    has no namespace). `source` says where `record` stands: "pod annotation hami.io/bind-phase",
    "metric hami_vgpu_memory_limit_bytes". `record` quotes it in at most `MAX_RECORD` characters.
    Fields that do not apply are "". `count` is how many like it stand behind this one. `severity`
    is a word of `catalogue.Severity`, "" where the catalogue has only one for the signal. `labels`
    are further labels of the alert that the catalogue's texts name: (("xid", "79"),).
    """

    check: str
    signal: str
    object: str
    source: str
    record: str
    node: str = ""
    card: str = ""
    namespace: str = ""
    pod: str = ""
    count: int = 1
    severity: str = ""
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingInput:
    """Something that a check would need. `node` is "" where it is missing for the whole cluster.

    `input` is a short fixed word ("daemonsets.apps", "hami-monitor page"), `reason` what a person
    can do about it or why it is missing.
    """

    check: str
    input: str
    reason: str
    node: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What one evaluator says at one instant.

    `state` is that of the whole cluster: OK means that the check could look everywhere where it
    applies. `nodes` are the nodes on which it applies and could look or not (never
    NOT_APPLICABLE); empty for checks that are no node's matter.
    """

    check: str
    state: InputState
    findings: tuple[Finding, ...] = ()
    missing: tuple[MissingInput, ...] = ()
    nodes: tuple[tuple[str, InputState], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLayer:
    """Facts of the sharing layer about one node; None or "" where nobody knows.

    Times are Unix seconds. `monitor_up` is None where no monitor is expected, `plugin_ready` where
    no plugin is. `missing_labels` are "key=value" that the plugin's DaemonSet selects by.
    `driver_cards` are those that a DCGM page lists. `heartbeat_at` is that of plugins which still
    report one. `lock_owner` is "namespace/pod" or "".
    """

    node: str
    layers: tuple[str, ...]
    monitor_up: bool | None = None
    plugin_ready: bool | None = None
    missing_labels: tuple[str, ...] = ()
    registered_cards: int | None = None
    driver_cards: int | None = None
    heartbeat_at: float | None = None
    lock_at: float | None = None
    lock_owner: str = ""
    plugin_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """All checks of the sharing layer at one instant, in the order of their ids."""

    at: float
    results: tuple[CheckResult, ...] = ()
    nodes: tuple[NodeLayer, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Those of all checks."""
        return tuple(finding for result in self.results for finding in result.findings)
