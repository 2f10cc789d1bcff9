"""Makes the real servers available to every test that asks for them, and keeps tests apart."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

import gpuatlas_harness


def pytest_configure(config: pytest.Config) -> None:
    gpuatlas_harness.register(config)


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """A test that configures logging, as `serve` does, must not change it for the next one."""
    loggers = (logging.getLogger(), logging.getLogger("gpuatlas"))
    before = [(log, log.level, log.propagate, list(log.handlers)) for log in loggers]
    yield
    for log, level, propagate, handlers in before:
        log.setLevel(level)
        log.propagate = propagate
        log.handlers[:] = handlers
