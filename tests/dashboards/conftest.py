"""The simulated cluster, once for all tests that ask it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpuatlas_harness.demo_evening import DemoEvening, demo_evening


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoEvening]:
    with demo_evening(tmp_path_factory.mktemp("prometheus")) as evening:
        yield evening
