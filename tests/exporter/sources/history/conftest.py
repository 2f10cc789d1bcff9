from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpuatlas_harness.recorded import RecordedPrometheus, recorded_prometheus


@pytest.fixture
def prometheus() -> Iterator[RecordedPrometheus]:
    """An empty one; its clock stands at half past five in the morning."""
    with recorded_prometheus(1_800_000_000.5) as server:
        yield server
