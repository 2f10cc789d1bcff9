"""Which boards and languages there are."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.board import BoardEntry
from gpuatlas_dashboards.boards import cards, checks, overview, sizing, workloads
from gpuatlas_dashboards.links import BoardId
from gpuatlas_dashboards.texts import en, ja
from gpuatlas_dashboards.texts.shapes.words import Language

LANGUAGES: Final[tuple[Language, ...]] = (en.LANGUAGE, ja.LANGUAGE)

BOARDS: Final[tuple[BoardEntry, ...]] = (
    BoardEntry(id=BoardId.OVERVIEW, build=overview.build),
    BoardEntry(id=BoardId.CARDS, build=cards.build),
    BoardEntry(id=BoardId.WORKLOADS, build=workloads.build),
    BoardEntry(id=BoardId.CHECKS, build=checks.build),
    BoardEntry(id=BoardId.SIZING, build=sizing.build),
)
