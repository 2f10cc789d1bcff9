import pytest

import gpuatlas_harness


def pytest_configure(config: pytest.Config) -> None:
    gpuatlas_harness.register(config)
