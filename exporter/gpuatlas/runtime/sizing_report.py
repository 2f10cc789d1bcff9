"""One look of the analysis: what a Prometheus has recorded, judged. For `serve` and commands."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from typing import Final, TypeVar

from gpuatlas.advice.work import Work, work_of
from gpuatlas.model.sizing import NodeDemand, NodeRatio, SizingReport
from gpuatlas.sizing.judge import judge
from gpuatlas.sizing.overcommit import node_ratio
from gpuatlas.sizing.priority import suggest
from gpuatlas.sizing.runs import merge_runs
from gpuatlas.sources.history.labels import NodeKey
from gpuatlas.sources.history.look import DEFAULT_WINDOW_DAYS, HistoryLook
from gpuatlas.sources.history.reader import read_history
from gpuatlas.sources.promapi.settings import PrometheusSettings

logger = logging.getLogger(__name__)

A = TypeVar("A")
B = TypeVar("B")

_SERVES: Final[Mapping[Work, bool | None]] = {Work.SERVING: True, Work.UNKNOWN: None}


def look_back(
    settings: PrometheusSettings, *, now: float, window_days: int = DEFAULT_WINDOW_DAYS
) -> HistoryLook:
    """What the Prometheus has recorded of all its clusters, or of those that its matchers leave.

    Raises:
        SourceError: it cannot be asked.
    """
    return read_history(settings, now=now, window_days=window_days, serves=serves)


def serves(kind: str, runtime: str) -> bool | None:
    """Whether a workload answers requests, None where nobody can tell."""
    return _SERVES.get(work_of(kind, runtime), False)


def report_of(look: HistoryLook, *, hidden: Collection[str] = ()) -> SizingReport:
    """The verdicts on all that was recorded.

    A fault of ours costs what it was found in: it is logged, and the rest is judged.

    Args:
        look: what was recorded.
        hidden: namespaces to leave out; what they hold still counts in the sums of their nodes.
    """
    shown = [history for history in look.histories if history.of.namespace not in hidden]
    contended = tuple(found for found in look.contended if found.namespace not in hidden)
    histories = merge_runs(shown)
    judged = _each(judge, histories)
    return SizingReport(
        at=look.at,
        window_days=look.window_days,
        proposals=tuple(proposal for proposals in judged for proposal in proposals),
        nodes=tuple(_each(lambda demand: _ratio(look, demand, hidden), look.nodes)),
        priorities=next(iter(_each(suggest, [contended])), ()),
        contended=contended,
        missing=look.missing,
        reservations={history.of: history.reservation for history in histories},
    )


def _ratio(look: HistoryLook, demand: NodeDemand, hidden: Collection[str]) -> NodeRatio:
    promises = look.promises.get(NodeKey(demand.cluster, demand.node), {})
    return node_ratio(demand, {who: size for who, size in promises.items() if who[0] not in hidden})


def _each(judged: Callable[[A], B], things: Collection[A]) -> list[B]:
    """What is said of each; the first fault has its traceback in the log, the rest are counted."""
    found: list[B] = []
    failed = 0
    for thing in things:
        try:
            found.append(judged(thing))
        except Exception:
            if not failed:
                logger.exception("sizing failed, the rest is judged")
            failed += 1
    if failed > 1:
        logger.error("sizing failed %d times in all", failed)
    return found
