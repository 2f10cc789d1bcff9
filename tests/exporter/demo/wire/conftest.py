"""What the API server of the built-in scenario has; who wants it healthy says so."""

from __future__ import annotations

import pytest

from gpuatlas.demo.state import World
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas_harness.wired import Objects


@pytest.fixture(scope="module")
def objects(world: World) -> Objects:
    return dict(documents(world))
