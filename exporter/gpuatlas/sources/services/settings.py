"""How the pages of inference servers are read. No I/O here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """Bounds of a round. Times are seconds."""

    workers: int = 16
    """Servers asked at once."""

    timeout: float = 5.0
    """The most that one server may take. They answer from memory; one that does not is busy with
    its requests, and must not be asked for long."""

    round_timeout: float = 20.0
    """The most that a round may take."""

    limit_bytes: int = 4 * 1024 * 1024
    """The largest page, decompressed. A vLLM page has about 100 KiB for each model."""

    targets: int = 500
    """The most servers that are asked; those beyond are told."""
