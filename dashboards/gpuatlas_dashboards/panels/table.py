"""Tables: a row for each object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gpuatlas_dashboards.panels import grafana
from gpuatlas_dashboards.panels.fields import Cell, Field, Match
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look, settings
from gpuatlas_dashboards.texts.shapes.words import Words


def table(
    words: Words,
    queries: Sequence[Query],
    look: Look,
    *,
    width: int,
    height: int,
    sort: str = "",
    descending: bool = False,
    row_height: str = "sm",
    header: bool = True,
    filterable: bool = False,
    frozen: int = 0,
    min_width: int = 60,
) -> Panel:
    """Queries with `table=True`, brought together by the transformations of `look`.

    `sort`: The title of the column that it is sorted by at first.
    `row_height`: "sm" is 36 pixels, "md" 42, "lg" 48.
    `filterable`: A filter in the head of every column.
    `frozen`: Columns at the left that stay when it is scrolled.
    """
    custom = {
        "align": "auto",
        "cellOptions": {"type": Cell.TEXT.value},
        "filterable": filterable,
        "minWidth": min_width,
        "inspect": False,
        **look.custom,
    }
    options = {
        "showHeader": header,
        "cellHeight": row_height,
        "sortBy": [{"displayName": sort, "desc": descending}] if sort else [],
        **({"frozenColumns": {"left": frozen}} if frozen else {}),
    }
    # The text for an empty table would else stand in every empty cell.
    fields = [Field(name="/.*/", match=Match.REGEX, empty="–"), *look.fields]
    look = replace(look, custom=custom, fields=fields)
    widget = grafana.table(**settings(words, queries, look, options=options))
    return Panel(widget=widget, width=width, height=height)
