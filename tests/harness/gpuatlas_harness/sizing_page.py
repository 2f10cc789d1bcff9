"""A report of sizing in which every metric of it has something to say."""

from __future__ import annotations

from typing import Final

from gpuatlas.model.readings import Known, Unknown
from gpuatlas.model.sizing import (
    CannotReason,
    Contended,
    NodeDemand,
    NodeRatio,
    PrioritySuggestion,
    Proposal,
    Resource,
    SizedContainer,
    SizingReport,
    Verdict,
)

_GIB: Final = 1024**3
_AT: Final = 1_790_000_000.0


def _of(name: str, **changes: str) -> SizedContainer:
    fields = {"cluster": "", "namespace": "team-a", "kind": "Deployment", "container": "main"}
    return SizedContainer(name=name, **(fields | changes))


_CHAT: Final = _of("chat")
_TRAIN: Final = _of("train-*", kind="Job", group="Job/train-*")
_WHOLE: Final = _of("render", kind="StatefulSet", container="")
_SLOWED: Final = Contended(
    cluster="",
    namespace="team-a",
    kind="Deployment",
    name="chat",
    victim_minutes=90.5,
    suspect_minutes=0.0,
    serves=True,
)
_SUSPECTED: Final = Contended(
    cluster="",
    namespace="team-b",
    kind="Job",
    name="batch",
    victim_minutes=2.0,
    suspect_minutes=45.0,
    serves=False,
    priority=0,
)


def a_sizing_report() -> SizingReport:
    """A share that is too large, runs that cannot be sized, a whole card for which a part would do.

    One node whose ratio is known, and one of which nobody knows the host's memory.
    """
    return SizingReport(
        at=_AT,
        window_days=14,
        proposals=(*_proposals(), _cannot()),
        nodes=(_known_node(), _unknown_node()),
        priorities=(PrioritySuggestion(of=_SLOWED, proposed=0, text="slowed"),),
        contended=(_SLOWED, _SUSPECTED),
        missing=(
            "node:gpuatlas_host_memory_available_bytes:min1d: no host memory was recorded: let "
            "this Prometheus scrape node_exporter",
        ),
    )


def _proposals() -> tuple[Proposal, ...]:
    return (
        Proposal(
            of=_CHAT,
            resource=Resource.MEMORY,
            verdict=Verdict.SMALLER,
            text="Peak 5 GiB of 12 GiB.",
            present=12.0 * _GIB,
            peak=5.0 * _GIB + 1,
            proposed=5.5 * _GIB,
            saving=13.0 * _GIB,
            window_days=13.98,
            coverage=0.99,
        ),
        Proposal(
            of=_CHAT,
            resource=Resource.COMPUTE,
            verdict=Verdict.FITS,
            text="p95 40 % of a card.",
            present=0.5,
            peak=0.4,
            window_days=7.5,
            coverage=0.97,
        ),
        Proposal(
            of=_WHOLE,
            resource=Resource.CARDS,
            verdict=Verdict.SMALLER,
            text="A 1g.10gb would do.",
            present=1,
            proposed=1,
            saving=6 / 7,
            target="nvidia.com/mig-1g.10gb",
            window_days=14.0,
            coverage=1.0,
        ),
        Proposal(
            of=_WHOLE,
            resource=Resource.COMPUTE,
            verdict=Verdict.LARGER,
            text="It is at its limit.",
            present=0.25,
            peak=0.25,
            proposed=0.3,
            saving=-0.05,
            window_days=14.0,
            coverage=1.0,
        ),
    )


def _cannot() -> Proposal:
    return Proposal(
        of=_TRAIN,
        resource=Resource.MEMORY,
        verdict=Verdict.CANNOT,
        text="Seen for 2 days and 1 completed run.",
        reason=CannotReason.SHORT_WINDOW,
        peak=0,
        window_days=2.0,
    )


def _known_node() -> NodeRatio:
    demand = NodeDemand(
        node="gpu-a",
        sharing="hami",
        allocated=Known(30 * _GIB, _AT, "recorded"),
        demand=Known(18 * _GIB, _AT, "recorded"),
        physical=Known(24 * _GIB, _AT, "recorded"),
        host_available=Known(64 * _GIB, _AT, "recorded"),
        days=13.5,
    )
    return NodeRatio(
        demand=demand,
        present=Known(1.25, _AT, "allocated / physical"),
        safe=Known(1.5, _AT, "0.9 × allocated / demand"),
        room=Known(6 * _GIB, _AT, "room"),
        fits={("team-a", "Deployment", "chat"): 0, ("team-b", "Job", "batch"): 3},
    )


def _unknown_node() -> NodeRatio:
    unknown = Unknown("host memory: nothing was recorded")
    demand = NodeDemand(
        node="gpu-b",
        sharing="hami",
        allocated=Known(12 * _GIB, _AT, "recorded"),
        demand=Known(8 * _GIB, _AT, "recorded"),
        physical=Known(24 * _GIB, _AT, "recorded"),
        host_available=unknown,
        days=3.0,
    )
    return NodeRatio(
        demand=demand,
        present=Known(0.5, _AT, "allocated / physical"),
        safe=unknown,
        room=unknown,
        fits={},
    )
