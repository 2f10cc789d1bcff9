"""What the history's reader makes of a recorded Prometheus."""

from __future__ import annotations

from gpuatlas.model.sizing import History
from gpuatlas.sources.history.look import HistoryLook
from gpuatlas.sources.history.reader import read_history
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.recorded import RecordedPrometheus


def look(prometheus: RecordedPrometheus, **matchers: str) -> HistoryLook:
    settings = PrometheusSettings(url=prometheus.url, matchers=matchers)
    return read_history(settings, now=0.0)


def only(prometheus: RecordedPrometheus) -> History:
    (history,) = look(prometheus).histories
    return history
