"""The words that the sections of the board Checks share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpuatlas_dashboards.texts.en import check_advice_hardware as en_hardware
from gpuatlas_dashboards.texts.en import check_advice_sharing as en_sharing
from gpuatlas_dashboards.texts.en import check_catalogue as en_catalogue
from gpuatlas_dashboards.texts.en import checks as en
from gpuatlas_dashboards.texts.ja import check_advice_hardware as ja_hardware
from gpuatlas_dashboards.texts.ja import check_advice_sharing as ja_sharing
from gpuatlas_dashboards.texts.ja import check_catalogue as ja_catalogue
from gpuatlas_dashboards.texts.ja import checks as ja
from gpuatlas_dashboards.texts.shapes.check_catalogue import CheckAdviceTexts, CheckCatalogueTexts
from gpuatlas_dashboards.texts.shapes.checks import ChecksTexts
from gpuatlas_dashboards.texts.shapes.words import Language, SharedTexts

_BOARD: Final = {"en": en.TEXTS, "ja": ja.TEXTS}
_CATALOGUE: Final = {"en": en_catalogue.TEXTS, "ja": ja_catalogue.TEXTS}
_ADVICE: Final[dict[str, tuple[CheckAdviceTexts, ...]]] = {
    "en": (en_hardware.TEXTS, en_sharing.TEXTS),
    "ja": (ja_hardware.TEXTS, ja_sharing.TEXTS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksWords:
    """All of them in one language."""

    language: Language
    board: ChecksTexts
    catalogue: CheckCatalogueTexts

    @property
    def advice(self) -> dict[str, str]:
        """Cause and first step of each signal in one text, by its key."""
        return {
            key: f"{cause} ▸ {layer.actions[key]}"
            for layer in _ADVICE[self.language.code]
            for key, cause in layer.causes.items()
        }

    @property
    def shared(self) -> SharedTexts:
        return self.language.shared


def words_of(language: Language) -> ChecksWords:
    return ChecksWords(
        language=language, board=_BOARD[language.code], catalogue=_CATALOGUE[language.code]
    )


def advice_in_all_languages() -> dict[str, list[str]]:
    """Cause and first step of each key, in each language."""
    return {
        key: [
            layer.causes[key] + layer.actions[key]
            for layers in _ADVICE.values()
            for layer in layers
            if key in layer.causes
        ]
        for layer in _ADVICE["en"]
        for key in layer.causes
    }
