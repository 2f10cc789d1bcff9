"""What the checks cannot see, and how to switch it on."""

from __future__ import annotations

from gpuatlas_dashboards.boards.checks_queries import missing_inputs, scope
from gpuatlas_dashboards.boards.checks_tables import check_field, name_field
from gpuatlas_dashboards.boards.checks_words import ChecksWords
from gpuatlas_dashboards.panels import check_mappings
from gpuatlas_dashboards.panels.fields import Cell, Field, texts_of_values
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, group, join_rows, sort_by
from gpuatlas_dashboards.signals import check
from gpuatlas_dashboards.tokens import Unit


def blind(words: ChecksWords, *, height: int) -> Panel:
    """A row for each input of a check that nobody sends, with the nodes that lack it."""
    kept = ["check", "name", "cluster", "input", "reason"]
    nodes, state = "node (uniqueValues)", "Value #states"
    board = words.board
    return table(
        board.blind,
        [
            Query(expr=missing_inputs(), ref="inputs", table=True),
            Query(expr=check.STATE.within(scope()), ref="states", table=True),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[
                *group(kept, "node", ref="inputs"),
                join_rows("check", inner=True),
                sort_by("check"),
                *columns(["check", "name", state, "cluster", "input", nodes, "reason"]),
            ],
            fields=[
                check_field(words),
                name_field(words, width=150),
                Field(
                    name=state,
                    title=words.language.of(check.STATE).title,
                    width=122,
                    align="left",
                    cell=Cell.BACKGROUND,
                    cell_options={"mode": "basic"},
                    mappings=[check_mappings.check_state_codes(words.shared.check_states)],
                ),
                Field(name="cluster", title=words.shared.variables["cluster"], width=92),
                Field(name="input", title=board.input, width=360),
                Field(
                    name=nodes,
                    title=board.nodes,
                    width=118,
                    wrap=True,
                    mappings=[texts_of_values({"": (board.whole_cluster, "")})],
                ),
                Field(
                    name="reason",
                    title=board.reason,
                    wrap=True,
                    mappings=[check_mappings.texts(board.ways)],
                ),
            ],
        ),
        width=24,
        height=height,
    )
