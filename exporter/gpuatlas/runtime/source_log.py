"""Says in the log when a source can no longer be read, and when it can be again."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from gpuatlas.model.status import SourceStatus


def log_changes(
    logger: logging.Logger, before: Iterable[SourceStatus], now: Iterable[SourceStatus]
) -> None:
    """One line for each source that fares otherwise than before, by the logger of its reader."""
    known = {status.source: status.error for status in before}
    for status in now:
        was = known.get(status.source, "")
        if status.error and not was:
            logger.warning("cannot read %s: %s", status.source, status.error)
        elif was and not status.error:
            logger.info("%s can be read again", status.source)
