"""Which way of sharing suits the cards of each pool: a row for each pool and model."""

from __future__ import annotations

from typing import Any, Final

from gpuatlas_dashboards.boards import sizing_queries as queries
from gpuatlas_dashboards.panels.fields import Cell, Field, text_of_pattern, texts_of_values
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import (
    columns,
    highest,
    join_rows,
    matrix,
    organise,
)
from gpuatlas_dashboards.texts.shapes.sizing import SizingTexts
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import CHECK_STATE_COLOURS, STATE_COLOURS, CheckState, State, Unit

_COLOURS: Final = {
    "suits": STATE_COLOURS[State.WORKING],
    "unsafe": STATE_COLOURS[State.SLOWED],
    "impossible": STATE_COLOURS[State.IDLE],
    "no-advice": CHECK_STATE_COLOURS[CheckState.UNKNOWN],
}


def strategy_advice(texts: SizingTexts, language: Language, *, width: int, height: int) -> Panel:
    """A column for each way; a cell says the verdict and the rule that decided."""
    shared = language.shared
    return table(
        texts.advice,
        [
            Query(expr=queries.STRATEGIES, ref="cells", table=True),
            Query(expr=queries.POOLS, ref="pools", table=True),
        ],
        Look(
            unit=Unit.TEXT,
            mappings=_cells(texts),
            transformations=[
                highest(["row", "strategy", "cell"], "Value #cells", ref="cells"),
                highest(["row", "cluster", "pool", "model"], "Value #pools", ref="pools"),
                matrix(row="row", column="strategy", value="cell", ref="cells"),
                organise(rename={"row\\strategy": "row"}),
                join_rows("row"),
                *columns(["cluster", "pool", "model", *texts.strategies]),
            ],
            fields=[
                Field(name="cluster", title=shared.variables["cluster"], width=90),
                Field(
                    name="pool",
                    title=texts.pool,
                    width=90,
                    mappings=[texts_of_values({"": (texts.no_pool, "")})],
                ),
                Field(name="model", title=shared.columns["model"], width=130, wrap=True),
                *(
                    Field(name=strategy, title=title, wrap=True, cell=Cell.COLOURED_TEXT)
                    for strategy, title in texts.strategies.items()
                ),
            ],
        ),
        width=width,
        height=height,
    )


def _cells(texts: SizingTexts) -> list[dict[str, Any]]:
    known = [
        text_of_pattern(rf"/^{verdict}\|{word}\|.*$/", f"{said}: {why}", _COLOURS.get(verdict, ""))
        for verdict, said in texts.advised.items()
        for word, why in texts.advice_reasons.items()
    ]
    others = [
        text_of_pattern(rf"/^{verdict}\|([^|]*)\|.*$/", f"{said}: $1", _COLOURS.get(verdict, ""))
        for verdict, said in texts.advised.items()
    ]
    return [*known, *others]
