"""One resource of one container while it is judged: what all answers have in common. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from gpuatlas.model.sizing import (
    CannotReason,
    Proposal,
    Resource,
    SizedContainer,
    Verdict,
)
from gpuatlas.sizing.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`present` and `peak` as in `Proposal`; `number` is how many times a saving is made."""

    of: SizedContainer
    resource: Resource
    window: Window
    present: float | None
    peak: float | None
    number: float

    def fits(self, text: str) -> Proposal:
        """It has what it needs."""
        return self._proposal(Verdict.FITS, text)

    def cannot(self, reason: CannotReason, text: str) -> Proposal:
        """Nothing can be said of it."""
        return self._proposal(Verdict.CANNOT, text, reason=reason)

    def change(self, proposed: float, text: str, *, target: str = "") -> Proposal:
        """More or less of the same."""
        return self.replace(proposed, self._saved(proposed), text, target=target)

    def replace(self, proposed: float, saved: float, text: str, *, target: str) -> Proposal:
        """Something else instead: what one of them saves is not the difference of two numbers."""
        verdict = Verdict.LARGER if saved < 0 else Verdict.SMALLER
        saving = saved * self.number
        return self._proposal(verdict, text, proposed=proposed, saving=saving, target=target)

    def _saved(self, proposed: float) -> float:
        return (self.present or 0.0) - proposed

    def _proposal(
        self,
        verdict: Verdict,
        text: str,
        *,
        reason: CannotReason | None = None,
        proposed: float | None = None,
        saving: float | None = None,
        target: str = "",
    ) -> Proposal:
        return Proposal(
            of=self.of,
            resource=self.resource,
            verdict=verdict,
            text=text,
            reason=reason,
            present=self.present,
            peak=self.peak,
            proposed=proposed,
            saving=saving,
            target=target,
            window_days=round(self.window.length, 2),
            coverage=self.window.coverage,
        )
