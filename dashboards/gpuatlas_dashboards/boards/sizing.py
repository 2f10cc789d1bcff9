"""Sizing: what workloads need against what they hold, and how far cards can be shared."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards import variables
from gpuatlas_dashboards.board import Board
from gpuatlas_dashboards.boards import sizing_queries as queries
from gpuatlas_dashboards.boards.sizing_advice import strategy_advice
from gpuatlas_dashboards.boards.sizing_contention import priorities, speed
from gpuatlas_dashboards.boards.sizing_nodes import fits, nodes
from gpuatlas_dashboards.boards.sizing_summary import course, missing, summary
from gpuatlas_dashboards.boards.sizing_workloads import cards_table, compute_table, memory_table
from gpuatlas_dashboards.layout import Section
from gpuatlas_dashboards.texts.en import sizing as en
from gpuatlas_dashboards.texts.ja import sizing as ja
from gpuatlas_dashboards.texts.shapes.words import Language

TEXTS: Final = {"en": en.TEXTS, "ja": ja.TEXTS}
# What sizing asks for at least.
_WINDOW: Final = "now-7d"


def build(language: Language) -> Board:
    """The board in a language."""
    texts = TEXTS[language.code]
    return Board(
        title=texts.title,
        description=texts.description,
        variables=[
            variables.datasource(language),
            variables.cluster(language),
            variables.namespace(language),
            *(
                variables.labels_of(language, name, "workload", expr)
                for name, expr in queries.LISTS.items()
            ),
        ],
        sections=[
            Section(
                content=[
                    *summary(texts, language),
                    memory_table(texts, language, height=15),
                    compute_table(texts, language, width=24, height=9),
                    cards_table(texts, language, width=24, height=9),
                    missing(texts, width=24, height=5),
                ]
            ),
            Section(
                title=texts.nodes_section,
                content=[
                    nodes(texts, language, width=24, height=10),
                    course(texts, width=12, height=9),
                    fits(texts, language, width=12, height=9),
                    strategy_advice(texts, language, width=24, height=14),
                ],
            ),
            Section(
                title=texts.contention_section,
                content=[
                    speed(texts, language, width=12, height=9),
                    priorities(texts, language, width=12, height=9),
                ],
            ),
        ],
        time_from=_WINDOW,
    )
