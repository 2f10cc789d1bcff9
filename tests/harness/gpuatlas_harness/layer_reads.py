"""One read of the layers' objects from memory, and its statuses."""

from __future__ import annotations

from collections.abc import Iterable

from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.status import SourceStatus
from gpuatlas.sources.errors import ForbiddenError
from gpuatlas.sources.layer.reader import LayerReader
from gpuatlas.sources.layer.settings import LayerSettings
from gpuatlas_harness.layer_lists import FakeLists

NOW = 1_787_310_000.0
QUIET = LayerSettings(probe=False)
CONFIG_MAPS, LEASES = "configmaps", "leases.coordination.k8s.io"
REFUSED = ForbiddenError("not allowed to list; grant the verb")


def read(lists: FakeLists, layer: LayerSettings = QUIET) -> LayerObjects:
    return LayerReader(lists, layer).read(NOW)[0]


def by_source(statuses: Iterable[SourceStatus]) -> dict[str, SourceStatus]:
    return {status.source: status for status in statuses}
