"""Puts a check's findings and what it lacked together. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gpuatlas.checks.context import CheckContext
from gpuatlas.join.routing import PODS
from gpuatlas.model.checks import CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.targets import HAMI_MONITOR

MONITOR_PAGE: Final = f"{HAMI_MONITOR} page"
_NO_PAGE: Final = (
    "see that the layer's vgpu-monitor runs on the node and that gpuatlas, or the Prometheus that "
    "it reads, reaches it"
)
# facts/k8s.md 1.3, facts/errata.md: KAI by itself keeps no limits.
_NO_ISOLATOR: Final = (
    "KAI's fractions have no limit unless its resource isolator is installed; with it, see that "
    "gpuatlas, or the Prometheus that it reads, reaches its monitor"
)
_KAI_ALONE: Final = frozenset({str(Sharing.KAI)})


def verdict(
    check: str,
    nodes: Iterable[str],
    findings: Iterable[Finding] = (),
    missing: Iterable[MissingInput] = (),
) -> CheckResult:
    """The result of a check that applies on `nodes`; on none it does not apply at all.

    An input that is missing for the whole cluster (node "") is missing on each of them. Findings
    stand in any case: they rest on what could be seen.
    """
    applies = sorted(set(nodes))
    if not applies:
        return CheckResult(check=check, state=InputState.NOT_APPLICABLE)
    lacked = tuple(missing)
    blind = {found.node for found in lacked}
    return CheckResult(
        check=check,
        state=InputState.MISSING if lacked else InputState.OK,
        findings=tuple(sorted(findings, key=_order)),
        missing=lacked,
        nodes=tuple(
            (name, InputState.MISSING if blind & {"", name} else InputState.OK) for name in applies
        ),
    )


def _order(finding: Finding) -> tuple[str, ...]:
    place = (finding.node, finding.card, finding.namespace, finding.pod)
    return (finding.signal, *place, finding.source, finding.record)


def unread_pods(context: CheckContext, check: str) -> tuple[MissingInput, ...]:
    """Why pods cannot be looked at, where they cannot."""
    why = context.observations.silent.get((PODS, ""))
    if not why:
        return ()
    reason = f"{why}: give gpuatlas the rights to list and watch pods"
    return (MissingInput(check=check, input="pods", reason=reason),)


def unread_monitors(
    context: CheckContext, check: str, nodes: Iterable[str]
) -> tuple[MissingInput, ...]:
    """The nodes among `nodes` without a page of a layer's monitor."""
    return tuple(
        MissingInput(check=check, input=MONITOR_PAGE, node=node, reason=_why_silent(context, node))
        for node in nodes
        if node not in context.monitors.pages
    )


def _why_silent(context: CheckContext, node: str) -> str:
    silent = context.observations.silent
    why = silent.get((HAMI_MONITOR, node)) or silent.get((HAMI_MONITOR, ""), "")
    kai = context.layers.get(node) == _KAI_ALONE and not why
    return _NO_ISOLATOR if kai else ": ".join(filter(None, (why, _NO_PAGE)))
