"""Overview: the first look of a newcomer. Is sharing worth it here, what waits, what is broken?"""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards import variables
from gpuatlas_dashboards.board import Board
from gpuatlas_dashboards.boards.overview_now import card_states, check_states, waiting_now
from gpuatlas_dashboards.boards.overview_tables import firing, missing, namespaces, nodes, waiting
from gpuatlas_dashboards.boards.overview_worth import (
    compute_bars,
    known,
    memory_bars,
    next_boards,
    worth,
)
from gpuatlas_dashboards.layout import Beside, Column, Section
from gpuatlas_dashboards.texts.en import overview as en
from gpuatlas_dashboards.texts.ja import overview as ja
from gpuatlas_dashboards.texts.shapes.words import Language

TEXTS: Final = {"en": en.TEXTS, "ja": ja.TEXTS}


def build(language: Language) -> Board:
    """The board in a language."""
    texts = TEXTS[language.code]
    return Board(
        title=texts.title,
        description=texts.description,
        variables=[variables.datasource(language), variables.cluster(language)],
        sections=[
            Section(
                content=[
                    worth(texts, language),
                    Beside(
                        columns=[
                            Column(width=8, panels=[memory_bars(texts, language, width=8)]),
                            Column(width=8, panels=[compute_bars(texts, language, width=8)]),
                            Column(
                                width=8,
                                panels=[
                                    known(texts, width=8),
                                    next_boards(texts, language, width=8),
                                ],
                            ),
                        ]
                    ),
                    card_states(texts, language, width=10),
                    waiting_now(texts, language, width=6),
                    check_states(texts, language, width=8),
                    nodes(texts, language, width=14),
                    namespaces(texts, language, width=10),
                    waiting(texts, language, width=9),
                    firing(texts, language, width=10),
                    missing(texts, width=5),
                ]
            ),
        ],
    )
