"""All checks of the sharing layer over one instant. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from gpuatlas.checks import (
    books,
    certificates,
    compute,
    configuration,
    isolation,
    licence,
    limits,
    monitor,
    plugin,
    registration,
    stuck,
    tenants,
    versions,
    webhook,
)
from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.hiding import hide, hide_owner, mentions
from gpuatlas.checks.nodes import node_layers
from gpuatlas.model.checks import (
    MAX_RECORD,
    CheckReport,
    CheckResult,
    Finding,
    InputState,
    MissingInput,
    NodeLayer,
)
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.model.units import clean_text

Evaluator = Callable[[CheckContext], CheckResult]
OnError = Callable[[str, Exception], None]

NODE_FACTS: Final = "facts of nodes"
# `MissingInput.input` of a check that fell over.
EVALUATOR: Final = "evaluator"

EVALUATORS: Final[Mapping[str, Evaluator]] = {
    "S01": isolation.disabled,
    "S02": limits.mismatch,
    "S03": limits.breached,
    "S04": tenants.unaccounted,
    "S05": compute.ineffective,
    "S06": monitor.silent,
    "S07": webhook.down,
    "S08": certificates.certificate,
    "S09": tenants.bypassed,
    "S10": plugin.down,
    "S11": plugin.label_missing,
    "S12": registration.registration_stale,
    "S13": stuck.allocations,
    "S14": books.inconsistent,
    "S15": configuration.drift,
    "S16": versions.skew,
    "S17": licence.ended,
}

# One cause can leave a thousand pods behind it: so many are named for each object, node and signal,
# and the rest is counted in the last of them (facts/errata.md, General).
NAMED_PODS: Final = 5
# Pods that nobody owns are objects of their own, and a tenant makes a thousand of them: so many
# objects are named for each namespace, node, card and signal, and the rest is counted in the last.
NAMED_OBJECTS: Final = 20


def _ignore(check: str, error: Exception) -> None:
    """For callers that have no log."""


def evaluate(
    observations: Observations,
    snapshot: Snapshot,
    *,
    hidden: frozenset[str] = frozenset(),
    on_error: OnError = _ignore,
    evaluators: Mapping[str, Evaluator] = EVALUATORS,
) -> CheckReport:
    """The verdict of every check at the instant of the observations.

    `hidden` are namespaces that nothing may be said of; those of the sharing layer itself are never
    hidden, or its failures would go unseen. An evaluator that raises costs its own check, which
    then lacks its evaluator; `on_error` is told the check, or NODE_FACTS, and the error.
    """
    context = CheckContext(observations=observations, snapshot=snapshot)
    hidden = hidden - _layer_namespaces(context)
    names = mentions(hidden)
    results = (
        _guarded(check, evaluators[check], context, on_error) for check in sorted(evaluators)
    )
    return CheckReport(
        at=observations.now,
        results=tuple(_bounded(hide(result, hidden, names)) for result in results),
        nodes=tuple(hide_owner(node, hidden) for node in _facts(context, on_error)),
    )


def _layer_namespaces(context: CheckContext) -> frozenset[str]:
    return frozenset({context.home, *(found.namespace for found in context.layer.controllers)})


def _guarded(
    check: str, evaluator: Evaluator, context: CheckContext, on_error: OnError
) -> CheckResult:
    try:
        return evaluator(context)
    except Exception as error:
        on_error(check, error)
        reason = clean_text(f"a fault of ours, please report it: {error!r}")
        lack = MissingInput(check=check, input=EVALUATOR, reason=reason)
        return CheckResult(check=check, state=InputState.MISSING, missing=(lack,))


def _facts(context: CheckContext, on_error: OnError) -> tuple[NodeLayer, ...]:
    try:
        return node_layers(context)
    except Exception as error:
        on_error(NODE_FACTS, error)
        return ()


def _bounded(result: CheckResult) -> CheckResult:
    return replace(result, findings=tuple(map(_cleaned, _few(_named(result.findings)))))


def _named(findings: Iterable[Finding]) -> Iterator[Finding]:
    alike: dict[tuple[str, ...], list[Finding]] = defaultdict(list)
    for finding in findings:
        alike[finding.signal, finding.object, finding.node, finding.card].append(finding)
    for group in alike.values():
        yield from _counted(group, NAMED_PODS)


def _few(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings of the first objects in each place; the last one counts those of the others."""
    listed = list(findings)
    objects: dict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
    for finding in listed:
        known = objects[_place(finding)]
        known.setdefault(finding.object, len(known))
    rest: dict[tuple[str, ...], list[Finding]] = defaultdict(list)
    for finding in listed:
        known = objects[_place(finding)]
        if len(known) <= NAMED_OBJECTS or known[finding.object] < NAMED_OBJECTS - 1:
            yield finding
        else:
            rest[_place(finding)].append(finding)
    for group in rest.values():
        yield from _counted(group, 1)


def _place(finding: Finding) -> tuple[str, ...]:
    return (finding.signal, finding.namespace, finding.node, finding.card)


def _counted(group: list[Finding], most: int) -> Iterator[Finding]:
    """At most so many of them; the last one counts those that are left out."""
    yield from group[: most - 1]
    if len(group) >= most:
        rest = group[most - 1 :]
        yield replace(rest[0], count=sum(finding.count for finding in rest))


def _cleaned(finding: Finding) -> Finding:
    return replace(finding, record=clean_text(finding.record, limit=MAX_RECORD))
