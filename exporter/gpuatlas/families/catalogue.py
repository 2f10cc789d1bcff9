"""All metric tables in the order in which pages and documents show them.

The page, `docs/metrics.md` and the tests read these tuples: a metric that is in none of them does
not exist.
"""

from __future__ import annotations

from typing import Any, Final

from gpuatlas.families import (
    advice,
    allocation,
    card,
    checks,
    contention,
    layer,
    node,
    partition,
    sizing,
    source,
    workload,
)
from gpuatlas.families.spec import Family
from gpuatlas.model.advice import PoolAdvice
from gpuatlas.model.checks import CheckReport
from gpuatlas.model.contention import ContentionCounts
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.sizing import SizingReport
from gpuatlas.model.snapshot import NamespaceSnapshot, NodeSnapshot
from gpuatlas.model.status import SourceStatus

NODE_FAMILIES: Final[tuple[Family[NodeSnapshot], ...]] = (
    *node.FAMILIES,
    *card.FAMILIES,
    *partition.FAMILIES,
    *allocation.FAMILIES,
)
NAMESPACE_FAMILIES: Final[tuple[Family[NamespaceSnapshot], ...]] = workload.FAMILIES
CHECK_FAMILIES: Final[tuple[Family[CheckReport], ...]] = checks.FAMILIES
LAYER_FAMILIES: Final[tuple[Family[LayerObjects], ...]] = layer.FAMILIES
SIZING_FAMILIES: Final[tuple[Family[SizingReport], ...]] = sizing.FAMILIES
CONTENTION_FAMILIES: Final[tuple[Family[ContentionCounts], ...]] = contention.FAMILIES
ADVICE_FAMILIES: Final[tuple[Family[PoolAdvice], ...]] = advice.FAMILIES
SOURCE_FAMILIES: Final[tuple[Family[SourceStatus], ...]] = source.FAMILIES

ALL_FAMILIES: Final[tuple[Family[Any], ...]] = (
    *NODE_FAMILIES,
    *NAMESPACE_FAMILIES,
    *CHECK_FAMILIES,
    *LAYER_FAMILIES,
    *SIZING_FAMILIES,
    *CONTENTION_FAMILIES,
    *ADVICE_FAMILIES,
    *SOURCE_FAMILIES,
)
