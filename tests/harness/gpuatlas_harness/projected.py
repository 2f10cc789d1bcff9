"""What is read of a raw ResourceSlice that publishes cards."""

from __future__ import annotations

from gpuatlas.model.claims import ResourceSlice
from gpuatlas.sources.dra.project import project_slice


def projected(raw: object) -> ResourceSlice:
    found = project_slice(raw)
    assert found is not None
    return found
