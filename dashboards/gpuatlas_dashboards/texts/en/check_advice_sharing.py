"""English causes and first steps of the checks of the sharing layer: those of `alerts/sharing.yaml`."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.check_catalogue import said
from gpuatlas_dashboards.texts.shapes.check_catalogue import CheckAdviceTexts

TEXTS: Final = CheckAdviceTexts(
    causes={key: advice.cause for key, advice in said("sharing").items()},
    actions={key: advice.action for key, advice in said("sharing").items()},
)
