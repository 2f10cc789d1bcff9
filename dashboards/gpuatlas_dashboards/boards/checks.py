"""Checks: the state of all 29, what fires with whom it hits and what to do, what nobody sees."""

from __future__ import annotations

from gpuatlas_dashboards import variables
from gpuatlas_dashboards.board import Board
from gpuatlas_dashboards.boards.checks_blind import blind
from gpuatlas_dashboards.boards.checks_chosen import (
    chosen_advice,
    chosen_places,
    chosen_state,
    chosen_title,
)
from gpuatlas_dashboards.boards.checks_findings import findings
from gpuatlas_dashboards.boards.checks_findings_queries import hit_nodes
from gpuatlas_dashboards.boards.checks_history import history
from gpuatlas_dashboards.boards.checks_queries import WORST_FIRST
from gpuatlas_dashboards.boards.checks_summary import summary
from gpuatlas_dashboards.boards.checks_tables import layer_table
from gpuatlas_dashboards.boards.checks_words import words_of
from gpuatlas_dashboards.layout import Beside, Column, Section
from gpuatlas_dashboards.legend import check_state_legend
from gpuatlas_dashboards.texts.shapes.words import Language


def build(language: Language) -> Board:
    """The board in a language."""
    words = words_of(language)
    texts = words.board
    legend = check_state_legend(
        texts.legend, language.shared, texts.state_meanings, width=12, height=5
    )
    return Board(
        title=texts.title,
        description=texts.description,
        variables=[
            variables.datasource(language),
            variables.cluster(language),
            variables.labels_of(language, "hit_nodes", "node", hit_nodes()),
            variables.check(language, WORST_FIRST),
            variables.runbooks(language),
        ],
        sections=[
            Section(
                content=[
                    *summary(words),
                    Beside(
                        columns=[
                            Column(
                                width=6,
                                panels=[
                                    chosen_state(words, width=6, height=3),
                                    chosen_title(words, width=6, height=4),
                                ],
                            ),
                            Column(width=9, panels=[chosen_advice(words, width=9, height=7)]),
                            Column(width=9, panels=[chosen_places(words, width=9, height=7)]),
                        ]
                    ),
                    Beside(
                        columns=[
                            Column(
                                width=12,
                                panels=[
                                    layer_table(words, "hardware", width=12, height=14),
                                    legend,
                                ],
                            ),
                            Column(
                                width=12,
                                panels=[layer_table(words, "sharing", width=12, height=19)],
                            ),
                        ]
                    ),
                    findings(words, height=16),
                ]
            ),
            Section(title=texts.history, content=history(words)),
            Section(title=texts.blind.title, content=[blind(words, height=10)]),
        ],
    )
