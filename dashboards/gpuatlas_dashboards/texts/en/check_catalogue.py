"""English names of the checks: those of `alerts/*.yaml`, read and not typed again."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.check_catalogue import checks
from gpuatlas_dashboards.texts.shapes.check_catalogue import CheckCatalogueTexts

TEXTS: Final = CheckCatalogueTexts(
    names={check.id: check.name for check in checks()},
    titles={check.id: check.summary for check in checks()},
)
