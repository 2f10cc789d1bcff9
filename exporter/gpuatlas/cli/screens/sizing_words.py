"""Words and amounts of the sizing screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.cli.screens.wording import count, mebibytes, percent
from gpuatlas.model.sizing import CannotReason, Resource, SizedContainer, Verdict

VERDICT_WORDS: Final = {
    Verdict.FITS: "fits",
    Verdict.SMALLER: "smaller",
    Verdict.LARGER: "larger",
    Verdict.CANNOT: "cannot size",
}
CANNOT_WORDS: Final = {
    CannotReason.NOT_MEASURED: "not measured",
    CannotReason.MEMORY_TAKEN_AHEAD: "memory taken ahead",
    CannotReason.SHORT_WINDOW: "window too short",
    CannotReason.COVERAGE: "gaps in the window",
    CannotReason.REPLICAS: "not all replicas seen",
    CannotReason.ROLLOUT: "rollout in the window",
    CannotReason.NOT_PROMISED: "nothing promised",
}


def named(of: SizedContainer, dot: str) -> str:
    """As "Deployment/llm-chat · main"; what runs have in common in place of a run's name."""
    whole = f"{of.kind}/{of.name}"
    return f"{whole} {dot} {of.container}" if of.container else whole


def amount(resource: Resource, value: float) -> str:
    """Whole MiB, percent of a card, a number of cards."""
    if resource is Resource.MEMORY:
        return mebibytes(round(value))
    if resource is Resource.COMPUTE:
        return percent(value)
    return f"{value:,.3g}" if value != int(value) else f"{int(value):,}"


def amounts(sums: Mapping[Resource, float]) -> str:
    """All of it in one line: "8,256 MiB of memory, 40% of a card's compute, 2 cards"."""
    said = []
    for resource, value in sums.items():
        if resource is Resource.MEMORY:
            said.append(f"{mebibytes(round(value))} MiB of memory")
        elif resource is Resource.COMPUTE:
            said.append(f"{percent(value)} of a card's compute")
        else:
            whole = value == int(value)
            said.append(count(int(value), "card") if whole else f"{value:,.3g} cards")
    return ", ".join(said)
