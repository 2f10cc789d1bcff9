"""What a Prometheus that evaluates our rules says of the checks at one instant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuatlas.model.checks import CheckState, Finding, MissingInput


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledAlert:
    """One alert. `labels` are those of its rule, `alertname` among them.

    `firing` is False while it is pending. `since` is when its condition began, in Unix seconds;
    `texts` are its annotations as the server filled them in, empty where it does not give them.
    """

    labels: Mapping[str, str]
    firing: bool
    since: float | None = None
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledCluster:
    """The checks of one cluster; `name` is its label `cluster`, "" where there is none.

    `states` is check → state, `nodes` is (check, node) → state. `blind` are checks that lack what
    they need, whatever their state is.
    """

    name: str
    states: Mapping[str, CheckState]
    nodes: Mapping[tuple[str, str], CheckState] = field(default_factory=dict)
    alerts: tuple[RuledAlert, ...] = ()
    findings: tuple[Finding, ...] = ()
    missing: tuple[MissingInput, ...] = ()
    blind: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledChecks:
    """All clusters of one server, by name; none where our rules are not loaded."""

    at: float
    clusters: tuple[RuledCluster, ...]
    warnings: tuple[str, ...] = ()
