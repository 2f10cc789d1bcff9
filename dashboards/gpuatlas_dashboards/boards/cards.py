"""Cards: every card by state, and the chosen one in detail."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards import variables
from gpuatlas_dashboards.board import Board
from gpuatlas_dashboards.boards import cards_queries as queries
from gpuatlas_dashboards.boards.cards_chain import chain
from gpuatlas_dashboards.boards.cards_detail import card_detail
from gpuatlas_dashboards.boards.cards_history import card_history
from gpuatlas_dashboards.boards.cards_list import card_list, unplaced
from gpuatlas_dashboards.boards.cards_map import card_map
from gpuatlas_dashboards.boards.cards_summary import card_memory, card_states
from gpuatlas_dashboards.layout import Beside, Column, Section
from gpuatlas_dashboards.legend import state_legend
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.scopes import CARD
from gpuatlas_dashboards.texts.en import cards as en
from gpuatlas_dashboards.texts.ja import cards as ja
from gpuatlas_dashboards.texts.shapes.cards import CardsTexts
from gpuatlas_dashboards.texts.shapes.words import Language

TEXTS: Final = {"en": en.TEXTS, "ja": ja.TEXTS}


def build(language: Language) -> Board:
    """The board in a language."""
    texts = TEXTS[language.code]
    return Board(
        title=texts.title,
        description=texts.description,
        variables=[
            variables.datasource(language),
            variables.cluster(language),
            variables.node(language),
            variables.state(language),
            variables.shown_nodes(language, queries.SHOWN_NODES),
            variables.card(language),
            variables.card_pods(language, CARD),
        ],
        sections=[
            Section(
                content=[
                    card_states(texts, language, width=12),
                    card_memory(texts, language, width=12),
                    Beside(
                        columns=[
                            Column(width=17, panels=_all_cards(texts, language)),
                            Column(width=7, panels=card_detail(texts, language, width=7)),
                        ]
                    ),
                ]
            ),
            Section(title=texts.history, content=card_history(texts, language)),
            Section(
                title=texts.list_section,
                content=[
                    card_list(texts, language, height=20),
                    unplaced(texts, language, height=8),
                ],
                closed=True,
            ),
        ],
    )


def _all_cards(texts: CardsTexts, language: Language) -> list[Panel]:
    return [
        card_map(texts, language, width=17, height=21),
        state_legend(texts.legend, language.shared, width=17, height=2),
        chain(texts, language, width=17, height=9),
    ]
