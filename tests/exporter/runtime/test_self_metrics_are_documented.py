"""The metrics that prometheus-client serves for us stand in docs/metrics.md like all others."""

from __future__ import annotations

import re

from gpuatlas.families.documents import ITSELF_ROWS
from gpuatlas.families.exposition import Format
from gpuatlas.runtime.refresh import RefreshCounts
from gpuatlas.runtime.selfmetrics import SelfMetrics


def test_every_metric_of_the_exporter_itself_is_documented() -> None:
    counts = RefreshCounts(rounds=3, failures=1, seconds=0.5, succeeded_at=1.0)
    page = SelfMetrics(lambda: counts).render(Format.TEXT).decode()
    served = set(re.findall(r"^(gpuatlas_\w+)", page, re.MULTILINE))
    assert served == {name for name, *_ in ITSELF_ROWS}
