"""From the chosen card to the workloads on it: partition, allocation, pod, workload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas_dashboards.boards import cards_queries as queries
from gpuatlas_dashboards.links import BoardId, Link, board_url
from gpuatlas_dashboards.panels.fields import Field, texts_of_values
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, merge
from gpuatlas_dashboards.texts.shapes.cards import CardsTexts
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import Unit
from gpuatlas_dashboards.workload_variables import KEY, key_column

_VALUES: Final = {
    "promised": Unit.BYTES,
    "resident": Unit.BYTES,
    "counted": Unit.BYTES,
    "compute_promised": Unit.RATIO,
    "compute": Unit.RATIO,
    "idle": Unit.DURATION,
}

# Names are longer than numbers.
_LINKED: Final = ("workload", "pod")
_WIDTHS: Final = {"workload": 130, "namespace": 100, "pod": 170}


def chain(texts: CardsTexts, language: Language, *, width: int, height: int) -> Panel:
    """A row for each container on the card, and for each part of it that is free."""
    shared = language.shared.columns
    names = {"kind": texts.columns["kind"]}
    names |= {name: shared[name] for name in _WIDTHS}
    names |= {f"Value #{name}": texts.columns[name] for name in _VALUES}
    names |= {"profile": texts.columns["profile"], "container": shared["container"]}
    names |= {"evidence": shared["evidence"]}
    return table(
        texts.chain,
        [
            Query(expr=queries.CHAIN, ref="chain", table=True),
            *(
                Query(expr=expr, ref=name, table=True)
                for name, expr in queries.CHAIN_VALUES.items()
            ),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[merge(), *columns([*names, KEY], names)],
            fields=[
                *workload_links(texts, language, widths=_WIDTHS),
                Field(
                    name=shared["workload"],
                    mappings=[texts_of_values({queries.NOBODY: (texts.nobody, "")})],
                ),
                *(Field(name=texts.columns[name], unit=unit) for name, unit in _VALUES.items()),
            ],
        ),
        width=width,
        height=height,
        min_width=84,
    )


def workload_links(
    texts: CardsTexts, language: Language, *, widths: Mapping[str, int]
) -> list[Field]:
    """Columns of these widths that lead to the workload of their row, whose key is hidden."""
    url = board_url(BoardId.WORKLOADS, language.suffix, workload=key_column())
    return [
        Field(name=KEY, hidden=True),
        *(
            Field(
                name=language.shared.columns[name],
                width=width,
                links=[Link(title=texts.open_workload, url=url)] if name in _LINKED else (),
            )
            for name, width in widths.items()
        ),
    ]
