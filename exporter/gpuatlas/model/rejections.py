"""What was refused, where it stood and what to do: one bad record costs that record only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rejection:
    """One refused record, or `count` records that were refused for the same reason in one place.

    `source` and `reason` are labels of `gpuatlas_source_rejected_samples_total`, so both come from
    small fixed sets. `where` names the object and the field ("pod team-a/x annotation
    hami.io/…"), `message` says what is wrong with it, in at most 200 characters.
    """

    source: str
    reason: str
    where: str
    message: str
    count: int = 1


class MalformedError(ValueError):
    """The only error that a parser may raise; `reason` is a metric label, the text for people."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
