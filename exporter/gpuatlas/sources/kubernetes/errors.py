"""Failures that only this source knows, beside those of `gpuatlas.sources.errors`."""

from __future__ import annotations

from typing import ClassVar

from gpuatlas.sources.errors import BadAnswerError, SourceError


class ConfigurationError(SourceError):
    """No usable kubeconfig or service account; the message says where it was looked for."""

    reason: ClassVar[str] = "configuration"


class BusyError(BadAnswerError):
    """429, or 5xx but 501: the server asks for patience. `retry_after_s` is its figure, if any."""

    reason: ClassVar[str] = "busy"

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
