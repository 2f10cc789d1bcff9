"""Helm 3 and 4, each with a home of its own."""

from __future__ import annotations

import pytest

from gpuatlas_harness.helm import Helm, helm


@pytest.fixture(scope="session")
def helm3(tmp_path_factory: pytest.TempPathFactory) -> Helm:
    return helm(3, tmp_path_factory.mktemp("helm3"))


@pytest.fixture(scope="session")
def helm4(tmp_path_factory: pytest.TempPathFactory) -> Helm:
    return helm(4, tmp_path_factory.mktemp("helm4"))
