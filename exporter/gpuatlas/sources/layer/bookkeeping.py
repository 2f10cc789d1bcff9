"""How the sources of this package fare, over the life of a reader. No I/O."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from gpuatlas.model.layer import CertificateProbe
from gpuatlas.model.rejections import Rejection
from gpuatlas.model.status import SourceStatus
from gpuatlas.sources.layer.reading import Outcome

CERTIFICATE_SOURCE: Final = "webhook-certificate"


class SourceBook:
    """When each source was last read, and how many of its records were refused since the start."""

    def __init__(self) -> None:
        self._last_success: dict[str, float] = {}
        self._rejected: dict[str, Counter[str]] = defaultdict(Counter)
        self._refused: frozenset[Rejection] = frozenset()

    def note_rejections(self, rejections: Iterable[Rejection]) -> None:
        """Count those that were not there last time: the same objects are read again and again."""
        now = frozenset(rejections)
        for rejection in now - self._refused:
            self._rejected[rejection.source][rejection.reason] += rejection.count
        self._refused = now

    def status(self, source: str, outcome: Outcome | None, now: float) -> SourceStatus:
        """The status of a kind of object; `outcome` is None where it was not asked for."""
        if outcome is None or not (outcome.objects or outcome.error):
            return self._status(source, up=None)
        if not outcome.error:
            self._last_success[source] = now
        return self._status(
            source, up=not outcome.error, error=outcome.error, seconds=outcome.seconds
        )

    def probe_status(
        self, probes: Sequence[CertificateProbe], seconds: float, now: float
    ) -> SourceStatus:
        """The status of the probing: up if every endpoint that was asked answered."""
        if not probes:
            return self._status(CERTIFICATE_SOURCE, up=None)
        failed = [probe for probe in probes if not probe.reached]
        if not failed:
            self._last_success[CERTIFICATE_SOURCE] = now
        return self._status(
            CERTIFICATE_SOURCE,
            up=not failed,
            error=f"{failed[0].address}: {failed[0].error}" if failed else "",
            seconds=seconds,
            targets={"up": len(probes) - len(failed), "down": len(failed)},
        )

    def _status(
        self,
        source: str,
        *,
        up: bool | None,
        error: str = "",
        seconds: float | None = None,
        targets: dict[str, int] | None = None,
    ) -> SourceStatus:
        return SourceStatus(
            source=source,
            up=up,
            last_success_at=self._last_success.get(source),
            read_seconds=seconds,
            error=error,
            targets=targets or {},
            rejected=dict(self._rejected[source]),
        )
