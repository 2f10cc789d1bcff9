"""The verdicts of the checks that this process publishes, renewed at leisure.

Every shard judges the whole snapshot and publishes its part: what is about a node where the node is
published, what is about the whole cluster where the word "cluster" belongs. A shard reads the pages
of its own nodes alone, so what a check lacks on the others says nothing here. The state of a check
in the cluster is therefore that of all shards together: missing where one lacks something.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Final

from gpuatlas.checks.evaluate import EVALUATOR, evaluate
from gpuatlas.model.checks import CheckReport, CheckResult, InputState
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.runtime.scope import Scope

logger = logging.getLogger(__name__)

# In a busy cluster something changes every second, and the shortest alert waits a minute.
_LOOKS_AFTER_CHANGE: Final = 3

CLUSTER: Final = "cluster"


class Checker:
    """Judges when it is time to. Belongs to the refresh loop's thread.

    At rest once in `every_seconds`, since locks and allocations become findings by their age alone;
    while things change three times as often. Times are of the monotonic clock.
    """

    def __init__(self, scope: Scope, *, every_seconds: float = 30.0) -> None:
        self._every = every_seconds
        self._scope = scope
        self._judged_at = float("-inf")
        self._changed = False
        self._failing: dict[str, str] = {}

    def is_due(self, now: float, *, changed: bool) -> bool:
        """Whether to judge at `now`; `changed` says that the picture is another one."""
        self._changed = self._changed or changed
        pause = self._every / _LOOKS_AFTER_CHANGE if self._changed else self._every
        return now - self._judged_at >= pause

    def judge(self, observations: Observations, snapshot: Snapshot, now: float) -> CheckReport:
        """What there is to publish of the verdict on the whole `snapshot`."""
        self._judged_at, self._changed = now, False
        errors: dict[str, Exception] = {}
        hidden = self._scope.excluded_namespaces
        report = evaluate(observations, snapshot, hidden=hidden, on_error=errors.__setitem__)
        self._tell(errors)
        return self._part(report)

    def forget(self) -> None:
        """Judge as soon as there is a picture again."""
        self._judged_at = float("-inf")

    def layer(self, observations: Observations) -> LayerObjects:
        """The sharing layer's objects, where it is ours to publish them."""
        return observations.layer if self._scope.shard.owns(CLUSTER) else LayerObjects()

    def _tell(self, errors: dict[str, Exception]) -> None:
        for check, error in errors.items():
            # The same error comes back with every round: its traceback is worth one record.
            if self._failing.get(check) != repr(error):
                logger.error("a check failed", extra={"check": check}, exc_info=error)
        for check in self._failing.keys() - errors.keys():
            logger.info("a check works again", extra={"check": check})
        self._failing = {check: repr(error) for check, error in errors.items()}

    def _part(self, report: CheckReport) -> CheckReport:
        if self._scope.shard.count == 1:
            return report
        return replace(
            report,
            results=tuple(map(self._part_of, report.results)),
            nodes=tuple(node for node in report.nodes if self._owns(node.node)),
        )

    def _part_of(self, result: CheckResult) -> CheckResult:
        # A fault of ours can be in what this shard alone has read.
        missing = tuple(
            lack for lack in result.missing if lack.input == EVALUATOR or self._owns(lack.node)
        )
        # All that is lacking is told by other shards.
        foreign = bool(result.missing) and not missing
        return replace(
            result,
            state=InputState.OK if foreign else result.state,
            findings=tuple(found for found in result.findings if self._owns(found.node)),
            missing=missing,
            nodes=tuple((node, state) for node, state in result.nodes if self._owns(node)),
        )

    def _owns(self, node: str) -> bool:
        return self._scope.shard.owns(node or CLUSTER)
