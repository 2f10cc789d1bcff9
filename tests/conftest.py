"""Makes the real servers available to every test that asks for them."""

from __future__ import annotations

import pytest

import gpuatlas_harness


def pytest_configure(config: pytest.Config) -> None:
    gpuatlas_harness.register(config)
