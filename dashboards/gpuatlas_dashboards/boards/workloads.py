"""Workloads: every workload by what it uses of what it holds, and the chosen one in detail."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards import variables, workload_variables
from gpuatlas_dashboards.board import Board
from gpuatlas_dashboards.boards import workloads_queries as queries
from gpuatlas_dashboards.boards.workloads_detail import (
    workload_identity,
    workload_now,
    workload_shares,
)
from gpuatlas_dashboards.boards.workloads_history import workload_history
from gpuatlas_dashboards.boards.workloads_neighbours import workload_neighbours, workload_records
from gpuatlas_dashboards.boards.workloads_slowed import who_slows_whom, why_slow
from gpuatlas_dashboards.boards.workloads_summary import workload_states, workload_totals
from gpuatlas_dashboards.boards.workloads_table import workload_table
from gpuatlas_dashboards.layout import Beside, Column, Section
from gpuatlas_dashboards.legend import workload_state_legend
from gpuatlas_dashboards.scopes import ITS_CARDS
from gpuatlas_dashboards.texts.en import workloads as en
from gpuatlas_dashboards.texts.ja import workloads as ja
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
            variables.namespace(language),
            workload_variables.workload_kind(language),
            workload_variables.workload_state(language),
            variables.labels_of(language, "shown_workloads", "workload", queries.SHOWN),
            *workload_variables.chosen_workload(language),
            workload_variables.its_cards(language),
            variables.card_pods(language, ITS_CARDS),
        ],
        sections=[
            Section(
                content=[
                    workload_states(texts, language, width=14),
                    workload_totals(texts, language, width=10),
                    workload_table(texts, language, height=15),
                    workload_state_legend(texts.legend, language.shared),
                ]
            ),
            Section(
                title=texts.pairs_section,
                content=[who_slows_whom(texts, language, height=7)],
            ),
            Section(
                title=texts.chosen_section,
                content=[
                    *workload_now(texts, language),
                    *why_slow(texts, language),
                    Beside(
                        columns=[
                            Column(width=6, panels=workload_identity(texts, language, width=6)),
                            Column(
                                width=18,
                                panels=[
                                    workload_shares(texts, language, width=18, height=9),
                                    workload_neighbours(texts, language),
                                ],
                            ),
                        ]
                    ),
                    *workload_history(texts, language),
                    workload_records(texts, language),
                ],
            ),
        ],
    )
