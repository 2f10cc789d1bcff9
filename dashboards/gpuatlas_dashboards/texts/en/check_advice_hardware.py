"""English causes and first steps of the hardware checks: those of `alerts/hardware.yaml`."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.check_catalogue import said
from gpuatlas_dashboards.texts.shapes.check_catalogue import CheckAdviceTexts

TEXTS: Final = CheckAdviceTexts(
    causes={key: advice.cause for key, advice in said("hardware").items()},
    actions={key: advice.action for key, advice in said("hardware").items()},
)
