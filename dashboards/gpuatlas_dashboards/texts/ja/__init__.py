"""Japanese."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.texts.ja import (
    shared,
    signals_card,
    signals_check,
    signals_cluster,
    signals_node,
    signals_sizing,
    signals_workload,
)
from gpuatlas_dashboards.texts.shapes.words import Language

LANGUAGE: Final = Language(
    code="ja",
    folder="ja",
    suffix="-ja",
    shared=shared.TEXTS,
    signals={
        **signals_card.WORDS,
        **signals_check.WORDS,
        **signals_cluster.WORDS,
        **signals_node.WORDS,
        **signals_sizing.WORDS,
        **signals_workload.WORDS,
    },
)
